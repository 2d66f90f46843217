import type { Effect } from '../effect.ts';
import { runExecutionListeners } from '../implementation.ts';
import type { Run } from '../run.ts';
import { ROOT } from '../state.ts';
import { destroyChildren } from './destroy.ts';
import { clearAll } from './wait.ts';

type End = Omit<Extract<Effect, { kind: 'ended' }>, 'kind' | 'variables'>;

/** Ends the instance with whatever is still going on in it. */
export async function endInstance(run: Run, end: End, childReason: string): Promise<void> {
  const root = run.root;
  await destroyChildren(run, root, childReason);
  clearAll(run, root);
  await runExecutionListeners(run, root, run.definition.listeners, 'end', run.definition.key);
  run.hasEnded = true;
  run.emit({ kind: 'ended', ...end, variables: structuredClone(run.variables.get(ROOT) ?? {}) });
}
