import { BadRequestError, NotFoundError } from '#errors/index.ts';
import type { ProcessDefinition } from './definition.ts';
import type { Effect } from './effect.ts';
import type { EngineHandlers } from './handlers.ts';
import { runExecutionListeners } from './implementation.ts';
import { type LiveExecution, Run } from './run.ts';
import { guard, settle } from './settle.ts';
import { type ProcessState, ROOT, scopeIdOf } from './state.ts';
import { takeOutputs } from './step/call-activity.ts';
import { throwError, throwEscalation } from './step/catch.ts';
import { endInstance } from './step/end-instance.ts';
import { broadcast, fireWait, getWait } from './step/fire-wait.ts';
import { reassignTask, removeTask } from './step/task.ts';
import { placeToken } from './step/token.ts';
import { armEventSubProcesses } from './step/wait.ts';
import type { Stimulus } from './stimulus.ts';
import { removeVariable, setLocalVariable, setVariable, setVariables } from './variables.ts';

export interface Outcome {
  /** Null when the instance has ended. */
  readonly state: ProcessState | null;
  readonly effects: readonly Effect[];
}

/**
 * Takes an instance from one resting place to the next: applies the stimulus and goes on until every token
 * waits for something outside. The state given in stays as it is, whatever happens.
 *
 * @throws NotFoundError when nothing waits for the stimulus; what a handler throws; InternalServerError for
 *   a process that cannot go on (no open flow, an uncaught error, an endless loop)
 */
export async function apply(
  definition: ProcessDefinition,
  state: ProcessState | null,
  stimulus: Stimulus,
  handlers: EngineHandlers,
): Promise<Outcome> {
  if ((state === null) !== (stimulus.kind === 'start')) {
    throw new NotFoundError(state === null ? 'The instance has ended' : 'The instance has been started', {
      id: 'WORKFLOW_NOT_RUNNING',
    });
  }
  const run = new Run(definition, state, handlers);
  await take(run, stimulus);
  if (!run.hasEnded) await settle(run);
  return { state: run.toState(), effects: run.effects };
}

async function take(run: Run, stimulus: Stimulus): Promise<void> {
  switch (stimulus.kind) {
    case 'start':
      return start(run, stimulus);
    case 'complete': {
      const execution = run.waiting(stimulus.execution, 'task');
      const node = run.node(execution);
      setVariables(run, execution, stimulus);
      return guard(run, execution, async () => {
        if (node.kind === 'userTask') await removeTask(run, execution, node, stimulus);
        goOn(run, execution);
      });
    }
    case 'assign': {
      const execution = run.waiting(stimulus.execution, 'task');
      const node = run.node(execution);
      if (node.kind !== 'userTask') return;
      return guard(run, execution, () => reassignTask(run, execution, node, stimulus.task));
    }
    case 'trigger': {
      const execution = run.waiting(stimulus.execution, 'trigger');
      setVariables(run, execution, stimulus);
      goOn(run, execution);
      return;
    }
    case 'job': {
      const execution = run.waiting(stimulus.execution, 'jobBefore', 'jobAfter');
      const isBefore = execution.is === 'jobBefore';
      // A scope stays one: its children have ended, its boundaries are still armed.
      delete execution.is;
      run.revoke(`job ${execution.id}`, {
        kind: 'job.removed',
        execution: execution.id,
        element: execution.at ?? '',
      });
      run.plan(isBefore ? 'perform' : 'depart', execution);
      return;
    }
    case 'timer': {
      const wait = getWait(run, 'timer', stimulus.execution, stimulus.element);
      return guard(run, run.ownerOf(wait), () => fireWait(run, wait));
    }
    case 'message': {
      const wait = run
        .allWaits()
        .find(
          ({ kind, name, of }) =>
            kind === 'message' && name === stimulus.name && of === (stimulus.execution ?? of),
        );
      if (wait === undefined) {
        throw new NotFoundError(`Nothing waits for the message '${stimulus.name}'`, {
          id: 'WORKFLOW_NO_WAIT',
        });
      }
      setVariables(run, run.ownerOf(wait), stimulus);
      return guard(run, run.ownerOf(wait), () => fireWait(run, wait));
    }
    case 'signal':
      return broadcast(run, stimulus.name, (wait) => setVariables(run, run.ownerOf(wait), stimulus));
    case 'childEnded': {
      const execution = run.waiting(stimulus.execution, 'child');
      const node = run.node(execution);
      if (stimulus.error !== undefined) return throwError(run, execution, stimulus.error);
      return guard(run, execution, async () => {
        if (node.kind === 'callActivity') await takeOutputs(run, execution, node, stimulus.variables);
        goOn(run, execution);
      });
    }
    case 'childEscalated':
      return throwEscalation(run, run.waiting(stimulus.execution, 'child'), stimulus.code);
    case 'error':
      return throwError(
        run,
        run.waiting(stimulus.execution, 'task', 'trigger', 'jobBefore', 'child'),
        stimulus.error,
      );
    case 'variables': {
      const execution = run.executions.get(stimulus.execution ?? ROOT);
      if (execution === undefined) throw new NotFoundError(`There is no execution ${stimulus.execution}`);
      const { variables, writers = {}, removed = [] } = stimulus;
      if (stimulus.isLocal === true) {
        for (const [name, value] of Object.entries(variables))
          setLocalVariable(run, scopeIdOf(execution), name, value);
      } else setVariables(run, execution, { variables, writers });
      for (const name of removed) removeVariable(run, execution, name);
      return;
    }
    case 'cancel': {
      const deleteReason = stimulus.reason ?? 'process instance deleted';
      return endInstance(run, { reason: 'cancelled', deleteReason }, deleteReason);
    }
  }
}

async function start(run: Run, stimulus: Extract<Stimulus, { kind: 'start' }>): Promise<void> {
  const { definition } = run;
  const element = definition.body.starts.find((id) => {
    const node = run.nodeById(id);
    if (stimulus.element !== undefined) return id === stimulus.element;
    return node.kind === 'startEvent' && node.trigger === undefined;
  });
  if (element === undefined) {
    const wanted =
      stimulus.element === undefined ? 'no none start event' : `no start event '${stimulus.element}'`;
    throw new BadRequestError(`The process '${definition.key}' has ${wanted}`, { id: 'WORKFLOW_NO_START' });
  }
  const root = run.create({ is: 'scope' });
  run.businessKey = stimulus.businessKey;
  run.isCalled = stimulus.isCalled ?? false;
  for (const { name, value } of definition.body.dataObjects) {
    if (!Object.hasOwn(stimulus.variables ?? {}, name)) setLocalVariable(run, ROOT, name, value);
  }
  setVariables(run, root, stimulus);
  const node = run.nodeById(element);
  if (node.kind === 'startEvent' && node.initiator !== undefined) {
    setVariable(run, root, node.initiator, stimulus.starter ?? null);
  }
  await guard(run, root, async () => {
    await runExecutionListeners(run, root, definition.listeners, 'start', definition.key);
    await armEventSubProcesses(run, root, definition.body);
    placeToken(run, ROOT, element);
  });
}

function goOn(run: Run, execution: LiveExecution): void {
  delete execution.is;
  run.plan('leave', execution);
}
