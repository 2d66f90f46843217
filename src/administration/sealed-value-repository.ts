import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#database/index.ts';
import { firstOf } from '#json/index.ts';

export interface SealedColumn {
  readonly name: string;
  readonly type: string;
}

/** A table that is there now, and those of its columns that could hold an encrypted value. */
export interface SealedTable {
  readonly schema: string;
  readonly name: string;
  readonly columns: readonly SealedColumn[];
  /** What its rows are called by: the primary key, or else where they lie. */
  readonly keys: readonly string[];
  /** The size of the table when it was listed, in blocks of the database. */
  readonly blocks: number;
}

/** A row with something like an encrypted value inside. */
export interface SealedRow {
  /** Where the row is: the `ctid` of this version of it. */
  readonly place: string;
  readonly key: string;
  /** The texts in the order of the table's columns; bytes as Latin-1, null where there is nothing encrypted. */
  readonly texts: readonly (string | null)[];
}

const SIGN = 'x-simple-encryption';

/**
 * Every table of the server, found in the catalogue: whatever is added to the schema is rotated too. Partitions are
 * listed and their parents are not. Keys are left out, because rows are known by them.
 */
export async function listSealedTables(db: Db): Promise<SealedTable[]> {
  const { rows } = await sql<SealedTable>`
    select n.nspname as schema, c.relname as name, h.columns, k.keys,
           pg_relation_size(c.oid) / current_setting('block_size')::int as blocks
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    cross join lateral (
      select coalesce(json_agg(a.attname), '["ctid"]') as keys, coalesce(array_agg(a.attnum), '{}') as numbers
      from pg_index i join pg_attribute a on a.attrelid = c.oid and a.attnum = any(i.indkey)
      where i.indrelid = c.oid and i.indisprimary) k
    cross join lateral (
      select json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, null))) as columns
      from pg_attribute a
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
        and a.attnum <> all(k.numbers)
        and a.atttypid in ('jsonb'::regtype, 'json'::regtype, 'text'::regtype, 'varchar'::regtype, 'bytea'::regtype)) h
    where c.relkind = 'r' and n.nspname = current_schema() and h.columns is not null
    order by 1, 2`.execute(db);
  return rows;
}

/** The next rows behind `after` and before a block, in the order in which they lie on the disk. */
export async function findSealed(
  db: Db,
  table: SealedTable,
  range: { readonly after: string; readonly beforeBlock: number; readonly limit: number },
): Promise<SealedRow[]> {
  const { columns, keys } = table;
  const name = sql.id(table.schema, table.name);
  const marked = (column: SealedColumn) =>
    column.type === 'bytea'
      ? sql`position(${SIGN}::bytea in ${sql.ref(column.name)}) > 0`
      : sql`${sql.ref(column.name)}::text like ${`%${SIGN}%`}`;
  const texts = columns.map((column) => sql`case when ${marked(column)} then ${written(column)} end`);
  const { rows } = await sql<SealedRow>`
    select ctid::text as place, concat_ws('/', ${sql.join(keys.map((key) => sql`${sql.ref(key)}::text`))}) as key,
           array[${sql.join(texts)}] as texts
    from ${name}
    where ctid = any(array(
      select ctid from ${name}
      where ctid > ${range.after}::tid and ctid < ${`(${range.beforeBlock},0)`}::tid
        and (${sql.join(columns.map(marked), sql` or `)})
      order by ctid limit ${range.limit}))
    order by ctid`.execute(db);
  return rows.map((row) => ({
    ...row,
    texts: columns.map((column, at) => {
      const text = row.texts[at] ?? null;
      return text === null ? null : fromWritten(column, text);
    }),
  }));
}

/** How a column is read and compared: as text, bytes as hexadecimal digits. */
function written({ name, type }: SealedColumn): RawBuilder<string> {
  return type === 'bytea' ? sql`encode(${sql.ref(name)}, 'hex')` : sql`${sql.ref(name)}::text`;
}

function fromWritten({ type }: SealedColumn, text: string): string {
  return type === 'bytea' ? Buffer.from(text, 'hex').toString('latin1') : text;
}

function toWritten({ type }: SealedColumn, text: string): string {
  return type === 'bytea' ? Buffer.from(text, 'latin1').toString('hex') : text;
}

function writtenOrNull(column: SealedColumn, text: string | null | undefined): string | null {
  return text == null ? null : toWritten(column, text);
}

export interface SealedChange {
  readonly row: SealedRow;
  /** The texts like `row.texts`; null where nothing changes. */
  readonly texts: readonly (string | null)[];
}

/**
 * Writes rows back that nobody has changed or locked since. Revisions stay: nothing that a caller can see has changed.
 *
 * @param changes all of them of the same columns
 * @returns how many were written
 */
export async function replaceSealed(
  db: Db,
  { schema, name, columns }: SealedTable,
  changes: readonly SealedChange[],
): Promise<number> {
  const changed = [...columns.entries()].filter(([at]) => firstOf(changes).texts[at] !== null);
  const places = changes.map(({ row }) => row.place);
  const table = sql.id(schema, name);
  const list = (values: readonly (string | null)[]) => sql`${values}::text[]`;
  const lists = changed.flatMap(([at, column]) => [
    list(changes.map(({ row }) => writtenOrNull(column, row.texts[at]))),
    list(changes.map(({ texts }) => writtenOrNull(column, texts[at]))),
  ]);
  const aliases = changed.flatMap(([at]) => [sql.id(`before_${at}`), sql.id(`after_${at}`)]);
  const sets = changed.map(([at, { name: column, type }]) => {
    const value = sql.ref(`v.after_${at}`);
    const cast = type === 'bytea' ? sql`decode(${value}, 'hex')` : sql`${value}::${sql.raw(type)}`;
    return sql`${sql.id(column)} = ${cast}`;
  });
  // Nodes take over a configuration whose version is new.
  if (name === 'config_override') sets.push(sql`version = default`);
  const same = changed.map(
    ([at, { name: column, type }]) =>
      sql`${written({ name: `t.${column}`, type })} = ${sql.ref(`v.before_${at}`)}`,
  );
  const { numAffectedRows } = await sql`
    update ${table} as t set ${sql.join(sets)}
    from unnest(${list(places)}, ${sql.join(lists)}) as v (place, ${sql.join(aliases)})
    where t.ctid = any(array(
        select ctid from ${table} where ctid = any(${list(places)}::tid[]) for no key update skip locked))
      and t.ctid = v.place::tid and ${sql.join(same, sql` and `)}`.execute(db);
  return Number(numAffectedRows ?? 0);
}
