import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import { instantColumn, type QueryTable, queryTable, type TablePage, textColumn } from '#repo/index.ts';
import { plainQuery, type QueryRequest } from '#resource/index.ts';

/** A change of another system that was given up, or a gap in what it tells. */
export interface DeadLetterRow {
  readonly id: string;
  readonly system: string;
  readonly object_type: string;
  readonly object_id: string | null;
  readonly mapping: string | null;
  readonly kind: 'failure' | 'gap';
  readonly attempts: number;
  readonly error: JsonObject;
  readonly transaction_id: string | null;
  readonly at: Date;
}

const COLUMNS = sql.raw(
  'id, system, object_type, object_id, mapping, kind, attempts, error, transaction_id, at',
);

const TABLE: QueryTable = {
  columns: new Map([
    ['_id', { expression: sql`id::text`, type: 'text' as const, notNull: true }],
    ['objectType', textColumn('object_type')],
    ['uid', textColumn('object_id')],
    ['mapping', textColumn('mapping')],
    ['kind', textColumn('kind')],
    ['transactionId', textColumn('transaction_id')],
    ['at', instantColumn('at', true)],
  ]),
};

export async function insertDeadLetter(db: Db, row: Omit<DeadLetterRow, 'at'>): Promise<void> {
  await sql`
    insert into sync_dead_letter (id, system, object_type, object_id, mapping, kind, attempts, error, transaction_id)
    values (${row.id}, ${row.system}, ${row.object_type}, ${row.object_id}, ${row.mapping}, ${row.kind}, ${row.attempts},
      ${JSON.stringify(row.error)}::jsonb, ${row.transaction_id})`.execute(db);
}

export function queryDeadLetters(
  db: Db,
  system: string,
  request: QueryRequest,
): Promise<TablePage<DeadLetterRow>> {
  const where: RawBuilder<boolean>[] = [sql<boolean>`system = ${system}`];
  const source = { table: TABLE, select: COLUMNS, from: sql`sync_dead_letter`, where };
  return queryTable<DeadLetterRow>(db, request, source, plainQuery(request));
}

export async function findDeadLetter(db: Db, system: string, id: string): Promise<DeadLetterRow | undefined> {
  const { rows } = await sql<DeadLetterRow>`
    select ${COLUMNS} from sync_dead_letter where system = ${system} and id::text = ${id}`.execute(db);
  return rows[0];
}

export async function deleteDeadLetter(db: Db, system: string, id: string): Promise<void> {
  await sql`delete from sync_dead_letter where system = ${system} and id::text = ${id}`.execute(db);
}

/** @param most of them at a time. @returns how many there were that are older */
export async function pruneDeadLetters(db: Db, keepDays: number, most: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from sync_dead_letter where ctid = any(array(
      select ctid from sync_dead_letter
      where at < clock_timestamp() - ${keepDays} * interval '1 day' limit ${most}))`.execute(db);
  return Number(numAffectedRows);
}
