import type { ModdleElement } from 'bpmn-moddle';
import type { MultiInstance, NodeCommon } from '../definition.ts';
import type { Findings } from './findings.ts';
import {
  attribute,
  child,
  documentationOf,
  extensions,
  tagOf,
  textOf,
  vendorAttribute,
  vendorFlag,
} from './model-element.ts';
import type { ProcessFile } from './process-file.ts';
import { readExecutionListeners } from './read-listener.ts';

/** What all nodes have in common; the wiring is filled in when all elements have been seen. */
export interface NodeDraft extends NodeCommon {
  incoming: string[];
  outgoing: string[];
  boundaries: string[];
  compensation?: string;
}

export function readNode(
  element: ModdleElement,
  parent: string | undefined,
  file: ProcessFile,
  findings: Findings,
): NodeDraft {
  const id = file.id(element);
  const name = attribute(element, 'name');
  const documentation = documentationOf(element);
  const fallback = file.reference(element, 'default');
  const retry = extensions(element, 'failedJobRetryTimeCycle')[0];
  const retryCycle = findings.optionalExpression(id, textOf(retry));
  const skip = findings.optionalExpression(id, vendorAttribute(element, 'skipExpression'));
  const loop = readMultiInstance(element, id, file, findings);
  return {
    id,
    ...(name === undefined ? {} : { name }),
    ...(documentation === undefined ? {} : { documentation }),
    ...(parent === undefined ? {} : { parent }),
    incoming: [],
    outgoing: [],
    ...(typeof fallback === 'object' ? { defaultFlow: file.id(fallback) } : {}),
    isAsyncBefore: vendorFlag(element, 'async') || vendorFlag(element, 'asyncBefore'),
    isAsyncAfter: vendorFlag(element, 'asyncLeave') || vendorFlag(element, 'asyncAfter'),
    isExclusive: vendorFlag(element, 'exclusive', true),
    ...(retryCycle === undefined ? {} : { retryCycle }),
    listeners: readExecutionListeners(element, id, findings),
    ...(skip === undefined ? {} : { skip }),
    ...(loop === undefined ? {} : { loop }),
    boundaries: [],
    isForCompensation: attribute(element, 'isForCompensation') === 'true',
  };
}

function readMultiInstance(
  element: ModdleElement,
  owner: string,
  file: ProcessFile,
  findings: Findings,
): MultiInstance | undefined {
  const loop = child(element, 'loopCharacteristics');
  if (loop === undefined) return undefined;
  if (tagOf(loop) !== 'multiInstanceLoopCharacteristics') {
    findings.refuse('UNSUPPORTED_LOOP', owner, 'has a standard loop', 'Use multi-instance or a flow back');
    return undefined;
  }
  if (extensions(loop, 'variableAggregation').length > 0) {
    findings.refuse('UNSUPPORTED_LOOP', owner, 'aggregates variables, which is not supported');
  }
  const cardinality = findings.optionalExpression(owner, textOf(child(loop, 'loopCardinality')));
  const input = file.reference(loop, 'loopDataInputRef');
  const collection =
    vendorAttribute(loop, 'collection') ?? (typeof input === 'object' ? file.id(input) : input);
  const item = child(loop, 'inputDataItem');
  const elementVariable = vendorAttribute(loop, 'elementVariable') ?? (item && attribute(item, 'name'));
  const completion = textOf(child(loop, 'completionCondition'));
  if (cardinality === undefined && collection === undefined) {
    findings.refuse('EMPTY_LOOP', owner, 'is multi-instance without a collection or cardinality');
  }
  return {
    isSequential: attribute(loop, 'isSequential') === 'true',
    ...(cardinality === undefined ? {} : { cardinality }),
    ...(collection === undefined ? {} : { collection: findings.expression(owner, collection) }),
    ...(elementVariable === undefined ? {} : { elementVariable }),
    indexVariable: vendorAttribute(loop, 'elementIndexVariable') ?? 'loopCounter',
    ...(completion === undefined ? {} : { completionCondition: findings.expression(owner, completion) }),
  };
}
