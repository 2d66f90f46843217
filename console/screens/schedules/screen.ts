import { lazyRouteComponent } from '@tanstack/react-router';
import type { Screen } from '../../frame/screen.ts';
import { listRoute, scheduleRoute } from './routes.ts';
import { words } from './words.ts';

/** What runs when, what has become of it, and why. */
export const schedules: Screen = {
  id: 'schedules',
  icon: 'schedules',
  words,
  key: 's',
  asks: [{ method: 'query', path: 'scheduler/job' }],
  routes: [
    listRoute.update({ component: lazyRouteComponent(() => import('./list-page.tsx'), 'ListPage') }),
    scheduleRoute.update({
      component: lazyRouteComponent(() => import('./schedule-page.tsx'), 'SchedulePage'),
    }),
  ],
};
