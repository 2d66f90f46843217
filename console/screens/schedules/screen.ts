import { lazyRouteComponent } from '@tanstack/react-router';
import type { Screen } from '../../frame/screen.ts';
import { changeRoute, listRoute, newRoute, scheduleRoute } from './routes.ts';
import { title } from './title.ts';

/** What runs when, what has become of it, and why. */
export const schedules: Screen = {
  id: 'schedules',
  icon: 'schedules',
  words: title,
  key: 's',
  asks: [{ method: 'query', path: 'scheduler/job' }],
  routes: [
    listRoute.update({ component: lazyRouteComponent(() => import('./list-page.tsx'), 'ListPage') }),
    newRoute.update({ component: lazyRouteComponent(() => import('./form-page.tsx'), 'NewPage') }),
    changeRoute.update({ component: lazyRouteComponent(() => import('./form-page.tsx'), 'ChangePage') }),
    scheduleRoute.update({
      component: lazyRouteComponent(() => import('./schedule-page.tsx'), 'SchedulePage'),
    }),
  ],
};
