import type { ModdleElement } from 'bpmn-moddle';
import { isLiteral } from '../../expression/index.ts';
import type {
  CallActivity,
  ExceptionMapping,
  Field,
  Implementation,
  Mapping,
  ResultTarget,
  ScriptTask,
  ServiceTask,
} from '../definition.ts';
import type { Findings } from './findings.ts';
import { attribute, extensions, textOf, vendorAttribute, vendorFlag } from './model-element.ts';
import { readFields } from './read-listener.ts';
import type { NodeDraft } from './read-node.ts';
import { withoutAbsent } from './read-user-task.ts';

const TYPES = ['mail', 'http'];

export function readScriptTask(element: ModdleElement, node: NodeDraft, findings: Findings): ScriptTask {
  const source = attribute(element, 'script');
  if (source === undefined) findings.refuse('NO_SCRIPT', node.id, 'is a script task without a script');
  const script = {
    format: attribute(element, 'scriptFormat') ?? formatOf(source ?? ''),
    source: source ?? '',
  };
  findings.script(node.id, script.format, script.source);
  return {
    ...node,
    kind: 'scriptTask',
    script,
    autoStoreVariables: vendorFlag(element, 'autoStoreVariables'),
    ...readResult(element),
  };
}

/**
 * The language of a script without a format. The engines of the family take it for JUEL, their script service for
 * Groovy: each is right.
 */
function formatOf(source: string): string {
  return /^\s*[$#]\{.*\}\s*$/s.test(source) ? 'juel' : 'groovy';
}

/** Service, send and business rule tasks: all of them call something. */
export function readServiceTask(element: ModdleElement, node: NodeDraft, findings: Findings): ServiceTask {
  const implementation = readImplementation(element, node.id, findings);
  const fields = readFields(extensions(element, 'field'), node.id, findings);
  if (implementation.kind === 'type') lintFields(implementation.type, fields, node.id, findings);
  return {
    ...node,
    kind: 'serviceTask',
    implementation,
    fields,
    isTriggerable: vendorFlag(element, 'triggerable'),
    exceptionMappings: readExceptionMappings(element),
    ...readResult(element),
  };
}

export function readCallActivity(element: ModdleElement, node: NodeDraft, findings: Findings): CallActivity {
  const { id } = node;
  const called = attribute(element, 'calledElement');
  if (called === undefined) findings.refuse('NO_CALLED_ELEMENT', id, 'names no process to call');
  if (extensions(element, 'mapException').length > 0) {
    findings.refuse(
      'UNSUPPORTED_EXTENSION',
      id,
      'maps exceptions of the process it calls',
      'A failure there fails the whole step; let the called process end with an error event and catch that',
    );
  }
  const expression = (name: string) => findings.optionalExpression(id, vendorAttribute(element, name));
  return {
    ...node,
    kind: 'callActivity',
    calledElement: findings.expression(id, called ?? ''),
    calledElementType: vendorAttribute(element, 'calledElementType') === 'id' ? 'id' : 'key',
    isSameDeployment: vendorFlag(element, 'sameDeployment'),
    inputs: readMappings(element, 'in', id, findings),
    outputs: readMappings(element, 'out', id, findings),
    inheritsVariables: vendorFlag(element, 'inheritVariables'),
    ...withoutAbsent({
      businessKey: expression('businessKey'),
      instanceName: expression('processInstanceName'),
      idVariable: vendorAttribute(element, 'idVariableName', 'processInstanceIdVariableName'),
    }),
    inheritsBusinessKey: vendorFlag(element, 'inheritBusinessKey'),
    hasLocalOutputs: vendorFlag(element, 'useLocalScopeForOutParameters'),
  };
}

function readImplementation(element: ModdleElement, owner: string, findings: Findings): Implementation {
  const expression = vendorAttribute(element, 'expression');
  if (expression !== undefined)
    return { kind: 'expression', expression: findings.expression(owner, expression) };
  const delegate = vendorAttribute(element, 'delegateExpression');
  if (delegate !== undefined) {
    const named = findings.expression(owner, delegate);
    if (isLiteral(named)) findings.delegate(owner, delegate);
    return { kind: 'delegateExpression', expression: named };
  }
  const name = vendorAttribute(element, 'class');
  if (name !== undefined) {
    findings.delegate(owner, name);
    return { kind: 'class', name };
  }
  const type = vendorAttribute(element, 'type');
  if (type !== undefined && TYPES.includes(type)) return { kind: 'type', type };
  if (type === undefined) {
    findings.refuse(
      'NO_IMPLEMENTATION',
      owner,
      'has no implementation',
      'Give it one of expression, delegateExpression, class, type="mail" or type="http"',
    );
  } else {
    findings.refuse('UNSUPPORTED_TYPE', owner, `is of the type '${type}'`, `Use one of ${TYPES.join(', ')}`);
  }
  return { kind: 'type', type: type ?? '' };
}

/** What a mail or http task cannot do without. */
function lintFields(type: string, fields: readonly Field[], owner: string, findings: Findings): void {
  const needed = type === 'mail' ? ['to', 'cc', 'bcc'] : ['requestUrl'];
  const isGiven = fields.some(({ name, value }) => needed.includes(name) && value.text !== '');
  if (isGiven || !TYPES.includes(type)) return;
  const problem = type === 'mail' ? 'is a mail without a recipient' : 'is a request without an address';
  findings.refuse('MISSING_FIELD', owner, problem, `Give it a field ${needed.join(', ')}`);
}

function readResult(element: ModdleElement): ResultTarget {
  const resultVariable = vendorAttribute(element, 'resultVariable', 'resultVariableName');
  return {
    ...(resultVariable === undefined ? {} : { resultVariable }),
    isLocal: vendorFlag(element, 'useLocalScopeForResultVariable'),
    isTransient: vendorFlag(element, 'storeResultVariableAsTransient'),
  };
}

function readExceptionMappings(element: ModdleElement): ExceptionMapping[] {
  return extensions(element, 'mapException').flatMap((mapping) => {
    const errorCode = attribute(mapping, 'errorCode');
    const className = textOf(mapping);
    const includesChildren = attribute(mapping, 'includeChildExceptions')?.toLowerCase() === 'true';
    return errorCode === undefined ? [] : [{ errorCode, includesChildren, ...withoutAbsent({ className }) }];
  });
}

function readMappings(
  element: ModdleElement,
  tag: 'in' | 'out',
  owner: string,
  findings: Findings,
): Mapping[] {
  return extensions(element, tag).flatMap((mapping) => {
    const variable = attribute(mapping, 'source');
    const expression = attribute(mapping, 'sourceExpression');
    const target = attribute(mapping, 'target') ?? attribute(mapping, 'targetExpression');
    if (target === undefined || (variable === undefined && expression === undefined)) {
      findings.refuse('BAD_MAPPING', owner, `has an '${tag}' parameter without source or target`);
      return [];
    }
    const source =
      expression === undefined
        ? { variable: variable ?? '' }
        : { expression: findings.expression(owner, expression) };
    return [
      {
        source,
        target: findings.expression(owner, target),
        isTransient: attribute(mapping, 'transient') === 'true',
      },
    ];
  });
}
