import type { AuditConfig } from '#config/index.ts';
import type { Database } from '#database/index.ts';
import { BadRequestError, didYouMean, ForbiddenError, NotFoundError } from '#errors/index.ts';
import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import { pageResult } from '#repo/index.ts';
import {
  type ActionRequest,
  ActionTable,
  actionResult,
  bodyOf,
  type Context,
  type CreateRequest,
  formatPath,
  listMember,
  NO_BODY,
  NO_PAGING,
  nextContext,
  plainQuery,
  pointersOf,
  type QueryFilter,
  questionReaderOf,
  type Request,
  type Resource,
  type Response,
  type RouteHandler,
  resource,
  resourceBody,
  textMember,
  unsupported,
  type WriteContext,
  warnOfUnknownField,
  writeContext,
} from '#resource/index.ts';
import { refuseAction } from '../refuse-action.ts';
import { countEntries } from './aggregate-repository.ts';
import { AUDIT_TOPICS, type AuditTopic, auditEvent, EVENT_FIELDS, eventContent } from './audit-event.ts';
import { AUDIT_COUNT, parseRange } from './audit-range.ts';
import { type AuditRow, type AuditScope, auditInserts, findEvent, queryEvents } from './audit-repository.ts';
import { changedAmong, redact } from './changed-fields.ts';
import { type Reverter, revertChanges } from './revert-changes.ts';
import type { SignEntry } from './signed-entry.ts';
import { listTransaction } from './transaction-repository.ts';
import { firingOf, transactionTree } from './transaction-tree.ts';

export interface AuditResourceOptions {
  readonly database: Database;
  readonly config: () => AuditConfig;
  readonly sign: SignEntry;
  readonly router: Reverter;
}

/** The most entries of a transaction that is shown or taken back, and the most steps of a count. */
const MOST_ENTRIES = 1_000;
const MOST_COUNTED = 10_000;
/** What counts are told by. */
const COUNTED: ReadonlySet<string> = new Set(['topic', 'userId', 'operation']);
const MOST_FIRINGS = 20;

/**
 * `/audit/<topic>`: the audit trail. It can be read, queried and added to, and nothing in it changes. `_all` is all topics
 * as one, `imported` what another server has recorded, `transaction/<id>` what one request caused.
 */
