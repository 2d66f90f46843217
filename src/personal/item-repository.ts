import { type RawBuilder, sql } from 'kysely';
import { type Db, LOCK, lockNamed, oneRow } from '#database/index.ts';
import { BadRequestError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import {
  instantColumn,
  type QueryColumn,
  type QueryTable,
  queryTable,
  type TablePage,
  textColumn,
} from '#repo/index.ts';
import { type PlainQuery, plainQuery, pointersOf, type QueryRequest } from '#resource/index.ts';
import type { ItemKind } from './item-kind.ts';

export interface ItemRow {
  readonly id: string;
  readonly owner: string;
  readonly rev: number;
  readonly data: JsonObject;
  readonly updated_at: Date;
  readonly expires_at: Date | null;
}

/** The caller who looks. */
export interface Seer {
  /** The path of the caller as the owner of items. */
  readonly path: string;
  readonly roles: readonly string[];
  /** Whether all views are shown. */
  readonly seesAll: boolean;
}

const TABLE: QueryTable = {
  columns: new Map<string, QueryColumn>([
    ['_id', textColumn('id')],
    ['_rev', { expression: sql`rev::text`, type: 'text', notNull: true }],
    ['owner', textColumn('owner')],
    ['updatedAt', instantColumn('updated_at', true)],
  ]),
  document: sql.ref('data'),
};

const COLUMNS = sql.raw('id, owner, rev, data, updated_at, expires_at');

function isSeen({ name }: ItemKind, { path, roles, seesAll }: Seer): RawBuilder<boolean> {
  const shared = name === 'view' ? sql`or ${seesAll} or roles && ${sql.val(roles)}::text[]` : sql``;
  return sql<boolean>`kind = ${name} and (expires_at is null or expires_at > now()) and (owner = ${path} ${shared})`;
}

export function queryItems(
  db: Db,
  kind: ItemKind,
  seer: Seer,
  request: QueryRequest,
): Promise<TablePage<ItemRow>> {
  const query = plainQuery(request);
  requireFewLooksInside(kind, query);
  const source = {
    table: TABLE,
    select: hasBody(kind, request) ? COLUMNS : withoutBody(kind),
    from: sql`personal_item`,
    where: [isSeen(kind, seer)],
  };
  return queryTable<ItemRow>(db, request, source, query);
}

/** Each reads all that somebody keeps, and everybody keeps what they like. */
const MOST_LOOKS_INSIDE = 4;

function requireFewLooksInside({ name, body }: ItemKind, { filter }: PlainQuery): void {
  const looks = pointersOf(filter).filter(([member = body]) => member === body).length;
  if (looks <= MOST_LOOKS_INSIDE) return;
  throw new BadRequestError(`A filter of ${name}s has ${looks} conditions on what is in '${body}'`, {
    id: 'FILTER_TOO_MANY_CONDITIONS',
    field: `/${body}`,
    hint: `${MOST_LOOKS_INSIDE} may look there: ask for fewer, or for the names`,
  });
}

export async function findItem(db: Db, kind: ItemKind, seer: Seer, id: string): Promise<ItemRow | undefined> {
  const { rows } = await sql<ItemRow>`
    select ${COLUMNS} from personal_item where id = ${id} and ${isSeen(kind, seer)}`.execute(db);
  return rows[0];
}

export interface NewItem {
  readonly id: string;
  readonly owner: string;
  readonly data: JsonObject;
  readonly roles: readonly string[];
}

/** Whether the answer to a query shows what makes an item large. */
function hasBody({ body }: ItemKind, { fields }: QueryRequest): boolean {
  return fields.length === 0 || fields.some(([name]) => name === undefined || name === '*' || name === body);
}

function withoutBody({ body }: ItemKind): RawBuilder<unknown> {
  return sql`id, owner, rev, data - ${sql.lit(body)} as data, updated_at, expires_at`;
}

/** What there is besides an item that is to be written. */
export interface ItemRoom {
  /** How many items of the kind the owner has. */
  readonly count: number;
  readonly bytes: number;
  readonly shared: number;
  /** What it had until now. */
  readonly ownBytes: number;
}

/** Nobody else writes items of the owner, or shares some with these roles, until the transaction ends. Old drafts go. */
export async function roomFor(db: Db, { name }: ItemKind, { id, owner, roles }: NewItem): Promise<ItemRoom> {
  await lockNamed(db, LOCK.itemsOf(owner));
  for (const role of [...new Set(roles)].sort()) await lockNamed(db, LOCK.viewsOf(role));
  await sql`delete from personal_item where owner = ${owner} and kind = ${name} and expires_at <= now()`.execute(
    db,
  );
  const { rows } = await sql<ItemRoom>`
    select (count(*) filter (where id <> ${id}))::int as count,
      coalesce(sum(octet_length(data::text)) filter (where id <> ${id}), 0)::int as bytes,
      (count(*) filter (where id <> ${id} and roles <> '{}'))::int as shared,
      coalesce(sum(octet_length(data::text)) filter (where id = ${id}), 0)::int as "ownBytes"
    from personal_item where owner = ${owner} and kind = ${name}`.execute(db);
  return oneRow(rows);
}

/** A role that so many other views are shared with already. */
export async function findCrowdedRole(
  db: Db,
  { id, owner, roles }: NewItem,
  most: number,
): Promise<string | undefined> {
  const { rows } = await sql<{ role: string }>`
    select role from unnest(${sql.val(roles)}::text[]) role
    where (select count(*) from personal_item
           where kind = 'view' and roles @> array[role] and not (owner = ${owner} and id = ${id})) >= ${most}
    limit 1`.execute(db);
  return rows[0]?.role;
}

/** @returns undefined when the owner has one of that id */
export async function insertItem(db: Db, kind: ItemKind, item: NewItem): Promise<ItemRow | undefined> {
  const { name, keepDays } = kind;
  const { id, owner, data, roles } = item;
  const { rows } = await sql<ItemRow>`
    insert into personal_item (kind, owner, id, data, roles, expires_at)
    values (${name}, ${owner}, ${id}, ${JSON.stringify(data)}::jsonb, ${sql.val(roles)}::text[], ${expiry(keepDays)})
    on conflict do nothing returning ${COLUMNS}`.execute(db);
  return rows[0];
}

/** @param rev that it still has. @returns undefined when it has another one */
export async function updateItem(
  db: Db,
  { name, keepDays }: ItemKind,
  { id, owner, data, roles }: NewItem,
  rev: number,
): Promise<ItemRow | undefined> {
  const { rows } = await sql<ItemRow>`
    update personal_item set data = ${JSON.stringify(data)}::jsonb, roles = ${sql.val(roles)}::text[], rev = rev + 1,
      updated_at = now(), expires_at = ${expiry(keepDays)}
    where kind = ${name} and owner = ${owner} and id = ${id} and rev = ${rev} returning ${COLUMNS}`.execute(
    db,
  );
  return rows[0];
}

export async function deleteItem(db: Db, { name }: ItemKind, { owner, id, rev }: ItemRow): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from personal_item where kind = ${name} and owner = ${owner} and id = ${id} and rev = ${rev}`.execute(
    db,
  );
  return numAffectedRows === 1n;
}

export async function pruneItems(db: Db): Promise<void> {
  await sql`delete from personal_item where expires_at <= now()`.execute(db);
}

function expiry(keepDays: number | undefined): RawBuilder<unknown> {
  return keepDays === undefined ? sql`null::timestamptz` : sql`now() + ${keepDays} * interval '1 day'`;
}
