import { createRoute } from '@tanstack/react-router';
import { rootRoute } from '../../frame/root-route.ts';
import { textsOf } from '../../frame/search.ts';

export interface TypeSearch {
  readonly tab?: string;
}

export const listRoute = createRoute({ getParentRoute: () => rootRoute, path: '/types' });

export const typeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/types/$type',
  validateSearch: (search: Record<string, unknown>): TypeSearch => textsOf(search, ['tab']),
});