export function auditResource(options: AuditResourceOptions): RouteHandler {
  const actions = auditActions(options);
  const entryActions = revertAction(options);
  return {
    envelopes: 'judges',
    async handle(context, request, match): Promise<Response> {
      const [topic, id, ...rest] = match.remaining;
      if (topic === undefined) {
        return request.method === 'action'
          ? actions.run(writeContext(context), request)
          : unsupported(request);
      }
      if (topic === 'transaction' && id !== undefined && request.method === 'read') {
        return readTransaction(
          options,
          context,
          formatPath([id, ...rest])
            .split('/')
            .map(decodeURIComponent)
            .join('/'),
        );
      }
      const known = SCOPES.find((name) => name === topic);
      if (known === undefined || rest.length > 0) {
        throw new NotFoundError(`There is no audit topic '${match.remaining.join('/')}'`, {
          id: 'AUDIT_UNKNOWN_TOPIC',
          hint: didYouMean(topic, SCOPES) ?? `Topics are ${AUDIT_TOPICS.join(', ')}`,
        });
      }
      if (id !== undefined) {
        if (request.method === 'read') return shownIn(known)(await find(options.database, known, id));
        if (request.method !== 'action' || known !== 'activity') return unsupported(request);
        return entryActions.run(writeContext(context), request, id);
      }
      if (request.method === 'create' && known !== '_all' && known !== 'imported')
        return add(options, writeContext(context), request, known);
      if (request.method !== 'query') return unsupported(request);
      return {
        ...pageResult(
          await queryEvents(await questionReaderOf(options, context), known, request),
          (row) => row.id,
          shownIn(known),
        ),
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
      {
        path: `${path}/activity/{id}`,
        kind: 'instance',
        title: 'audit entry of a change',
        methods: ['action'],
        actions: entryActions.describe(),
      },
      {
        path: `${path}/transaction/{id}`,
        kind: 'instance',
        title: 'what one request caused',
        methods: ['read'],
        actions: [],
      },
    ],
    runsScripts: (request) => request.method === 'action' && request.action.toLowerCase() === 'revert',
  };
}

/** Scopes to which nobody adds. */
const WHOLE: readonly AuditScope[] = ['_all', 'imported'];
const SCOPES: readonly AuditScope[] = [...AUDIT_TOPICS, ...WHOLE];

async function find(database: Database, scope: AuditScope, id: string): Promise<AuditRow> {
  const row = await findEvent(database.db, scope, id);
  if (row === undefined) throw new NotFoundError(`Audit entry '${scope}/${id}' not found`);
  return row;
}

/** Where all topics are one, an entry says of which it is. */
function shownIn(scope: AuditScope): (row: AuditRow) => Resource {
  return ({ id, topic, event }) => resource(id, null, WHOLE.includes(scope) ? { ...event, topic } : event);
}

/** All that a request caused, with the runs of schedules that it is about, as far as the caller may read them. */
async function readTransaction(
  { database, router }: AuditResourceOptions,
  context: Context,
  id: string,
): Promise<Resource> {
  const rows = await listTransaction(database.db, id, MOST_ENTRIES);
  if (rows.length === 0) throw new NotFoundError(`The trail has nothing of the transaction '${id}'`);
  const keys = new Set(rows.flatMap(({ event }) => firingOf(event) ?? []));
  const firings: JsonValue[] = [];
  for (const key of [...keys].slice(0, MOST_FIRINGS)) {
    const path = ['scheduler', 'firing', key];
    try {
      const read = { method: 'read', path, fields: [], parameters: {} } as const;
      const answer = await router.handle(nextContext(context), read);
      if (answer.kind === 'resource') firings.push(resourceBody(answer));
    } catch (error) {
      if (!(error instanceof ForbiddenError) && !(error instanceof NotFoundError)) throw error;
    }
  }
  return resource(id, null, {
    ...transactionTree(id, rows.slice(0, MOST_ENTRIES)),
    firings,
    ...(rows.length > MOST_ENTRIES ? { truncated: true } : {}),
  });
}

function revertAction({ database, router }: AuditResourceOptions): ActionTable<[id: string]> {
  return new ActionTable<[id: string]>(
    {
      revert: {
        does: 'Takes the change back that the entry tells of, unless somebody has changed the same since',
        takes: NO_BODY,
        answers: { type: 'object' },
        runsScripts: true,
        run: async (context, _request, id) =>
          actionResult(await revertChanges(router, context, [await find(database, 'activity', id)])),
      },
    },
    { anyCase: true, refuse: refuseAction },
  );
}

async function revertTransaction(
  { database, router }: AuditResourceOptions,
  context: WriteContext,
  { content }: ActionRequest,
): Promise<JsonObject> {
  const { transactionId = null }: JsonObject = isObject(content) ? content : {};
  if (typeof transactionId !== 'string' || transactionId === '') {
    throw new BadRequestError(`${JSON.stringify(transactionId)} is not the id of a transaction`, {
      id: 'AUDIT_NO_TRANSACTION',
      field: '/transactionId',
      hint: 'That of an entry of audit/activity, or X-Request-Id of an answer',
    });
  }
  const rows = await listTransaction(database.db, transactionId, MOST_ENTRIES, 'activity');
  if (rows.length === 0)
    throw new NotFoundError(`The trail has no change of the transaction '${transactionId}'`);
  if (rows.length > MOST_ENTRIES) {
    throw new BadRequestError(`The transaction '${transactionId}' has more than ${MOST_ENTRIES} changes`, {
      id: 'AUDIT_REVERT_TOO_LARGE',
      field: '/transactionId',
      hint: 'Take its parts back, such as <id>/0, or its entries one by one',
    });
  }
  return revertChanges(router, context, rows);
}

async function aggregate(
  options: AuditResourceOptions,
  context: Context,
  { content }: ActionRequest,
): Promise<JsonObject> {
  const range = parseRange(content, Date.now());
  // How many entries say something tells what they say.
  const looksInside = pointersOf(range.filter).some(([name = '']) => !COUNTED.has(name));
  if (looksInside) await options.router.admit(context, queryOfAll(range.filter));
  const rows = await countEntries(await questionReaderOf(options, context), range, MOST_COUNTED);
  return {
    from: range.from.toISOString(),
    to: range.to.toISOString(),
    bucketMs: range.bucketMs,
    buckets: rows.slice(0, MOST_COUNTED).map(({ at, count, by }) => ({
      at: new Date(at).toISOString(),
      count,
      ...Object.fromEntries(range.by.map((name, index) => [name, by[index] ?? null])),
    })),
    ...(rows.length > MOST_COUNTED ? { truncated: true } : {}),
  };
}

function queryOfAll(queryFilter: QueryFilter): Request {
  return {
    method: 'query',
    path: ['audit', '_all'],
    queryId: null,
    queryExpression: null,
    queryFilter,
    sortKeys: [],
    paging: NO_PAGING,
    fields: [],
    parameters: {},
  };
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

const SIDES = bodyOf({ before: { type: ['object', 'null'] }, after: { type: ['object', 'null'] } });

function auditActions(options: AuditResourceOptions): ActionTable {
  const fields = () => options.config().eventTopics.activity;
  return new ActionTable(
    {
      availableHandlers: {
        does: 'Tells where audit entries go, and of which topics',
        takes: NO_BODY,
        answers: listMember({ type: 'object' }),
        run: async () => actionResult([{ name: 'repo', topics: [...AUDIT_TOPICS], usableForQueries: true }]),
      },
      aggregate: {
        does: 'Counts entries by `topic`, `user` and `operation`, in equal steps of a time',
        takes: AUDIT_COUNT,
        answers: { type: 'object' },
        run: async (context, request) => actionResult(await aggregate(options, context, request)),
      },
      revert: {
        does: 'Takes all changes of a transaction back, unless somebody has changed the same since',
        takes: bodyOf({ transactionId: textMember('That of an entry of audit/activity') }, 'transactionId'),
        answers: { type: 'object' },
        runsScripts: true,
        run: async (context, request) => actionResult(await revertTransaction(options, context, request)),
      },
      getChangedWatchedFields: {
        does: 'Names the watched fields that differ between `before` and `after`',
        takes: SIDES,
        answers: listMember({ type: 'string' }),
        run: async (_context, request) =>
          actionResult(changedAmong(fields().watchedFields, ...sidesOf(request))),
      },
      getChangedPasswordFields: {
        does: 'Names the password fields that differ between `before` and `after`',
        takes: SIDES,
        answers: listMember({ type: 'string' }),
        run: async (_context, request) =>
          actionResult(changedAmong(fields().passwordFields, ...sidesOf(request))),
      },
    },
    { anyCase: true, refuse: refuseAction },
  );
}

function sidesOf({ content }: ActionRequest): [before: JsonValue, after: JsonValue] {
  const { before = null, after = null }: JsonObject = isObject(content) ? content : {};
  return [before, after];
}
