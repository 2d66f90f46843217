import { countNodesNotPaused, reachAllNodes } from '#cluster/index.ts';
import type { Database, DatabaseClock } from '#database/index.ts';
import { NotFoundError, PreconditionFailedError } from '#errors/index.ts';
import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import { type Context, dbOf, type Resource } from '#resource/index.ts';
import { clockWarnings } from './clock-warnings.ts';
import type { DaylightSaving } from './cron/index.ts';
import { findJob, insertManual, type JobRow } from './job-repository.ts';
import { jobResourceOf, memoryJobView } from './job-view.ts';
import { findJobView, type JobView } from './job-view-repository.ts';
import type { MemorySchedule, MemorySchedules } from './memory-schedules.ts';
import {
  createSchedule,
  firstOf,
  pauseSchedule,
  record,
  removeSchedule,
  updateSchedule,
} from './register-schedule.ts';
import { formatRunKey } from './run.ts';
import { readPause, setPaused } from './running-repository.ts';
import {
  idleInterval,
  parseSchedule,
  type ScheduleDefinition,
  timingOf,
  unknownMembers,
} from './schedule.ts';
import { type SecretReferences, shownDefinition, withKeptContext } from './secret-context.ts';
import { closeGate } from './start-gate-repository.ts';

export interface SchedulerPlatform {
  readonly database: Database;
  readonly clock: DatabaseClock;
  /** The schedules that only this process knows. */
  readonly memory: MemorySchedules;
  readonly dst: () => DaylightSaving;
  /** What must not be shown of the schedules of files. */
  readonly secrets: SecretReferences;
  readonly nodeName: string;
  /** What the invoked service has against the schedule. @throws BadRequestError */
  readonly check: (invokeService: string, invokeContext: JsonValue) => void;
  /** Tells all nodes that something new waits. */
  readonly wake: () => void;
  /** Tells all nodes that all is paused or resumed. */
  readonly announcePause: () => void;
}

/** Where a schedule is kept; in memory and in the database a name stands for one schedule. */
export type Kept =
  | { readonly where: 'database'; readonly definition: ScheduleDefinition; readonly row: JobRow }
  | { readonly where: 'memory'; readonly definition: ScheduleDefinition; readonly schedule: MemorySchedule };

/**
 * What callers do with schedules, wherever they are kept. All of it joins the unit of work of the request: what is kept
 * in memory changes once it is committed.
 */
export class KeptSchedules {
  readonly #platform: SchedulerPlatform;

  constructor(platform: SchedulerPlatform) {
    this.#platform = platform;
  }

