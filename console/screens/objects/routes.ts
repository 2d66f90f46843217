import { createRoute } from '@tanstack/react-router';
import { rootRoute } from '../../frame/root-route.ts';
import { textsOf } from '../../frame/search.ts';

/** What a list shows stands in its address, so that it can be sent and gone back to. */
export interface ListSearch {
  readonly filter?: string;
  readonly sort?: string;
  readonly columns?: string;
  /** A property whose values are counted. */
  readonly by?: string;
}

/** What of a list is kept as a view. */
export function searchOf(given: object): ListSearch {
  return textsOf({ ...given }, ['filter', 'sort', 'columns', 'by']);
}

export interface ObjectSearch {
  readonly tab?: string;
}

export const listRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/objects/$type',
  validateSearch: (search: Record<string, unknown>): ListSearch => searchOf(search),
});

export const newRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/objects/$type/new',
});

export const objectRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/objects/$type/$id',
  validateSearch: (search: Record<string, unknown>): ObjectSearch => textsOf(search, ['tab']),
});
