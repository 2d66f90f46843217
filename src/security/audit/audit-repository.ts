import { sql } from 'kysely';
import type { Db, GroupWrite } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import { type QueryColumn, type QueryTable, queryTable, type TablePage } from '#repo/index.ts';
import { plainQuery, type QueryRequest } from '#resource/index.ts';
import { type AuditEvent, type AuditTopic, eventContent } from './audit-event.ts';

export interface AuditRow {
  readonly id: string;
  readonly event: JsonObject;
}

/** How entries are written; for `UnitOfWork.write`, so that they share a commit with what they tell of. */
export const auditInserts: GroupWrite<AuditEvent> = {
  insert(events) {
    const rows = events.map((event) => ({
      id: event.id,
      topic: event.topic,
      recorded_at: new Date(event.at).toISOString(),
      transaction_id: event.transactionId,
      user_id: indexed(event.userId),
      object_id: indexed(event.objectId),
      event: eventContent(event),
    }));
    return sql`
      insert into audit_event (id, topic, recorded_at, transaction_id, user_id, object_id, event)
      select id, topic, recorded_at, transaction_id, user_id, object_id, event
      from jsonb_to_recordset(${storableJson(rows)}::jsonb) as entry (id uuid, topic text,
        recorded_at timestamptz, transaction_id text, user_id text, object_id text, event jsonb)`;
  },
  async run(db, events) {
    await insertEvents(db, events);
    return events.map(() => true);
  },
};

/** No index takes a text of any length; the entry itself has it whole. A name that is longer than any is one of nobody. */
const MOST_INDEXED = 500;

function indexed(text: string | null): string | null {
  return text === null || text.length <= MOST_INDEXED ? text : text.slice(0, MOST_INDEXED);
}

/** What no text of Postgres can hold: zero characters, and halves of a surrogate pair. */
const UNSTORABLE = /\\u(?:0000|d[89a-f])/;

/** JSON text in which such characters are replaced: a name that somebody made up must not keep others from the trail. */
function storableJson(value: unknown): string {
  const text = JSON.stringify(value);
  // Most texts have no escape of any kind, which is seen many times faster.
  if (!text.includes('\\u') || !UNSTORABLE.test(text)) return text;
  return JSON.stringify(value, (_name, inner: unknown) => {
    if (typeof inner === 'string') return storable(inner);
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).map(([name, member]) => [storable(name), member]));
  });
}

function storable(text: string): string {
  return text.replaceAll('\0', '\ufffd').toWellFormed();
}

export async function insertEvents(db: Db, events: readonly AuditEvent[]): Promise<void> {
  await auditInserts.insert(events).execute(db);
}

export async function findEvent(db: Db, topic: AuditTopic, id: string): Promise<AuditRow | undefined> {
  const { rows } = await sql<AuditRow>`
    select id::text as id, event from audit_event where topic = ${topic} and id::text = ${id}`.execute(db);
  return rows[0];
}

const TABLE: QueryTable = {
  columns: new Map<string, QueryColumn>([
    ['_id', { expression: sql`id::text`, type: 'text', notNull: true }],
    ['transactionId', { expression: sql.ref('transaction_id'), type: 'text', notNull: true }],
    ['userId', { expression: sql.ref('user_id'), type: 'text' }],
    ['objectId', { expression: sql.ref('object_id'), type: 'text' }],
  ]),
  document: sql.ref('event'),
};

export function queryEvents(db: Db, topic: AuditTopic, request: QueryRequest): Promise<TablePage<AuditRow>> {
  return queryTable<AuditRow>(
    db,
    request,
    {
      table: TABLE,
      select: sql`id::text as id, event`,
      from: sql`(select * from audit_event where topic = ${sql.lit(topic)}) audit`,
    },
    plainQuery(request),
  );
}
