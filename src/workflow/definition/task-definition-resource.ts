import { NotFoundError } from '#errors/index.ts';
import { asJson, type JsonObject } from '#json/index.ts';
import {
  type Context,
  collection,
  notFound,
  queryResult,
  type RouteHandler,
  type RouteMatch,
  readerOf,
  resource,
} from '#resource/index.ts';
import type { UserTask } from '../engine/index.ts';
import { describeTaskForm, findTemplate } from '../form/index.ts';
import { refuseUnknownParameters } from '../query/parameter.ts';
import { queryKind } from '../query/query-kind.ts';
import type { WorkflowPlatform } from '../workflow-platform.ts';
import { findDefinition, findResource } from './definition-repository.ts';
import { type CompiledDefinition, unknownDefinition } from './definitions.ts';

/** `/workflow/processdefinition/{procdefid}/taskdefinition`: the user tasks of a process, nested ones too. */
export function taskDefinitionResource(platform: WorkflowPlatform): RouteHandler {
  const definitionOf = async (context: Context, { variables }: RouteMatch) => {
    const id = variables['procdefid']!;
    const db = await readerOf(platform, context);
    // What was compiled once stays compiled, also when it has been undeployed since.
    if ((await findDefinition(db, id)) === undefined) throw unknownDefinition(id);
    return platform.definitions.get(db, id);
  };

  const provider = (match: RouteMatch) =>
    collection({
      description: { title: 'Task definition', query: '_queryId=query-all-ids' },
      async query(context, request) {
        queryKind(request, ['all']);
        refuseUnknownParameters(request.parameters, []);
        const definition = await definitionOf(context, match);
        return queryResult(
          userTasks(definition).map((task) => resource(task.id, null, viewTaskDefinition(task, definition))),
        );
      },
      async read(context, _request, id) {
        const definition = await definitionOf(context, match);
        const task = userTasks(definition).find((one) => one.id === id);
        if (task === undefined) throw noUserTask(definition, id);
        const view = viewTaskDefinition(task, definition);
        const formKey = task.formKey?.text;
        if (formKey === undefined) return resource(id, null, view);
        const db = await readerOf(platform, context);
        const bytes = await findResource(db, definition.row.deployment_id, formKey);
        const template = findTemplate(formKey, new Map(bytes === undefined ? [] : [[formKey, bytes]]));
        return resource(id, null, { ...view, formGenerationTemplate: template });
      },
    });

  return {
    async handle(context, request, match) {
      if (match.remaining.length > 1) throw notFound(request);
      return provider(match).handle(context, request, match);
    },
    describe: (path) => provider({ matched: [], remaining: [], variables: {} }).describe?.(path) ?? [],
  };
}

function userTasks({ process }: CompiledDefinition): UserTask[] {
  return [...process.nodes.values()].filter((node) => node.kind === 'userTask');
}

/** Expressions as they are written. */
function viewTaskDefinition(task: UserTask, { row }: CompiledDefinition): JsonObject {
  return {
    assignee: task.assignee?.text ?? null,
    category: task.category?.text ?? null,
    dueDate: task.dueDate?.text ?? null,
    exclusive: task.isExclusive,
    name: task.taskName?.text ?? null,
    priority: task.priority?.text ?? null,
    taskCandidateGroup: task.candidateGroups.map(({ text }) => text),
    taskCandidateUser: task.candidateUsers.map(({ text }) => text),
    formResourceKey: task.formKey?.text ?? null,
    formProperties: asJson(describeTaskForm(task, String(row.deployment_id))),
  };
}

function noUserTask({ process, row }: CompiledDefinition, id: string): NotFoundError {
  const kind = process.nodes.get(id)?.kind;
  const what = kind === undefined ? `no element '${id}'` : `'${id}' as a ${kind} and not as a user task`;
  return new NotFoundError(`The process definition '${row.id}' has ${what}`, {
    id: 'WORKFLOW_NO_TASK_DEFINITION',
  });
}
