import { parentPort, workerData } from 'node:worker_threads';
import { loadQuickly } from '../src/quick-start.ts';

/** A script thread. */
const { runScriptThread } = await loadQuickly('script-thread', () => import('./script-application.ts'));
await runScriptThread(workerData, { ...workerData, port: parentPort });
process.exit(0);
