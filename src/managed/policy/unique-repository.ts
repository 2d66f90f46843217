import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#database/index.ts';
import { type JsonValue, parsePointer } from '#json/index.ts';
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
  const { rows } = await sql<{ id: string }>`select id from ${sql.table(store.table)}
    where type = ${sql.lit(store.type)} and ${hasValue(property, value)}
      and id is distinct from ${ownId} limit 1`.execute(db);
  return rows[0]?.id;
}

function hasValue(property: string, value: string): RawBuilder<boolean> {
  if (!property.includes('[')) {
    const table = objectTable({ propertyTypes: new Map([[`/${property}`, 'string']]) });
    return filterSql({ kind: 'compare', pointer: parsePointer(property), operator: 'eq', value }, table);
  }
  // Inside an array the value may stand in any element: what contains this shape has it somewhere.
  const shape = property
    .split(/\/|(?=\[)/)
    .reduceRight<JsonValue>((inner, token) => (token.startsWith('[') ? [inner] : { [token]: inner }), value);
  return sql<boolean>`data @> ${JSON.stringify(shape)}::jsonb`;
}
