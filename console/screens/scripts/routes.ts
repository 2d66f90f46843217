import { createRoute } from '@tanstack/react-router';
import { rootRoute } from '../../frame/root-route.ts';
import { textsOf } from '../../frame/search.ts';

export interface ListSearch {
  readonly tab?: string;
  readonly filter?: string;
}

export interface ScriptSearch {
  /** What it is run as, such as `onUpdate`, of which type, with which object. */
  readonly use?: string;
  readonly type?: string;
  readonly with?: string;
}

export const listRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/scripts',
  validateSearch: (search: Record<string, unknown>): ListSearch => textsOf(search, ['tab', 'filter']),
});

/** Paths of scripts have folders. */
export const scriptRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/scripts/file/$',
  validateSearch: (search: Record<string, unknown>): ScriptSearch => textsOf(search, ['use', 'type', 'with']),
});

export const endpointRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/scripts/endpoint/$name',
});
