import { parentPort } from 'node:worker_threads';
import { loadQuickly } from '../../src/quick-start.ts';
import { FREE } from './kept-threads.ts';

/** A script thread of one node after the other. */
const { runScriptThread } = await loadQuickly(
  'script-thread',
  () => import('../../workers/script-application.ts'),
);
parentPort!.on('message', async ({ data, port }) => {
  const isDone = await runScriptThread(data, { ...data, port });
  if (!isDone) process.exit(0);
  port.postMessage(FREE);
});
