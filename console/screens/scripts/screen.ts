import { lazyRouteComponent } from '@tanstack/react-router';
import type { Screen } from '../../frame/screen.ts';
import { endpointRoute, listRoute, scriptRoute } from './routes.ts';
import { title } from './title.ts';

/** Scripts, who uses them, and what they would do. */
export const scripts: Screen = {
  id: 'scripts',
  icon: 'scripts',
  words: title,
  key: 'w',
  asks: [{ method: 'query', path: 'script/file' }],
  routes: [
    listRoute.update({ component: lazyRouteComponent(() => import('./list-page.tsx'), 'ListPage') }),
    scriptRoute.update({ component: lazyRouteComponent(() => import('./script-page.tsx'), 'ScriptPage') }),
    endpointRoute.update({
      component: lazyRouteComponent(() => import('./endpoint-page.tsx'), 'EndpointPage'),
    }),
  ],
};
