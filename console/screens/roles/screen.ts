import { lazyRouteComponent } from '@tanstack/react-router';
import type { Screen } from '../../frame/screen.ts';
import { listRoute, roleRoute } from './routes.ts';
import { title } from './title.ts';

/** Who has which role, why, and who would gain or lose it by another condition. */
export const roles: Screen = {
  id: 'roles',
  icon: 'roles',
  words: title,
  key: 'r',
  asks: [{ method: 'query', path: 'managed/role' }],
  routes: [
    listRoute.update({ component: lazyRouteComponent(() => import('./list-page.tsx'), 'ListPage') }),
    roleRoute.update({ component: lazyRouteComponent(() => import('./role-page.tsx'), 'RolePage') }),
  ],
};
