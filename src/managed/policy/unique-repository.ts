import { sql } from 'kysely';
import type { Db } from '#database/index.ts';
import { parsePointer } from '#json/index.ts';
import { filterSql, objectStore, objectTable } from '#repo/index.ts';

/** Queues those who ask about the same value until the end of their transactions. */
export async function lockValue(db: Db, parts: readonly string[]): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`unique ${JSON.stringify(parts)}`}, 0))`.execute(
    db,
  );
}

/** The id of another object of the collection whose property has that value. */
export async function findOther(
  db: Db,
  collection: string,
  property: string,
  value: string,
  ownId: string | null,
): Promise<string | undefined> {
  const path = collection.split('/');
  const store = objectStore(path[0] === 'managed' ? path : path.slice(1));
  const pointer = parsePointer(property);
  const name = `/${property}`;
  const table = objectTable({ propertyTypes: new Map([[name, 'string']]) });
  const { rows } = await sql<{ id: string }>`select id from ${sql.table(store.table)}
    where type = ${sql.lit(store.type)}
      and ${filterSql({ kind: 'compare', pointer, operator: 'eq', value }, table)}
      and id is distinct from ${ownId} limit 1`.execute(db);
  return rows[0]?.id;
}
