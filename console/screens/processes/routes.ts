import { createRoute } from '@tanstack/react-router';
import { rootRoute } from '../../frame/root-route.ts';
import { textsOf } from '../../frame/search.ts';

export interface ListSearch {
  readonly tab?: string;
  /** A process, by its key. */
  readonly key?: string;
  /** `all` shows those that have ended, too. */
  readonly ended?: string;
}

export interface DefinitionSearch {
  readonly tab?: string;
  readonly element?: string | undefined;
  readonly heat?: string;
  readonly to?: string;
}

export interface InstanceSearch {
  readonly tab?: string;
  /** How many steps it had gone; without it, where it is now. */
  readonly step?: string | undefined;
}

export interface ModelSearch {
  readonly tab?: string;
  /** The definition that is changed; without one a process is new. */
  readonly from?: string;
}

export const listRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/processes',
  validateSearch: (search: Record<string, unknown>): ListSearch => textsOf(search, ['tab', 'key', 'ended']),
});

export const definitionRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/processes/definition/$id',
  validateSearch: (search: Record<string, unknown>): DefinitionSearch =>
    textsOf(search, ['tab', 'element', 'heat', 'to']),
});

export const startRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/processes/definition/$id/start',
});

export const instanceRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/processes/instance/$id',
  validateSearch: (search: Record<string, unknown>): InstanceSearch => textsOf(search, ['tab', 'step']),
});

export const modelRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/processes/model',
  validateSearch: (search: Record<string, unknown>): ModelSearch => textsOf(search, ['tab', 'from']),
});
