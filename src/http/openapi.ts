import { isDeepStrictEqual } from 'node:util';
import { firstOf, isObject, type JsonObject } from '#json/index.ts';
import type { ActionBody, RequestMethod, ResourceDescription } from '#resource/index.ts';
import { Components, WAYS_IN } from './openapi-components.ts';

/** An OpenAPI 3.1 document of what the server can be asked now. */
export function openApiDocument(
  descriptions: readonly ResourceDescription[],
  options: { readonly version: string; readonly basePath: string },
): JsonObject {
  const paths: JsonObject = {};
  const components = new Components();
  for (const description of descriptions) {
    const path = `/${description.path}`;
    paths[path] = { ...memberOf(paths, path), ...pathItem(description, components) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Identity management service',
      version: options.version,
      description:
        'Seven kinds of request on resources. Every write can be rehearsed with `_dryRun=true`: it runs for real, is ' +
        'rolled back, and answers with what would have changed.',
    },
    servers: [{ url: options.basePath }],
    security: WAYS_IN,
    paths,
    components: components.written(),
  };
}

const parameter = (name: string, description: string, type = 'string'): JsonObject => ({
  name,
  in: 'query',
  description,
  schema: { type },
});

const FIELDS = parameter('_fields', 'Comma list of JSON pointers');
const DRY_RUN = parameter('_dryRun', 'Run for real, roll back, report the changes', 'boolean');
const CHANGES_LIMIT = parameter(
  '_changesLimit',
  'How many of those whom a rehearsed change is about are named: up to 1000, by default 100',
  'integer',
);
const TRACE: JsonObject = {
  ...parameter('_trace', 'Whether steps of a rehearsal show what they have made of what they changed'),
  schema: { enum: ['values'] },
};
const IF_MATCH: JsonObject = {
  name: 'If-Match',
  in: 'header',
  description: 'The revision that must be current',
  schema: { type: 'string' },
};
const QUERY_PARAMETERS: readonly JsonObject[] = [
  parameter('_queryFilter', 'Such as `userName eq "kim" and age ge 18`'),
  parameter('_queryId', 'A predefined query; its parameters are parameters of the request'),
  parameter('_sortKeys', 'Comma list of JSON pointers, `-` before one sorts downwards'),
  parameter('_pageSize', '0 for all', 'integer'),
  parameter('_pagedResultsCookie', 'From the previous page'),
  parameter('_pagedResultsOffset', 'Rows to skip', 'integer'),
  parameter('_totalPagedResultsPolicy', 'NONE, ESTIMATE or EXACT'),
];

const OPERATIONS: JsonObject = { type: 'array', items: { $ref: '#/components/schemas/PatchOperation' } };
const DRY_RUN_ANSWER: JsonObject = { $ref: '#/components/schemas/DryRun' };

const VERBS: Readonly<Record<RequestMethod, string>> = {
  create: 'post',
  read: 'get',
  query: 'get',
  update: 'put',
  patch: 'patch',
  delete: 'delete',
  action: 'post',
};

function pathItem(description: ResourceDescription, components: Components): JsonObject {
  const { methods, title, path } = description;
  const variables = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const item: JsonObject = variables.length === 0 ? {} : { parameters: variables };
  for (const method of methods) {
    const verb = VERBS[method];
    const operation = { tags: [title], ...operationOf(description, method, components) };
    const before = item[verb];
    item[verb] = !isObject(before) ? operation : eitherOf(before, operation, method);
  }
  return item;
}

/** Create and action share POST, read and query share GET: a parameter tells them apart. */
function eitherOf(before: JsonObject, operation: JsonObject, method: RequestMethod): JsonObject {
  const bodies = [before['requestBody'], operation['requestBody']].filter(isObject);
  const acts = operation['x-svc-actions'];
  return {
    ...before,
    ...(acts === undefined ? {} : { 'x-svc-actions': acts }),
    summary: `${before['summary']}, or ${method === 'action' ? 'act' : method} on it`,
    parameters: merged(before, operation),
    ...(bodies.length === 0 ? {} : { requestBody: anyContentOf(bodies) }),
    responses: mergedResponses(memberOf(before, 'responses'), memberOf(operation, 'responses')),
  };
}

