import { runExecutionListeners } from '../implementation.ts';
import type { LiveExecution, Run } from '../run.ts';
import { cancelTransaction } from './catch.ts';
import { recordUndoable, undoNext } from './compensation.ts';
import { endInstance } from './end-instance.ts';
import { jobOptions } from './enter.ts';
import { selectFlows } from './gateway.ts';
import { leaveRound } from './multi-instance.ts';
import { awaitJob, endToken, finish, takeFlows } from './token.ts';
import { clearAll } from './wait.ts';

/** An element is done: its end, and where its token goes from there. */
export async function leave(run: Run, execution: LiveExecution, hasJobRun = false): Promise<void> {
  if (execution.is === 'jobAfter' || (execution.is === 'scope' && run.hasChildren(execution))) return;
  if (execution.at === undefined) {
    await endInstance(run, { reason: 'completed' }, 'process instance deleted');
    return;
  }
  const node = run.node(execution);
  if (node.isAsyncAfter && !hasJobRun && execution.loop === undefined) {
    awaitJob(run, execution, 'after', await jobOptions(run, execution, node));
    return;
  }
  clearAll(run, execution);
  await runExecutionListeners(run, execution, node.listeners, 'end', node.id);
  finish(run, execution);
  recordUndoable(run, execution, node);
  if (node.kind === 'endEvent' && node.trigger?.kind === 'cancel') {
    await cancelTransaction(run, execution);
  } else if (execution.index !== undefined) {
    await leaveRound(run, execution, node);
  } else if (execution.undoes !== undefined) {
    leaveHandler(run, execution, execution.undoes);
  } else {
    await takeFlows(run, execution, await selectFlows(run, execution, node));
  }
}

/** A compensation handler is done: whoever waits for it goes on undoing. */
function leaveHandler(run: Run, execution: LiveExecution, undoes: number): void {
  const waiting = run.executions.get(undoes);
  endToken(run, execution);
  const undone = waiting && undoNext(run, waiting);
  if (undone === undefined) return;
  delete undone.is;
  run.plan('leave', undone);
}
