import type { ModdleElement } from 'bpmn-moddle';
import { isLiteral } from '../../expression/index.ts';
import { MAX_ROUNDS, type MultiInstance, type NodeCommon } from '../definition.ts';
import { isRetryCycle } from '../timer.ts';
import type { Findings } from './findings.ts';
import {
  attribute,
  child,
  children,
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
  if (retryCycle !== undefined && isLiteral(retryCycle) && !isRetryCycle(retryCycle.text)) {
    findings.refuse(
      'BAD_RETRY',
      id,
      `has the retry cycle '${retryCycle.text}'`,
      'Write R3/PT10M, or PT1M,PT10M',
    );
  }
  const skip = findings.optionalCondition(id, vendorAttribute(element, 'skipExpression'));
  const loop = readMultiInstance(element, id, file, findings);
  return {
    id,
    ...(name === undefined ? {} : { name }),
    ...(documentation === undefined ? {} : { documentation }),
    ...(parent === undefined ? {} : { parent }),
    incoming: [],
    outgoing: [],
    ...(typeof fallback === 'object' ? { defaultFlow: file.id(fallback) } : {}),
    isAsyncBefore: vendorFlag(element, 'async') || vendorFlag(element, 'asyncBefore') || throwsLater(element),
    // completeAsync is that of call activities.
    isAsyncAfter: ['asyncLeave', 'asyncAfter', 'completeAsync'].some((flag) => vendorFlag(element, flag)),
    isExclusive: vendorFlag(element, 'exclusive', true),
    ...(retryCycle === undefined ? {} : { retryCycle }),
    listeners: readExecutionListeners(element, id, findings),
    ...(skip === undefined ? {} : { skip }),
    ...(loop === undefined ? {} : { loop }),
    boundaries: [],
    isForCompensation: attribute(element, 'isForCompensation') === 'true',
  };
}

/** A signal that is thrown asynchronously: the event waits for a job of its own. */
function throwsLater(element: ModdleElement): boolean {
  return children(element, 'eventDefinitions').some(
    (definition) => tagOf(definition) === 'signalEventDefinition' && vendorFlag(definition, 'async'),
  );
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
  if (cardinality !== undefined && isLiteral(cardinality)) {
    const count = Number(cardinality.text);
    if (!Number.isInteger(count) || count < 0 || count > MAX_ROUNDS) {
      findings.refuse(
        'BAD_LOOP',
        owner,
        `has the cardinality '${cardinality.text}'`,
        `Use a whole number up to ${MAX_ROUNDS}`,
      );
    }
  }
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
    ...(completion === undefined ? {} : { completionCondition: findings.condition(owner, completion) }),
  };
}
