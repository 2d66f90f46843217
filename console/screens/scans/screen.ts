import { lazyRouteComponent } from '@tanstack/react-router';
import type { Screen } from '../../frame/screen.ts';
import { listRoute, scanRoute } from './routes.ts';
import { title } from './title.ts';

/** Work on many objects, one by one: how far it is, what failed, and that again. */
export const scans: Screen = {
  id: 'scans',
  icon: 'scans',
  words: title,
  key: 'b',
  asks: [{ method: 'query', path: 'taskscanner' }],
  routes: [
    listRoute.update({ component: lazyRouteComponent(() => import('./list-page.tsx'), 'ListPage') }),
    scanRoute.update({ component: lazyRouteComponent(() => import('./scan-page.tsx'), 'ScanPage') }),
  ],
};
