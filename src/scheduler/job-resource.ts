import { randomUUID } from 'node:crypto';
import type { Database, DatabaseClock, Db } from '#database/index.ts';
import { NotFoundError, PreconditionFailedError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import {
  answerFromMemory,
  type CollectionProvider,
  type Context,
  collection,
  plainQuery,
  type QueryRequest,
  type QueryResult,
  type Resource,
  type RouteHandler,
  resource,
  resourceBody,
  unknownAction,
} from '#resource/index.ts';
import { findJob, type JobMotion, type JobRow, listJobs, listMotions } from './job-repository.ts';
import { createSchedule, removeSchedule, updateSchedule } from './register-schedule.ts';
import { listRunning, setPaused } from './running-repository.ts';
import { parseSchedule, SCHEDULE_FIELDS } from './schedule.ts';

export interface SchedulerPlatform {
  readonly database: Database;
  readonly clock: DatabaseClock;
  /** Tells all nodes that something new waits. */
  readonly wake: () => void;
}

const ACTIONS = ['create', 'listCurrentlyExecutingJobs', 'pauseJobs', 'resumeJobs'] as const;

/** `/scheduler/job`: the schedules. */
export function jobResource(platform: SchedulerPlatform): RouteHandler {
  return collection(jobProvider(platform));
}

function jobProvider(platform: SchedulerPlatform): CollectionProvider {
  const { database, clock, wake } = platform;
  const dbOf = async (context: Context): Promise<Db> =>
    context.unitOfWork === null ? database.db : context.unitOfWork.db();
  const scopeOf = (context: Context) => ({ unitOfWork: context.unitOfWork!, now: clock.now() });

  async function getJob(context: Context, id: string, lock = false): Promise<JobRow> {
    const job = await findJob(await dbOf(context), id, lock);
    if (job === undefined) throw new NotFoundError(`Schedule '${id}' not found`);
    return job;
  }

  async function view(context: Context, job: JobRow): Promise<Resource> {
    const motions = await listMotions(await dbOf(context), [job.id]);
    return resource(job.id, null, jobView(job, motions.get(job.id)));
  }

  async function create(context: Context, id: string, content: JsonObject): Promise<Resource> {
    const definition = parseSchedule(content, { persisted: true });
    const job = await createSchedule(scopeOf(context), { id, definition, source: 'rest' });
    if (job === undefined) {
      throw new PreconditionFailedError(`Schedule '${id}' exists already`, { id: 'SCHED_EXISTS' });
    }
    context.unitOfWork!.afterCommit('wake the scheduler', wake);
    return view(context, job);
  }

  return {
    create: (context, request) => create(context, idOf(request), request.content),

    async read(context, _request, id) {
      return view(context, await getJob(context, id));
    },

    async exists(context, id) {
      return (await findJob(await dbOf(context), id)) !== undefined;
    },

    async update(context, request, id) {
      const old = await getJob(context, id, true);
      const definition = parseSchedule(request.content, { persisted: true });
      const job = await updateSchedule(scopeOf(context), old, { id, definition, source: old.source });
      context.unitOfWork!.afterCommit('wake the scheduler', wake);
      return view(context, job);
    },

    async delete(context, _request, id) {
      const job = await getJob(context, id, true);
      const before = await view(context, job);
      await removeSchedule(context.unitOfWork!, job);
      return before;
    },

    query: async (context, request) => queryJobs(await dbOf(context), request),

    async actionOnCollection(context, request) {
      const db = await dbOf(context);
      const action = ACTIONS.find((known) => known.toLowerCase() === request.action.toLowerCase());
      switch (action) {
        case 'create': {
          const content = { ...request.parameters, ...((request.content ?? {}) as JsonObject) };
          return { kind: 'action', content: resourceBody(await create(context, randomUUID(), content)) };
        }
        case 'listCurrentlyExecutingJobs':
          return { kind: 'action', content: await listRunning(db) };
        case 'pauseJobs':
        case 'resumeJobs':
          await setPaused(db, action === 'pauseJobs');
          context.unitOfWork!.afterCommit('wake the scheduler', wake);
          return { kind: 'action', content: { success: true } };
        default:
          return unknownAction(request, ACTIONS);
      }
    },

    actionOnInstance: async (_context, request) => unknownAction(request, []),
  };
}

function idOf({ newResourceId, content }: { newResourceId: string | null; content: JsonObject }): string {
  const inBody = content['_id'];
  if (newResourceId !== null) return newResourceId;
  return typeof inBody === 'string' && inBody !== '' ? inBody : randomUUID();
}

async function queryJobs(db: Db, request: QueryRequest): Promise<QueryResult> {
  const jobs = await listJobs(db);
  const ids = jobs.map((job) => job.id);
  const motions = plainQuery(request).idsOnly ? new Map() : await listMotions(db, ids);
  return answerFromMemory(
    request,
    jobs.map((job) => ({ _id: job.id, ...jobView(job, motions.get(job.id)) })),
  );
}

/** The schedule as it is read back: its fields, its triggers, and its next and previous firing. */
function jobView(job: JobRow, motion: JobMotion | undefined): JsonObject {
  const iso = (at: number | null | undefined) => (at == null ? null : new Date(at).toISOString());
  // Stored as jsonb, which keeps no order of members; people read the fields in the order of the specification.
  const fields = Object.fromEntries(SCHEDULE_FIELDS.map((field) => [field, job.definition[field]]));
  return {
    ...fields,
    triggers: motion?.trigger == null ? [] : [motion.trigger],
    nextRunDate: iso(motion?.nextRunAt),
    previousRunDate: iso(motion?.previousRunAt),
  };
}
