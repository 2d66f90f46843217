import { lazyRouteComponent } from '@tanstack/react-router';
import type { Screen } from '../../frame/screen.ts';
import { listRoute, newRoute, objectRoute, systemRoute } from './routes.ts';
import { title } from './title.ts';

/** Directories, files and whatever else there is a connector for: whether they answer, and what is in them. */
export const systems: Screen = {
  id: 'systems',
  icon: 'systems',
  words: title,
  key: 'y',
  asks: [{ method: 'query', path: 'system' }],
  routes: [
    listRoute.update({ component: lazyRouteComponent(() => import('./list-page.tsx'), 'ListPage') }),
    newRoute.update({ component: lazyRouteComponent(() => import('./new-page.tsx'), 'NewPage') }),
    systemRoute.update({ component: lazyRouteComponent(() => import('./system-page.tsx'), 'SystemPage') }),
    objectRoute.update({ component: lazyRouteComponent(() => import('./object-page.tsx'), 'ObjectPage') }),
  ],
};