/** The object of that name; an empty one where there is none. */
function memberOf(holder: JsonObject, name: string): JsonObject {
  const member = holder[name];
  return isObject(member) ? member : {};
}

function mergedResponses(left: JsonObject, right: JsonObject): JsonObject {
  const statuses = [...new Set([...Object.keys(left), ...Object.keys(right)])];
  return Object.fromEntries(
    statuses.map((status) => [status, anyContentOf([left[status], right[status]].filter(isObject))]),
  );
}

/** Contents of which each will do. */
function anyContentOf(contents: readonly JsonObject[]): JsonObject {
  const [first = {}, second] = contents;
  if (second === undefined) return first;
  const schemas = [schemaOf(first), schemaOf(second)];
  if (isDeepStrictEqual(schemas[0], schemas[1])) return first;
  const isRequired = contents.every(({ required }) => required === true);
  const { required: _, ...rest } = first;
  return {
    ...rest,
    ...(isRequired ? { required: true } : {}),
    content: { 'application/json': { schema: { anyOf: schemas } } },
  };
}

function schemaOf(described: JsonObject): JsonObject {
  return memberOf(memberOf(memberOf(described, 'content'), 'application/json'), 'schema');
}

function merged(left: JsonObject, right: JsonObject): JsonObject[] {
  const sides = [left, right].map(({ parameters }) =>
    Array.isArray(parameters) ? parameters.filter(isObject) : [],
  );
  const inBoth = (name: unknown) => sides.every((each) => each.some((one) => one['name'] === name));
  const all = new Map(sides.flat().map((each) => [each['name'], each]));
  return [...all.values()].map(({ required, ...each }) =>
    required === true && inBoth(each['name']) ? { ...each, required } : each,
  );
}

function operationOf(
  description: ResourceDescription,
  method: RequestMethod,
  components: Components,
): JsonObject {
  const { title, path, actions } = description;
  const operationId = `${method}-${path.replace(/[^A-Za-z0-9]+/g, '-')}`.replace(/-$/, '');
  const { schema, shown } = schemasOf(description, components);
  const said = (text: string, content: JsonObject): JsonObject => ({
    description: text,
    content: { 'application/json': { schema: content } },
  });
  const refused = {
    default: said('Refused; nothing has changed', { $ref: '#/components/schemas/Error' }),
  };
  const answer = (content: JsonObject): JsonObject => ({ 200: said('Done', content), ...refused });
  const written = (...statuses: readonly string[]): JsonObject => ({
    ...Object.fromEntries(statuses.map((status) => [status, said('Done', shown)])),
    // A rehearsal creates nothing.
    200: statuses.includes('200')
      ? said('Done, or rehearsed', { anyOf: [shown, DRY_RUN_ANSWER] })
      : said('Rehearsed', DRY_RUN_ANSWER),
    ...refused,
  });
  const body = (content: JsonObject): JsonObject => ({
    required: true,
    content: { 'application/json': { schema: content } },
  });
  switch (method) {
    case 'create':
      return {
        operationId,
        summary: `Create ${title}`,
        parameters: [FIELDS, DRY_RUN, CHANGES_LIMIT, TRACE],
        requestBody: body(schema),
        responses: written('201'),
      };
    case 'read':
      return { operationId, summary: `Read ${title}`, parameters: [FIELDS], responses: answer(shown) };
    case 'query':
      return {
        operationId,
        summary: `Query ${title}`,
        parameters: [...QUERY_PARAMETERS, FIELDS],
        responses: answer({
          $ref: '#/components/schemas/QueryResult',
          properties: { result: { type: 'array', items: shown } },
        }),
      };
    case 'update':
      return {
        operationId,
        summary: `Create or replace ${title}`,
        parameters: [IF_MATCH, FIELDS, DRY_RUN, CHANGES_LIMIT, TRACE],
        requestBody: body(schema),
        responses: written('200', '201'),
      };
    case 'patch':
      return {
        operationId,
        summary: `Change parts of ${title}`,
        parameters: [IF_MATCH, FIELDS, DRY_RUN, CHANGES_LIMIT, TRACE],
        requestBody: body(OPERATIONS),
        responses: written('200'),
      };
    case 'delete':
      return {
        operationId,
        summary: `Delete ${title}`,
        parameters: [IF_MATCH, FIELDS, DRY_RUN, CHANGES_LIMIT, TRACE],
        responses: written('200'),
      };
    case 'action': {
      const written = actions.map(({ takes, answers, ...said }) => ({
        ...said,
        takes: schemaOfBody(takes, shown),
        answers: schemaOfBody(answers, shown),
      }));
      return {
        operationId,
        summary: `Act on ${title}`,
        parameters: [
          {
            ...parameter('_action', 'The action'),
            required: true,
            schema: actions.length === 0 ? { type: 'string' } : enumOf(actions),
          },
          DRY_RUN,
          CHANGES_LIMIT,
          TRACE,
        ],
        requestBody: {
          content: { 'application/json': { schema: anyOf(written.map(({ takes }) => takes)) } },
        },
        responses: answer(
          anyOf(
            written.map(({ answers }) => answers),
            DRY_RUN_ANSWER,
          ),
        ),
        'x-svc-actions': Object.fromEntries(written.map(({ name, ...action }) => [name, action])),
      };
    }
  }
}

