import { lazyRouteComponent } from '@tanstack/react-router';
import type { Screen } from '../../frame/screen.ts';
import { listRoute, typeRoute } from './routes.ts';
import { title } from './title.ts';

/** What objects are made of, and what another property would mean for those that there are. */
export const types: Screen = {
  id: 'types',
  icon: 'types',
  words: title,
  key: 't',
  asks: [{ method: 'patch', path: 'config/managed' }],
  routes: [
    listRoute.update({ component: lazyRouteComponent(() => import('./list-page.tsx'), 'ListPage') }),
    typeRoute.update({ component: lazyRouteComponent(() => import('./type-page.tsx'), 'TypePage') }),
  ],
};
