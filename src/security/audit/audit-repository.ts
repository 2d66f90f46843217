import { sql } from 'kysely';
import { type Db, type GroupWrite, insertAll } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import {
  filterSql,
  instantColumn,
  type QueryColumn,
  type QueryTable,
  queryTable,
  type TablePage,
  uuidColumn,
} from '#repo/index.ts';
import { plainQuery, type QueryRequest } from '#resource/index.ts';
import { AUDIT_TOPICS, type AuditTopic } from './audit-event.ts';
import type { SignedEntry } from './signed-entry.ts';

/** A topic, or all of them as one stream; or what was recorded at another server, of all topics. */
export type AuditScope = AuditTopic | '_all' | 'imported';

export interface AuditRow {
  readonly id: string;
  readonly topic: AuditTopic;
  readonly event: JsonObject;
}

/** How entries are written; for `UnitOfWork.write`, so that they share a commit with what they tell of. */
export const auditInserts: GroupWrite<SignedEntry> = {
  // Where a trigger keeps one from being stored, nothing is.
  steps: (entries) => [{ statement: sql`${insertion(entries)} returning 1`, returns: entries.length }],
  async run(db, entries) {
    await insertEntries(db, entries);
    return entries.map(() => true);
  },
};

function insertion(entries: readonly SignedEntry[]) {
  return sql`
      insert into audit_event (id, topic, recorded_at, transaction_id, user_id, object_id, node, signature, event)
      select id, topic, recorded_at, transaction_id, user_id, object_id, node, signature, event
      from jsonb_to_recordset(${`[${entries.map(rowText).join()}]`}::jsonb) as entry (id uuid, topic text,
        recorded_at timestamptz, transaction_id text, user_id text, object_id text, node text, signature text,
        event jsonb)`;
}

/** The content is JSON text already. */
function rowText(entry: SignedEntry): string {
  const { id, topic, recordedAt, transactionId, userId, objectId, node, signature, content } = entry;
  const columns = JSON.stringify({
    id,
    topic,
    recorded_at: recordedAt,
    transaction_id: transactionId,
    user_id: userId,
    object_id: objectId,
    node,
    signature,
  });
  return `${columns.slice(0, -1)},"event":${content}}`;
}

/** Stores all entries, or none. @throws LostRows when somebody keeps one from the trail */
export function insertEntries(db: Db, entries: readonly SignedEntry[]): Promise<void> {
  return insertAll(db, auditInserts, entries);
}

export async function findEvent(db: Db, scope: AuditScope, id: string): Promise<AuditRow | undefined> {
  const { rows } = await sql<AuditRow>`
    select id::text as id, topic, event from ${tableOf(scope)} audit
    where ${within(scope)} and ${filterSql({ kind: 'compare', pointer: ['_id'], operator: 'eq', value: id }, AUDIT_TABLE)}`.execute(
    db,
  );
  return rows[0];
}

export const AUDIT_TABLE: QueryTable = {
  columns: new Map<string, QueryColumn>([
    ['_id', uuidColumn('audit.id')],
    // The server's own, to the millisecond: an entry is recorded when it says that it was.
    ['timestamp', instantColumn('recorded_at', true)],
    ['topic', { expression: sql.ref('topic'), type: 'text', notNull: true }],
    ['transactionId', { expression: sql.ref('transaction_id'), type: 'text', notNull: true }],
    ['userId', { expression: sql.ref('user_id'), type: 'text' }],
    ['objectId', { expression: sql.ref('object_id'), type: 'text' }],
  ]),
  document: sql.ref('event'),
};

export function queryEvents(db: Db, scope: AuditScope, request: QueryRequest): Promise<TablePage<AuditRow>> {
  return queryTable<AuditRow>(
    db,
    request,
    {
      table: AUDIT_TABLE,
      select: sql`id::text as id, topic, event`,
      from: sql`(select * from ${tableOf(scope)} where ${within(scope)}) audit`,
    },
    plainQuery(request),
  );
}

function tableOf(scope: AuditScope) {
  return sql.table(scope === 'imported' ? 'audit_history' : 'audit_event');
}

function within(scope: AuditScope) {
  const topics = scope === '_all' || scope === 'imported' ? AUDIT_TOPICS : [scope];
  return sql<boolean>`topic in (${sql.join(topics.map((topic) => sql.lit(topic)))})`;
}
