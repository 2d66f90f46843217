import { lazyRouteComponent } from '@tanstack/react-router';
import type { Screen } from '../../frame/screen.ts';
import { accountRoute, requestsRoute, startRoute, taskRoute, tasksRoute } from './routes.ts';
import { title } from './title.ts';

/** For everybody: what they have to decide, what they ask for, and their account. On a phone first. */
export const me: Screen = {
  id: 'me',
  icon: 'inbox',
  words: title,
  key: 'm',
  asks: [],
  routes: [
    tasksRoute.update({ component: lazyRouteComponent(() => import('./tasks-page.tsx'), 'TasksPage') }),
    taskRoute.update({ component: lazyRouteComponent(() => import('./task-page.tsx'), 'TaskPage') }),
    requestsRoute.update({
      component: lazyRouteComponent(() => import('./requests-page.tsx'), 'RequestsPage'),
    }),
    startRoute.update({ component: lazyRouteComponent(() => import('./start-page.tsx'), 'StartPage') }),
    accountRoute.update({ component: lazyRouteComponent(() => import('./account-page.tsx'), 'AccountPage') }),
  ],
};