  /** @param lock keeps it from changing until the unit of work ends */
  async find(context: Context, id: string, lock = false): Promise<Kept | undefined> {
    const schedule = await this.#platform.memory.find(id);
    if (schedule !== undefined) return { where: 'memory', definition: schedule.definition, schedule };
    const row = await findJob(await dbOf(this.#platform, context), id, lock);
    return row === undefined ? undefined : { where: 'database', definition: row.definition, row };
  }

  /** @throws NotFoundError */
  async get(context: Context, id: string, lock = false): Promise<Kept> {
    const kept = await this.find(context, id, lock);
    if (kept === undefined) throw new NotFoundError(`Schedule '${id}' not found`);
    return kept;
  }

  async read(context: Context, id: string): Promise<Resource> {
    return this.#read(context, id, await this.get(context, id));
  }

  async create(context: Context, id: string, content: JsonObject): Promise<Resource> {
    const definition = withKeptContext(id, this.#parse(content), undefined, this.#platform.secrets);
    if ((await this.find(context, id)) !== undefined) throw exists(id);
    return this.#warned(await this.#store(context, id, definition), definition, content);
  }

  async update(context: Context, id: string, content: JsonObject): Promise<Resource> {
    const given = this.#parse(content);
    const { definition: before } = await this.get(context, id, true);
    const definition = withKeptContext(id, given, before, this.#platform.secrets);
    return this.#warned(await this.#change(context, id, definition), definition, content);
  }

  /** @returns what it was */
  async delete(context: Context, id: string): Promise<Resource> {
    const kept = await this.get(context, id, true);
    const before = await this.#read(context, id, kept);
    await this.#remove(context, id, kept);
    return before;
  }

  /** Fires it now, by itself. */
  async trigger(context: Context, id: string): Promise<JsonObject> {
    const kept = await this.get(context, id, true);
    const { security, transactionId: transaction } = context;
    const asked = { kind: 'requested', by: security.authenticationId, transaction } as const;
    if (kept.where === 'memory') {
      // Its key is not known before the commit, and without a commit nothing may fire.
      this.#inMemory(context, 'fire the schedule', (schedules) => schedules.trigger(id, asked));
      return { _id: id, firing: null };
    }
    const db = await dbOf(this.#platform, context);
    let key = await insertManual(db, kept.row.triggerId, asked);
    while (key === undefined) key = await insertManual(db, kept.row.triggerId, asked);
    recordMembers(context, `scheduler/firing/${formatRunKey(key)}`, null, { schedule: id });
    context.unitOfWork!.afterCommit('wake the scheduler', this.#platform.wake);
    return { _id: id, firing: formatRunKey(key) };
  }

  /** Resuming also starts one anew that was parked. */
  async pause(context: Context, id: string, paused: boolean): Promise<JsonObject> {
    const kept = await this.get(context, id, true);
    if (kept.where === 'memory') {
      this.#inMemory(context, 'pause or resume the schedule', (schedules) => schedules.pause(id, paused));
      return { _id: id, success: true };
    }
    const { row } = kept;
    await pauseSchedule(this.#scopeOf(context), row, paused);
    recordMembers(context, `scheduler/job/${id}`, { paused: !paused }, { paused });
    if (paused) this.#afterPause(context, () => closeGate(this.#platform.database.db));
    context.unitOfWork!.afterCommit('wake the scheduler', this.#platform.wake);
    return { _id: id, success: true };
  }

  async pauseAll(context: Context, paused: boolean): Promise<void> {
    if (await setPaused(await dbOf(this.#platform, context), paused)) {
      recordMembers(context, 'scheduler/job', { paused: !paused }, { paused });
    }
    this.#inMemory(context, 'pause or resume schedules in memory', (schedules) => schedules.pauseAll(paused));
    context.unitOfWork!.afterCommit('tell of the pause', this.#platform.announcePause);
    if (!paused) return;
    this.#afterPause(context, async () => {
      const { db } = this.#platform.database;
      await closeGate(db);
      const { pauses } = await readPause(db);
      await reachAllNodes(() => countNodesNotPaused(db, pauses));
    });
  }

  /** Whoever pauses is answered when nothing that was planned can start any more. */
  #afterPause({ unitOfWork }: Context, wait: () => Promise<void>): void {
    unitOfWork!.afterCommit('wait for what starts just now', wait);
  }

  show(job: JobView): Resource {
    const view = { ...job, definition: shownDefinition(job.id, job.definition, this.#platform.secrets) };
    return jobResourceOf(view, this.#platform.clock.now(), this.#platform.dst());
  }

  /** A run under way with the fields of its schedule, which may have been deleted meanwhile. */
  showRunning(run: JsonObject): JsonObject {
    const { invokeContext } = run;
    if (invokeContext === undefined) return run;
    return shownDefinition(String(run['_id']), { ...run, invokeContext }, this.#platform.secrets);
  }

  async #read(context: Context, id: string, kept: Kept): Promise<Resource> {
    return kept.where === 'memory' ? this.show(memoryJobView(kept.schedule)) : this.#view(context, id);
  }

  async #view(context: Context, id: string): Promise<Resource> {
    return this.show((await findJobView(await dbOf(this.#platform, context), id))!);
  }

  async #store(context: Context, id: string, definition: ScheduleDefinition): Promise<Resource> {
    const scope = this.#scopeOf(context);
    const { unitOfWork, now } = scope;
    if (definition.persisted) {
      const job = await createSchedule(scope, { id, definition, source: 'rest' });
      if (job === undefined) throw exists(id);
      unitOfWork.afterCommit('wake the scheduler', this.#platform.wake);
      return this.#view(context, id);
    }
    const next = firstOf(definition, now, this.#platform.dst());
    this.#inMemory(context, 'register the schedule', (schedules) => schedules.put(id, definition, 'rest'));
    record(scope, 'create', null, { id, definition });
    return this.show(announced(id, definition, next));
  }

  async #change(context: Context, id: string, definition: ScheduleDefinition): Promise<Resource> {
    const old = await this.get(context, id, true);
    const scope = this.#scopeOf(context);
    const { unitOfWork, now } = scope;
    if (definition.persisted !== (old.where === 'database')) {
      await this.#remove(context, id, old);
      return this.#store(context, id, definition);
    }
    if (old.where === 'database') {
      await updateSchedule(scope, old.row, { id, definition, source: old.row.source });
      unitOfWork.afterCommit('wake the scheduler', this.#platform.wake);
      return this.#view(context, id);
    }
    const next = firstOf(definition, now, this.#platform.dst());
    this.#inMemory(context, 'change the schedule', (schedules) =>
      schedules.put(id, definition, old.schedule.source),
    );
    record(scope, 'update', old.schedule, { id, definition });
    return this.show({ ...announced(id, definition, next), triggers: memoryJobView(old.schedule).triggers });
  }

  async #remove(context: Context, id: string, kept: Kept): Promise<void> {
    if (kept.where === 'database') {
      await removeSchedule(this.#scopeOf(context), kept.row);
      return;
    }
    this.#inMemory(context, 'remove the schedule', (schedules) => schedules.remove(id));
    record(this.#scopeOf(context), 'delete', kept.schedule, null);
  }

  /** Who saves a schedule is told what was not understood of it, and what changes of clocks will do to it; later reads do not repeat it. */
  #warned(saved: Resource, definition: ScheduleDefinition, content: JsonObject): Resource {
    const { clock, dst } = this.#platform;
    const warnings = [
      ...unknownMembers(content),
      ...idleInterval(content, definition),
      ...clockWarnings(timingOf(definition, dst()), clock.now()),
    ];
    if (warnings.length === 0 || !isObject(saved.content)) return saved;
    return { ...saved, content: { ...saved.content, warnings } };
  }

  #parse(content: JsonObject): ScheduleDefinition {
    const definition = parseSchedule(content, { persisted: true });
    this.#platform.check(definition.invokeService, definition.invokeContext);
    return definition;
  }

  #scopeOf({ unitOfWork }: Context) {
    const { clock, dst, nodeName, secrets } = this.#platform;
    return { unitOfWork: unitOfWork!, now: clock.now(), dst: dst(), nodeName, secrets };
  }

  /** What the caller's own thread does with a schedule in memory waits for the commit, like all else outside. */
  #inMemory(context: Context, what: string, act: (schedules: MemorySchedules) => Promise<unknown>): void {
    context.unitOfWork!.afterCommit(what, async () => void (await act(this.#platform.memory)));
  }
}

/** Tells the unit of work of a change that is none of a schedule's fields. */
function recordMembers(
  { unitOfWork }: Context,
  resource: string,
  before: JsonObject | null,
  after: JsonObject,
): void {
  unitOfWork!.record({ resource, operation: before === null ? 'create' : 'update', before, after });
}

function exists(id: string): PreconditionFailedError {
  return new PreconditionFailedError(`Schedule '${id}' exists already`, { id: 'SCHED_EXISTS' });
}

/** A schedule in memory as it will be once the request is committed. */
function announced(id: string, definition: ScheduleDefinition, next: number | null): JobView {
  const trigger = {
    serialized: JSON.stringify({ version: 1, jobId: id, nextFireTime: next }),
    name: id,
    group: 'scheduler-service-group',
    previous_state: -1,
    state: 0,
    acquired: false,
    nodeId: null,
  };
  return {
    id,
    definition,
    triggers: definition.enabled ? [trigger] : [],
    next_run_at: next === null ? null : new Date(next),
    previous_run_at: null,
  };
}
