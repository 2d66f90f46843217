import { lazyRouteComponent } from '@tanstack/react-router';
import type { Screen } from '../../frame/screen.ts';
import { listRoute, mappingRoute } from './routes.ts';
import { title } from './title.ts';

/** What is brought from where to where, and what is done in which situation. */
export const mappings: Screen = {
  id: 'mappings',
  icon: 'mappings',
  words: title,
  key: 'l',
  asks: [{ method: 'patch', path: 'config/sync' }],
  routes: [
    listRoute.update({ component: lazyRouteComponent(() => import('./list-page.tsx'), 'ListPage') }),
    mappingRoute.update({ component: lazyRouteComponent(() => import('./mapping-page.tsx'), 'MappingPage') }),
  ],
};
