import type { EndReason } from '../effect.ts';
import type { LiveExecution, Run } from '../run.ts';
import { removeTask } from './task.ts';
import { finish } from './token.ts';
import { clearAll } from './wait.ts';

/** Takes an execution away with all that lives in it, innermost first. */
export async function destroy(run: Run, execution: LiveExecution, reason: EndReason): Promise<void> {
  if (!run.isAlive(execution)) return;
  await destroyChildren(run, execution, reason);
  clearAll(run, execution);
  const { id, at: element = '' } = execution;
  if (execution.is === 'task') {
    const node = run.node(execution);
    if (node.kind === 'userTask') await removeTask(run, execution, node, { reason });
  } else if (execution.is === 'jobBefore' || execution.is === 'jobAfter') {
    run.revoke(`job ${id}`, { kind: 'job.removed', execution: id, element });
  } else if (execution.is === 'child') {
    run.revoke(`child ${id}`, { kind: 'child.cancelled', execution: id, element, reason });
  }
  finish(run, execution, reason);
  run.remove(execution);
}

export async function destroyChildren(run: Run, execution: LiveExecution, reason: EndReason): Promise<void> {
  for (const child of run.children(execution).reverse()) await destroy(run, child, reason);
}
