import { sql } from 'kysely';
import type { Db } from '#database/index.ts';
import type { WantedIndex } from './wanted-indexes.ts';

export interface ExistingIndex {
  readonly name: string;
  /** False for one whose building was cut short: it costs writes and serves nothing. */
  readonly ready: boolean;
}

export async function listPropertyIndexes(db: Db): Promise<ExistingIndex[]> {
  const { rows } = await sql<ExistingIndex>`select name, ready from svc_index`.execute(db);
  return rows;
}

/** The indexes on properties of a type: the pointer of each, and whether it serves already. */
export async function propertyIndexes(db: Db, type: string): Promise<Map<string, boolean>> {
  const { rows } = await sql<{ property: string; ready: boolean }>`
    select property, bool_or(ready) as ready from svc_index where type = ${type} group by property`.execute(
    db,
  );
  return new Map(rows.map(({ property, ready }) => [property, ready]));
}

/**
 * Builds an index while reads and writes go on. Must not run in a transaction.
 *
 * What Postgres finds out about the values in it, it does not use in plans, since the index is a partial one: without
 * statistics of their own it takes one of 200 objects for a match, and rather goes through a million in their order.
 */
export async function createPropertyIndex(db: Db, index: WantedIndex): Promise<void> {
  const { name, method, expression, type, property } = index;
  if (method === 'btree') {
    await sql`create statistics if not exists ${sql.id(name)} on (${expression}) from managed_object`.execute(
      db,
    );
  }
  const columns = method === 'btree' ? sql`${expression}, id` : expression;
  await sql`create index concurrently if not exists ${sql.id(name)} on managed_object
            using ${sql.raw(method)} (${columns}) where type = ${sql.lit(type)}`.execute(db);
  await sql`comment on index ${sql.id(name)} is ${sql.lit(JSON.stringify({ type, property }))}`.execute(db);
}

export async function dropPropertyIndex(db: Db, name: string): Promise<void> {
  await sql`drop index concurrently if exists ${sql.id(name)}`.execute(db);
  await sql`drop statistics if exists ${sql.id(name)}`.execute(db);
}

/** Has Postgres look at the values now, and not when a tenth of them has changed; of few no plan is wrong enough. */
export async function takeStatistics(db: Db): Promise<void> {
  const { rows } = await sql`select from managed_object offset 5000 limit 1`.execute(db);
  if (rows.length > 0) await sql`analyze managed_object`.execute(db);
}
