import { createRoute } from '@tanstack/react-router';
import { rootRoute } from '../../frame/root-route.ts';
import { textsOf } from '../../frame/search.ts';

export interface ListSearch {
  readonly filter?: string;
}

export interface ConfigSearch {
  readonly tab?: string;
}

export const listRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/configuration',
  validateSearch: (search: Record<string, unknown>): ListSearch => textsOf(search, ['filter']),
});

/** Ids have a slash where there are many of a kind. */
export const configRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/configuration/of/$',
  validateSearch: (search: Record<string, unknown>): ConfigSearch => textsOf(search, ['tab']),
});

export function addressOf(id: string): string {
  return `/configuration/of/${id.split('/').map(encodeURIComponent).join('/')}`;
}
