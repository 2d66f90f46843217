import { cloneJson, getMember, type JsonObject, type JsonValue, setMember } from '#json/index.ts';
import type { VariableWriter } from './effect.ts';
import type { LiveExecution, Run } from './run.ts';
import { countersOf, ROOT, scopeIdOf, taskScopeId } from './state.ts';
import type { Stimulus } from './stimulus.ts';

/** The one who asks: an execution, or the task that it waits for, whose own variables come before those around it. */
export type Viewer = 'execution' | 'task';

/** The variable of that name, looked for from the task or execution outwards. */
export function findVariable(
  run: Run,
  execution: LiveExecution,
  name: string,
  viewer: Viewer = 'execution',
): JsonValue | undefined {
  const own = viewer === 'task' ? localVariable(run, execution, name, viewer) : undefined;
  if (own !== undefined) return own;
  for (let at: LiveExecution | undefined = execution; at !== undefined; at = run.parent(at)) {
    const value = localVariable(run, at, name);
    if (value !== undefined) return value;
  }
  return undefined;
}

export function localVariable(
  run: Run,
  execution: LiveExecution,
  name: string,
  viewer: Viewer = 'execution',
): JsonValue | undefined {
  if (viewer === 'task') {
    const values = run.variables.get(taskScopeId(execution));
    return values === undefined ? undefined : getMember(values, name);
  }
  for (const values of [run.transients.get(execution.id), run.variables.get(scopeIdOf(execution))]) {
    const value = values === undefined ? undefined : getMember(values, name);
    if (value !== undefined) return value;
  }
  return getMember(countersIn(run, execution), name);
}

/** The variables of the task or execution itself, as copies. */
export function localVariables(run: Run, execution: LiveExecution, viewer: Viewer): JsonObject {
  const layers =
    viewer === 'task'
      ? [run.variables.get(taskScopeId(execution))]
      : [
          countersIn(run, execution),
          run.variables.get(scopeIdOf(execution)),
          run.transients.get(execution.id),
        ];
  return copyOf(layers);
}

/** All visible variables as copies, inner ones before outer ones of the same name. */
export function visibleVariables(
  run: Run,
  execution: LiveExecution,
  viewer: Viewer = 'execution',
): JsonObject {
  const chain: LiveExecution[] = [];
  for (let at: LiveExecution | undefined = execution; at !== undefined; at = run.parent(at))
    chain.unshift(at);
  const layers = chain.flatMap((at) => [
    countersIn(run, at),
    run.variables.get(scopeIdOf(at)),
    run.transients.get(at.id),
  ]);
  if (viewer === 'task') layers.push(run.variables.get(taskScopeId(execution)));
  return copyOf(layers);
}

/** Layers as one, later ones over earlier ones. */
function copyOf(layers: readonly (JsonObject | undefined)[]): JsonObject {
  const copy: JsonObject = {};
  for (const layer of layers) {
    for (const [name, value] of Object.entries(layer ?? {})) setMember(copy, name, cloneJson(value));
  }
  return copy;
}

/** Sets a variable where its name exists, looking outwards, else in the instance. */
export function setVariable(
  run: Run,
  execution: LiveExecution,
  name: string,
  value: JsonValue,
  viewer: Viewer = 'execution',
): void {
  setLocalVariable(run, findScope(run, execution, name, viewer) ?? ROOT, name, value);
}

/** Sets what comes from outside, with who writes it. */
export function setVariables(
  run: Run,
  execution: LiveExecution,
  { variables = {}, writers = {} }: Pick<Extract<Stimulus, { kind: 'start' }>, 'variables' | 'writers'>,
): void {
  for (const [name, value] of Object.entries(variables)) {
    const scope = findScope(run, execution, name, 'execution') ?? ROOT;
    setLocalVariable(run, scope, name, value, Object.hasOwn(writers, name) ? writers[name] : undefined);
  }
}

export function setLocalVariable(
  run: Run,
  scope: number,
  name: string,
  value: JsonValue,
  writer?: VariableWriter,
): void {
  const copy = cloneJson(value);
  setMember(layerOf(run.variables, scope), name, copy);
  run.mustCheckConditions = true;
  run.emit({ kind: 'variable.set', scope, name, value: copy, ...(writer === undefined ? {} : { writer }) });
}

export function setTransientVariable(
  run: Run,
  execution: LiveExecution,
  name: string,
  value: JsonValue,
): void {
  setMember(layerOf(run.transients, execution.id), name, cloneJson(value));
}

export function removeVariable(
  run: Run,
  execution: LiveExecution,
  name: string,
  viewer: Viewer = 'execution',
): void {
  const scope = findScope(run, execution, name, viewer);
  if (scope !== undefined) removeLocalVariable(run, scope, name);
}

export function removeLocalVariable(run: Run, scope: number, name: string): void {
  const values = run.variables.get(scope);
  if (values === undefined || !Object.hasOwn(values, name)) return;
  delete values[name];
  if (Object.keys(values).length === 0) run.variables.delete(scope);
  run.mustCheckConditions = true;
  run.emit({ kind: 'variable.removed', scope, name });
}

/** The innermost scope that has a variable of that name. */
function findScope(run: Run, execution: LiveExecution, name: string, viewer: Viewer): number | undefined {
  const has = (scope: number) => {
    const values = run.variables.get(scope);
    return values !== undefined && Object.hasOwn(values, name);
  };
  if (viewer === 'task' && has(taskScopeId(execution))) return taskScopeId(execution);
  for (let at: LiveExecution | undefined = execution; at !== undefined; at = run.parent(at)) {
    if (has(scopeIdOf(at))) return scopeIdOf(at);
  }
  return undefined;
}

function countersIn(run: Run, execution: LiveExecution): JsonObject {
  if (execution.loop === undefined && execution.index === undefined) return {};
  return countersOf(execution, run.node(execution).loop?.indexVariable);
}

function layerOf(layers: Map<number, JsonObject>, id: number): JsonObject {
  let layer = layers.get(id);
  if (layer === undefined) {
    layer = {};
    layers.set(id, layer);
  }
  return layer;
}
