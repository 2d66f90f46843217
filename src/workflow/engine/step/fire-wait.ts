import { NotFoundError } from '#errors/index.ts';
import { conditionHolds } from '../implementation.ts';
import type { LiveExecution, LiveWait, Run } from '../run.ts';
import { fireBoundary, fireEventSubProcess } from './catch.ts';
import { begin, finish } from './token.ts';
import { clear, clearAll, rearm } from './wait.ts';

/** What an execution waited for has happened. */
export async function fireWait(run: Run, wait: LiveWait): Promise<void> {
  const owner = run.ownerOf(wait);
  const node = run.nodeById(wait.at);
  switch (node.kind) {
    case 'boundaryEvent':
      if (!node.isInterrupting) rearm(run, wait);
      await fireBoundary(run, node, owner);
      return;
    case 'startEvent': {
      const inner = run.nodeById(node.parent ?? '');
      if (inner.kind !== 'eventSubProcess') return;
      if (!node.isInterrupting) rearm(run, wait);
      await fireEventSubProcess(run, inner, owner);
      return;
    }
    default:
      if (owner.at === node.id) {
        clear(run, wait);
        delete owner.is;
        run.plan('leave', owner);
      } else {
        choose(run, owner, node.id);
      }
  }
}

/** @throws NotFoundError `WORKFLOW_NO_WAIT` when nothing waits there for that */
export function getWait(run: Run, kind: LiveWait['kind'], execution: number, element: string): LiveWait {
  const wait = run.findWait(execution, element);
  if (wait?.kind === kind) return wait;
  throw new NotFoundError(`The execution ${execution} does not wait for a ${kind} at '${element}'`, {
    id: 'WORKFLOW_NO_WAIT',
  });
}

/** Serves every execution that waits for the signal now; one may end others. */
export async function broadcast(
  run: Run,
  name: string,
  before: (wait: LiveWait) => void = () => {},
): Promise<void> {
  for (const wait of run.allWaits()) {
    const isMeant = wait.kind === 'signal' && wait.name === name;
    if (!isMeant || run.findWait(wait.of, wait.at) !== wait) continue;
    before(wait);
    await fireWait(run, wait);
  }
}

/** Looks at the conditions that are waited for; one that has become true happens. */
export async function checkConditions(run: Run): Promise<void> {
  run.mustCheckConditions = false;
  for (const wait of run.allWaits()) {
    if (wait.kind !== 'conditional' || run.findWait(wait.of, wait.at) !== wait) continue;
    const node = run.nodeById(wait.at);
    const trigger = 'trigger' in node ? node.trigger : undefined;
    if (trigger?.kind !== 'conditional') continue;
    const holds = await conditionHolds(run, run.ownerOf(wait), trigger.condition, node.id);
    const held = wait.held === true;
    if (holds) wait.held = true;
    else delete wait.held;
    if (holds && !held) await fireWait(run, wait);
  }
}

/** The first event after an event-based gateway wins. */
function choose(run: Run, gateway: LiveExecution, element: string): void {
  clearAll(run, gateway);
  finish(run, gateway);
  const token = run.create({ in: gateway.in ?? 0, at: element });
  run.remove(gateway, token);
  begin(run, token);
  run.plan('leave', token);
}
