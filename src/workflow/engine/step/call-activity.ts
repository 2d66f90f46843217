import { getMember, type JsonObject, type JsonValue, setMember } from '#json/index.ts';
import { type ExpressionScope, evaluate, toJson, toText } from '../../expression/index.ts';
import type { CallActivity, Mapping } from '../definition.ts';
import { optionalValue, resolveValue } from '../implementation.ts';
import type { LiveExecution, Run } from '../run.ts';
import { scopeIdOf } from '../state.ts';
import {
  findVariable,
  setLocalVariable,
  setTransientVariable,
  setVariable,
  visibleVariables,
} from '../variables.ts';

/** Asks the host for a child instance and waits for its end. */
export async function callProcess(run: Run, execution: LiveExecution, node: CallActivity): Promise<void> {
  const variables: JsonObject = node.inheritsVariables ? visibleVariables(run, execution) : {};
  for (const mapping of node.inputs) {
    const value =
      'variable' in mapping.source
        ? findVariable(run, execution, mapping.source.variable)
        : toJson(await resolveValue(run, execution, mapping.source.expression));
    setMember(variables, toText(await resolveValue(run, execution, mapping.target)), value ?? null);
  }
  const key = await optionalValue(run, execution, node.businessKey);
  const businessKey = key !== null ? toText(key) : node.inheritsBusinessKey ? run.businessKey : undefined;
  const name = await optionalValue(run, execution, node.instanceName);
  const calledElement = toText(await resolveValue(run, execution, node.calledElement));
  const instanceId = node.idVariable === undefined ? undefined : run.handlers.newInstanceId?.();
  if (node.idVariable !== undefined) setVariable(run, execution, node.idVariable, instanceId ?? null);
  execution.is = 'child';
  run.emitRevocable(`child ${execution.id}`, {
    kind: 'child.started',
    execution: execution.id,
    element: node.id,
    calledElement,
    calledElementType: node.calledElementType,
    isSameDeployment: node.isSameDeployment,
    variables,
    ...(businessKey === undefined ? {} : { businessKey }),
    ...(name === null ? {} : { name: toText(name) }),
    ...(instanceId === undefined ? {} : { instanceId }),
  });
}

/** Takes over what the child gives back. */
export async function takeOutputs(
  run: Run,
  execution: LiveExecution,
  node: CallActivity,
  child: JsonObject,
): Promise<void> {
  const scope: ExpressionScope = {
    find: (name) => getMember(child, name),
    findVariable: (name) => getMember(child, name),
  };
  for (const mapping of node.outputs) {
    const target = toText(await resolveValue(run, execution, mapping.target));
    store(run, execution, node, mapping, target, await outputOf(mapping, child, scope));
  }
}

async function outputOf(mapping: Mapping, child: JsonObject, scope: ExpressionScope): Promise<JsonValue> {
  if ('variable' in mapping.source) return getMember(child, mapping.source.variable) ?? null;
  return toJson(await evaluate(mapping.source.expression, scope));
}

function store(
  run: Run,
  execution: LiveExecution,
  node: CallActivity,
  mapping: Mapping,
  target: string,
  value: JsonValue,
): void {
  if (mapping.isTransient) setTransientVariable(run, run.executions.get(0) ?? execution, target, value);
  else if (node.hasLocalOutputs) setLocalVariable(run, scopeIdOf(execution), target, value);
  else setVariable(run, execution, target, value);
}
