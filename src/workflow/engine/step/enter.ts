import type { JsonValue } from '#json/index.ts';
import { toJson, toText } from '../../expression/index.ts';
import type { FlowNode, ResultTarget, ScriptTask, ServiceTask } from '../definition.ts';
import { invoke, isSkipped, optionalValue, runExecutionListeners, runScript } from '../implementation.ts';
import type { LiveExecution, Run } from '../run.ts';
import { scopeIdOf } from '../state.ts';
import { setLocalVariable, setTransientVariable, setVariable } from '../variables.ts';
import { callProcess } from './call-activity.ts';
import { arriveAtJoin } from './gateway.ts';
import { mapException } from './map-exception.ts';
import { startLoop } from './multi-instance.ts';
import { createTask } from './task.ts';
import { performThrow } from './throw-event.ts';
import { awaitJob, begin, placeToken } from './token.ts';
import { arm, armBoundaries, armEventSubProcesses } from './wait.ts';

/** Globals of script engines that are no variables. */
const RESERVED = new Set([
  'out',
  'out:print',
  'lang:import',
  'context',
  'elcontext',
  'print',
  'println',
  'nashorn.global',
]);

/** A token arrives at its element. */
export async function enter(run: Run, execution: LiveExecution): Promise<void> {
  const node = run.node(execution);
  if (node.loop !== undefined && execution.index === undefined) {
    await startLoop(run, execution, node, node.loop);
  } else if (node.isAsyncBefore) {
    awaitJob(run, execution, 'before', await jobOptions(run, execution, node));
  } else {
    await perform(run, execution);
  }
}

export async function jobOptions(run: Run, execution: LiveExecution, node: FlowNode) {
  const cycle = await optionalValue(run, execution, node.retryCycle);
  return { isExclusive: node.isExclusive, ...(cycle === null ? {} : { retryCycle: toText(cycle) }) };
}

/** Does what the element is for; afterwards the execution waits, or its `leave` is planned. */
export async function perform(run: Run, execution: LiveExecution): Promise<void> {
  const node = run.node(execution);
  delete execution.is;
  if (node.kind === 'parallelGateway' || node.kind === 'inclusiveGateway') {
    if (!arriveAtJoin(run, execution, node)) return;
  }
  await pass(run, execution, node);
}

/** The part of an element's work that comes after a join has opened. */
export async function pass(run: Run, execution: LiveExecution, node: FlowNode): Promise<void> {
  delete execution.via;
  begin(run, execution);
  await runExecutionListeners(run, execution, node.listeners, 'start', node.id);
  if ((await isSkipped(run, execution, node.skip)) === true) {
    run.plan('leave', execution);
    return;
  }
  const isRound = execution.index !== undefined;
  const isOpenEnded = node.kind === 'subProcess' || node.kind === 'callActivity';
  if (isOpenEnded && !isRound) await armBoundaries(run, execution, node);
  await behave(run, execution, node);
  const isWaiting = execution.is === 'task' || execution.is === 'trigger';
  if (isWaiting && !isRound && run.isAlive(execution)) await armBoundaries(run, execution, node);
}

async function behave(run: Run, execution: LiveExecution, node: FlowNode): Promise<void> {
  switch (node.kind) {
    case 'userTask':
      await createTask(run, execution, node);
      return;
    case 'scriptTask':
      await performScript(run, execution, node);
      break;
    case 'serviceTask':
      await performService(run, execution, node);
      if (node.isTriggerable) {
        execution.is = 'trigger';
        return;
      }
      break;
    case 'receiveTask':
      execution.is = 'trigger';
      if (node.message !== undefined)
        await arm(run, execution, node.id, { kind: 'message', name: node.message });
      return;
    case 'callActivity':
      await callProcess(run, execution, node);
      return;
    case 'subProcess':
      execution.is = 'scope';
      for (const { name, value } of node.body.dataObjects)
        setLocalVariable(run, scopeIdOf(execution), name, value);
      await armEventSubProcesses(run, execution, node.body);
      placeToken(run, execution.id, node.body.starts[0] ?? '');
      return;
    case 'eventGateway':
      execution.is = 'choice';
      for (const id of node.outgoing) {
        const target = run.nodeById(run.flow(id).target);
        if (target.kind === 'catchEvent' && target.trigger !== undefined) {
          await arm(run, execution, target.id, target.trigger);
        }
      }
      return;
    case 'catchEvent':
      if (node.trigger !== undefined && node.trigger.kind !== 'link') {
        execution.is = 'event';
        await arm(run, execution, node.id, node.trigger);
        if (run.findWait(execution.id, node.id) !== undefined) return;
        // A repetition that was over before it began: there is nothing to wait for.
        delete execution.is;
      }
      break;
    case 'throwEvent':
    case 'endEvent':
      await performThrow(run, execution, node);
      return;
    case 'noneTask':
    case 'startEvent':
    case 'boundaryEvent':
    case 'eventSubProcess':
    case 'exclusiveGateway':
    case 'parallelGateway':
    case 'inclusiveGateway':
      break;
    default:
      node satisfies never;
  }
  run.plan('leave', execution);
}

async function performScript(run: Run, execution: LiveExecution, node: ScriptTask): Promise<void> {
  const { autoStoreVariables } = node;
  const outcome = await runScript(run, execution, node.id, node.script, {}, { autoStoreVariables });
  if (autoStoreVariables) {
    for (const [name, value] of Object.entries(outcome.assigned ?? {})) {
      if (!RESERVED.has(name)) setVariable(run, execution, name, value);
    }
  }
  storeResult(run, execution, node, outcome.value ?? null);
}

async function performService(run: Run, execution: LiveExecution, node: ServiceTask): Promise<void> {
  try {
    storeResult(run, execution, node, toJson(await invoke(run, execution, node.id, node)));
  } catch (error) {
    throw mapException(error, node.exceptionMappings);
  }
}

function storeResult(run: Run, execution: LiveExecution, target: ResultTarget, value: JsonValue): void {
  const { resultVariable: name } = target;
  if (name === undefined) return;
  if (target.isTransient) setTransientVariable(run, run.parent(execution) ?? execution, name, value);
  else if (target.isLocal) setLocalVariable(run, scopeIdOf(execution), name, value);
  else setVariable(run, execution, name, value);
}
