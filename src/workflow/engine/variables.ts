import { cloneJson, getMember, type JsonObject, type JsonValue, setMember } from '#json/index.ts';
import type { LiveExecution, Run } from './run.ts';
import { ROOT } from './state.ts';

/** The variable of that name, looked for from the execution outwards. */
export function findVariable(run: Run, execution: LiveExecution, name: string): JsonValue | undefined {
  for (let at: LiveExecution | undefined = execution; at !== undefined; at = run.parent(at)) {
    const value = localVariable(run, at, name);
    if (value !== undefined) return value;
  }
  return undefined;
}

export function localVariable(run: Run, execution: LiveExecution, name: string): JsonValue | undefined {
  for (const values of [run.transients.get(execution.id), run.variables.get(execution.id)]) {
    const value = values === undefined ? undefined : getMember(values, name);
    if (value !== undefined) return value;
  }
  return getMember(countersOf(run, execution), name);
}

/** All visible variables as copies, inner ones before outer ones of the same name. */
export function visibleVariables(run: Run, execution: LiveExecution): JsonObject {
  const chain: LiveExecution[] = [];
  for (let at: LiveExecution | undefined = execution; at !== undefined; at = run.parent(at))
    chain.unshift(at);
  const visible: JsonObject = {};
  for (const at of chain) {
    const layers = [countersOf(run, at), run.variables.get(at.id), run.transients.get(at.id)];
    for (const layer of layers) {
      for (const [name, value] of Object.entries(layer ?? {})) setMember(visible, name, cloneJson(value));
    }
  }
  return visible;
}

/** Sets a variable where its name exists, looking outwards, else in the instance. */
export function setVariable(run: Run, execution: LiveExecution, name: string, value: JsonValue): void {
  for (let at: LiveExecution | undefined = execution; at !== undefined; at = run.parent(at)) {
    const values = run.variables.get(at.id);
    if (values === undefined || !Object.hasOwn(values, name)) continue;
    setLocalVariable(run, at.id, name, value);
    return;
  }
  setLocalVariable(run, ROOT, name, value);
}

export function setVariables(run: Run, execution: LiveExecution, variables: JsonObject = {}): void {
  for (const [name, value] of Object.entries(variables)) setVariable(run, execution, name, value);
}

export function setLocalVariable(run: Run, scope: number, name: string, value: JsonValue): void {
  const copy = cloneJson(value);
  setMember(layerOf(run.variables, scope), name, copy);
  run.mustCheckConditions = true;
  run.emit({ kind: 'variable.set', scope, name, value: copy });
}

export function setTransientVariable(
  run: Run,
  execution: LiveExecution,
  name: string,
  value: JsonValue,
): void {
  setMember(layerOf(run.transients, execution.id), name, cloneJson(value));
}

export function removeVariable(run: Run, execution: LiveExecution, name: string): void {
  for (let at: LiveExecution | undefined = execution; at !== undefined; at = run.parent(at)) {
    const values = run.variables.get(at.id);
    if (values === undefined || !Object.hasOwn(values, name)) continue;
    delete values[name];
    if (Object.keys(values).length === 0) run.variables.delete(at.id);
    run.mustCheckConditions = true;
    run.emit({ kind: 'variable.removed', scope: at.id, name });
    return;
  }
}

/** The counters of a multi-instance activity are read like variables but kept in the executions. */
function countersOf(run: Run, execution: LiveExecution): JsonObject {
  if (execution.loop !== undefined) {
    const { total, active, completed } = execution.loop;
    return { nrOfInstances: total, nrOfActiveInstances: active, nrOfCompletedInstances: completed };
  }
  if (execution.index === undefined) return {};
  return { [run.node(execution).loop?.indexVariable ?? 'loopCounter']: execution.index };
}

function layerOf(layers: Map<number, JsonObject>, id: number): JsonObject {
  let layer = layers.get(id);
  if (layer === undefined) {
    layer = {};
    layers.set(id, layer);
  }
  return layer;
}
