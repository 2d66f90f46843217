import { parentPort, workerData } from 'node:worker_threads';
import { loadQuickly } from '../src/quick-start.ts';

/** An HTTP thread. */
const { runHttpThread } = await loadQuickly('http-thread', () => import('./http-application.ts'));
if (parentPort === null) throw new Error('An HTTP thread has a main thread to speak to');
await runHttpThread(workerData, parentPort);
process.exit(0);
