import { createRoute } from '@tanstack/react-router';
import { rootRoute } from '../../frame/root-route.ts';
import { textsOf } from '../../frame/search.ts';

export const tasksRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/me',
});
export const taskRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/me/task/$id',
});
export const requestsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/me/requests',
});

export interface StartSearch {
  /** Which role the form begins with. */
  readonly role?: string;
}

export const startRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/me/start/$key',
  validateSearch: (search: Record<string, unknown>): StartSearch => textsOf(search, ['role']),
});
export const accountRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/me/account',
});
