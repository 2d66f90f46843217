import type { ModdleElement } from 'bpmn-moddle';
import type { SequenceFlow } from '../definition.ts';
import type { Condition } from '../event-trigger.ts';
import type { Findings } from './findings.ts';
import { attribute, child, textOf, vendorAttribute } from './model-element.ts';
import type { ProcessFile } from './process-file.ts';
import { readExecutionListeners } from './read-listener.ts';

/** A sequence flow; undefined, and refused, when an end of it is missing. */
export function readFlow(
  element: ModdleElement,
  file: ProcessFile,
  findings: Findings,
): SequenceFlow | undefined {
  const id = file.id(element);
  const source = file.reference(element, 'sourceRef');
  const target = file.reference(element, 'targetRef');
  if (typeof source !== 'object' || typeof target !== 'object') {
    const missing = typeof source !== 'object' ? source : target;
    findings.refuse('LOOSE_FLOW', id, `leads from or to '${String(missing ?? '')}', which does not exist`);
    return undefined;
  }
  const name = attribute(element, 'name');
  const condition = readCondition(child(element, 'conditionExpression'), id, findings);
  const skip = findings.optionalCondition(id, vendorAttribute(element, 'skipExpression'));
  return {
    id,
    ...(name === undefined ? {} : { name }),
    source: file.id(source),
    target: file.id(target),
    ...(condition === undefined ? {} : { condition }),
    ...(skip === undefined ? {} : { skip }),
    listeners: readExecutionListeners(element, id, findings, 'take'),
  };
}

/** A condition in JUEL, or in the script language that it names. */
export function readCondition(
  element: ModdleElement | undefined,
  owner: string,
  findings: Findings,
): Condition | undefined {
  const text = textOf(element);
  if (element === undefined || text === undefined) return undefined;
  const language = attribute(element, 'language');
  if (language === undefined || language.toLowerCase() === 'juel' || /[$#]\{/.test(text)) {
    return { kind: 'expression', expression: findings.condition(owner, text) };
  }
  findings.script(owner, language, text);
  return { kind: 'script', format: language, source: text };
}
