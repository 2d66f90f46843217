import { BadRequestError } from '#errors/index.ts';
import { isObject } from '#json/index.ts';
import {
  type ActionRequest,
  ActionTable,
  actionResult,
  bodyOf,
  type CollectionProvider,
  type Context,
  NO_BODY,
  questionReaderOf,
  type Resource,
  readerOf,
  resource,
  textMember,
} from '#resource/index.ts';
import { readForm, variableScope } from '../form/index.ts';
import { groupLookUp } from '../identity/group-look-up.ts';
import { countTasks, inboxKind, queryInbox } from '../inbox/inbox.ts';
import { isId } from '../instance/instance-id.ts';
import { answerPage } from '../query/answer-page.ts';
import { queryKind } from '../query/query-kind.ts';
import type { WorkflowPlatform } from '../workflow-platform.ts';
import {
  claimTask,
  completeTask,
  deleteTask,
  noTask,
  resolveTask,
  unclaimTask,
  updateTask,
} from './move-task.ts';
import { getOpenTask, readOpenTask } from './open-task.ts';
import { findTask, listHistoricTasks, listOpenTasks } from './task-listing-repository.ts';
import { viewCandidates, viewHistoricTask, viewTask } from './task-view.ts';
import { type TaskJudges, whyTask } from './why-task.ts';

/** Parameters for which the groups of a user are looked up, with whatever scripts that runs. */
const CANDIDATES = ['taskCandidateUser', 'taskCandidateOrAssigned'];

/** `/workflow/taskinstance`: open tasks. */
export function taskResource(platform: WorkflowPlatform, judges: TaskJudges): CollectionProvider {
  return {
    description: { title: 'Task', query: '_queryId=query-all-ids' },
    runsScripts: (request) =>
      request.method !== 'query' ||
      inboxKind(request) !== undefined ||
      CANDIDATES.some((name) => name in request.parameters),
    async query(context, request) {
      const inbox = inboxKind(request);
      if (inbox !== undefined) return queryInbox(platform, context, request, inbox);
      const kind = queryKind(request, undefined, ['mine', 'claimable', 'team']);
      const db = await questionReaderOf(platform, context);
      const page = await listOpenTasks(db, request, kind, groupLookUp(platform, context));
      return answerPage(page, (row) => resource(row.id, String(row.revision), viewTask(row)));
    },
    async read(context, _request, id) {
      return readTask(platform, context, id);
    },
    // A PUT is never a creation here, so that one on nothing finds nothing.
    exists: async () => true,
    async update(context, request, id) {
      await updateTask(platform, context, id, request);
      return resource(id, null, { 'Task updated': id });
    },
    async delete(context, _request, id) {
      return deleteTask(context, id);
    },
    collectionActions: new ActionTable({
      count: {
        does: 'How many tasks the caller has, could take, and should have done already',
        takes: NO_BODY,
        answers: { type: 'object' },
        runsScripts: true,
        run: async (context) => actionResult(await countTasks(platform, context)),
      },
    }),
    instanceActions: taskActions(platform, judges),
  };
}

const PERFORMED = bodyOf({ 'Task action performed': { type: 'string' } }, 'Task action performed');

function taskActions(platform: WorkflowPlatform, judges: TaskJudges): ActionTable<[id: string]> {
  const performed = ({ action }: ActionRequest) => actionResult({ 'Task action performed': action });
  return new ActionTable(
    {
      claim: {
        does: 'Gives the task to the user whose name is `userId`',
        takes: bodyOf({ userId: textMember('The name of the user') }, 'userId'),
        answers: PERFORMED,
        runsScripts: true,
        async run(context, request, id) {
          const { content, judgedAt } = request;
          const userId = isObject(content) ? content['userId'] : undefined;
          if (typeof userId !== 'string' || userId === '') {
            await getOpenTask(platform, context, id);
            throw noUser();
          }
          await claimTask(platform, context, id, userId, judgedAt);
          return performed(request);
        },
      },
      unclaim: {
        does: 'Puts the task back, so that whoever it is offered to can take it',
        takes: NO_BODY,
        answers: PERFORMED,
        runsScripts: true,
        async run(context, request, id) {
          await unclaimTask(platform, context, id, request.judgedAt);
          return performed(request);
        },
      },
      complete: {
        does: 'Ends the task; the body is the variables that it leaves',
        takes: { type: ['object', 'null'], description: 'The variables that it leaves' },
        answers: PERFORMED,
        runsScripts: true,
        async run(context, request, id) {
          const { content, judgedAt } = request;
          if (content !== null && !isObject(content)) throw noVariables();
          await completeTask(platform, context, id, content ?? {}, judgedAt);
          return performed(request);
        },
      },
      why: {
        does: 'Why the task is still there: who may claim or complete it, and what stands in the way',
        takes: NO_BODY,
        answers: { type: 'object' },
        runsScripts: true,
        run: async (context, _request, id) => actionResult(await whyTask(platform, judges, context, id)),
      },
      resolve: {
        does: 'Gives a task that was delegated back to its owner',
        takes: NO_BODY,
        answers: PERFORMED,
        runsScripts: true,
        async run(context, request, id) {
          await resolveTask(platform, context, id, request.judgedAt);
          return performed(request);
        },
      },
    },
    {
      // A task that is not there is the greater mistake.
      async refuse(_request, _names, context, id) {
        await getOpenTask(platform, context, id);
      },
    },
  );
}

/** `/workflow/taskinstance/history`: all tasks, open and ended. */
export function taskHistoryResource(platform: WorkflowPlatform): CollectionProvider {
  return {
    description: { title: 'Task history', query: '_queryId=query-all-ids' },
    runsScripts: (request) =>
      request.method === 'query' && CANDIDATES.some((name) => name in request.parameters),
    async query(context, request) {
      const kind = queryKind(request);
      const db = await questionReaderOf(platform, context);
      const page = await listHistoricTasks(db, request, kind, groupLookUp(platform, context));
      return answerPage(page, (row) => resource(row.id, null, viewHistoricTask(row)));
    },
    async read(context, _request, id) {
      const row = isId(id) ? await findTask(await readerOf(platform, context), id) : undefined;
      if (row === undefined) throw noTask(id);
      return resource(row.id, null, viewHistoricTask(row));
    },
  };
}

async function readTask(platform: WorkflowPlatform, context: Context, id: string): Promise<Resource> {
  const { row, surroundings, variables, node } = await readOpenTask(platform, context, id);
  return resource(row.id, String(row.revision), {
    ...viewTask(row),
    formProperties: await readForm(node?.formProperties ?? [], variableScope(variables)),
    variables,
    candidates: viewCandidates(surroundings),
  });
}

function noUser(): BadRequestError {
  return new BadRequestError("The action 'claim' needs a userId", {
    id: 'WORKFLOW_BAD_FIELD',
    field: '/userId',
    hint: 'The user name of whoever takes the task',
  });
}

function noVariables(): BadRequestError {
  return new BadRequestError("The body of the action 'complete' must be an object of variables", {
    id: 'WORKFLOW_BAD_FIELD',
  });
}
