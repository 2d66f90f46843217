import { firstOf } from '#json/index.ts';
import { requireNoSecrets } from '#repo/index.ts';
import type { Context, PlainQuery, QueryFilter, SortKey } from '#resource/index.ts';

/**
 * To callers from outside, private properties are absent also where they would only be compared or sorted by, and nothing
 * is compared or sorted by what is inside of an encrypted value or a hash.
 *
 * @throws ForbiddenError `QUERY_SECRET`
 */
export function queryOfCaller(
  { client }: Context,
  privates: ReadonlySet<string>,
  query: PlainQuery,
  sortKeys: readonly SortKey[],
): { readonly query: PlainQuery; readonly sortKeys: readonly SortKey[] } {
  if (!client.isExternal) return { query, sortKeys };
  requireNoSecrets(query.filter, sortKeys);
  if (privates.size === 0) return { query, sortKeys };
  return {
    query: { ...query, filter: hide(query.filter, privates) },
    sortKeys: sortKeys.filter(({ pointer }) => !privates.has(firstOf(pointer))),
  };
}

function hide(filter: QueryFilter, privates: ReadonlySet<string>): QueryFilter {
  switch (filter.kind) {
    case 'literal':
      return filter;
    case 'and':
    case 'or':
      return { ...filter, filters: filter.filters.map((operand) => hide(operand, privates)) };
    case 'not':
      return { ...filter, filter: hide(filter.filter, privates) };
    default:
      return privates.has(filter.pointer[0] ?? '') ? { kind: 'literal', value: false } : filter;
  }
}
