import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../frame/root-route.ts';
import type { Screen } from '../../frame/screen.ts';
import { listRoute, newRoute, objectRoute } from './routes.ts';
import { title } from './title.ts';

const startRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/objects',
  component: lazyRouteComponent(() => import('./start-page.tsx'), 'StartPage'),
});

/** Managed objects of any type, and one of them with its links and its history. */
export const objects: Screen = {
  id: 'objects',
  icon: 'objects',
  words: title,
  key: 'o',
  asks: [
    { method: 'query', path: 'managed/user' },
    { method: 'query', path: 'managed/role' },
  ],
  routes: [
    startRoute,
    newRoute.update({ component: lazyRouteComponent(() => import('./new-page.tsx'), 'NewPage') }),
    listRoute.update({ component: lazyRouteComponent(() => import('./list-page.tsx'), 'ListPage') }),
    objectRoute.update({ component: lazyRouteComponent(() => import('./object-page.tsx'), 'ObjectPage') }),
  ],
};
