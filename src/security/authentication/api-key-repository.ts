import { sql } from 'kysely';
import { type Db, LOCK, lockNamed } from '#database/index.ts';
import {
  instantColumn,
  type QueryColumn,
  type QueryTable,
  queryTable,
  type TablePage,
  textColumn,
} from '#repo/index.ts';
import { plainQuery, type QueryRequest } from '#resource/index.ts';

/** A key as it is told of. */
export interface ListedKey {
  readonly id: string;
  readonly roles: readonly string[];
  readonly description: string | null;
  readonly created_by: string;
  readonly created_at: Date;
  readonly last_used_at: Date | null;
  readonly expires_at: Date | null;
}

/** A key as callers are compared with it. */
export interface KeyRow {
  readonly id: string;
  readonly hash: string;
  readonly roles: string[];
  /** Whether the last use was noted over a minute ago. */
  readonly stale: boolean;
}

export type NewKey = Pick<ListedKey, 'id' | 'roles' | 'description' | 'created_by' | 'expires_at'> &
  Pick<KeyRow, 'hash'>;

const TABLE: QueryTable = {
  columns: new Map<string, QueryColumn>([
    ['_id', textColumn('id')],
    ['roles', { expression: sql`to_jsonb(roles)`, type: 'json', notNull: true }],
    ['description', textColumn('description', false)],
    ['createdBy', textColumn('created_by')],
    ['createdAt', instantColumn('created_at', true)],
    ['lastUsedAt', instantColumn('last_used_at')],
    ['expiresAt', instantColumn('expires_at')],
  ]),
};
const COLUMNS = sql.raw('id, roles, description, created_by, created_at, last_used_at, expires_at');

export function queryKeys(db: Db, request: QueryRequest): Promise<TablePage<ListedKey>> {
  const source = { table: TABLE, select: COLUMNS, from: sql`auth_api_key` };
  return queryTable<ListedKey>(db, request, source, plainQuery(request));
}

export async function findKey(db: Db, id: string): Promise<ListedKey | undefined> {
  const { rows } = await sql<ListedKey>`select ${COLUMNS} from auth_api_key where id = ${id}`.execute(db);
  return rows[0];
}

/** @returns undefined when there is one of that id, or there are as many as may be */
export async function insertKey(db: Db, key: NewKey, most: number): Promise<ListedKey | undefined> {
  await lockNamed(db, LOCK.apiKeys);
  const { rows } = await sql<ListedKey>`
    insert into auth_api_key (id, hash, roles, description, created_by, expires_at)
    select ${key.id}, ${key.hash}, ${sql.val(key.roles)}::text[], ${key.description}, ${key.created_by},
      ${key.expires_at}::timestamptz
    where (select count(*) from auth_api_key) < ${most}
    on conflict do nothing returning ${COLUMNS}`.execute(db);
  return rows[0];
}

export async function deleteKey(db: Db, id: string): Promise<boolean> {
  const { numAffectedRows } = await sql`delete from auth_api_key where id = ${id}`.execute(db);
  return numAffectedRows === 1n;
}

/** The keys among these that are valid, found by one statement, in the order of the ids. */
export async function findHeldKeys(db: Db, ids: readonly string[]): Promise<readonly (KeyRow | undefined)[]> {
  const { rows } = await sql<KeyRow>`
    select id, hash, roles, coalesce(last_used_at < now() - interval '1 minute', true) as stale from auth_api_key
    where id = any(${sql.val(ids)}::text[]) and (expires_at is null or expires_at > now())`.execute(db);
  const found = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => found.get(id));
}

/** Notes that they are in use. Whose row is locked is being noted, or deleted, by somebody else. */
export async function touchKeys(db: Db, ids: readonly string[]): Promise<void> {
  await sql`
    update auth_api_key set last_used_at = now() where id in (
      select id from auth_api_key
      where id = any(${sql.val(ids)}::text[]) and coalesce(last_used_at < now() - interval '1 minute', true)
      for update skip locked)`.execute(db);
}

/** Programs need keys anew. @returns how many there were */
export async function endEveryApiKey(db: Db): Promise<number> {
  const { numAffectedRows } = await sql`delete from auth_api_key`.execute(db);
  return Number(numAffectedRows);
}

export async function countApiKeys(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from auth_api_key`.execute(db);
  return rows[0]?.count ?? 0;
}
