import { createRoute } from '@tanstack/react-router';
import { rootRoute } from '../../frame/root-route.ts';
import { textsOf } from '../../frame/search.ts';

/** What is shown of a system: the tab, and of its objects which. */
export interface SystemSearch {
  readonly tab?: string;
  readonly type?: string;
  readonly filter?: string;
}

export const listRoute = createRoute({ getParentRoute: () => rootRoute, path: '/systems' });

/** No system has this name. */
export const newRoute = createRoute({ getParentRoute: () => rootRoute, path: '/systems/_new' });

export const systemRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/systems/$name',
  validateSearch: (search: Record<string, unknown>): SystemSearch =>
    textsOf(search, ['tab', 'type', 'filter']),
});

export const objectRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/systems/$name/$type/$id',
});

export function addressOf(name: string): string {
  return `/systems/${encodeURIComponent(name)}`;
}
