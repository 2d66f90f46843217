import type { Database, DatabaseClock, Db } from '#database/index.ts';
import { BadRequestError, NotFoundError, PreconditionFailedError } from '#errors/index.ts';
import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import { pageResult } from '#repo/index.ts';
import {
  type ActionRequest,
  actionResult,
  type CollectionProvider,
  type Context,
  collection,
  newIdOf,
  type Resource,
  type RouteHandler,
  requireSameId,
  resourceBody,
  unknownAction,
} from '#resource/index.ts';
import { clockWarnings } from './clock-warnings.ts';
import type { DaylightSaving } from './cron/index.ts';
import { explainFiring } from './explain-firing.ts';
import { findJob, insertManual, type JobRow, setJobPaused } from './job-repository.ts';
import { jobResourceOf, memoryJobView } from './job-view.ts';
import { findJobView, type JobView, queryJobViews } from './job-view-repository.ts';
import type { MemorySchedule, MemorySchedules } from './memory-schedules.ts';
import { previewFirings } from './preview-firings.ts';
import { createSchedule, firstOf, record, removeSchedule, updateSchedule } from './register-schedule.ts';
import { formatRunKey } from './run.ts';
import { listRunning, memoryRunning, setPaused } from './running-repository.ts';
import { parseSchedule, type ScheduleDefinition, timingOf, unknownMembers } from './schedule.ts';
import { VALIDATE_CRON, validatingCron } from './scheduler-resource.ts';

export interface SchedulerPlatform {
  readonly database: Database;
  readonly clock: DatabaseClock;
  /** The schedules that only this process knows. */
  readonly memory: MemorySchedules;
  readonly dst: () => DaylightSaving;
  readonly nodeName: string;
  /** What the invoked service has against the schedule. @throws BadRequestError */
  readonly check: (invokeService: string, invokeContext: JsonValue) => void;
  /** Tells all nodes that something new waits. */
  readonly wake: () => void;
  /** Tells all nodes that all is paused or resumed. */
  readonly announcePause: () => void;
}

const COLLECTION_ACTIONS = [
  'create',
  'listCurrentlyExecutingJobs',
  'pauseJobs',
  'resumeJobs',
  'nextRunDates',
  VALIDATE_CRON,
] as const;
const INSTANCE_ACTIONS = ['trigger', 'pause', 'resume', 'nextRunDates', 'why', VALIDATE_CRON] as const;

/** Where a schedule is kept; in memory and in the database a name stands for one schedule. */
type Kept =
  | { readonly where: 'database'; readonly row: JobRow }
  | { readonly where: 'memory'; readonly schedule: MemorySchedule };

/** `/scheduler/job`: the schedules. */
export function jobResource(platform: SchedulerPlatform): RouteHandler {
  return validatingCron(collection(jobProvider(platform)));
}

