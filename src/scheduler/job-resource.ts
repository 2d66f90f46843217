import { randomUUID } from 'node:crypto';
import { BadRequestError } from '#errors/index.ts';
import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import { pageResult } from '#repo/index.ts';
import {
  type ActionRequest,
  actionResult,
  type CollectionProvider,
  collection,
  dbOf,
  newIdOf,
  plainQuery,
  type RouteHandler,
  requireSameId,
  resourceBody,
  unknownAction,
} from '#resource/index.ts';
import { explainFiring } from './explain-firing.ts';
import { listJobs } from './job-repository.ts';
import { memoryJobView } from './job-view.ts';
import { queryJobViews } from './job-view-repository.ts';
import { KeptSchedules, type SchedulerPlatform } from './kept-schedules.ts';
import { previewFirings } from './preview-firings.ts';
import { listRunning, memoryRunning } from './running-repository.ts';
import { parseSchedule } from './schedule.ts';
import { VALIDATE_CRON, validatingCron } from './scheduler-resource.ts';
import { requireNoSecretContext } from './secret-context.ts';

const COLLECTION_ACTIONS = [
  'create',
  'listCurrentlyExecutingJobs',
  'pauseJobs',
  'resumeJobs',
  'nextRunDates',
  VALIDATE_CRON,
] as const;
const INSTANCE_ACTIONS = ['trigger', 'pause', 'resume', 'nextRunDates', 'why', VALIDATE_CRON] as const;

/** `/scheduler/job`: the schedules. */
export function jobResource(platform: SchedulerPlatform): RouteHandler {
  return validatingCron(collection(jobProvider(platform)));
}

function jobProvider(platform: SchedulerPlatform): CollectionProvider {
  const { clock, memory, dst } = platform;
  const schedules = new KeptSchedules(platform);
  return {
    description: {
      title: 'schedules',
      collectionActions: COLLECTION_ACTIONS,
      instanceActions: INSTANCE_ACTIONS,
    },

    create: (context, request) => schedules.create(context, newIdOf(request), request.content),

    read: (context, _request, id) => schedules.read(context, id),

    exists: async (context, id) => (await schedules.find(context, id)) !== undefined,

    async update(context, request, id) {
      requireSameId(request.content, id);
      return schedules.update(context, id, request.content);
    },

    delete: (context, _request, id) => schedules.delete(context, id),

    async query(context, request) {
      const further = (await memory.list()).map(memoryJobView);
      const db = await dbOf(platform, context);
      const contexts = async () =>
        [...(await listJobs(db)), ...further].map(({ definition }) => definition.invokeContext);
      await requireNoSecretContext(plainQuery(request).filter, request.sortKeys, platform.secrets, contexts);
      const views = await queryJobViews(db, request, further);
      return pageResult(
        views,
        ({ id }) => id,
        (view) => schedules.show(view),
      );
    },

    async actionOnCollection(context, request) {
      const content = contentOf(request);
      switch (nameOf(request, COLLECTION_ACTIONS)) {
        case 'create': {
          const fields = { ...request.parameters, ...content };
          if (fields['_id'] !== undefined) throw ownId(fields['_id']);
          return actionResult(resourceBody(await schedules.create(context, randomUUID(), fields)));
        }
        case 'listCurrentlyExecutingJobs':
          return actionResult(
            [
              ...(await listRunning(await dbOf(platform, context))),
              ...(await memory.list()).flatMap(memoryRunning),
            ].map((run) => schedules.showRunning(run)),
          );
        case 'pauseJobs':
        case 'resumeJobs':
          await schedules.pauseAll(context, request.action.toLowerCase() === 'pausejobs');
          return actionResult({ success: true });
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
          return actionResult(await schedules.trigger(context, id));
        case 'pause':
          return actionResult(await schedules.pause(context, id, true));
        case 'resume':
          return actionResult(await schedules.pause(context, id, false));
        case 'nextRunDates': {
          const { definition } = await schedules.get(context, id);
          return actionResult(previewFirings(definition, clock.now(), parameters['count'], dst()));
        }
        case 'why':
          return actionResult({
            ...(await explainFiring(await dbOf(platform, context), {
              id,
              at: timeOf(parameters['time']),
              dst: dst(),
            })),
          });
        default:
          return unknownAction(request, INSTANCE_ACTIONS);
      }
    },
  };
}

/** The action gives each schedule an id of the server; who wants one of its own puts it there. */
function ownId(id: JsonValue): BadRequestError {
  return new BadRequestError(`The action create takes no _id, and got ${JSON.stringify(id)}`, {
    id: 'SCHED_ID_OF_SERVER',
    field: '/_id',
    hint: 'Leave it out for an id of the server, or use PUT scheduler/job/<id>',
  });
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
