import { lazyRouteComponent } from '@tanstack/react-router';
import type { Screen } from '../../frame/screen.ts';
import { listRoute, transactionRoute } from './routes.ts';
import { title } from './title.ts';

/** Who did what, when, and what it caused. */
export const audit: Screen = {
  id: 'audit',
  icon: 'audit',
  words: title,
  key: 'a',
  asks: [{ method: 'query', path: 'audit/_all' }],
  routes: [
    listRoute.update({ component: lazyRouteComponent(() => import('./list-page.tsx'), 'ListPage') }),
    transactionRoute.update({
      component: lazyRouteComponent(() => import('./transaction-page.tsx'), 'TransactionPage'),
    }),
  ],
};
