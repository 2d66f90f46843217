import { loadQuickly } from '../src/quick-start.ts';

/** A script thread. */
await loadQuickly('script-thread', () => import('./script-application.ts'));
