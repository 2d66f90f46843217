import type { JsonObject } from '#json/index.ts';
import {
  asksForJsonSchema,
  collection,
  notFound,
  type ReadRequest,
  type Request,
  type RouteHandler,
  type Router,
  readerOf,
  resource,
  unsupported,
} from '#resource/index.ts';
import { findDefinition, findLatest, listKeys } from './definition/definition-repository.ts';
import { unknownDefinition } from './definition/definitions.ts';
import type { FormProperty } from './engine/index.ts';
import { formAsJsonSchema, formSchema, noneStart, readForm, variableScope } from './form/index.ts';
import { readOpenTask } from './task/task-resource.ts';
import type { WorkflowPlatform } from './workflow-platform.ts';

type Judges = Pick<Router, 'admit' | 'judgesByScript'>;

/** `/schema/process/<definition>/start`: what a process asks for at its start, for whoever may read its definition. */
export function startFormResource(platform: WorkflowPlatform, judges: Judges): RouteHandler {
  return {
    async handle(context, request, { remaining }) {
      const [named = '', part, ...more] = remaining;
      if (part !== 'start' || more.length > 0) throw notFound(request);
      if (request.method !== 'read') return unsupported(request);
      const db = await readerOf(platform, context);
      // A version, or a process by its key: then the latest.
      const row = (await findDefinition(db, named)) ?? (await findLatest(db, named));
      await judges.admit(context, readOf(['workflow', 'processdefinition', row?.id ?? named]));
      if (row === undefined) throw unknownDefinition(named, await listKeys(db));
      const { process } = await platform.definitions.get(db, row.id);
      const start = noneStart(process);
      const about = {
        process: row.id,
        key: row.key,
        title: row.name ?? row.key,
        formKey: start?.formKey ?? null,
      };
      return resource('start', null, await answer(request, about, start?.formProperties ?? [], {}));
    },
    runsScripts: (_request, { remaining: [named = ''] }) =>
      judges.judgesByScript([readOf(['workflow', 'processdefinition', named])]),
    describe: (path) => [
      {
        path: `${path}/{definition}/start`,
        kind: 'singleton',
        title: 'form that starts a process',
        methods: ['read'],
        actions: [],
      },
    ],
  };
}

/** `/schema/task/<id>`: what a task asks for, with what it shows, for whoever may read the task. */
export function taskFormResource(platform: WorkflowPlatform, judges: Judges): RouteHandler {
  return collection({
    description: { title: 'form of a task' },
    async read(context, request, id) {
      await judges.admit(context, readOf(['workflow', 'taskinstance', id]));
      const { row, node, variables } = await readOpenTask(platform, context, id);
      const about = {
        task: row.id,
        title: row.name ?? row.element,
        process: row.definition_id,
        formKey: row.form_key,
      };
      return resource(id, null, await answer(request, about, node?.formProperties ?? [], variables));
    },
    runsScripts: () => true,
  });
}

async function answer(
  request: Request,
  about: JsonObject & { readonly title: string },
  properties: readonly FormProperty[],
  variables: JsonObject,
): Promise<JsonObject> {
  if (asksForJsonSchema(request)) return formAsJsonSchema(about.title, properties);
  const values = await readForm(properties, variableScope(variables));
  return { ...about, ...formSchema(properties, values) };
}

function readOf(path: readonly string[]): ReadRequest {
  return { method: 'read', path, fields: [], parameters: {} };
}
