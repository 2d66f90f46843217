import { InternalServerError } from '#errors/index.ts';
import { type JsonObject, setMember } from '#json/index.ts';
import {
  type Expression,
  evaluate,
  isJuel,
  isLiteral,
  parseExpression,
  toJson,
  type Value,
} from '../expression/index.ts';
import type {
  ExecutionListener,
  Field,
  FlowNode,
  Implementation,
  ListenerImplementation,
} from './definition.ts';
import type { Condition } from './event-trigger.ts';
import { Delegate, type DelegateCall, type ScriptOutcome, type TaskView } from './handlers.ts';
import { outwardField } from './outward-field.ts';
import type { LiveExecution, Run } from './run.ts';
import { setVariable } from './variables.ts';
import { scopeOf, viewExecution } from './views.ts';

export interface CallOptions {
  readonly task?: TaskView;
  readonly eventName?: string;
}

export async function resolveValue(
  run: Run,
  execution: LiveExecution,
  expression: Expression,
  options: CallOptions = {},
): Promise<Value> {
  if (isLiteral(expression)) return expression.text;
  const value = evaluate(expression, scopeOf(run, execution, options));
  return value instanceof Promise ? await value : value;
}

export async function optionalValue(
  run: Run,
  execution: LiveExecution,
  expression: Expression | undefined,
): Promise<Value> {
  return expression === undefined ? null : await resolveValue(run, execution, expression);
}

/** @throws InternalServerError `WORKFLOW_NOT_A_CONDITION` when it gives anything but true or false */
export async function conditionHolds(
  run: Run,
  execution: LiveExecution,
  condition: Condition,
  owner: string,
): Promise<boolean> {
  const value =
    condition.kind === 'expression'
      ? await resolveValue(run, execution, condition.expression)
      : (await runScript(run, execution, owner, condition, {}, {})).value;
  if (typeof value === 'boolean') return value;
  const text = condition.kind === 'expression' ? condition.expression.text : 'the script';
  throw new InternalServerError(`The condition of '${owner}' (${text}) gives neither true nor false`, {
    id: 'WORKFLOW_NOT_A_CONDITION',
  });
}

/** Calls what a service task or listener names, and gives its result. */
export async function invoke(
  run: Run,
  execution: LiveExecution,
  owner: string,
  { implementation, fields }: { readonly implementation: Implementation; readonly fields: readonly Field[] },
  options: CallOptions = {},
): Promise<Value> {
  if (implementation.kind === 'expression') {
    return await resolveValue(run, execution, implementation.expression, options);
  }
  const given = await fieldValues(run, execution, implementation, fields, options);
  switch (implementation.kind) {
    case 'delegateExpression': {
      const delegate = await resolveValue(run, execution, implementation.expression, options);
      if (!(delegate instanceof Delegate) && typeof delegate !== 'string') {
        throw new InternalServerError(`'${implementation.expression.text}' of '${owner}' gives no delegate`, {
          id: 'WORKFLOW_NO_DELEGATE',
        });
      }
      const name = typeof delegate === 'string' ? delegate : delegate.label;
      return await callDelegate(run, execution, owner, 'delegate', name, given, options);
    }
    case 'class':
      return await callDelegate(run, execution, owner, 'class', implementation.name, given, options);
    case 'type': {
      const kind = implementation.type === 'http' ? 'http' : 'mail';
      return await callDelegate(run, execution, owner, kind, kind, given, options);
    }
    case 'script':
      return (await runScript(run, execution, owner, implementation, given, options)).value ?? null;
  }
}

export async function runScript(
  run: Run,
  execution: LiveExecution,
  owner: string,
  script: { readonly format: string; readonly source: string },
  fields: JsonObject,
  options: CallOptions & { readonly autoStoreVariables?: boolean },
): Promise<ScriptOutcome> {
  if (isJuel(script.format)) {
    return { value: toJson(await resolveValue(run, execution, parseExpression(script.source), options)) };
  }
  return await run.handlers.runScript({
    ...callFacts(run, execution, owner, fields, options),
    format: script.format,
    source: script.source,
    autoStoreVariables: options.autoStoreVariables ?? false,
  });
}

export async function runExecutionListeners(
  run: Run,
  execution: LiveExecution,
  listeners: readonly ExecutionListener[],
  event: ExecutionListener['event'],
  owner: string,
): Promise<void> {
  for (const listener of listeners) {
    if (listener.event === event) await runListener(run, execution, owner, listener, { eventName: event });
  }
}

export async function runListener(
  run: Run,
  execution: LiveExecution,
  owner: string,
  listener: ListenerImplementation,
  options: CallOptions,
): Promise<void> {
  const value = await invoke(run, execution, owner, listener, options);
  if (listener.resultVariable === undefined) return;
  const viewer = options.task === undefined ? 'execution' : 'task';
  setVariable(run, execution, listener.resultVariable, toJson(value), viewer);
}

/** Skip expressions count only in instances that switch them on. */
export async function isSkipped(
  run: Run,
  execution: LiveExecution,
  skip: FlowNode['skip'],
): Promise<boolean | undefined> {
  if (skip === undefined) return undefined;
  const { find } = scopeOf(run, execution);
  const isEnabled = ['_FLOWABLE_SKIP_EXPRESSION_ENABLED', '_ACTIVITI_SKIP_EXPRESSION_ENABLED'].some(
    (name) => find(name) === true,
  );
  if (!isEnabled) return undefined;
  return await conditionHolds(run, execution, { kind: 'expression', expression: skip }, execution.at ?? '');
}

async function fieldValues(
  run: Run,
  execution: LiveExecution,
  implementation: Implementation,
  fields: readonly Field[],
  options: CallOptions,
): Promise<JsonObject> {
  const values: JsonObject = {};
  for (const { name, value } of fields) {
    const resolve = (expression: Expression) => resolveValue(run, execution, expression, options);
    const given =
      implementation.kind === 'type'
        ? await outwardField(implementation.type, name, value, resolve)
        : toJson(await resolve(value));
    setMember(values, name, given);
  }
  return values;
}

async function callDelegate(
  run: Run,
  execution: LiveExecution,
  owner: string,
  kind: DelegateCall['kind'],
  name: string,
  fields: JsonObject,
  options: CallOptions,
): Promise<Value> {
  const call = callFacts(run, execution, owner, fields, options);
  return (await run.handlers.callDelegate({ ...call, kind, name })) ?? null;
}

function callFacts(
  run: Run,
  execution: LiveExecution,
  element: string,
  fields: JsonObject,
  options: CallOptions,
) {
  const { task, eventName } = options;
  return {
    element,
    execution: viewExecution(run, execution, eventName),
    ...(task === undefined ? {} : { task }),
    ...(eventName === undefined ? {} : { eventName }),
    fields,
  };
}
