import { createRoute } from '@tanstack/react-router';
import { rootRoute } from '../../frame/root-route.ts';
import { textsOf } from '../../frame/search.ts';

export interface ListSearch {
  readonly tab?: string;
  readonly filter?: string;
}

export interface RoleSearch {
  readonly tab?: string;
  /** The user of whom it is asked why they have it, or have it not. */
  readonly who?: string | undefined;
}

export const listRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/roles',
  validateSearch: (search: Record<string, unknown>): ListSearch => textsOf(search, ['tab', 'filter']),
});

export const roleRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/roles/$id',
  validateSearch: (search: Record<string, unknown>): RoleSearch => textsOf(search, ['tab', 'who']),
});
