import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import {
  asksForJsonSchema,
  collection,
  notFound,
  type ReadRequest,
  type Request,
  type Response,
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
import { readOpenTask } from './task/open-task.ts';
import type { WorkflowPlatform } from './workflow-platform.ts';

/** What a form shows of some of its properties: a text for each id. */
type FormValue = Readonly<Record<string, string | null>>;
type Judges = Pick<Router, 'admit' | 'admitRead' | 'handle' | 'judgesAnswer' | 'judgesByScript'>;

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
      const read = readOf(['workflow', 'processdefinition', row?.id ?? named]);
      if (row === undefined) {
        await judges.admit(context, read);
        throw unknownDefinition(named, await listKeys(db));
      }
      await judges.admitRead(context, read);
      const { process } = await platform.definitions.get(db, row.id);
      const start = noneStart(process);
      const about = {
        process: row.id,
        key: row.key,
        title: row.name ?? row.key,
        formKey: start?.formKey ?? null,
      };
      const properties = start?.formProperties ?? [];
      return resource(
        'start',
        null,
        answer(request, about, properties, await readForm(properties, variableScope({}))),
      );
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

/** `/schema/task/<id>`: what a task asks for, with what it shows, for whoever may read the task, and as a read of it shows that. */
export function taskFormResource(platform: WorkflowPlatform, judges: Judges): RouteHandler {
  return collection({
    description: { title: 'form of a task' },
    async read(context, request, id) {
      const read = readOf(['workflow', 'taskinstance', id]);
      const shown = judges.judgesAnswer(read) ? await judges.handle(context, read) : undefined;
      if (shown === undefined) await judges.admit(context, read);
      const { row, node, variables } = await readOpenTask(platform, context, id);
      const properties = node?.formProperties ?? [];
      const task = shown === undefined ? undefined : leftOf(shown);
      const values = task?.values ?? (await readForm(properties, variableScope(variables)));
      const about = {
        task: row.id,
        title: (task === undefined ? row.name : task.name) ?? row.element,
        process: row.definition_id,
        formKey: row.form_key,
      };
      return resource(id, null, answer(request, about, properties, values));
    },
    runsScripts: () => true,
  });
}

function answer(
  request: Request,
  about: JsonObject & { readonly title: string },
  properties: readonly FormProperty[],
  values: readonly FormValue[],
): JsonObject {
  if (asksForJsonSchema(request)) return formAsJsonSchema(about.title, properties);
  return { ...about, ...formSchema(properties, values) };
}

/** What filters leave of a task for its form. */
function leftOf(shown: Response): { readonly name: string | null; readonly values: readonly FormValue[] } {
  const content = shown.kind === 'resource' && isObject(shown.content) ? shown.content : {};
  const { name, formProperties } = content;
  const entries = Array.isArray(formProperties) ? formProperties.filter(isObject) : [];
  const values = entries.map((entry) =>
    Object.fromEntries(
      Object.entries(entry).map(([id, value]): [string, string | null] => [id, textOf(value)]),
    ),
  );
  return { name: textOf(name ?? null), values };
}

function textOf(value: JsonValue): string | null {
  return typeof value === 'string' ? value : null;
}

function readOf(path: readonly string[]): ReadRequest {
  return { method: 'read', path, fields: [], parameters: {} };
}
