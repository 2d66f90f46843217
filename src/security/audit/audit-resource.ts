import type { AuditConfig } from '#config/index.ts';
import type { Database } from '#database/index.ts';
import { BadRequestError, didYouMean, NotFoundError } from '#errors/index.ts';
import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import { pageResult } from '#repo/index.ts';
import {
  type ActionRequest,
  ActionTable,
  actionResult,
  type CreateRequest,
  plainQuery,
  type Resource,
  type Response,
  type RouteHandler,
  resource,
  unsupported,
  type WriteContext,
  warnOfUnknownField,
  writeContext,
} from '#resource/index.ts';
import { refuseAction } from '../refuse-action.ts';
import { AUDIT_TOPICS, type AuditTopic, auditEvent, EVENT_FIELDS, eventContent } from './audit-event.ts';
import { type AuditRow, auditInserts, findEvent, queryEvents } from './audit-repository.ts';
import { changedAmong, redact } from './changed-fields.ts';
import type { SignEntry } from './signed-entry.ts';

export interface AuditResourceOptions {
  readonly database: Database;
  readonly config: () => AuditConfig;
  readonly sign: SignEntry;
}

/** `/audit/<topic>`: the audit trail. It can be read, queried and added to, and nothing in it changes. */
export function auditResource(options: AuditResourceOptions): RouteHandler {
  const actions = auditActions(options);
  return {
    envelopes: 'judges',
    async handle(context, request, match): Promise<Response> {
      const [topic, id, ...rest] = match.remaining;
      if (topic === undefined) {
        return request.method === 'action'
          ? actions.run(writeContext(context), request)
          : unsupported(request);
      }
      const known = AUDIT_TOPICS.find((name) => name === topic);
      if (known === undefined || rest.length > 0) {
        throw new NotFoundError(`There is no audit topic '${match.remaining.join('/')}'`, {
          id: 'AUDIT_UNKNOWN_TOPIC',
          hint: didYouMean(topic, AUDIT_TOPICS) ?? `Topics are ${AUDIT_TOPICS.join(', ')}`,
        });
      }
      const { db } = options.database;
      if (id !== undefined)
        return request.method === 'read' ? read(options.database, known, id) : unsupported(request);
      if (request.method === 'create') return add(options, writeContext(context), request, known);
      if (request.method !== 'query') return unsupported(request);
      return {
        ...pageResult(await queryEvents(db, known, request), (row) => row.id, toResource),
        ...warnOfUnknownField({ ...plainQuery(request), ...request }, `audit/${known}`, EVENT_FIELDS),
      };
    },
    describe: (path) => [
      { path, kind: 'collection', title: 'audit trail', methods: ['action'], actions: actions.describe() },
      {
        path: `${path}/{topic}`,
        kind: 'collection',
        title: 'audit topic',
        methods: ['query', 'create'],
        actions: [],
      },
      {
        path: `${path}/{topic}/{id}`,
        kind: 'instance',
        title: 'audit entry',
        methods: ['read'],
        actions: [],
      },
    ],
  };
}

async function read(database: Database, topic: AuditTopic, id: string): Promise<Resource> {
  const row = await findEvent(database.db, topic, id);
  if (row === undefined) throw new NotFoundError(`Audit entry '${topic}/${id}' not found`);
  return toResource(row);
}

function toResource({ id, event }: AuditRow): Resource {
  return resource(id, null, event);
}

/** What a caller cannot say: who, when, where, and in which request. */
const OF_THE_SERVER: ReadonlySet<string> = new Set([
  ...['_id', '_rev', 'timestamp', 'eventName', 'transactionId', 'userId', 'runAs', 'objectId', 'trackingIds'],
  ...['node', 'recordedAt', 'recordedBy', 'signature', 'handMade'],
]);

/** An entry of the caller's own, marked as such. */
async function add(
  options: AuditResourceOptions,
  context: WriteContext,
  { content, newResourceId }: CreateRequest,
  topic: AuditTopic,
): Promise<Resource> {
  if (newResourceId !== null) {
    throw new BadRequestError('The server gives audit entries their ids', {
      id: 'AUDIT_ID_GIVEN',
      hint: 'Use POST',
    });
  }
  const { transactionId, security } = context;
  const given = Object.entries(redact(content, []) as JsonObject);
  const facts = Object.fromEntries(given.filter(([name]) => !OF_THE_SERVER.has(name)));
  const name = typeof content['objectId'] === 'string' ? content['objectId'] : null;
  const who = { transactionId, userId: security.authenticationId };
  const event = { ...auditEvent(topic, who, facts, name), handMade: true };
  await context.unitOfWork.write(auditInserts, options.sign(event));
  return resource(event.id, null, eventContent(event));
}

function auditActions({ config }: AuditResourceOptions): ActionTable {
  const fields = () => config().eventTopics.activity;
  return new ActionTable(
    {
      availableHandlers: {
        does: 'Tells where audit entries go, and of which topics',
        run: async () => actionResult([{ name: 'repo', topics: [...AUDIT_TOPICS], usableForQueries: true }]),
      },
      getChangedWatchedFields: {
        does: 'Names the watched fields that differ between `before` and `after`',
        run: async (_context, request) =>
          actionResult(changedAmong(fields().watchedFields, ...sidesOf(request))),
      },
      getChangedPasswordFields: {
        does: 'Names the password fields that differ between `before` and `after`',
        run: async (_context, request) =>
          actionResult(changedAmong(fields().passwordFields, ...sidesOf(request))),
      },
    },
    { anyCase: true, refuse: refuseAction },
  );
}

function sidesOf({ content }: ActionRequest): [before: JsonValue, after: JsonValue] {
  const { before = null, after = null }: JsonObject = isObject(content) ? content : {};
  return [before as JsonValue, after as JsonValue];
}
