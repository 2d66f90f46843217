import { lazyRouteComponent } from '@tanstack/react-router';
import type { Screen } from '../../frame/screen.ts';
import { route } from './routes.ts';
import { title } from './title.ts';

/** Who is in, which programs are, who may what, and whether the keys are sound. */
export const security: Screen = {
  id: 'security',
  icon: 'security',
  words: title,
  key: 'e',
  asks: [{ method: 'query', path: 'key' }],
  routes: [
    route.update({ component: lazyRouteComponent(() => import('./security-page.tsx'), 'SecurityPage') }),
  ],
};
