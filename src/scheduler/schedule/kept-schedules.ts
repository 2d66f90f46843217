import type { DaylightSaving } from '#cron/index.ts';
import type { Database, DatabaseClock, Wake } from '#database/index.ts';
import { didYouMean, InternalServerError, NotFoundError, PreconditionFailedError } from '#errors/index.ts';
import { equalJson, isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import { shortServiceName } from '#platform/index.ts';
import { type Context, dbOf, languageOf, type Resource, writeContext } from '#resource/index.ts';
import { rehearseFiring } from '../fire/rehearse-firing.ts';
import { formatRunKey } from '../run/run.ts';
import type { ScheduledServices } from '../service/scheduled-service.ts';
import { findJob, insertManual, type JobRow, type JobSearch, listIds } from '../store/job-repository.ts';
import { awaitStarted, closeGate } from '../store/start-gate-repository.ts';
import { jobResourceOf } from '../view/job-view.ts';
import { findJobView, type JobView } from '../view/job-view-repository.ts';
import { setPaused } from '../view/running-repository.ts';
import { clockWarnings } from './clock-warnings.ts';
import { createSchedule, pauseSchedule, removeSchedule, updateSchedule } from './register-schedule.ts';
import {
  idleInterval,
  parseSchedule,
  type ScheduleDefinition,
  timingOf,
  unknownMembers,
} from './schedule.ts';
import { requireRevision, scheduleRevision } from './schedule-revision.ts';
import { type ContextSeals, refuseForeignContext } from './sealed-context.ts';
import { type SecretReferences, shownDefinition, withKeptContext } from './secret-context.ts';

export interface SchedulerPlatform {
  readonly database: Database;
  readonly clock: DatabaseClock;
  readonly dst: () => DaylightSaving;
  /** What must not be shown of the schedules of files. */
  readonly secrets: SecretReferences;
  readonly seals: ContextSeals;
  readonly nodeName: string;
  readonly services: ScheduledServices;
  /** Whether a caller may be told what scripts say. */
  readonly maySeeScripts: (context: Context) => Promise<boolean>;
  /** @throws ForbiddenError unless the caller may have the server run what stands at the JSON pointer */
  readonly requireScriptRight: (context: Context, field: string) => Promise<void>;
  /** What the invoked service has against the schedule. @throws BadRequestError */
  readonly check: (invokeService: string, invokeContext: JsonValue) => void;
  /** What will keep every run of a schedule from finding its service. */
  readonly doubts: (invokeService: string) => readonly string[];
  /** Tells all nodes that something new waits, or may go on. */
  readonly wake: Wake;
}

/**
 * What callers do with schedules, wherever they are: an id means the one in the memory of this node, or else the
 * persisted one, or else one in the memory of another. All of it joins the unit of work of the request.
 */
export class KeptSchedules {
  readonly #platform: SchedulerPlatform;

  constructor(platform: SchedulerPlatform) {
    this.#platform = platform;
  }

  find(context: Context, id: string): Promise<JobRow | undefined> {
    return this.#find(context, id);
  }

  /** @throws NotFoundError */
  async get(context: Context, id: string): Promise<JobRow> {
    return this.#found(context, id, await this.#find(context, id));
  }

  /** It stays as it is until the unit of work ends. @throws NotFoundError */
  async #hold(context: Context, id: string): Promise<JobRow> {
    return this.#found(context, id, await this.#find(context, id, { lock: true }));
  }

  async #found(context: Context, id: string, job: JobRow | undefined): Promise<JobRow> {
    if (job !== undefined) return job;
    const hint = didYouMean(id, await listIds(await dbOf(this.#platform, context)));
    throw new NotFoundError(`Schedule '${id}' not found`, hint === undefined ? {} : { hint });
  }

  async #find(
    context: Context,
    id: string,
    search?: Omit<JobSearch, 'nodeName'>,
  ): Promise<JobRow | undefined> {
    const { nodeName } = this.#platform;
    return findJob(await dbOf(this.#platform, context), id, { ...search, nodeName });
  }

  async read(context: Context, id: string): Promise<Resource> {
    return this.#view(context, await this.get(context, id));
  }

  async create(context: Context, id: string, content: JsonObject): Promise<Resource> {
    const definition = withKeptContext(id, this.#parse(context, content), undefined, this.#platform.secrets);
    await this.#platform.requireScriptRight(context, '/invokeService');
    // Others may have their own of that id in memory.
    for (const persisted of [true, false]) {
      if ((await this.#find(context, id, { persisted })) !== undefined) throw exists(id);
    }
    return this.#warned(await this.#store(context, id, definition), definition, content);
  }

  /** @param revision of which it is to be; null for any. @throws PreconditionFailedError */
  async update(
    context: Context,
    id: string,
    content: JsonObject,
    revision: string | null = null,
  ): Promise<Resource> {
    const given = this.#parse(context, content);
    const old = await this.#hold(context, id);
    requireRevision(old, revision);
    const before = await this.#platform.seals.open(old.definition);
    const definition = withKeptContext(id, given, before, this.#platform.secrets);
    await this.#requireRight(context, given, shownDefinition(id, before, this.#platform.secrets));
    return this.#warned(await this.#change(context, old, definition), definition, content);
  }

  /** @returns what it was */
  async delete(context: Context, id: string, revision: string | null = null): Promise<Resource> {
    const job = await this.#hold(context, id);
    requireRevision(job, revision);
    const before = await this.#view(context, job);
    await removeSchedule(this.#scopeOf(context), job);
    this.#afterChange(context, job);
    return before;
  }

  /** Fires it now, by itself. */
  async trigger(context: Context, id: string): Promise<JsonObject> {
    const { triggerId, definition } = await this.#hold(context, id);
    const rehearsal =
      context.rehearsed === true
        ? await this.#rehearse(context, id, await this.#platform.seals.open(definition))
        : null;
    const { security, transactionId: transaction } = context;
    const asked = { kind: 'requested', by: security.authenticationId, transaction } as const;
    const db = await dbOf(this.#platform, context);
    let key = await insertManual(db, triggerId, asked);
    while (key === undefined) key = await insertManual(db, triggerId, asked);
    recordMembers(context, `scheduler/firing/${formatRunKey(key)}`, null, { schedule: id });
    this.#wake(context);
    return { _id: id, firing: formatRunKey(key), ...(rehearsal === null ? {} : { rehearsal }) };
  }

  /**
   * What the run would do belongs to what a dry run tells.
   *
   * @returns what its service says besides, if the caller may know it
   */
  async #rehearse(context: Context, id: string, definition: ScheduleDefinition): Promise<JsonObject | null> {
    const { clock, services, maySeeScripts } = this.#platform;
    const asked = { id, definition, now: clock.now() };
    const rehearsal = await rehearseFiring(services, context, asked).catch(async (thrown: unknown) => {
      // A script of the server may say more in its error than its caller may know.
      if (await maySeeScripts(context)) throw thrown;
      throw new InternalServerError(`The script of schedule '${id}' fails`, { id: 'SCHED_REHEARSAL_FAILED' });
    });
    if (rehearsal === undefined) {
      const effect = `invoke ${shortServiceName(definition.invokeService)}`;
      writeContext(context).unitOfWork.afterCommit(effect, () => undefined);
    }
    return rehearsal !== undefined && rehearsal !== null && (await maySeeScripts(context)) ? rehearsal : null;
  }

  /** Resuming also starts one anew that was parked. */
  async pause(context: Context, id: string, paused: boolean): Promise<JsonObject> {
    await pauseSchedule(this.#scopeOf(context), await this.#hold(context, id), paused);
    recordMembers(context, `scheduler/job/${id}`, { paused: !paused }, { paused });
    this.#afterPause(context, paused);
    return { _id: id, success: true };
  }

  /** Pauses or resumes all schedules in the cluster, those in memory too. */
  async pauseAll(context: Context, paused: boolean): Promise<void> {
    const by = context.security.authorization.id;
    if (await setPaused(await dbOf(this.#platform, context), paused, by)) {
      recordMembers(context, 'scheduler/job', { paused: !paused }, { paused });
    }
    this.#afterPause(context, paused);
  }

  /** Whoever pauses is answered when nothing that was planned can start any more. */
  #afterPause(context: Context, paused: boolean): void {
    const { db } = this.#platform.database;
    if (paused)
      writeContext(context).unitOfWork.afterCommit('wait for what starts just now', () => closeGate(db), {
        isTold: true,
      });
    this.#wake(context);
  }

  /** Whoever changes a schedule is answered when nothing of it begins any more as it was. */
  #afterChange(context: Context, { triggerId }: JobRow): void {
    const { db } = this.#platform.database;
    const begun = () => awaitStarted(db, triggerId);
    const { unitOfWork } = writeContext(context);
    unitOfWork.afterCommit('wait for what starts just now', begun, { isTold: true });
  }

  #wake(context: Context): void {
    writeContext(context).unitOfWork.afterCommit('wake the scheduler', this.#platform.wake);
  }

  async show(context: Context, job: JobView): Promise<Resource> {
    const { secrets, seals } = this.#platform;
    const view = {
      ...job,
      definition: shownDefinition(job.id, await seals.openToShow(job.definition), secrets),
    };
    const { clock, dst } = this.#platform;
    return jobResourceOf(view, {
      // Scripts see what those of the field see.
      revision: context.client.isExternal ? scheduleRevision(job.definition) : null,
      now: clock.now(),
      dst: dst(),
      language: languageOf(context),
    });
  }

  /** A run under way with the fields of its schedule, which may have been deleted meanwhile. */
  async showRunning(run: JsonObject): Promise<JsonObject> {
    const { invokeContext, sealed, ...others } = run;
    if (invokeContext === undefined) return run;
    const { secrets, seals } = this.#platform;
    const stored = {
      ...others,
      invokeContext,
      ...(sealed === undefined ? {} : { sealed: sealed as string[] }),
    };
    return shownDefinition(String(run['_id']), await seals.openToShow(stored), secrets);
  }

  async #view(context: Context, { triggerId }: JobRow): Promise<Resource> {
    return this.show(context, (await findJobView(await dbOf(this.#platform, context), triggerId))!);
  }

  async #store(context: Context, id: string, definition: ScheduleDefinition): Promise<Resource> {
    const job = await createSchedule(this.#scopeOf(context), { id, definition, source: 'rest' });
    if (job === undefined) throw exists(id);
    this.#wake(context);
    return this.#view(context, job);
  }

  async #change(context: Context, old: JobRow, definition: ScheduleDefinition): Promise<Resource> {
    const scope = this.#scopeOf(context);
    const { id, source } = old;
    this.#afterChange(context, old);
    if (definition.persisted !== (old.ownerId === null)) {
      await removeSchedule(scope, old);
      return this.#store(context, id, definition);
    }
    const job = await updateSchedule(scope, old, { id, definition, source });
    this.#wake(context);
    return this.#view(context, job);
  }

  /**
   * Whoever saves a schedule is told what was not understood of it, and what changes of clocks will do to it; later
   * reads do not repeat it.
   */
  #warned(saved: Resource, definition: ScheduleDefinition, content: JsonObject): Resource {
    const { clock, dst, doubts } = this.#platform;
    const warnings = [
      ...unknownMembers(content),
      ...doubts(definition.invokeService),
      ...idleInterval(content, definition),
      ...clockWarnings(timingOf(definition, dst()), clock.now()),
    ];
    if (warnings.length === 0 || !isObject(saved.content)) return saved;
    return { ...saved, content: { ...saved.content, warnings } };
  }

  #parse({ client }: Context, content: JsonObject): ScheduleDefinition {
    const definition = parseSchedule(content, { persisted: true });
    if (client.isExternal) refuseForeignContext(definition);
    this.#platform.check(definition.invokeService, definition.invokeContext);
    return definition;
  }

  /**
   * What a schedule invokes, a script or not, runs with the rights of the server: it stays as it is shown, so that nobody finds out by
   * this whether a secret is what they think. When it runs is for all to say who may change it.
   */
  async #requireRight(context: Context, given: ScheduleDefinition, shown: ScheduleDefinition): Promise<void> {
    const changed = (['invokeService', 'invokeContext'] as const).find(
      (member) => !equalJson(given[member], shown[member]),
    );
    if (changed !== undefined) await this.#platform.requireScriptRight(context, `/${changed}`);
  }

  #scopeOf(context: Context) {
    const { unitOfWork } = writeContext(context);
    const { clock, dst, nodeName, secrets, seals } = this.#platform;
    return { unitOfWork, now: clock.now(), dst: dst(), nodeName, secrets, seals };
  }
}

/** Tells the unit of work of a change that is none of a schedule's fields. */
function recordMembers(
  context: Context,
  resource: string,
  before: JsonObject | null,
  after: JsonObject,
): void {
  const { unitOfWork } = writeContext(context);
  unitOfWork.record({ resource, operation: before === null ? 'create' : 'update', before, after });
}

function exists(id: string): PreconditionFailedError {
  return new PreconditionFailedError(`Schedule '${id}' exists already`, { id: 'SCHED_EXISTS' });
}
