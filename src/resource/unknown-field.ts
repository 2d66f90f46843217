import { BadRequestError, didYouMean } from '#errors/index.ts';
import { formatPointer, type Pointer } from '#json/index.ts';
import { pointersOf, type QueryFilter } from './query/query-filter.ts';
import type { SortKey } from './query/sort-key.ts';

/** The first that a query looks at and that is none of the fields. */
function findUnknownField(
  { filter, sortKeys }: { readonly filter: QueryFilter; readonly sortKeys: readonly SortKey[] },
  isKnown: (name: string) => boolean,
): Pointer | undefined {
  const pointers = [...pointersOf(filter), ...sortKeys.map(({ pointer }) => pointer)];
  return pointers.find(([name = '']) => !isKnown(name) && name !== '_id' && name !== '_rev');
}

/**
 * For rows whose fields are fixed: a filter by another field would find nothing, and look as if there were nothing.
 *
 * @throws BadRequestError `QUERY_UNKNOWN_FIELD`
 */
export function refuseUnknownField(
  query: { readonly filter: QueryFilter; readonly sortKeys: readonly SortKey[] },
  fields: readonly string[],
): void {
  const unknown = findUnknownField(query, (name) => fields.includes(name));
  if (unknown === undefined) return;
  const pointer = formatPointer(unknown);
  throw new BadRequestError(`There is no field '${pointer.slice(1)}' to look for`, {
    id: 'QUERY_UNKNOWN_FIELD',
    field: pointer,
    hint: didYouMean(unknown[0] ?? '', fields) ?? `There are ${fields.join(', ')}`,
  });
}

/**
 * For rows that may have any field: the same as a warning.
 *
 * @param suggested those of the fields that may be named
 */
export function warnOfUnknownField(
  query: { readonly filter: QueryFilter; readonly sortKeys: readonly SortKey[] },
  where: string,
  fields: readonly string[],
  suggested: readonly string[] = fields,
): { readonly warnings?: readonly string[] } {
  const unknown = findUnknownField(query, (name) => fields.includes(name));
  if (unknown === undefined) return {};
  const hint = didYouMean(unknown[0] ?? '', suggested);
  return { warnings: [`'${unknown.join('/')}' is no property of ${where}. ${hint ?? ''}`.trim()] };
}
