import type { FlowNode } from '../definition.ts';
import type { LiveExecution, Run } from '../run.ts';
import { scopeIdOf, type Undoable } from '../state.ts';
import { setLocalVariable } from '../variables.ts';
import { endToken, placeToken } from './token.ts';

/** Notes a completed activity in its scope when something could undo it later. */
export function recordUndoable(run: Run, execution: LiveExecution, node: FlowNode): void {
  const scope = run.parent(execution);
  if (scope === undefined || node.isForCompensation) return;
  const records = undoablesOf(run, execution, node);
  if (records.length > 0) scope.done = [...(scope.done ?? []), ...records];
}

function undoablesOf(run: Run, execution: LiveExecution, node: FlowNode): readonly Undoable[] {
  const isRound = execution.index !== undefined;
  if (node.compensation !== undefined) return isRound ? [] : [{ at: node.id }];
  if (execution.loop !== undefined) return execution.done ?? [];
  if (execution.done === undefined || node.kind !== 'subProcess') return [];
  const variables = run.variables.get(scopeIdOf(execution));
  return [
    {
      at: node.id,
      inner: execution.done,
      ...(variables === undefined ? {} : { variables: { ...variables } }),
    },
  ];
}

/**
 * Starts undoing: everything completed in the enclosing scopes that the event can mean, or one activity of
 * them, the last completed first and one after the other. The event waits until all is undone.
 */
export function compensate(run: Run, execution: LiveExecution, activity: string | undefined): void {
  const todo: Undoable[] = [];
  for (let scope = run.parent(execution); scope !== undefined; scope = run.parent(scope)) {
    const done = scope.done ?? [];
    const meant = activity === undefined ? done : done.filter((record) => record.at === activity);
    const left = done.filter((record) => !meant.includes(record));
    if (left.length === 0) delete scope.done;
    else scope.done = left;
    todo.unshift(...meant.map((record) => ({ ...record, in: scope.id })));
    // Without an activity it means its own scope; an event sub-process belongs to the one around it.
    const isInEvent = scope.at !== undefined && run.node(scope).kind === 'eventSubProcess';
    if (activity === undefined && !isInEvent) break;
  }
  execution.is = 'undo';
  execution.todo = todo;
}

/**
 * Undoes the next thing that an execution has to undo.
 *
 * @returns the execution that has nothing left to undo and may go on, or undefined while a handler runs
 */
export function undoNext(run: Run, execution: LiveExecution): LiveExecution | undefined {
  const record = execution.todo?.at(-1);
  if (record === undefined) {
    delete execution.todo;
    if (execution.undoes === undefined) return execution;
    const waiting = run.executions.get(execution.undoes);
    endToken(run, execution);
    return waiting && undoNext(run, waiting);
  }
  execution.todo = execution.todo!.slice(0, -1);
  const scope = record.in ?? execution.id;
  if (record.inner === undefined) {
    const handler = run.nodeById(record.at).compensation;
    if (handler === undefined) return undoNext(run, execution);
    placeToken(run, scope, handler).undoes = execution.id;
    return undefined;
  }
  // The scope of the sub-process again, as it was, for the handlers inside.
  const revived = run.create({
    in: scope,
    at: record.at,
    is: 'undo',
    todo: record.inner,
    undoes: execution.id,
  });
  for (const [name, value] of Object.entries(record.variables ?? {})) {
    setLocalVariable(run, revived.id, name, value);
  }
  return undoNext(run, revived);
}
