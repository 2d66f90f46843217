import type { ModdleElement } from 'bpmn-moddle';
import type { Body, FlowNode, SequenceFlow } from '../definition.ts';
import type { EventTrigger } from '../event-trigger.ts';
import type { Findings } from './findings.ts';
import { attribute, children, tagOf } from './model-element.ts';
import type { ProcessFile } from './process-file.ts';
import { readDataObject } from './read-data-object.ts';
import { readTrigger } from './read-event.ts';
import { readFlow } from './read-flow.ts';
import { type NodeDraft, readNode } from './read-node.ts';
import { readCallActivity, readScriptTask, readServiceTask } from './read-service.ts';
import { readStartForm, readUserTask } from './read-user-task.ts';

/** Elements that describe, draw or type something and take no part in the run. */
const SILENT = new Set(['dataObject', 'dataObjectReference', 'dataStoreReference', 'sequenceFlow']);

const GATEWAYS = {
  exclusiveGateway: 'exclusiveGateway',
  parallelGateway: 'parallelGateway',
  inclusiveGateway: 'inclusiveGateway',
  eventBasedGateway: 'eventGateway',
} as const;

/** The nodes and flows of a process with its sub-processes, wired to each other. */
export interface ReadElements {
  readonly nodes: Map<string, FlowNode>;
  readonly flows: Map<string, SequenceFlow>;
  readonly body: Body;
}

export function readElements(process: ModdleElement, file: ProcessFile, findings: Findings): ReadElements {
  const reader = new ElementReader(file, findings);
  const body = reader.readBody(process, undefined);
  reader.wire();
  return { nodes: reader.nodes, flows: reader.flows, body };
}

class ElementReader {
  readonly nodes = new Map<string, FlowNode>();
  readonly flows = new Map<string, SequenceFlow>();
  readonly #drafts = new Map<string, NodeDraft>();
  readonly #associations: ModdleElement[] = [];
  readonly #file: ProcessFile;
  readonly #findings: Findings;

  constructor(file: ProcessFile, findings: Findings) {
    this.#file = file;
    this.#findings = findings;
  }

