import { toText } from '../../expression/index.ts';
import type { PlainEvent } from '../definition.ts';
import { resolveValue } from '../implementation.ts';
import type { LiveExecution, Run } from '../run.ts';
import { stopTransaction, terminate, throwError, throwEscalation } from './catch.ts';
import { compensate, undoNext } from './compensation.ts';
import { broadcast, fireWait } from './fire-wait.ts';
import { endToken, finish, placeToken } from './token.ts';

/** What a throwing or end event brings about; then it is left like any other element. */
export async function performThrow(run: Run, execution: LiveExecution, node: PlainEvent): Promise<void> {
  const { trigger } = node;
  switch (trigger?.kind) {
    case 'signal': {
      const name = toText(await resolveValue(run, execution, trigger.name));
      await broadcast(run, name);
      if (!trigger.isInstanceScoped) run.emit({ kind: 'signal.thrown', element: node.id, name });
      break;
    }
    case 'message': {
      const name = toText(await resolveValue(run, execution, trigger.name));
      const wait = run.allWaits().find((other) => other.kind === 'message' && other.name === name);
      if (wait === undefined) run.emit({ kind: 'message.thrown', element: node.id, name });
      else await fireWait(run, wait);
      break;
    }
    case 'escalation':
      await throwEscalation(run, execution, trigger.code);
      break;
    case 'error':
      await throwError(run, execution, { code: trigger.code ?? '', message: '' });
      break;
    case 'terminate':
      finish(run, execution);
      await terminate(run, execution, trigger);
      return;
    case 'cancel':
      await stopTransaction(run, execution);
      compensate(run, execution, undefined);
      break;
    case 'compensation':
      compensate(run, execution, trigger.activity);
      break;
    case 'link':
      followLink(run, execution, node, trigger.name);
      return;
    default:
      break;
  }
  const isDone = execution.is === 'undo' ? undoNext(run, execution) === execution : true;
  if (isDone && run.isAlive(execution)) run.plan('leave', execution);
}

function followLink(run: Run, execution: LiveExecution, node: PlainEvent, name: string): void {
  for (const target of run.definition.nodes.values()) {
    if (target.kind !== 'catchEvent' || target.trigger?.kind !== 'link') continue;
    if (target.trigger.name !== name || target.parent !== node.parent) continue;
    placeToken(run, execution.in ?? 0, target.id);
    break;
  }
  finish(run, execution);
  endToken(run, execution);
}
