import type { JsonObject } from '#json/index.ts';
import type { RequestMethod, ResourceDescription } from '#resource/index.ts';

/** An OpenAPI 3.1 document of what the server can be asked now. */
export function openApiDocument(
  descriptions: readonly ResourceDescription[],
  options: { readonly version: string; readonly basePath: string },
): JsonObject {
  const paths: JsonObject = {};
  for (const description of descriptions) {
    const path = `/${description.path}`;
    paths[path] = { ...(paths[path] as JsonObject | undefined), ...pathItem(description) };
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
    security: [{ basic: [] }],
    paths,
    components: {
      securitySchemes: { basic: { type: 'http', scheme: 'basic' } },
      schemas: { Error: ERROR_SCHEMA, QueryResult: QUERY_RESULT_SCHEMA, PatchOperation: PATCH_SCHEMA },
    },
  };
}

const ERROR_SCHEMA: JsonObject = {
  type: 'object',
  required: ['code', 'reason', 'message'],
  properties: {
    code: { type: 'integer' },
    reason: { type: 'string' },
    message: { type: 'string', description: 'What was wrong, with the offending value' },
    detail: { type: 'object', description: 'A stable id, the field, a hint, and what else is known' },
  },
};

const QUERY_RESULT_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    result: { type: 'array', items: { type: 'object' } },
    resultCount: { type: 'integer', description: 'Rows in this response' },
    pagedResultsCookie: { type: ['string', 'null'], description: 'Opaque; null on the last page' },
    totalPagedResultsPolicy: { enum: ['NONE', 'ESTIMATE', 'EXACT'] },
    totalPagedResults: { type: 'integer', description: '-1 when unknown' },
    remainingPagedResults: { type: 'integer', description: 'Deprecated, always -1' },
  },
};

const PATCH_SCHEMA: JsonObject = {
  type: 'object',
  required: ['operation', 'field'],
  properties: {
    operation: { enum: ['add', 'remove', 'replace', 'increment', 'move', 'copy', 'transform'] },
    field: { type: 'string', description: 'JSON pointer' },
    value: {},
    from: { type: 'string', description: 'JSON pointer; for move and copy' },
  },
};

const parameter = (name: string, description: string, type = 'string'): JsonObject => ({
  name,
  in: 'query',
  description,
  schema: { type },
});

const FIELDS = parameter('_fields', 'Comma list of JSON pointers');
const DRY_RUN = parameter('_dryRun', 'Run for real, roll back, report the changes', 'boolean');
const ID: JsonObject = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
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

const VERBS: Readonly<Record<RequestMethod, string>> = {
  create: 'post',
  read: 'get',
  query: 'get',
  update: 'put',
  patch: 'patch',
  delete: 'delete',
  action: 'post',
};

function pathItem(description: ResourceDescription): JsonObject {
  const { kind, methods, title } = description;
  const item: JsonObject = kind === 'instance' ? { parameters: [ID] } : {};
  for (const method of methods) {
    const verb = VERBS[method];
    const operation = operationOf(description, method);
    // Create and action share POST, read and query share GET: a parameter tells them apart.
    const before = item[verb] as JsonObject | undefined;
    item[verb] =
      before === undefined
        ? { tags: [title], ...operation }
        : {
            ...before,
            summary: `${before['summary']}, or ${method === 'action' ? 'act' : method} on it`,
            parameters: merged(before, operation),
          };
  }
  return item;
}

function merged(left: JsonObject, right: JsonObject): JsonObject[] {
  const all = [...(left['parameters'] as JsonObject[]), ...(right['parameters'] as JsonObject[])];
  return [...new Map(all.map((each) => [each['name'], each])).values()];
}

function operationOf(description: ResourceDescription, method: RequestMethod): JsonObject {
  const { title, path, schema = { type: 'object' }, actions } = description;
  const operationId = `${method}-${path.replace(/[^A-Za-z0-9]+/g, '-')}`.replace(/-$/, '');
  const answer = (content: JsonObject, status = '200'): JsonObject => ({
    [status]: { description: 'Done', content: { 'application/json': { schema: content } } },
    default: {
      description: 'Refused; nothing has changed',
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    },
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
        parameters: [FIELDS, DRY_RUN],
        requestBody: body(schema),
        responses: answer(schema, '201'),
      };
    case 'read':
      return { operationId, summary: `Read ${title}`, parameters: [FIELDS], responses: answer(schema) };
    case 'query':
      return {
        operationId,
        summary: `Query ${title}`,
        parameters: [...QUERY_PARAMETERS, FIELDS],
        responses: answer({ $ref: '#/components/schemas/QueryResult' }),
      };
    case 'update':
      return {
        operationId,
        summary: `Create or replace ${title}`,
        parameters: [IF_MATCH, FIELDS, DRY_RUN],
        requestBody: body(schema),
        responses: answer(schema),
      };
    case 'patch':
      return {
        operationId,
        summary: `Change parts of ${title}`,
        parameters: [IF_MATCH, FIELDS, DRY_RUN],
        requestBody: body({ type: 'array', items: { $ref: '#/components/schemas/PatchOperation' } }),
        responses: answer(schema),
      };
    case 'delete':
      return {
        operationId,
        summary: `Delete ${title}`,
        parameters: [IF_MATCH, FIELDS, DRY_RUN],
        responses: answer(schema),
      };
    case 'action':
      return {
        operationId,
        summary: `Act on ${title}`,
        parameters: [
          {
            ...parameter('_action', 'The action'),
            required: true,
            schema: actions.length === 0 ? { type: 'string' } : { enum: [...actions] },
          },
          DRY_RUN,
        ],
        requestBody: { content: { 'application/json': { schema: {} } } },
        responses: answer({}),
      };
  }
}
