import type { DaylightSaving } from '#cron/index.ts';
import { type Database, type Db, runUnitOfWork, type UnitOfWork } from '#database/index.ts';
import { toResourceError } from '#errors/index.ts';
import type { JsonObject, JsonValue } from '#json/index.ts';
import { backOff, type Service } from '#lifecycle/index.ts';
import type { Observe } from '#observability/index.ts';
import { findJob, listOfFiles } from '../store/job-repository.ts';
import { findJobView } from '../view/job-view-repository.ts';
import { clockWarnings } from './clock-warnings.ts';
import { ensureSchedule, removeSchedule } from './register-schedule.ts';
import { idleInterval, parseSchedule, type ScheduleDefinition, timingOf } from './schedule.ts';
import type { ContextSeals } from './sealed-context.ts';
import type { SecretReferences } from './secret-context.ts';

export interface FileSchedulesOptions {
  readonly database: Database;
  /** The files as they are now. */
  readonly files: () => readonly ScheduleFile[];
  readonly dst: () => DaylightSaving;
  readonly now: () => number;
  readonly nodeName: string;
  readonly wake: () => void;
  readonly observe: Observe;
  readonly secrets: SecretReferences;
  readonly seals: ContextSeals;
  /** Asks the invoked service. @throws BadRequestError for what could never run */
  readonly check: (invokeService: string, invokeContext: JsonValue) => void;
  /** False when another node has changed the schedule's configuration since this node read it. */
  readonly isCurrent: (db: Db, id: string) => Promise<boolean>;
}

/** A schedule of `conf/schedule-<id>.json`. */
export interface ScheduleFile {
  readonly id: string;
  readonly content: JsonObject;
}

/**
 * Keeps the schedules of the configuration files in force. Every node does this with the same files; the rows of
 * the jobs are the lock, and content that has not changed changes nothing. One that is not persisted each
 * node has in memory, and fires by itself.
 */
export class FileSchedules implements Service {
  readonly name = 'file schedules';
  readonly #options: FileSchedulesOptions;
  #isStopped = false;
  /** What is under way: files change while all of them are brought in force. */
  #last: Promise<void> = Promise.resolve();

  constructor(options: FileSchedulesOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#isStopped = false;
    await this.activateAll();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#last;
  }

  /** Brings all of them in force, and removes those whose file is gone. A wrong one is reported and left out. */
  activateAll(): Promise<void> {
    const { database, nodeName, files, observe } = this.#options;
    return this.#inTurn(async () => {
      const declared = files();
      for (const file of declared) await this.#activate(file);
      const ids = new Set(declared.map(({ id }) => id));
      for (const id of await listOfFiles(database.db, nodeName)) if (!ids.has(id)) await this.#remove(id);
    }).catch((error: unknown) => observe({ kind: 'loop.failed', loop: this.name, error }));
  }

  activate(file: ScheduleFile): Promise<void> {
    return this.#inTurn(() => this.#activate(file));
  }

  remove(id: string): Promise<void> {
    return this.#inTurn(() => this.#remove(id));
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #activate({ id, content }: ScheduleFile): Promise<void> {
    const { observe } = this.#options;
    for (let failures = 1; ; failures++) {
      try {
        await this.#register(id, content);
        return;
      } catch (error) {
        const { code, message } = toResourceError(error);
        // What is away for now says nothing about the file.
        if (code === 503 && !this.#isStopped) {
          await backOff(failures, 50, 2_000);
          continue;
        }
        observe({ kind: 'config.refused', id: `schedule/${id}`, findings: [message] });
        return;
      }
    }
  }

  async #register(id: string, content: JsonObject): Promise<void> {
    const { observe, dst, now, wake } = this.#options;
    const definition = parseSchedule(content, { persisted: false });
    this.#options.check(definition.invokeService, definition.invokeContext);
    if ((await this.#ensure(id, definition)) === 'unchanged') return;
    wake();
    observe({ kind: 'schedule.registered', schedule: id, next: await this.#nextRunAt(id, definition) });
    const warnings = clockWarnings(timingOf(definition, dst()), now());
    for (const warning of [...idleInterval(content, definition), ...warnings]) {
      observe({ kind: 'config.warned', message: `schedule-${id}.json: ${warning}` });
    }
  }

  async #remove(id: string): Promise<void> {
    const { database, nodeName, observe } = this.#options;
    const removed = await runUnitOfWork(database, {}, async (unitOfWork) => {
      const db = await unitOfWork.db();
      const places = [true, false].map((persisted) => findJob(db, id, { lock: true, nodeName, persisted }));
      const jobs = (await Promise.all(places)).filter((job) => job?.source === 'file');
      for (const job of jobs) await removeSchedule(this.#scope(unitOfWork), job!);
      return jobs.length > 0;
    });
    if (removed) observe({ kind: 'schedule.removed', schedule: id });
  }

  #ensure(id: string, definition: ScheduleDefinition): Promise<'created' | 'updated' | 'unchanged'> {
    const { database, isCurrent } = this.#options;
    return runUnitOfWork(database, {}, async (unitOfWork) =>
      (await isCurrent(await unitOfWork.db(), id))
        ? ensureSchedule(this.#scope(unitOfWork), { id, definition, source: 'file' })
        : 'unchanged',
    );
  }

  #scope(unitOfWork: UnitOfWork) {
    const { dst, now, nodeName, secrets, seals } = this.#options;
    return { unitOfWork, now: now(), dst: dst(), nodeName, secrets, seals };
  }

  async #nextRunAt(id: string, { persisted }: ScheduleDefinition): Promise<number | null> {
    const { database, nodeName } = this.#options;
    const job = await findJob(database.db, id, { nodeName, persisted });
    if (job === undefined) return null;
    return (await findJobView(database.db, job.triggerId))?.next_run_at?.getTime() ?? null;
  }
}
