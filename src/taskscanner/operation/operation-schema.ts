import type { JsonObject } from '#json/index.ts';
import { ACTS, FORMATS, MODES } from './operation.ts';

/** Objects of one operation. */
export const MOST_OBJECTS = 100_000;

const text = (description: string): JsonObject => ({ type: 'string', description });
const shown = (type: string, description: string): JsonObject => ({ type, readOnly: true, description });

/** What an operation is made of. */
export const ORDER: Readonly<Record<string, JsonObject>> = {
  act: { type: 'string', enum: [...ACTS], description: 'What is done with each object' },
  resource: text('The collection of the objects, such as managed/user'),
  queryFilter: text('Which objects, apart from an import'),
  queryId: text('The same by the name of a query'),
  parameters: {
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'Of the query by name',
  },
  sortKeys: text('In which order they are frozen'),
  limit: { type: 'integer', minimum: 1, maximum: MOST_OBJECTS, description: 'Takes the first of them' },
  content: { description: 'Operations of a patch, the body of an action, the objects of an import' },
  action: text('The name of the action'),
  fields: { type: 'array', items: { type: 'string' }, description: 'What an export reads; columns of CSV' },
  format: { type: 'string', enum: [...FORMATS], default: 'jsonl', description: 'Of an export' },
  mode: {
    type: 'string',
    enum: [...MODES],
    default: 'create',
    description: 'Whether an import leaves alone or replaces what is there',
  },
  key: text('The property by whose value an import knows an object without _id'),
  dryRun: {
    type: 'boolean',
    default: false,
    description: 'Tries the first objects, undoes that, and waits to be started',
  },
};

/** An operation, as it is sent and as it is shown. */
export const OPERATION_SCHEMA: JsonObject = {
  type: 'object',
  required: ['act', 'resource'],
  properties: {
    ...ORDER,
    owner: shown('string', 'Who has made it'),
    state: shown('string', 'PREPARED, ACTIVE, COMPLETED, CANCELLED or ERROR'),
    progress: shown('object', 'Numbers of objects: total, processed, successes, failures, skipped; percent'),
    sample: shown('array', 'Ids of the first objects'),
    more: shown('boolean', 'The query finds more than the limit'),
    rehearsal: shown('object', 'What would come of the first objects, in the answer to a dryRun'),
    warnings: shown('array', 'What may be a slip in the query, in the answer to whoever makes it'),
    errors: shown('array', 'Failures that are alike, with their number and the first objects'),
    error: shown('object', 'What has ended it'),
    created: shown('string', 'ISO time'),
    started: shown('string', 'ISO time'),
    ended: shown('string', 'ISO time'),
    estimate: shown('string', 'ISO time at which it will probably end'),
    nodes: shown('array', 'That work on it now'),
    transactionId: shown('string', 'Of all that it does, in the audit'),
    file: shown('string', 'All that an export has read, where it is asked for'),
  },
};
