import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../frame/root-route.ts';
import type { Screen } from '../../frame/screen.ts';
import { title } from './title.ts';

const route = createRoute({
  getParentRoute: () => rootRoute,
  path: '/nodes',
  component: lazyRouteComponent(() => import('./nodes-page.tsx'), 'NodesPage'),
});

/** Who is alive, what each node does, and whether it may go. */
export const nodes: Screen = {
  id: 'nodes',
  icon: 'nodes',
  words: title,
  key: 'n',
  asks: [{ method: 'read', path: 'cluster' }],
  routes: [route],
};
