import { lazyRouteComponent } from '@tanstack/react-router';
import type { Screen } from '../../frame/screen.ts';
import { listRoute, runRoute } from './routes.ts';
import { title } from './title.ts';

/** Both sides of a mapping compared as a whole: planned, looked at, approved, and what has come of it. */
export const reconciliations: Screen = {
  id: 'reconciliations',
  icon: 'reconciliations',
  words: title,
  key: 'd',
  asks: [{ method: 'query', path: 'recon' }],
  routes: [
    listRoute.update({ component: lazyRouteComponent(() => import('./list-page.tsx'), 'ListPage') }),
    runRoute.update({ component: lazyRouteComponent(() => import('./run-page.tsx'), 'RunPage') }),
  ],
};
