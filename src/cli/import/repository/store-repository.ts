import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import type { Item, StoredKind } from './item.ts';

/** What is known of an item before it is written. */
export interface Known {
  /** The revision here; null where there is nothing of it. */
  readonly here: number | null;
  /** The revision that the import has written from the same place; null where it has not. */
  readonly written: number | null;
  /** What was read is as it was when it came. */
  readonly isSame: boolean;
}

const TABLES: Readonly<Record<StoredKind, string>> = {
  managed: 'managed_object',
  repo: 'repo_object',
  relationship: 'relationship',
  link: 'sync_link',
};

/** Columns of the row that an item is, beside its id and its revision. */
const COLUMNS: Readonly<Record<'relationship' | 'link', RawBuilder<unknown>>> = {
  relationship: sql.raw(`first_collection, first_id, first_property, first_single,
    second_collection, second_id, second_property, second_single, properties`),
  link: sql.raw('link_type, qualifier, first_id, second_id, first_key, second_key'),
};

const isObjects = (kind: StoredKind): kind is 'managed' | 'repo' => kind === 'managed' || kind === 'repo';

/** Whether a row of the table is that of an item. */
const isOf = (kind: StoredKind, item: string) =>
  isObjects(kind)
    ? sql`stored.type = ${sql.ref(`${item}.type`)} collate "C" and stored.id = ${sql.ref(`${item}.id`)} collate "C"`
    : sql`stored.id = ${sql.ref(`${item}.id`)} collate "C"`;

const given = (items: readonly Item[]) => sql`
  jsonb_to_recordset(${JSON.stringify(items.map(({ type, id, print, foreignRev }) => ({ type, id, print, foreign_rev: foreignRev })))}::jsonb)
    as given (type text, id text, print text, foreign_rev text)`;

/** What is known of items, all of one kind, in their order. */
export async function findKnown(
  db: Db,
  source: string,
  kind: StoredKind,
  items: readonly Item[],
): Promise<readonly Known[]> {
  const { rows } = await sql<Known & { type: string; id: string }>`
    select given.type, given.id, stored.rev as here, item.rev as written,
           coalesce(item.print = decode(given.print, 'hex'), false) as "isSame"
    from ${given(items)}
    left join ${sql.table(TABLES[kind])} stored on ${isOf(kind, 'given')}
    left join import_item item on item.kind = ${kind} and item.type = given.type collate "C"
      and item.id = given.id collate "C" and item.source = ${source}`.execute(db);
  const byKey = new Map(rows.map(({ type, id, ...known }) => [`${type} ${id}`, known]));
  const nothing: Known = { here: null, written: null, isSame: false };
  return items.map(({ type, id }) => byKey.get(`${type} ${id}`) ?? nothing);
}

/** Which managed objects have come from there. */
export async function findComeFrom(
  db: Db,
  source: string,
  objects: readonly { readonly type: string; readonly id: string }[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ type: string; id: string }>`
    select item.type, item.id from import_item item
    join jsonb_to_recordset(${JSON.stringify(objects)}::jsonb) as given (type text, id text)
      on item.type = given.type collate "C" and item.id = given.id collate "C"
    where item.kind = 'managed' and item.source = ${source}`.execute(db);
  return new Set(rows.map(({ type, id }) => `managed/${type}/${id}`));
}

