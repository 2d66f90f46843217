import { type RawBuilder, sql } from 'kysely';
import type { Pointer } from '#json/index.ts';
import { inLowerCase, scalarKey } from './filter-sql-json.ts';
import { placeOf, type QueryTable } from './filter-sql-table.ts';

/** How to index a property: what stands in the parentheses of CREATE INDEX, without bind parameters. */
export interface PropertyIndex {
  /** A btree serves comparisons, prefixes and sorting; it wants `id` as a further column for paging. */
  readonly method: 'btree' | 'gin';
  readonly expression: RawBuilder<unknown>;
}

/**
 * The index that serves conditions of `filterSql` on this property: exactly the expression they are about. A
 * property of one scalar type has a btree; for arrays and properties of no known type a GIN index serves `eq`.
 * Undefined for a column, which has its own indexes, and for what the table does not have.
 */
export function propertyIndex(table: QueryTable, pointer: Pointer): PropertyIndex | undefined {
  const place = placeOf(table, pointer);
  if (place.kind !== 'json') return undefined;
  if (place.type === undefined || place.type === 'array') {
    return { method: 'gin', expression: sql`(${place.value}) jsonb_path_ops` };
  }
  return { method: 'btree', expression: scalarKey(place) };
}

/** The same for comparisons that ignore case, of ids as well; undefined of what is no text. */
export function indexIgnoringCase(table: QueryTable, pointer: Pointer): PropertyIndex | undefined {
  if (pointer.length === 1 && pointer[0] === '_id') return { method: 'btree', expression: sql`lower(id)` };
  const place = placeOf(table, pointer);
  if (place.kind !== 'json' || place.type !== 'string') return undefined;
  return { method: 'btree', expression: scalarKey(inLowerCase(place)) };
}