function jobProvider(platform: SchedulerPlatform): CollectionProvider {
  const { database, clock, memory, dst, nodeName, wake } = platform;
  const dbOf = async (context: Context): Promise<Db> =>
    context.unitOfWork === null ? database.db : context.unitOfWork.db();
  const scopeOf = (context: Context) => ({
    unitOfWork: context.unitOfWork!,
    now: clock.now(),
    dst: dst(),
    nodeName,
  });
  const show = (view: JobView) => jobResourceOf(view, clock.now(), dst());

  const parse = (content: JsonObject): ScheduleDefinition => {
    const definition = parseSchedule(content, { persisted: true });
    platform.check(definition.invokeService, definition.invokeContext);
    return definition;
  };

  /** What the caller's own thread does with a schedule in memory waits for the commit, like all else outside. */
  const inMemory = (context: Context, what: string, act: (schedules: MemorySchedules) => Promise<unknown>) =>
    context.unitOfWork!.afterCommit(what, async () => void (await act(memory)));

  async function find(context: Context, id: string, lock = false): Promise<Kept | undefined> {
    const schedule = await memory.find(id);
    if (schedule !== undefined) return { where: 'memory', schedule };
    const row = await findJob(await dbOf(context), id, lock);
    return row === undefined ? undefined : { where: 'database', row };
  }

  async function get(context: Context, id: string, lock = false): Promise<Kept> {
    const kept = await find(context, id, lock);
    if (kept === undefined) throw new NotFoundError(`Schedule '${id}' not found`);
    return kept;
  }

  async function view(context: Context, id: string): Promise<Resource> {
    return show((await findJobView(await dbOf(context), id))!);
  }

  async function store(context: Context, id: string, definition: ScheduleDefinition): Promise<Resource> {
    const { unitOfWork, now } = scopeOf(context);
    if (definition.persisted) {
      const job = await createSchedule(scopeOf(context), { id, definition, source: 'rest' });
      if (job === undefined) throw exists(id);
      unitOfWork.afterCommit('wake the scheduler', wake);
      return view(context, id);
    }
    const next = firstOf(definition, now, dst());
    inMemory(context, 'register the schedule', (schedules) => schedules.put(id, definition, 'rest'));
    record(unitOfWork, 'create', null, { id, definition });
    return show(announced(id, definition, next));
  }

  async function create(context: Context, id: string, content: JsonObject): Promise<Resource> {
    const definition = parse(content);
    if ((await find(context, id)) !== undefined) throw exists(id);
    return warned(await store(context, id, definition), definition, content);
  }

  async function remove(context: Context, id: string, kept: Kept): Promise<void> {
    if (kept.where === 'database') {
      await removeSchedule(scopeOf(context), kept.row);
      return;
    }
    inMemory(context, 'remove the schedule', (schedules) => schedules.remove(id));
    record(context.unitOfWork!, 'delete', kept.schedule, null);
  }

  /** Who saves a schedule is told what was not understood of it, and what changes of clocks will do to it; later reads do not repeat it. */
  function warned(saved: Resource, definition: ScheduleDefinition, content: JsonObject): Resource {
    const warnings = [...unknownMembers(content), ...clockWarnings(timingOf(definition, dst()), clock.now())];
    if (warnings.length === 0 || !isObject(saved.content)) return saved;
    return { ...saved, content: { ...saved.content, warnings } };
  }

  async function update(context: Context, id: string, content: JsonObject): Promise<Resource> {
    const definition = parse(content);
    return warned(await change(context, id, definition), definition, content);
  }

  async function change(context: Context, id: string, definition: ScheduleDefinition): Promise<Resource> {
    const old = await get(context, id, true);
    const { unitOfWork, now } = scopeOf(context);
    if (definition.persisted !== (old.where === 'database')) {
      await remove(context, id, old);
      return store(context, id, definition);
    }
    if (old.where === 'database') {
      await updateSchedule(scopeOf(context), old.row, { id, definition, source: old.row.source });
      unitOfWork.afterCommit('wake the scheduler', wake);
      return view(context, id);
    }
    const next = firstOf(definition, now, dst());
    inMemory(context, 'change the schedule', (schedules) =>
      schedules.put(id, definition, old.schedule.source),
    );
    record(unitOfWork, 'update', old.schedule, { id, definition });
    return show({ ...announced(id, definition, next), triggers: memoryJobView(old.schedule).triggers });
  }

  async function trigger(context: Context, id: string): Promise<JsonObject> {
    const kept = await get(context, id, true);
    const { security, transactionId: transaction } = context;
    const asked = { kind: 'requested', by: security.authenticationId, transaction } as const;
    if (kept.where === 'memory') {
      // Its key is not known before the commit, and without a commit nothing may fire.
      inMemory(context, 'fire the schedule', (schedules) => schedules.trigger(id, asked));
      return { _id: id, firing: null };
    }
    const db = await dbOf(context);
    let key = await insertManual(db, kept.row.triggerId, asked);
    while (key === undefined) key = await insertManual(db, kept.row.triggerId, asked);
    recordMembers(context, `scheduler/firing/${formatRunKey(key)}`, null, { schedule: id });
    context.unitOfWork!.afterCommit('wake the scheduler', wake);
    return { _id: id, firing: formatRunKey(key) };
  }

  async function setJobState(context: Context, id: string, paused: boolean): Promise<JsonObject> {
    const kept = await get(context, id, true);
    if (kept.where === 'memory') {
      inMemory(context, 'pause or resume the schedule', (schedules) => schedules.pause(id, paused));
      return { _id: id, success: true };
    }
    const { row } = kept;
    await setJobPaused(await dbOf(context), row.triggerId, paused);
    recordMembers(context, `scheduler/job/${id}`, { paused: !paused }, { paused });
    if (row.parked && !paused) {
      // Nothing of it waits; an update that changes nothing starts it anew.
      await updateSchedule(scopeOf(context), row, { id, definition: row.definition, source: row.source });
    }
    context.unitOfWork!.afterCommit('wake the scheduler', wake);
    return { _id: id, success: true };
  }

  return {
    description: {
      title: 'schedules',
      collectionActions: COLLECTION_ACTIONS,
      instanceActions: INSTANCE_ACTIONS,
    },

    create: (context, request) => create(context, newIdOf(request), request.content),

    async read(context, _request, id) {
      const kept = await get(context, id);
      return kept.where === 'memory' ? show(memoryJobView(kept.schedule)) : view(context, id);
    },

    exists: async (context, id) => (await find(context, id)) !== undefined,

    async update(context, request, id) {
      requireSameId(request.content, id);
      return update(context, id, request.content);
    },

    async delete(context, _request, id) {
      const kept = await get(context, id, true);
      const before = kept.where === 'memory' ? show(memoryJobView(kept.schedule)) : await view(context, id);
      await remove(context, id, kept);
      return before;
    },

    async query(context, request) {
      const further = (await memory.list()).map(memoryJobView);
      return pageResult(await queryJobViews(await dbOf(context), request, further), ({ id }) => id, show);
    },

    async actionOnCollection(context, request) {
      const content = contentOf(request);
      switch (nameOf(request, COLLECTION_ACTIONS)) {
        case 'create':
          return actionResult(
            resourceBody(
              await create(context, newIdOf({ newResourceId: null, content }), {
                ...request.parameters,
                ...content,
              }),
            ),
          );
        case 'listCurrentlyExecutingJobs':
          return actionResult([
            ...(await listRunning(await dbOf(context))),
            ...(await memory.list()).flatMap(memoryRunning),
          ]);
        case 'pauseJobs':
        case 'resumeJobs': {
          const paused = request.action.toLowerCase() === 'pausejobs';
          if (await setPaused(await dbOf(context), paused)) {
            recordMembers(context, 'scheduler/job', { paused: !paused }, { paused });
          }
          inMemory(context, 'pause or resume schedules in memory', (schedules) => schedules.pauseAll(paused));
          context.unitOfWork!.afterCommit('tell of the pause', platform.announcePause);
          return actionResult({ success: true });
        }
        case 'nextRunDates': {
          const given: JsonObject = { invokeService: 'script', ...request.parameters, ...content };
          const { count, ...fields } = given;
          const definition = parseSchedule(fields, { persisted: true });
          return actionResult(previewFirings(definition, clock.now(), count, dst()));
        }
        default:
          return unknownAction(request, COLLECTION_ACTIONS);
      }
    },

    async actionOnInstance(context, request, id) {
      const parameters = { ...request.parameters, ...contentOf(request) };
      switch (nameOf(request, INSTANCE_ACTIONS)) {
        case 'trigger':
          return actionResult(await trigger(context, id));
        case 'pause':
          return actionResult(await setJobState(context, id, true));
        case 'resume':
          return actionResult(await setJobState(context, id, false));
        case 'nextRunDates': {
          const kept = await get(context, id);
          const { definition } = kept.where === 'memory' ? kept.schedule : kept.row;
          return actionResult(previewFirings(definition, clock.now(), parameters['count'], dst()));
        }
        case 'why':
          return actionResult({
            ...(await explainFiring(await dbOf(context), { id, at: timeOf(parameters['time']), dst: dst() })),
          });
        default:
          return unknownAction(request, INSTANCE_ACTIONS);
      }
    },
  };
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

function nameOf<T extends string>({ action }: ActionRequest, known: readonly T[]): T | undefined {
  return known.find((name) => name.toLowerCase() === action.toLowerCase());
}

function contentOf({ content }: ActionRequest): JsonObject {
  return isObject(content) ? content : {};
}

function timeOf(time: unknown): number {
  const at = typeof time === 'string' ? Date.parse(time) : Number.NaN;
  if (!Number.isNaN(at)) return at;
  throw new BadRequestError(
    time === undefined ? "The request has no 'time'" : `'${String(time)}' is no time`,
    {
      id: 'SCHED_BAD_TIME',
      field: '/time',
      hint: 'An ISO time such as 2026-08-02T00:00:00Z',
    },
  );
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
