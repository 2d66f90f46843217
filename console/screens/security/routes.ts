import { createRoute } from '@tanstack/react-router';
import { rootRoute } from '../../frame/root-route.ts';
import { textsOf } from '../../frame/search.ts';

export interface SecuritySearch {
  readonly tab?: string;
}

export const route = createRoute({
  getParentRoute: () => rootRoute,
  path: '/security',
  validateSearch: (search: Record<string, unknown>): SecuritySearch => textsOf(search, ['tab']),
});