/** The items that have another revision at the other server than when they came, or have not come. */
export async function findNews(
  db: Db,
  source: string,
  { kind, type }: { readonly kind: StoredKind; readonly type: string },
  keys: readonly { readonly id: string; readonly rev: string }[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    select given.id from jsonb_to_recordset(${JSON.stringify(keys)}::jsonb) as given (id text, rev text)
    where not exists (select from import_item item where item.kind = ${kind} and item.type = ${type}
      and item.id = given.id collate "C" and item.source = ${source} and item.foreign_rev = given.rev)`.execute(
    db,
  );
  return new Set(rows.map(({ id }) => id));
}

/** @returns the ids that were stored: the others meet something that may be there once */
export async function insertItems(
  db: Db,
  kind: StoredKind,
  items: readonly Item[],
  table = TABLES[kind],
): Promise<ReadonlySet<string>> {
  const rows = JSON.stringify(items.map(({ type, id, rev, data }) => ({ type, id, rev, data })));
  const statement = isObjects(kind)
    ? sql<{ id: string }>`
        insert into ${sql.table(table)} (type, id, rev, data)
        select type, id, rev, data from jsonb_to_recordset(${rows}::jsonb) as o (type text, id text, rev bigint, data jsonb)
        order by type, id on conflict do nothing returning id`
    : sql<{ id: string }>`
        insert into ${sql.table(table)} (id, rev, ${COLUMNS[kind]})
        select o.id, o.rev, ${columnsOf(kind)} from jsonb_to_recordset(${rows}::jsonb) as o (id text, rev bigint, data jsonb),
          ${sql`jsonb_populate_record(null::${sql.table(TABLES[kind])}, o.data)`} as row
        order by o.id on conflict do nothing returning id`;
  return new Set((await statement.execute(db)).rows.map(({ id }) => id));
}

function columnsOf(kind: 'relationship' | 'link'): RawBuilder<unknown> {
  return kind === 'relationship'
    ? sql.raw(`row.first_collection, row.first_id, row.first_property, row.first_single,
        row.second_collection, row.second_id, row.second_property, row.second_single, row.properties`)
    : sql.raw('row.link_type, row.qualifier, row.first_id, row.second_id, row.first_key, row.second_key');
}

/**
 * Updates items that are as they were written.
 *
 * @returns their revisions now, by id; one that has changed meanwhile is not there
 */
export async function updateItems(
  db: Db,
  kind: StoredKind,
  items: readonly (Item & { readonly seen: number })[],
): Promise<ReadonlyMap<string, number>> {
  const rows = JSON.stringify(items.map(({ type, id, rev, seen, data }) => ({ type, id, rev, seen, data })));
  const set = isObjects(kind)
    ? sql`data = given.data`
    : sql`(${COLUMNS[kind]}) = (select ${columnsOf(kind)} from jsonb_populate_record(null::${sql.table(TABLES[kind])}, given.data) as row)`;
  const { rows: changed } = await sql<{ id: string; rev: number }>`
    update ${sql.table(TABLES[kind])} stored
    set ${set}, rev = greatest(given.rev, stored.rev + 1), updated_at = now()
    from jsonb_to_recordset(${rows}::jsonb) as given (type text, id text, rev bigint, seen bigint, data jsonb)
    where ${isOf(kind, 'given')} and stored.rev = given.seen
    returning stored.id, stored.rev`.execute(db);
  return new Map(changed.map(({ id, rev }) => [id, rev]));
}

/** Notes what was written, from where, and with which revision. */
export async function noteItems(
  db: Db,
  source: string,
  kind: StoredKind | 'schedule' | 'process',
  items: readonly Pick<Item, 'type' | 'id' | 'rev' | 'foreignRev' | 'print'>[],
): Promise<void> {
  const rows = items.map(({ type, id, rev, foreignRev, print }) => ({
    type,
    id,
    rev,
    foreign_rev: foreignRev,
    print,
  }));
  await sql`
    insert into import_item (kind, type, id, source, foreign_rev, print, rev)
    select ${kind}, type, id, ${source}, foreign_rev, decode(print, 'hex'), rev
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as o (type text, id text, foreign_rev text, print text, rev bigint)
    order by type, id
    on conflict (kind, type, id) do update
      set source = excluded.source, foreign_rev = excluded.foreign_rev, print = excluded.print, rev = excluded.rev, imported_at = now()`.execute(
    db,
  );
}

/** Names by which accounts log in are noted anew, because they may have changed. */
export async function releaseNames(db: Db, collection: string, ids: readonly string[]): Promise<void> {
  await sql`delete from login_name where collection = ${collection} and id = any(${ids}::text[])`.execute(db);
}

/** Makes a table, for this session, of the ids of a kind that were met, to find those that are gone. */
export async function beginSeen(db: Db): Promise<void> {
  await sql`create temporary table if not exists import_seen (id text collate "C" primary key)`.execute(db);
  await sql`truncate import_seen`.execute(db);
}

export async function noteSeen(db: Db, ids: readonly string[]): Promise<void> {
  await sql`insert into import_seen select unnest(${ids}::text[]) on conflict do nothing`.execute(db);
}

/** Items that have come, from one place or from any, and were not met again; `here` as in `Known`. */
export async function listGone(
  db: Db,
  {
    kind,
    type,
    source,
  }: { readonly kind: StoredKind; readonly type: string; readonly source: string | null },
  after: string,
  limit: number,
): Promise<readonly { readonly id: string; readonly written: number; readonly here: number | null }[]> {
  const { rows } = await sql<{ id: string; written: number; here: number | null }>`
    select item.id, item.rev as written, stored.rev as here
    from import_item item left join ${sql.table(TABLES[kind])} stored on ${isOf(kind, 'item')}
    where item.kind = ${kind} and item.type = ${type} and item.id > ${after}
      and (${source}::text is null or item.source = ${source})
      and not exists (select from import_seen seen where seen.id = item.id)
    order by item.id limit ${limit}`.execute(db);
  return rows;
}

/** Deletes what is as it was written, and forgets that it has come. @returns the ids */
export async function deleteItems(
  db: Db,
  { kind, type }: { readonly kind: StoredKind; readonly type: string },
  ids: readonly string[],
): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`
    with gone as (
      delete from ${sql.table(TABLES[kind])} stored using import_item item
      where item.kind = ${kind} and item.type = ${type} and item.id = any(${ids}::text[])
        and ${isOf(kind, 'item')} and stored.rev = item.rev
      returning item.id),
    forgotten as (
      delete from import_item where kind = ${kind} and type = ${type} and id in (select id from gone))
    select id from gone`.execute(db);
  return rows.map(({ id }) => id);
}

/** Empty copies of tables, so that a plan meets what may be there once, as the import would. */
export async function makeProbe(db: Db, kind: StoredKind): Promise<string> {
  const probe = `import_probe_${kind}`;
  await sql`create temporary table if not exists ${sql.table(probe)} (like ${sql.table(TABLES[kind])} including defaults including indexes)`.execute(
    db,
  );
  await sql`truncate ${sql.table(probe)}`.execute(db);
  return probe;
}

export interface Imported {
  readonly source: string;
  readonly kind: string;
  readonly type: string;
  readonly items: number;
  readonly lastAt: Date;
}

/** What has come so far. */
export async function listImported(db: Db): Promise<readonly Imported[]> {
  const { rows } = await sql<Imported>`
    select source, kind, type, items, last_at as "lastAt" from svc_import order by source, kind, type`.execute(
    db,
  );
  return rows;
}

/** Forgets what has come; it stays. */
export async function forgetImport(db: Db): Promise<void> {
  await sql`truncate import_item`.execute(db);
}

/** The hash of what has come of one; undefined where it has not. */
export async function findNoted(
  db: Db,
  source: string,
  kind: 'schedule',
  id: string,
): Promise<string | undefined> {
  const { rows } = await sql<{ print: string }>`
    select encode(print, 'hex') as print from import_item
    where kind = ${kind} and type = '' and id = ${id} and source = ${source}`.execute(db);
  return rows[0]?.print;
}

export async function hasSchedule(db: Db, id: string): Promise<boolean> {
  const { rows } = await sql`select from scheduler_job where id = ${id} and owner_id is null`.execute(db);
  return rows.length > 0;
}

/** A tree of process instances that has come. */
export interface KnownProcess {
  /** The id of its root at the other engine. */
  readonly foreignId: string;
  readonly rootId: string;
  /** The revision of the tree, as it was written. */
  readonly revision: number;
  readonly print: string;
  /** It stood still there, too. */
  readonly isSuspended: boolean;
}

const PROCESS = sql`select foreign_rev as "foreignId", id as "rootId", rev as revision, encode(print, 'hex') as print,
  type = 'suspended' as "isSuspended" from import_item where kind = 'process'`;

/** @param source null: wherever they come from */
export async function listProcesses(db: Db, source: string | null): Promise<readonly KnownProcess[]> {
  const { rows } = await sql<KnownProcess>`
    ${PROCESS} and (${source}::text is null or source = ${source}) order by id`.execute(db);
  return rows;
}

export async function findProcess(
  db: Db,
  source: string,
  foreignId: string,
): Promise<KnownProcess | undefined> {
  const { rows } = await sql<KnownProcess>`
    ${PROCESS} and source = ${source} and foreign_rev = ${foreignId}`.execute(db);
  return rows[0];
}

export async function noteProcess(
  db: Db,
  source: string,
  item: Parameters<typeof noteItems>[3][number],
): Promise<void> {
  await forgetProcess(db, item.id);
  await noteItems(db, source, 'process', [item]);
}

/** What was taken back may come anew. */
export async function forgetProcess(db: Db, rootId: string): Promise<void> {
  await sql`delete from import_item where kind = 'process' and id = ${rootId}`.execute(db);
}

/** Schedules that have come; `isPaused` is what they were at the other server. */
export async function listSchedules(
  db: Db,
): Promise<readonly { readonly id: string; readonly isPaused: boolean }[]> {
  const { rows } = await sql<{ id: string; isPaused: boolean }>`
    select id, rev = 1 as "isPaused" from import_item where kind = 'schedule' order by id`.execute(db);
  return rows;
}

/** What is stored of items of one kind, as `Item.data` has it. */
export async function findStored(
  db: Db,
  kind: StoredKind,
  items: readonly Pick<Item, 'type' | 'id'>[],
): Promise<ReadonlyMap<string, JsonObject>> {
  const keys = JSON.stringify(items.map(({ type, id }) => ({ type, id })));
  const data = isObjects(kind)
    ? sql`stored.data`
    : sql`to_jsonb(stored) - '{id,rev,created_at,updated_at}'::text[]`;
  const { rows } = await sql<{ id: string; data: JsonObject }>`
    select given.id, ${data} as data from jsonb_to_recordset(${keys}::jsonb) as given (type text, id text)
    join ${sql.table(TABLES[kind])} stored on ${isOf(kind, 'given')}`.execute(db);
  return new Map(rows.map(({ id, data }) => [id, data]));
}