/** What an action takes or answers; anything where nothing is said of it. */
function schemaOfBody(body: ActionBody = {}, shown: JsonObject): JsonObject {
  if (body === 'object') return shown;
  return body === 'operations' ? OPERATIONS : body;
}

/** The content as it is sent and as it is shown, by the name of what it is: `managed/user/{id}` is a `ManagedUser`. */
function schemasOf(
  { path, schema }: ResourceDescription,
  components: Components,
): { readonly schema: JsonObject; readonly shown: JsonObject } {
  if (schema === undefined) return { schema: { type: 'object' }, shown: { type: 'object' } };
  const words = path.replace(/\{\w+\}/g, '').match(/[A-Za-z0-9]+/g) ?? [];
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  const shown = asShown(schema);
  const isShownAsSent = isDeepStrictEqual(shown, schema);
  const reference = components.refer(name, shown);
  return { schema: isShownAsSent ? reference : components.refer(`${name}Content`, schema), shown: reference };
}

/** Any of the schemas, or of the further ones; anything where one of them is that, or where nobody knows which there are. */
function anyOf(schemas: readonly JsonObject[], ...further: readonly JsonObject[]): JsonObject {
  if (schemas.length === 0 || schemas.some((schema) => Object.keys(schema).length === 0)) return {};
  const all = [...schemas, ...further];
  const different = all.filter((schema, at) => all.findIndex((one) => isDeepStrictEqual(one, schema)) === at);
  return different.length === 1 ? firstOf(different) : { anyOf: different };
}

/** What an answer may hold: callers are shown what they ask for and may see, and more than they sent. */
function asShown({ required: _, additionalProperties: __, ...schema }: JsonObject): JsonObject {
  const { properties, items } = schema;
  return {
    ...schema,
    ...(isObject(properties)
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, each]) => [name, isObject(each) ? asShown(each) : each]),
          ),
        }
      : {}),
    ...(isObject(items) ? { items: asShown(items) } : {}),
  };
}

function enumOf(actions: ResourceDescription['actions']): JsonObject {
  return {
    enum: actions.map(({ name }) => name),
    description: actions.map(({ name, does }) => `- \`${name}\`: ${does}`).join('\n'),
  };
}