  readBody(container: ModdleElement, parent: string | undefined): Body {
    const inside: FlowNode[] = [];
    const elements = children(container, 'flowElements');
    for (const element of elements) {
      const tag = tagOf(element);
      if (tag === 'sequenceFlow') {
        const flow = readFlow(element, this.#file, this.#findings);
        if (flow !== undefined) this.flows.set(flow.id, flow);
      } else if (!SILENT.has(tag)) {
        const draft = readNode(element, parent, this.#file, this.#findings);
        const node = this.#readNode(element, tag, draft);
        if (node === undefined) continue;
        inside.push(node);
        this.nodes.set(node.id, node);
        // Readers spread the draft, so the lists that are filled in later are shared.
        this.#drafts.set(node.id, node as unknown as NodeDraft);
      }
    }
    this.#associations.push(
      ...children(container, 'artifacts').filter((item) => tagOf(item) === 'association'),
    );
    const ids = (kind: FlowNode['kind']) =>
      inside.filter((node) => node.kind === kind).map((node) => node.id);
    return {
      nodes: inside.map((node) => node.id),
      starts: ids('startEvent'),
      eventSubProcesses: ids('eventSubProcess'),
      dataObjects: elements
        .filter((element) => tagOf(element) === 'dataObject')
        .map((element) => readDataObject(element, this.#file, this.#findings)),
    };
  }

  wire(): void {
    for (const flow of this.flows.values()) {
      this.#refuseLooseEnds(flow);
      this.#drafts.get(flow.source)?.outgoing.push(flow.id);
      this.#drafts.get(flow.target)?.incoming.push(flow.id);
    }
    for (const node of this.nodes.values()) {
      if (node.kind !== 'boundaryEvent') continue;
      const host = this.#drafts.get(node.attachedTo);
      if (host === undefined) {
        this.#findings.refuse(
          'LOOSE_BOUNDARY',
          node.id,
          `is attached to '${node.attachedTo}', which does not exist`,
        );
      } else {
        host.boundaries.push(node.id);
      }
    }
    for (const association of this.#associations) {
      const [source, target] = ['sourceRef', 'targetRef'].map((name) => this.#referenced(association, name));
      if (source?.kind !== 'boundaryEvent' || source.trigger.kind !== 'compensation' || target === undefined)
        continue;
      const host = this.#drafts.get(source.attachedTo);
      if (host !== undefined) host.compensation = target.id;
    }
  }

  /** A reference may lead to something that is there and is no step: a flow, a lane, a message. */
  #refuseLooseEnds({ id, source, target }: SequenceFlow): void {
    for (const end of [source, target]) {
      const isKnown = this.nodes.has(end) || this.#findings.refusals.some(({ element }) => element === end);
      if (!isKnown) this.#findings.refuse('LOOSE_FLOW', id, `leads from or to '${end}', which is no step`);
    }
  }

  #referenced(element: ModdleElement, name: string): FlowNode | undefined {
    const target = this.#file.reference(element, name);
    return typeof target === 'object' ? this.nodes.get(this.#file.id(target)) : undefined;
  }

  #readNode(element: ModdleElement, tag: string, draft: NodeDraft): FlowNode | undefined {
    const findings = this.#findings;
    switch (tag) {
      case 'task':
      case 'manualTask':
        return { ...draft, kind: 'noneTask' };
      case 'userTask':
        return readUserTask(element, draft, findings);
      case 'scriptTask':
        return readScriptTask(element, draft, findings);
      case 'serviceTask':
      case 'sendTask':
      case 'businessRuleTask':
        return readServiceTask(element, draft, findings);
      case 'receiveTask': {
        const message = this.#file.reference(element, 'messageRef');
        const name = typeof message === 'object' ? attribute(message, 'name') : message;
        return {
          ...draft,
          kind: 'receiveTask',
          ...(name === undefined ? {} : { message: findings.expression(draft.id, name) }),
        };
      }
      case 'callActivity':
        return readCallActivity(element, draft, findings);
      case 'exclusiveGateway':
      case 'parallelGateway':
      case 'inclusiveGateway':
      case 'eventBasedGateway':
        if (
          attribute(element, 'eventGatewayType') === 'Parallel' ||
          attribute(element, 'instantiate') === 'true'
        ) {
          findings.refuse('BAD_EVENT_GATEWAY', draft.id, 'waits for all of its events or starts the process');
        }
        return { ...draft, kind: GATEWAYS[tag] };
      case 'subProcess':
      case 'transaction':
        return this.#readSubProcess(element, tag === 'transaction', draft);
      default:
        return this.#readEvent(element, tag, draft);
    }
  }

  #readSubProcess(element: ModdleElement, isTransaction: boolean, draft: NodeDraft): FlowNode {
    const body = this.readBody(element, draft.id);
    if (attribute(element, 'triggeredByEvent') !== 'true') {
      return { ...draft, kind: 'subProcess', isTransaction, body };
    }
    const [start, ...others] = body.starts;
    if (start === undefined || others.length > 0) {
      this.#findings.refuse('BAD_START', draft.id, 'is an event sub-process without exactly one start event');
    }
    return { ...draft, kind: 'eventSubProcess', body, start: start ?? '' };
  }

  #readEvent(element: ModdleElement, tag: string, draft: NodeDraft): FlowNode | undefined {
    const read = (): EventTrigger | undefined => readTrigger(element, draft.id, this.#file, this.#findings);
    const withTrigger = <T extends object>(node: T) => {
      const trigger = read();
      return trigger === undefined ? node : { ...node, trigger };
    };
    switch (tag) {
      case 'startEvent':
        return withTrigger({
          ...draft,
          kind: 'startEvent' as const,
          ...readStartForm(element, draft.id, this.#findings),
        });
      case 'endEvent':
        return withTrigger({ ...draft, kind: 'endEvent' as const });
      case 'intermediateCatchEvent':
        return withTrigger({ ...draft, kind: 'catchEvent' as const });
      case 'intermediateThrowEvent':
        return withTrigger({ ...draft, kind: 'throwEvent' as const });
      case 'boundaryEvent': {
        const trigger = read();
        const host = this.#file.reference(element, 'attachedToRef');
        if (trigger === undefined) {
          this.#findings.refuse(
            'NO_EVENT',
            draft.id,
            'is a boundary event without a readable event definition',
          );
          return undefined;
        }
        return {
          ...draft,
          kind: 'boundaryEvent',
          trigger,
          attachedTo: typeof host === 'object' ? this.#file.id(host) : (host ?? ''),
          // Errors and cancellations always end the activity.
          isInterrupting:
            attribute(element, 'cancelActivity') !== 'false' || ['error', 'cancel'].includes(trigger.kind),
        };
      }
      default:
        this.#findings.refuse(
          'UNSUPPORTED_ELEMENT',
          draft.id,
          `is of the kind '${tag}', which is not supported`,
        );
        return undefined;
    }
  }
}
