import { createRoute } from '@tanstack/react-router';
import { rootRoute } from '../../frame/root-route.ts';
import { textsOf } from '../../frame/search.ts';

export interface ListSearch {
  readonly filter?: string;
  readonly topic?: string;
}

export const listRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/audit',
  validateSearch: (search: Record<string, unknown>): ListSearch => textsOf(search, ['filter', 'topic']),
});

export const transactionRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/audit/$id',
});
