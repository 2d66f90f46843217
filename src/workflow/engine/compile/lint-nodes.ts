import { firstOf } from '#json/index.ts';
import type { FlowNode, SubProcess } from '../definition.ts';
import type { EventTrigger } from '../event-trigger.ts';
import type { Findings } from './findings.ts';
import { linkTarget } from './join-reach.ts';
import type { ReadElements } from './read-process.ts';

type TriggerKind = EventTrigger['kind'] | 'none';

/** The triggers that an event of each kind can have. */
const TRIGGERS: Readonly<Record<string, readonly TriggerKind[]>> = {
  start: ['none', 'timer', 'message', 'signal'],
  innerStart: ['none'],
  eventStart: ['timer', 'message', 'signal', 'error', 'escalation', 'conditional'],
  catchEvent: ['timer', 'message', 'signal', 'conditional', 'link'],
  throwEvent: ['none', 'signal', 'message', 'escalation', 'compensation', 'link'],
  endEvent: ['none', 'terminate', 'error', 'escalation', 'message', 'signal', 'cancel', 'compensation'],
  boundaryEvent: [
    'timer',
    'message',
    'signal',
    'error',
    'escalation',
    'cancel',
    'compensation',
    'conditional',
  ],
};

const ACTIVITIES: ReadonlySet<FlowNode['kind']> = new Set<FlowNode['kind']>([
  'userTask',
  'scriptTask',
  'serviceTask',
  'receiveTask',
  'callActivity',
  'subProcess',
  'noneTask',
]);

/** Refuses what cannot run, element by element. */
export function lintNodes(process: string, elements: ReadElements, findings: Findings): void {
  lintStarts(process, elements.body.starts, elements, findings);
  for (const node of elements.nodes.values()) {
    lintEvent(node, elements, findings);
    lintWiring(node, elements, findings);
    if (node.kind === 'subProcess') lintSubProcess(node, findings);
    if (node.kind === 'eventGateway') lintEventGateway(node, elements, findings);
    if (node.kind === 'eventSubProcess' && node.loop !== undefined) {
      findings.refuse('UNSUPPORTED_LOOP', node.id, 'is an event sub-process and cannot be multi-instance');
    }
  }
}

function lintStarts(
  owner: string,
  starts: readonly string[],
  { nodes }: ReadElements,
  findings: Findings,
): void {
  if (starts.length === 0) findings.refuse('BAD_START', owner, 'has no start event');
  const none = starts.filter((id) => {
    const node = nodes.get(id);
    return node?.kind === 'startEvent' && node.trigger === undefined;
  });
  if (none.length > 1) findings.refuse('BAD_START', owner, 'has more than one none start event');
}

function lintSubProcess(node: SubProcess, findings: Findings): void {
  if (node.body.starts.length !== 1) {
    findings.refuse('BAD_START', node.id, 'is a sub-process without exactly one start event');
  }
}

function lintEvent(node: FlowNode, elements: ReadElements, findings: Findings): void {
  const { nodes } = elements;
  const parent = node.parent === undefined ? undefined : nodes.get(node.parent);
  const trigger = 'trigger' in node ? node.trigger : undefined;
  const kind = trigger?.kind ?? 'none';
  const allowed =
    node.kind === 'startEvent'
      ? TRIGGERS[
          parent === undefined ? 'start' : parent.kind === 'eventSubProcess' ? 'eventStart' : 'innerStart'
        ]
      : TRIGGERS[node.kind];
  const isRefused = trigger === undefined && findings.refusals.some(({ element }) => element === node.id);
  if (isRefused) return;
  if (allowed !== undefined && !allowed.includes(kind)) {
    findings.refuse(
      'UNSUPPORTED_EVENT',
      node.id,
      `cannot be of the kind '${kind}'`,
      `Allowed: ${allowed.join(', ')}`,
    );
    return;
  }
  if (trigger?.kind === 'link' && node.kind === 'throwEvent') {
    if (linkTarget(trigger.name, node.parent, nodes) === undefined) {
      findings.refuse('LOOSE_LINK', node.id, `leads to the link '${trigger.name}', which nothing catches`);
    }
  }
  if (trigger?.kind === 'compensation' && trigger.activity !== undefined && !nodes.has(trigger.activity)) {
    findings.refuse('UNKNOWN_REFERENCE', node.id, `compensates '${trigger.activity}', which does not exist`);
  }
  if (trigger?.kind === 'cancel') lintCancel(node, elements, findings);
  if (node.kind === 'boundaryEvent' && kind === 'compensation') {
    const host = nodes.get(node.attachedTo);
    const handler = host?.compensation === undefined ? undefined : nodes.get(host.compensation);
    if (handler === undefined) {
      findings.refuse('LOOSE_BOUNDARY', node.id, 'is not associated with a compensation handler');
    } else if (handler.parent !== node.parent) {
      findings.refuse('LOOSE_BOUNDARY', node.id, 'has its compensation handler in another sub-process');
    }
  }
}

