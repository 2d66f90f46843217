import { type Database, type Db, runUnitOfWork, type UnitOfWork } from '#database/index.ts';
import { toResourceError } from '#errors/index.ts';
import { equalJson, type JsonObject, type JsonValue } from '#json/index.ts';
import type { Observe } from '#observability/index.ts';
import { clockWarnings } from './clock-warnings.ts';
import type { DaylightSaving } from './cron/index.ts';
import { findJob, type JobRow, listJobs } from './job-repository.ts';
import { findJobView } from './job-view-repository.ts';
import type { MemorySchedules } from './memory-schedules.ts';
import { withoutAnchor } from './next-firing.ts';
import { ensureSchedule, firstOf, removeSchedule } from './register-schedule.ts';
import { idleInterval, parseSchedule, type ScheduleDefinition, timingOf } from './schedule.ts';
import type { SecretReferences } from './secret-context.ts';

export interface FileSchedulesOptions {
  readonly database: Database;
  /** Holds those that are not persisted: each node has its own. */
  readonly memory: MemorySchedules;
  readonly dst: () => DaylightSaving;
  readonly now: () => number;
  readonly nodeName: string;
  readonly wake: () => void;
  readonly observe: Observe;
  readonly secrets: SecretReferences;
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
 * the jobs are the lock, and content that has not changed changes nothing. One that is not persisted fires on every
 * node by itself.
 */
export class FileSchedules {
  readonly #options: FileSchedulesOptions;

  constructor(options: FileSchedulesOptions) {
    this.#options = options;
  }

  /** Brings all of them in force, and removes those whose file is gone. A wrong one is reported and left out. */
  async activateAll(files: readonly ScheduleFile[]): Promise<void> {
    for (const file of files) await this.activate(file);
    const declared = new Set(files.map((file) => file.id));
    const { database, memory } = this.#options;
    const known = [...(await listJobs(database.db, 'file')), ...(await memory.list())];
    for (const { id, source } of known) {
      if (source === 'file' && !declared.has(id)) await this.remove(id);
    }
  }

  async activate({ id, content }: ScheduleFile): Promise<void> {
    const { observe } = this.#options;
    try {
      const definition = parseSchedule(content, { persisted: false });
      this.#options.check(definition.invokeService, definition.invokeContext);
      const registered = definition.persisted
        ? await this.#persist(id, definition)
        : await this.#keepInMemory(id, definition);
      if (!registered) return;
      observe({ kind: 'schedule.registered', schedule: id, next: await this.#nextRunAt(id) });
      const { dst, now } = this.#options;
      const warnings = clockWarnings(timingOf(definition, dst()), now());
      for (const warning of [...idleInterval(content, definition), ...warnings]) {
        observe({ kind: 'config.warned', message: `schedule-${id}.json: ${warning}` });
      }
    } catch (error) {
      const { message } = toResourceError(error);
      observe({ kind: 'config.refused', id: `schedule/${id}`, findings: [message] });
    }
  }

  async remove(id: string): Promise<void> {
    const { memory, observe } = this.#options;
    const fromMemory = (await memory.find(id))?.source === 'file' && (await memory.remove(id));
    const fromDatabase = await this.#removePersisted(id);
    if (fromMemory || fromDatabase) observe({ kind: 'schedule.removed', schedule: id });
  }

  async #persist(id: string, definition: ScheduleDefinition): Promise<boolean> {
    const { database, memory, wake, isCurrent } = this.#options;
    const result = await runUnitOfWork(database, {}, async (unitOfWork) =>
      (await isCurrent(await unitOfWork.db(), id))
        ? ensureSchedule(this.#scope(unitOfWork), { id, definition, source: 'file' })
        : 'unchanged',
    );
    if ((await memory.find(id))?.source === 'file') await memory.remove(id);
    if (result !== 'unchanged') wake();
    return result !== 'unchanged';
  }

  async #keepInMemory(id: string, definition: ScheduleDefinition): Promise<boolean> {
    const { memory, dst, now } = this.#options;
    const old = await memory.find(id);
    if (old !== undefined && equalJson({ ...withoutAnchor(old.definition) }, { ...definition })) return false;
    // The first time is looked for here only to refuse a schedule that has none.
    firstOf(definition, now(), dst());
    await this.#removePersisted(id);
    await memory.put(id, definition, 'file');
    return true;
  }

  #scope(unitOfWork: UnitOfWork) {
    const { dst, now, nodeName, secrets } = this.#options;
    return { unitOfWork, now: now(), dst: dst(), nodeName, secrets };
  }

  async #removePersisted(id: string): Promise<boolean> {
    return runUnitOfWork(this.#options.database, {}, async (unitOfWork) => {
      const job: JobRow | undefined = await findJob(await unitOfWork.db(), id, true);
      if (job?.source !== 'file') return false;
      await removeSchedule(this.#scope(unitOfWork), job);
      return true;
    });
  }

  async #nextRunAt(id: string): Promise<number | null> {
    const { database, memory } = this.#options;
    const schedule = await memory.find(id);
    if (schedule !== undefined) return schedule.nextRunAt;
    return (await findJobView(database.db, id))?.next_run_at?.getTime() ?? null;
  }
}
