import { randomUUID } from 'node:crypto';
import { BadRequestError } from '#errors/index.ts';
import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import {
  type ActionRequest,
  ActionTable,
  actionResult,
  bodyOf,
  dbOf,
  languageOf,
  listMember,
  NO_BODY,
  readerOf,
  resourceBody,
  textMember,
} from '#resource/index.ts';
import { parseInstant } from '#time/index.ts';
import { CALENDAR, calendarOf } from './calendar/calendar.ts';
import { explainFiring } from './explain/explain-firing.ts';
import type { KeptSchedules, SchedulerPlatform } from './schedule/kept-schedules.ts';
import { previewFirings } from './schedule/preview-firings.ts';
import { parseSchedule } from './schedule/schedule.ts';
import { listRunning } from './view/running-repository.ts';
import { ALSO_VALIDATES } from './view/scheduler-resource.ts';

const SUCCESS = bodyOf({ success: { const: true } }, 'success');

/** What schedules can be asked to do: all of them, and each. */
export interface JobActions {
  readonly collectionActions: ActionTable;
  readonly instanceActions: ActionTable<[id: string]>;
}

export function jobActions(platform: SchedulerPlatform, schedules: KeptSchedules): JobActions {
  return {
    collectionActions: onAll(platform, schedules),
    instanceActions: onEach(platform, schedules),
  };
}

function onAll(platform: SchedulerPlatform, schedules: KeptSchedules): ActionTable {
  const { clock, dst } = platform;
  return new ActionTable(
    {
      create: {
        does: 'Makes a schedule with an id of the server',
        takes: { type: 'object', description: 'A schedule, without an id' },
        answers: { type: 'object' },
        async run(context, request) {
          const fields = fieldsOf(request);
          if (fields['_id'] !== undefined) throw ownId(fields['_id']);
          return actionResult(resourceBody(await schedules.create(context, randomUUID(), fields)));
        },
      },
      listCurrentlyExecutingJobs: {
        does: 'Lists the schedules that run just now',
        takes: NO_BODY,
        answers: listMember({ type: 'object' }),
        async run(context) {
          const running = await listRunning(await dbOf(platform, context));
          return actionResult(await Promise.all(running.map((run) => schedules.showRunning(run))));
        },
      },
      pauseJobs: {
        does: 'Has all schedules wait',
        takes: NO_BODY,
        answers: SUCCESS,
        async run(context) {
          await schedules.pauseAll(context, true);
          return actionResult({ success: true });
        },
      },
      resumeJobs: {
        does: 'Has all schedules go on',
        takes: NO_BODY,
        answers: SUCCESS,
        async run(context) {
          await schedules.pauseAll(context, false);
          return actionResult({ success: true });
        },
      },
      nextRunDates: {
        does: 'Says when a schedule that is sent would fire, the next `count` times',
        takes: { type: 'object', description: 'A schedule, and the `count` of times' },
        answers: { type: 'object' },
        async run(context, request) {
          const { count, ...fields }: JsonObject = { invokeService: 'script', ...fieldsOf(request) };
          const definition = parseSchedule(fields, { persisted: true });
          return actionResult(previewFirings(definition, clock.now(), count, dst(), languageOf(context)));
        },
      },
      calendar: {
        does: 'Says when all schedules fire `from` one time `to` another, and how many slots they need',
        takes: CALENDAR,
        answers: { type: 'object' },
        async run(context, request) {
          const db = await readerOf(platform, context);
          return actionResult(
            await calendarOf(db, request.content ?? {}, {
              now: clock.now(),
              dst: dst(),
              language: languageOf(context),
            }),
          );
        },
      },
      ...ALSO_VALIDATES,
    },
    { anyCase: true },
  );
}

function onEach(platform: SchedulerPlatform, schedules: KeptSchedules): ActionTable<[id: string]> {
  const { clock, dst, nodeName } = platform;
  return new ActionTable<[id: string]>(
    {
      trigger: {
        does: 'Fires the schedule now',
        takes: NO_BODY,
        answers: { type: 'object' },
        // A rehearsal of a firing runs its script.
        runsScripts: ({ dryRun }) => dryRun === true,
        run: async (context, _request, id) => actionResult(await schedules.trigger(context, id)),
      },
      pause: {
        does: 'Has the schedule wait',
        takes: NO_BODY,
        answers: { type: 'object' },
        run: async (context, _request, id) => actionResult(await schedules.pause(context, id, true)),
      },
      resume: {
        does: 'Has the schedule go on',
        takes: NO_BODY,
        answers: { type: 'object' },
        run: async (context, _request, id) => actionResult(await schedules.pause(context, id, false)),
      },
      nextRunDates: {
        does: 'Says when the schedule fires, the next `count` times',
        takes: bodyOf({ count: { type: ['integer', 'string'] } }),
        answers: { type: 'object' },
        async run(context, request, id) {
          const { definition } = await schedules.get(context, id);
          return actionResult(
            previewFirings(definition, clock.now(), fieldsOf(request)['count'], dst(), languageOf(context)),
          );
        },
      },
      why: {
        does: 'Explains what has become of the firing that was due at a `time`',
        takes: bodyOf({ time: textMember('When it was due, such as 2026-08-02T02:00:00Z') }),
        answers: { type: 'object' },
        async run(context, request, id) {
          const at = timeOf(fieldsOf(request)['time']);
          const db = await dbOf(platform, context);
          return actionResult({ ...(await explainFiring(db, { id, nodeName, at, dst: dst() })) });
        },
      },
      ...ALSO_VALIDATES,
    },
    { anyCase: true },
  );
}

/** The action gives each schedule an id of the server; who wants one of its own puts it there. */
export function ownId(id: JsonValue): BadRequestError {
  return new BadRequestError(`The action create takes no _id, and got ${JSON.stringify(id)}`, {
    id: 'SCHED_ID_OF_SERVER',
    field: '/_id',
    hint: 'Leave it out for an id of the server, or use PUT scheduler/job/<id>',
  });
}

/** What the body says goes before what the URL says. */
function fieldsOf({ parameters, content }: ActionRequest): JsonObject {
  return { ...parameters, ...(isObject(content) ? content : {}) };
}

function timeOf(time: unknown): number {
  const at = typeof time === 'string' ? parseInstant(time) : Number.NaN;
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
