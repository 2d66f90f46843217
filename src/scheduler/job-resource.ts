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
  type Resource,
  type RouteHandler,
  requireSameId,
  resourceBody,
  unknownAction,
} from '#resource/index.ts';
import { explainFiring } from './explain-firing.ts';
import { listInvokeContexts } from './job-repository.ts';
import { type JobView, queryJobViews } from './job-view-repository.ts';
import { KeptSchedules, type SchedulerPlatform } from './kept-schedules.ts';
import { previewFirings } from './preview-firings.ts';
import { listRunning } from './running-repository.ts';
import { parseSchedule } from './schedule.ts';
import { JOB_ACTIONS, VALIDATE_CRON, validatingCron } from './scheduler-resource.ts';
import { requireNoSecretContext } from './secret-context.ts';

const INSTANCE_ACTIONS = ['trigger', 'pause', 'resume', 'nextRunDates', 'why', VALIDATE_CRON] as const;

/** `/scheduler/job`: the schedules. */
export function jobResource(platform: SchedulerPlatform): RouteHandler {
  return { ...validatingCron(collection(jobProvider(platform))), envelopes: 'seals' };
}

function jobProvider(platform: SchedulerPlatform): CollectionProvider {
  const { clock, nodeName, dst } = platform;
  const schedules = new KeptSchedules(platform);
  return {
    description: {
      title: 'schedules',
      // The validation is described once, at /scheduler.
      collectionActions: JOB_ACTIONS.filter((action) => action !== VALIDATE_CRON),
      instanceActions: INSTANCE_ACTIONS.filter((action) => action !== VALIDATE_CRON),
    },

    async create(context, request) {
      const { _id } = request.content;
      if (request.byAction === true && _id !== undefined) throw ownId(_id);
      return schedules.create(context, newIdOf(request), request.content);
    },

    read: (context, _request, id) => schedules.read(context, id),

    exists: async (context, id) => (await schedules.find(context, id)) !== undefined,

    async update(context, request, id) {
      requireSameId(request.content, id);
      return schedules.update(context, id, request.content);
    },

    delete: (context, _request, id) => schedules.delete(context, id),

    async query(context, request) {
      const db = await dbOf(platform, context);
      await requireNoSecretContext(plainQuery(request).filter, request.sortKeys, platform.secrets, () =>
        listInvokeContexts(db),
      );
      const views = await queryJobViews(db, request, nodeName);
      const shown = new Map<JobView, Resource>();
      for (const view of views.rows) shown.set(view, await schedules.show(view));
      return pageResult(
        views,
        ({ id }) => id,
        (view) => shown.get(view)!,
      );
    },

    // A rehearsal of a firing runs its script.
    runsScripts: (request) =>
      request.method === 'action' &&
      request.dryRun === true &&
      nameOf(request, INSTANCE_ACTIONS) === 'trigger',

    async actionOnCollection(context, request) {
      const content = contentOf(request);
      switch (nameOf(request, JOB_ACTIONS)) {
        case 'create': {
          const fields = { ...request.parameters, ...content };
          if (fields['_id'] !== undefined) throw ownId(fields['_id']);
          return actionResult(resourceBody(await schedules.create(context, randomUUID(), fields)));
        }
        case 'listCurrentlyExecutingJobs':
          return actionResult(
            await Promise.all(
              (await listRunning(await dbOf(platform, context))).map((run) => schedules.showRunning(run)),
            ),
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
          return unknownAction(request, JOB_ACTIONS);
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
              nodeName,
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
