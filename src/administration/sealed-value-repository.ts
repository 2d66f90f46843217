import { sql } from 'kysely';
import type { Db } from '#database/index.ts';

/** A column that may hold encrypted values. Names are ours, not anybody's input. */
export interface SealedColumn {
  /** As an operator calls it. */
  readonly title: string;
  readonly table: string;
  /** The primary key. */
  readonly keys: readonly string[];
  readonly column: string;
  readonly isText?: true;
}

export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { title: 'managed objects', table: 'managed_object', keys: ['type', 'id'], column: 'data' },
  { title: 'objects below /repo', table: 'repo_object', keys: ['type', 'id'], column: 'data' },
  { title: 'relationships', table: 'relationship', keys: ['id'], column: 'properties' },
  {
    title: 'workflow variables',
    table: 'workflow_variable',
    keys: ['instance_id', 'scope', 'name'],
    column: 'value',
  },
  { title: 'configurations', table: 'config_override', keys: ['id'], column: 'content', isText: true },
];

export interface SealedValue {
  readonly keys: readonly (string | number)[];
  /** JSON. */
  readonly text: string;
}

/** Rows with an envelope inside, in the order of the primary key, after a given one. */
export async function findSealed(
  db: Db,
  { table, keys, column }: SealedColumn,
  after: SealedValue['keys'] | undefined,
  limit: number,
): Promise<SealedValue[]> {
  const names = sql.join(keys.map((key) => sql.ref(key)));
  const past = after === undefined ? sql`true` : sql`(${names}) > (${sql.join([...after])})`;
  const { rows } = await sql<Record<string, string | number>>`
    select ${names}, ${sql.ref(column)}::text as sealed_text from ${sql.table(table)}
    where ${past} and ${sql.ref(column)}::text like '%x-simple-encryption%'
    order by ${names} limit ${limit}`.execute(db);
  return rows.map((row) => ({ keys: keys.map((key) => row[key]!), text: String(row['sealed_text']) }));
}

/**
 * Writes it back unless somebody has changed it since. The revision stays: nothing that a caller can see has changed.
 *
 * @returns whether it was written
 */
export async function replaceSealed(
  db: Db,
  { table, keys, column, isText }: SealedColumn,
  before: SealedValue,
  text: string,
): Promise<boolean> {
  const own = sql.join(
    keys.map((key, at) => sql`${sql.ref(key)} = ${before.keys[at]}`),
    sql` and `,
  );
  const type = isText ? sql`text` : sql`jsonb`;
  // Nodes take over a configuration whose version is new.
  const version = isText ? sql`, version = default` : sql``;
  const { numAffectedRows } = await sql`
    update ${sql.table(table)} set ${sql.ref(column)} = ${text}::${type}${version}
    where ${own} and ${sql.ref(column)} = ${before.text}::${type}`.execute(db);
  return numAffectedRows === 1n;
}
