import { createRoute } from '@tanstack/react-router';
import { rootRoute } from '../../frame/root-route.ts';
import { textsOf } from '../../frame/search.ts';

export interface ListSearch {
  readonly filter?: string;
  readonly topic?: string;
  /** How far back entries are counted, and the step of that which is looked at, by its beginning. */
  readonly span?: string;
  readonly step?: string | undefined;
}

export const listRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/audit',
  validateSearch: (search: Record<string, unknown>): ListSearch =>
    textsOf(search, ['filter', 'topic', 'span', 'step']),
});

export const transactionRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/audit/$id',
});
