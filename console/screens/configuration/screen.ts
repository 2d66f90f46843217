import { lazyRouteComponent } from '@tanstack/react-router';
import type { Screen } from '../../frame/screen.ts';
import { configRoute, listRoute } from './routes.ts';
import { title } from './title.ts';

/** What the server is told to do: where it comes from, what a change would mean, and the way back. */
export const configuration: Screen = {
  id: 'configuration',
  icon: 'configuration',
  words: title,
  key: 'c',
  asks: [{ method: 'query', path: 'config' }],
  routes: [
    listRoute.update({ component: lazyRouteComponent(() => import('./list-page.tsx'), 'ListPage') }),
    configRoute.update({ component: lazyRouteComponent(() => import('./config-page.tsx'), 'ConfigPage') }),
  ],
};
