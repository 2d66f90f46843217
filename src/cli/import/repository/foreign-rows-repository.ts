import type { ForeignDatabase } from './foreign-database-repository.ts';
import type { RowPage, Wanted } from './import-source.ts';
import type { ForeignRow } from './item.ts';

/** Rows of one kind, in the order of their keys. */
export interface ForeignTable {
  readonly name: string;
  /** A generic table holds objects of several types by their paths; null of a table with columns of its own. */
  readonly objectType: string | null;
  /** Columns that make the object; of a generic table none, because it is one text. */
  readonly columns: readonly string[];
}

const GENERIC = ['id', 'objecttypes_id', 'objectid', 'rev', 'fullobject'];

/** The types of objects in a generic table; none where there is no such table. */
export async function listObjectTypes(db: ForeignDatabase, name: string): Promise<readonly string[]> {
  const columns = db.tables.get(name);
  if (columns === undefined || !GENERIC.every((column) => columns.has(column))) return [];
  const rows = await db.rows(
    `select distinct t.objecttype from ${db.table('objecttypes')} t
     where exists (select 1 from ${db.table(name)} o where o.objecttypes_id = t.id) order by 1`,
  );
  return rows.flatMap(([type]) => type ?? []);
}

/** @param objectType of a generic table */
export async function countRows(db: ForeignDatabase, { name, objectType }: ForeignTable): Promise<number> {
  const [row] = await db.rows(
    `select count(*) from ${db.table(name)}${objectType === null ? '' : ` where objecttypes_id in (${TYPE_OF(db)})`}`,
    objectType === null ? [] : [objectType],
  );
  return Number(row?.[0] ?? 0);
}

const TYPE_OF = (db: ForeignDatabase) => `select id from ${db.table('objecttypes')} where objecttype = ?`;

/**
 * All rows, a page at a time. Where `wanted` is given, keys and revisions are read first, and texts of those that it
 * names alone.
 */
export async function* pagesOf(
  db: ForeignDatabase,
  table: ForeignTable,
  size: number,
  wanted?: Wanted,
): AsyncGenerator<RowPage> {
  let after: string | undefined;
  for (;;) {
    const keys = wanted === undefined ? [] : await readPage(db, table, { size, after, withText: false });
    const ids = wanted === undefined ? undefined : await wanted(keys);
    const rows =
      ids === undefined
        ? await readPage(db, table, { size, after, withText: true })
        : ids.size === 0
          ? []
          : await readPage(db, table, { size, after, withText: true, ids: [...ids] });
    const all = wanted === undefined ? rows : keys;
    if (all.length > 0) yield { keys: all.map(({ id }) => id), rows };
    if (all.length < size) return;
    after = all.at(-1)?.key;
  }
}

interface Page {
  readonly size: number;
  readonly after: string | undefined;
  readonly withText: boolean;
  readonly ids?: readonly string[];
}

async function readPage(
  db: ForeignDatabase,
  { name, objectType, columns }: ForeignTable,
  { size, after, withText, ids }: Page,
): Promise<ForeignRow[]> {
  const isGeneric = objectType !== null;
  const key = isGeneric ? 'id' : 'objectid';
  const shown = !withText ? [] : isGeneric ? ['fullobject'] : columns;
  const has = db.tables.get(name) ?? new Set();
  const rev = has.has('rev') ? db.asText('o.rev') : "'0'";
  const values: (string | number)[] = [];
  const where: string[] = [];
  if (isGeneric) {
    where.push(`o.objecttypes_id = (${TYPE_OF(db)})`);
    values.push(objectType);
  }
  if (after !== undefined) {
    where.push(`o.${key} > ?`);
    values.push(isGeneric ? Number(after) : after);
  }
  if (ids !== undefined) {
    where.push(`o.objectid in (${ids.map(() => '?').join()})`);
    values.push(...ids);
  }
  const selected = [
    db.asText(`o.${key}`),
    db.asText('o.objectid'),
    rev,
    ...shown.map((column) => db.asText(`o.${db.column(column)}`)),
  ];
  // The order is that of the column, and not of the text that is selected by its name.
  const found = await db.rows(
    `select ${selected.join()} from ${db.table(name)} o
     ${where.length === 0 ? '' : `where ${where.join(' and ')}`} order by o.${key} limit ${size}`,
    values,
  );
  return found.map(([at, id, revision, ...texts]) => ({
    key: at ?? '',
    id: id ?? '',
    rev: revision ?? '0',
    text: isGeneric
      ? (texts[0] ?? '')
      : JSON.stringify(Object.fromEntries(shown.map((column, index) => [column, texts[index] ?? null]))),
  }));
}
