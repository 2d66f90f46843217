import type { ModdleElement } from 'bpmn-moddle';
import type {
  ExecutionListener,
  Field,
  Implementation,
  ListenerImplementation,
  TaskListener,
} from '../definition.ts';
import type { Findings } from './findings.ts';
import { attribute, child, children, extensions, textOf } from './model-element.ts';

const EXECUTION_EVENTS = ['start', 'end', 'take'] as const;
const TASK_EVENTS = ['create', 'assignment', 'complete', 'delete', 'all'] as const;

export function readExecutionListeners(
  element: ModdleElement,
  owner: string,
  findings: Findings,
  fallback: 'start' | 'take' = 'start',
): ExecutionListener[] {
  return extensions(element, 'executionListener').flatMap((listener) => {
    const event = attribute(listener, 'event') ?? fallback;
    const known = EXECUTION_EVENTS.find((name) => name === event);
    if (known === undefined) {
      findings.refuse('BAD_LISTENER', owner, `has an execution listener for the unknown event '${event}'`);
      return [];
    }
    return readListener(listener, owner, findings).map((read) => ({ event: known, ...read }));
  });
}

export function readTaskListeners(element: ModdleElement, owner: string, findings: Findings): TaskListener[] {
  return extensions(element, 'taskListener').flatMap((listener) => {
    const event = attribute(listener, 'event') ?? 'all';
    const known = TASK_EVENTS.find((name) => name === event);
    if (known === undefined) {
      findings.refuse('BAD_LISTENER', owner, `has a task listener for the unknown event '${event}'`);
      return [];
    }
    return readListener(listener, owner, findings).map((read) => ({ event: known, ...read }));
  });
}

/** The values injected into a delegate, from attributes or from nested elements. */
export function readFields(elements: readonly ModdleElement[], owner: string, findings: Findings): Field[] {
  return elements.flatMap((element) => {
    const name = attribute(element, 'name');
    if (name === undefined) return [];
    const text = attribute(element, 'stringValue') ?? attribute(element, 'string');
    const expression = attribute(element, 'expression');
    const value =
      expression === undefined
        ? { text: text ?? '', parts: text === undefined ? [] : [text] }
        : findings.expression(owner, expression);
    return [{ name, value }];
  });
}

function readListener(element: ModdleElement, owner: string, findings: Findings): ListenerImplementation[] {
  const moment = attribute(element, 'onTransaction');
  if (moment === 'committed' || moment === 'rolled-back') {
    findings.refuse(
      'BAD_LISTENER',
      owner,
      `has a listener for '${moment}' transactions`,
      'Listeners run inside the unit of work; leave onTransaction out',
    );
    return [];
  }
  const fields = readFields(children(element, 'field'), owner, findings);
  const implementation = readImplementation(element, fields, owner, findings);
  if (implementation === undefined) {
    findings.refuse(
      'BAD_LISTENER',
      owner,
      'has a listener without an implementation',
      'Give it one of class, expression, delegateExpression or a script',
    );
    return [];
  }
  const script = child(element, 'script');
  const resultVariable =
    fieldText(fields, 'resultVariable') ??
    attribute(element, 'resultVariable') ??
    (script && attribute(script, 'resultVariable'));
  return [{ implementation, fields, ...(resultVariable === undefined ? {} : { resultVariable }) }];
}

function readImplementation(
  element: ModdleElement,
  fields: readonly Field[],
  owner: string,
  findings: Findings,
): Implementation | undefined {
  const script = child(element, 'script');
  const source = textOf(script) ?? fieldText(fields, 'script');
  if (source !== undefined) {
    const format = (script && attribute(script, 'language')) ?? fieldText(fields, 'language') ?? 'groovy';
    findings.script(owner, format, source);
    return { kind: 'script', format, source };
  }
  const expression = attribute(element, 'expression');
  if (expression !== undefined)
    return { kind: 'expression', expression: findings.expression(owner, expression) };
  const delegate = attribute(element, 'delegateExpression');
  if (delegate !== undefined) {
    return { kind: 'delegateExpression', expression: findings.expression(owner, delegate) };
  }
  const name = attribute(element, 'class');
  if (name === undefined) return undefined;
  findings.delegate(owner, name);
  return { kind: 'class', name };
}

function fieldText(fields: readonly Field[], name: string): string | undefined {
  return fields.find((field) => field.name === name)?.value.text;
}
