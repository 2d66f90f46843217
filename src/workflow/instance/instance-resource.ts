import { NotFoundError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import {
  ActionTable,
  actionResult,
  type CollectionProvider,
  type Context,
  dbOf,
  NO_BODY,
  questionReaderOf,
  type Request,
  type Resource,
  readerOf,
  resource,
  selectFields,
  selectFromSealed,
} from '#resource/index.ts';
import { type EventRow, listEvents } from '../history/event-repository.ts';
import { keeps } from '../history/history-level.ts';
import { answerPage } from '../query/answer-page.ts';
import { asksFor, asksForDiagram, keepAllFields, SVG, wantedAs } from '../query/fields.ts';
import { queryKind } from '../query/query-kind.ts';
import { listTasksOf } from '../task/task-listing-repository.ts';
import { viewHistoricTask } from '../task/task-view.ts';
import { withoutContext } from '../variable/variable.ts';
import type { WorkflowPlatform } from '../workflow-platform.ts';
import { activitiesOf } from './activities.ts';
import { beginStep } from './begin-step.ts';
import { createInstance } from './create-instance.ts';
import type { Suspension } from './instance.ts';
import { instanceDiagram } from './instance-diagram.ts';
import { isId } from './instance-id.ts';
import { findInstance, type InstanceRow, listInstances } from './instance-listing-repository.ts';
import { listTaskVariables, lockInstance } from './instance-repository.ts';
import { revisionOf, viewInstance } from './instance-view.ts';
import { withCounters } from './loop-counters.ts';
import { MIGRATION, migrateInstance } from './migrate-instance.ts';
import { notRunning } from './not-running.ts';
import { patchInstance } from './patch-instance.ts';
import { SUSPENDED, suspendInstance } from './suspension.ts';
import { takeStep } from './take-step.ts';
import { waitsFor } from './waits-for.ts';

/** The reason of a deletion in the words of the history that clients of the field understand. */
const deletedBy = (server = 'svc') => `Deleted by ${server}.`;

/**
 * `/workflow/processinstance` and `/workflow/processinstance/history`: the first queries what runs, the second
 * everything; otherwise they are the same.
 */
export function instanceResource(platform: WorkflowPlatform, isHistory: boolean): CollectionProvider {
  return {
    description: {
      title: isHistory ? 'Process instance history' : 'Process instance',
      query: '_queryId=query-all-ids',
    },
    runsScripts: (request) => request.method !== 'query' && request.method !== 'read',
    async query(context, request) {
      const kind = queryKind(request);
      const db = await questionReaderOf(platform, context);
      const page = await listInstances(db, request, kind, isHistory);
      const rows = await Promise.all(page.rows.map((row) => withCounters(platform, db, row)));
      return answerPage({ ...page, rows }, (row) => resource(row.id, null, viewInstance(row)));
    },
    // A PUT with a new id creates, and the id is not taken over.
    exists: async (context, id) =>
      isId(id) && (await findInstance(await readerOf(platform, context), id)) !== undefined,
    async create(context, request) {
      return createInstance(platform, context, request.content);
    },
    async read(context, request, id) {
      return read(platform, context, request, id);
    },
    async patch(context, request, id) {
      await patchInstance(platform, context, id, request);
      return read(platform, context, request, id);
    },
    async delete(context, request, id) {
      const answer = await read(platform, context, request, id);
      const locked = await lockInstance(await dbOf(platform, context), id);
      if (locked === undefined) throw notRunning(id);
      await takeStep(beginStep(platform, context), locked, {
        kind: 'cancel',
        reason: deletedBy(platform.furtherName),
      });
      return answer;
    },
    instanceActions: new ActionTable<[id: string]>({
      suspend: {
        does: 'Has the instance, and all that it has called, stand still until it is activated',
        takes: NO_BODY,
        answers: SUSPENDED,
        run: (context, _request, id) => suspendInstance(platform, context, id, true),
      },
      activate: {
        does: 'Has the instance go on, with all that has come due meanwhile',
        takes: NO_BODY,
        answers: SUSPENDED,
        run: (context, _request, id) => suspendInstance(platform, context, id, false),
      },
      migrate: {
        does: 'Has the instance go on by another version of its definition: `processDefinitionId`, or the newest one',
        takes: MIGRATION,
        answers: { type: 'object' },
        runsScripts: true,
        async run(context, { content }, id) {
          await migrateInstance(platform, context, id, content);
          return actionResult({ 'Successfully migrated process instance': id });
        },
      },
    }),
  };
}

async function getInstance(platform: WorkflowPlatform, context: Context, id: string): Promise<InstanceRow> {
  const row = isId(id) ? await findInstance(await readerOf(platform, context), id.toLowerCase()) : undefined;
  if (row === undefined) throw noInstance(id);
  return row;
}

async function read(
  platform: WorkflowPlatform,
  context: Context,
  request: Request,
  id: string,
): Promise<Resource> {
  const db = await readerOf(platform, context);
  const row = await getInstance(platform, context, id);
  const locals = await listTaskVariables(db, row.id);
  const tasks = (await listTasksOf(db, row.id)).map((task) => ({
    _id: task.id,
    ...viewHistoricTask(task, locals.get(task.execution)),
  }));
  const content: JsonObject = { ...viewInstance(await withCounters(platform, db, row)), tasks };
  if (asksForDiagram(request)) {
    const diagram = await instanceDiagram(platform, db, row, wantedAs(request) === SVG ? 'svg' : 'png');
    if (diagram !== undefined) content['diagram'] = diagram;
  }
  if (asksFor(request, 'diagramSvg')) {
    const svg = await instanceDiagram(platform, db, row, 'svg');
    if (svg !== undefined) content['diagramSvg'] = svg;
  }
  if (asksFor(request, 'waitsFor')) {
    const definition = await platform.definitions.get(db, row.definition_id).catch(() => undefined);
    const waits = await waitsFor(db, row.id, definition?.process);
    const { suspended = null } = row.standing ?? {};
    content['waitsFor'] = suspended === null ? waits : [viewSuspension(suspended), ...waits];
  }
  // Nobody can ask for these by their names.
  const hints: JsonObject = {};
  if (asksFor(request, 'activities')) {
    const definition = await platform.definitions.get(db, row.definition_id).catch(() => undefined);
    const { activities, isCut } = await activitiesOf(db, row.id, definition?.process);
    content['activities'] = activities;
    const { history } = platform.settings();
    if (isCut) hints['activitiesHint'] = `These are the first ${activities.length} of more activities`;
    else if (activities.length === 0 && !keeps(history, 'activity')) {
      hints['activitiesHint'] =
        `Activities are kept from the history level "activity" of workflow.json on; it is "${history}"`;
    }
  }
  if (asksFor(request, 'events')) {
    const events = await listEvents(db, row.id);
    content['events'] = events.map(viewEvent);
    const { history } = platform.settings();
    if (!keeps(history, 'full')) {
      hints['eventsHint'] =
        `All events are kept at the history level "full" of workflow.json; it is "${history}", which keeps what operators do`;
    }
  }
  const answer = keepAllFields(request, resource(row.id, revisionOf(row), content));
  if (Object.keys(hints).length === 0) return answer;
  const select = context.client.isExternal ? selectFromSealed : selectFields;
  const selected = select(answer, request.fields, request.nestedFields);
  return {
    ...selected,
    content: { ...(selected.content as JsonObject), ...hints },
    fieldsSelected: true,
  };
}

function viewSuspension({ at, by, ref }: Suspension): JsonObject {
  return { type: 'suspended', at: new Date(at).toISOString(), by, ref };
}

function viewEvent({ number, at, user_id, stimulus, effects }: EventRow): JsonObject {
  return {
    number,
    at: at.toISOString(),
    userId: user_id,
    stimulus: withoutContext(stimulus),
    effects: withoutContext(effects),
  };
}

function noInstance(id: string): NotFoundError {
  return new NotFoundError(`There is no process instance '${id}'`, { id: 'WORKFLOW_NO_INSTANCE' });
}
