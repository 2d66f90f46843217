import { lazyRouteComponent } from '@tanstack/react-router';
import type { Screen } from '../../frame/screen.ts';
import { definitionRoute, instanceRoute, listRoute, modelRoute, startRoute } from './routes.ts';
import { title } from './title.ts';

/** Which processes there are, how they go, and one of them: where it stands, and what keeps it there. */
export const processes: Screen = {
  id: 'processes',
  icon: 'processes',
  words: title,
  key: 'p',
  asks: [{ method: 'query', path: 'workflow/job/deadletter' }],
  routes: [
    listRoute.update({ component: lazyRouteComponent(() => import('./list-page.tsx'), 'ListPage') }),
    startRoute.update({ component: lazyRouteComponent(() => import('./start-page.tsx'), 'StartPage') }),
    modelRoute.update({ component: lazyRouteComponent(() => import('./model-page.tsx'), 'ModelPage') }),
    definitionRoute.update({
      component: lazyRouteComponent(() => import('./definition-page.tsx'), 'DefinitionPage'),
    }),
    instanceRoute.update({
      component: lazyRouteComponent(() => import('./instance-page.tsx'), 'InstancePage'),
    }),
  ],
};
