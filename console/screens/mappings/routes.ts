import { createRoute } from '@tanstack/react-router';
import { rootRoute } from '../../frame/root-route.ts';
import { textsOf } from '../../frame/search.ts';

export interface MappingSearch {
  readonly tab?: string;
}

export const listRoute = createRoute({ getParentRoute: () => rootRoute, path: '/mappings' });

export const mappingRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/mappings/$name',
  validateSearch: (search: Record<string, unknown>): MappingSearch => textsOf(search, ['tab']),
});

export function addressOf(name: string): string {
  return `/mappings/${encodeURIComponent(name)}`;
}
