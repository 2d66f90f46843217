import { createRoute } from '@tanstack/react-router';
import { rootRoute } from '../../frame/root-route.ts';
import { textsOf } from '../../frame/search.ts';

export interface ListSearch {
  readonly tab?: string;
  readonly filter?: string;
}

export interface ScheduleSearch {
  /** The planned time that is asked about. */
  readonly why?: string;
}

export const listRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/schedules',
  validateSearch: (search: Record<string, unknown>): ListSearch => textsOf(search, ['tab', 'filter']),
});

/** A schedule of this name is found in the list of the configuration. */
export const newRoute = createRoute({ getParentRoute: () => rootRoute, path: '/schedules/_new' });

export const scheduleRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/schedules/$id',
  validateSearch: (search: Record<string, unknown>): ScheduleSearch => textsOf(search, ['why']),
});

export const changeRoute = createRoute({ getParentRoute: () => rootRoute, path: '/schedules/$id/change' });

export function addressOf(id: string): string {
  return `/schedules/${encodeURIComponent(id)}`;
}