function lintCancel(node: FlowNode, { nodes }: ReadElements, findings: Findings): void {
  if (node.kind === 'boundaryEvent') {
    const host = nodes.get(node.attachedTo);
    if (host?.kind !== 'subProcess' || !host.isTransaction) {
      findings.refuse('BAD_CANCEL', node.id, 'is a cancel event on something other than a transaction');
    }
    return;
  }
  const transaction = node.parent === undefined ? undefined : nodes.get(node.parent);
  if (transaction?.kind !== 'subProcess' || !transaction.isTransaction) {
    findings.refuse('BAD_CANCEL', node.id, 'is a cancel end event outside of a transaction');
  } else if (!transaction.boundaries.some((id) => triggerKind(nodes.get(id)) === 'cancel')) {
    findings.refuse('BAD_CANCEL', transaction.id, 'can be cancelled but has no cancel boundary event');
  }
}

function lintWiring(node: FlowNode, { nodes, flows }: ReadElements, findings: Findings): void {
  if (node.kind === 'boundaryEvent' && node.outgoing.length > 1) {
    findings.refuse(
      'BOUNDARY_FLOWS',
      node.id,
      'has more than one outgoing flow',
      'Let one flow lead to a gateway',
    );
  }
  if (node.boundaries.length > 0 && !ACTIVITIES.has(node.kind)) {
    findings.refuse(
      'BAD_BOUNDARY',
      firstOf(node.boundaries),
      `is attached to '${node.id}', which is no activity`,
    );
  }
  if (node.loop !== undefined && !ACTIVITIES.has(node.kind)) {
    findings.refuse('UNSUPPORTED_LOOP', node.id, 'is no activity and cannot be multi-instance');
  }
  if (node.isForCompensation && node.incoming.length + node.outgoing.length > 0) {
    findings.refuse('BAD_COMPENSATION', node.id, 'undoes something and cannot be part of the flow too');
  }
  if (node.kind === 'endEvent' && node.outgoing.length > 0) {
    findings.refuse('FLOW_FROM_END', node.id, 'is an end event with an outgoing flow');
  }
  const isEntered = !['startEvent', 'boundaryEvent', 'eventSubProcess'].includes(node.kind);
  if (!isEntered && node.incoming.length > 0) {
    findings.refuse('FLOW_TO_START', node.id, 'cannot be entered by a flow');
  }
  for (const id of node.outgoing) {
    const target = nodes.get(flows.get(id)!.target);
    if (target !== undefined && target.parent !== node.parent) {
      findings.refuse('CROSSING_FLOW', id, 'crosses the border of a sub-process');
    }
  }
  if (node.defaultFlow !== undefined && !node.outgoing.includes(node.defaultFlow)) {
    findings.refuse(
      'BAD_DEFAULT',
      node.id,
      `has the default flow '${node.defaultFlow}', which does not leave it`,
    );
  }
}

function lintEventGateway(node: FlowNode, { nodes, flows }: ReadElements, findings: Findings): void {
  for (const id of node.outgoing) {
    const target = nodes.get(flows.get(id)!.target);
    if (target === undefined) continue;
    if (target.kind !== 'catchEvent' || triggerKind(target) === 'link') {
      findings.refuse('BAD_EVENT_GATEWAY', node.id, `leads to '${target.id}', which is not a catching event`);
    }
  }
  if (node.outgoing.length === 0) findings.refuse('BAD_EVENT_GATEWAY', node.id, 'leads nowhere');
}

function triggerKind(node: FlowNode | undefined): TriggerKind | undefined {
  return node !== undefined && 'trigger' in node ? (node.trigger?.kind ?? 'none') : undefined;
}
