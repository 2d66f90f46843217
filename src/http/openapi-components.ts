import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '#json/index.ts';

const ERROR: JsonObject = {
  type: 'object',
  required: ['code', 'reason', 'message'],
  properties: {
    code: { type: 'integer' },
    reason: { type: 'string' },
    message: { type: 'string', description: 'What was wrong, with the offending value' },
    detail: { type: 'object', description: 'A stable id, the field, a hint, and what else is known' },
  },
};

const QUERY_RESULT: JsonObject = {
  type: 'object',
  required: ['result', 'resultCount', 'pagedResultsCookie', 'totalPagedResultsPolicy', 'totalPagedResults'],
  properties: {
    result: { type: 'array', items: { type: 'object' } },
    resultCount: { type: 'integer', description: 'Rows in this response' },
    pagedResultsCookie: { type: ['string', 'null'], description: 'Opaque; null on the last page' },
    totalPagedResultsPolicy: { enum: ['NONE', 'ESTIMATE', 'EXACT'] },
    totalPagedResults: { type: 'integer', description: '-1 when unknown' },
    remainingPagedResults: { type: 'integer', description: 'Deprecated, always -1' },
    estimated: { type: 'boolean', description: 'The total is what the database expects' },
    warnings: { type: 'array', items: { type: 'string' }, description: 'What may be a slip in the question' },
  },
};

const DRY_RUN: JsonObject = {
  type: 'object',
  required: ['dryRun', 'changes'],
  properties: {
    dryRun: { const: true },
    result: { description: 'What would have been answered' },
    changes: { type: 'array', items: { type: 'object' }, description: 'What would have changed' },
    trace: { type: 'array', items: { type: 'object' }, description: 'The steps, for administrators' },
  },
};

const PATCH_OPERATION: JsonObject = {
  type: 'object',
  required: ['operation', 'field'],
  properties: {
    operation: { enum: ['add', 'remove', 'replace', 'increment', 'move', 'copy', 'transform'] },
    field: { type: 'string', description: 'JSON pointer' },
    value: {},
    from: { type: 'string', description: 'JSON pointer; for move and copy' },
  },
};

const header = (name: string, description: string): JsonObject => ({
  type: 'apiKey',
  in: 'header',
  name,
  description,
});

const SECURITY: JsonObject = {
  basic: { type: 'http', scheme: 'basic' },
  username: header('X-Svc-Username', 'With X-Svc-Password'),
  password: header('X-Svc-Password', 'With X-Svc-Username'),
  bearer: { type: 'http', scheme: 'bearer', description: 'A token of a configured issuer' },
  apiKey: header('X-Svc-Api-Key', 'A key of a program, made by `svc api-key`'),
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'session-jwt',
    description: 'Of a session, where they are configured',
  },
  // Every other scheme is sent by a program that means it; the cookie comes along by itself.
  requestedWith: header('X-Requested-With', 'With the cookie, any text'),
};

/** What operations refer to: what all have, and the schemas of what is described. */
export class Components {
  readonly #schemas = new Map<string, JsonObject>([
    ['Error', ERROR],
    ['DryRun', DRY_RUN],
    ['QueryResult', QUERY_RESULT],
    ['PatchOperation', PATCH_OPERATION],
  ]);

  /** A reference to the schema, which stands under that name, or under the name with a number where another one does. */
  refer(name: string, schema: JsonObject): JsonObject {
    for (let number = 1; ; number++) {
      const free = number === 1 ? name : `${name}${number}`;
      const known = this.#schemas.get(free);
      if (known !== undefined && !isDeepStrictEqual(known, schema)) continue;
      this.#schemas.set(free, schema);
      return { $ref: `#/components/schemas/${free}` };
    }
  }

  written(): JsonObject {
    return { securitySchemes: SECURITY, schemas: Object.fromEntries(this.#schemas) };
  }
}

/** The ways to say who one is: one of them, with all of its parts. */
export const WAYS_IN: JsonObject[] = [
  { basic: [] },
  { username: [], password: [] },
  { bearer: [] },
  { apiKey: [] },
  { session: [], requestedWith: [] },
];
