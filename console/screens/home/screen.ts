import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../frame/root-route.ts';
import type { Screen } from '../../frame/screen.ts';
import { title } from './title.ts';

const route = createRoute({
  getParentRoute: () => rootRoute,
  path: '/home',
  component: lazyRouteComponent(() => import('./home-page.tsx'), 'HomePage'),
});

/** What needs somebody, what is next, what has changed. */
export const home: Screen = {
  id: 'home',
  icon: 'home',
  words: title,
  key: 'h',
  asks: [{ method: 'read', path: 'status' }],
  routes: [route],
};
