import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#database/index.ts';
import {
  instantColumn,
  type QueryColumn,
  type QueryTable,
  queryTable,
  type TablePage,
  textColumn,
} from '#repo/index.ts';
import { plainQuery, type QueryRequest } from '#resource/index.ts';

/** A session as it is told of: by its handle, which is worth nothing as a cookie. */
export interface ListedSession {
  readonly handle: string;
  readonly authentication_id: string;
  readonly user: string;
  readonly module: string;
  readonly roles: readonly string[];
  readonly client_address: string | null;
  readonly user_agent: string | null;
  readonly created_at: Date;
  readonly seen_at: Date;
  readonly expires_at: Date;
}

/** The owner of the sessions; undefined: everybody's. */
export type Owner = { readonly component: string; readonly id: string } | undefined;

const TABLE: QueryTable = {
  columns: new Map<string, QueryColumn>([
    ['_id', textColumn('handle')],
    ['authenticationId', textColumn('authentication_id')],
    ['user', textColumn('user')],
    ['moduleId', textColumn('module')],
    ['roles', { expression: sql`to_jsonb(roles)`, type: 'json', notNull: true }],
    ['clientAddress', textColumn('client_address', false)],
    ['userAgent', textColumn('user_agent', false)],
    ['createdAt', instantColumn('created_at', true)],
    ['lastUsedAt', instantColumn('seen_at', true)],
    ['expiresAt', instantColumn('expires_at', true)],
  ]),
};

const SELECT = sql`handle, authentication_id, "user", module, roles, client_address, user_agent, created_at, seen_at, expires_at`;

/** Sessions that hold. */
function heldBy(owner: Owner, idleMs: number): RawBuilder<unknown> {
  const isOwn =
    owner === undefined ? sql`true` : sql`component = ${owner.component} and user_id = ${owner.id}`;
  return sql`(
    select svc_session_handle(id) as handle, authentication_id, component || '/' || user_id as "user", module, roles,
      client_address, user_agent, created_at, seen_at, expires_at
    from auth_session
    where expires_at > now() and seen_at > now() - ${idleMs} * interval '1 ms' and ${isOwn}) held`;
}

export function querySessions(
  db: Db,
  owner: Owner,
  idleMs: number,
  request: QueryRequest,
): Promise<TablePage<ListedSession>> {
  const source = { table: TABLE, select: SELECT, from: heldBy(owner, idleMs) };
  return queryTable<ListedSession>(db, request, source, plainQuery(request));
}

export async function findSessionByHandle(
  db: Db,
  owner: Owner,
  idleMs: number,
  handle: string,
): Promise<ListedSession | undefined> {
  const { rows } = await sql<ListedSession>`
    select ${SELECT} from ${heldBy(owner, idleMs)} where handle = ${handle}`.execute(db);
  return rows[0];
}

/** @returns the handles of those that were ended */
export async function endSessions(
  db: Db,
  { component, id }: NonNullable<Owner>,
  exceptId: string | undefined,
): Promise<readonly string[]> {
  const { rows } = await sql<{ handle: string }>`
    delete from auth_session
    where component = ${component} and user_id = ${id} and id is distinct from ${exceptId ?? null}
    returning svc_session_handle(id) as handle`.execute(db);
  return rows.map(({ handle }) => handle);
}

export async function endSession(db: Db, handle: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from auth_session where svc_session_handle(id) = ${handle}`.execute(db);
  return numAffectedRows === 1n;
}
