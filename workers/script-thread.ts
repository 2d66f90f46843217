import { startQuickly } from '../src/quick-start.ts';

/** A script thread. What it is loads after this, quickly. */
startQuickly();
await import('./script-application.ts');
