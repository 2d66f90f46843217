import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#database/index.ts';
import { scalarKey } from './filter-sql-json.ts';
import { objectTable, type PropertyType, placeOf } from './filter-sql-table.ts';
import { compareTextSql } from './filter-sql-text.ts';

export interface PrefixHit {
  readonly id: string;
  /** The first of the properties that begins so. */
  readonly property: string;
}

/**
 * The first objects of a managed type of which a property, a text, begins with one of the prefixes: one range of its index for each
 * of the two, of which no more is read than is wanted.
 */
export async function findByPrefix(
  db: Db,
  {
    name,
    propertyTypes,
  }: { readonly name: string; readonly propertyTypes: ReadonlyMap<string, PropertyType> },
  properties: readonly string[],
  prefixes: readonly string[],
  limit: number,
): Promise<PrefixHit[]> {
  const table = objectTable({ propertyTypes });
  const ranges = properties.flatMap((property, rank) => {
    const place = placeOf(table, [property]);
    if (place.kind !== 'json' || place.type !== 'string') return [];
    const key = scalarKey(place);
    // What is no text, though it should be, is left out afterwards: asked for here, it would keep the planner from the index.
    return prefixes.map(
      (prefix): RawBuilder<unknown> => sql`
        (select id, ${sql.lit(property)}::text as property, ${sql.lit(rank)} as rank, ${key} as key, jsonb_typeof(${place.value}) = 'string' as is_text
         from managed_object
         where type = ${sql.lit(name)} and ${compareTextSql(key, 'sw', prefix)}
         order by ${key}, id limit ${sql.lit(limit)})`,
    );
  });
  if (ranges.length === 0) return [];
  const { rows } = await sql<PrefixHit>`
    select id, property from (${sql.join(ranges, sql` union all `)}) found
    where is_text order by rank, key, id`.execute(db);
  const first = new Map<string, string>();
  for (const { id, property } of rows) if (!first.has(id)) first.set(id, property);
  return [...first].slice(0, limit).map(([id, property]) => ({ id, property }));
}
