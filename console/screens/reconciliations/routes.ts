import { createRoute } from '@tanstack/react-router';
import { rootRoute } from '../../frame/root-route.ts';
import { textsOf } from '../../frame/search.ts';

export interface ListSearch {
  /** Only runs of this one; it is also what a new plan is made of. */
  readonly mapping?: string;
}

export interface RunSearch {
  readonly filter?: string;
}

export const listRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/reconciliations',
  validateSearch: (search: Record<string, unknown>): ListSearch => textsOf(search, ['mapping']),
});

export const runRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/reconciliations/$id',
  validateSearch: (search: Record<string, unknown>): RunSearch => textsOf(search, ['filter']),
});

export function addressOf(id: string): string {
  return `/reconciliations/${encodeURIComponent(id)}`;
}
