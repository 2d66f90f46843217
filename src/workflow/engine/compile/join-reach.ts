import type { FlowNode, SequenceFlow } from '../definition.ts';

type Nodes = ReadonlyMap<string, FlowNode>;
type Flows = ReadonlyMap<string, SequenceFlow>;
type Predecessors = ReadonlyMap<string, readonly string[]>;

/**
 * For every inclusive join and each of its incoming flows, the nodes from which a token can arrive over that
 * flow before the join opens. Boundary events are reached from their activity, link targets from their
 * throwing event. The way back ends at a later join that needs a token of this one to open: in a loop around
 * parallel work the other branch could otherwise seem to come round again.
 */
export function computeJoinReach(nodes: Nodes, flows: Flows) {
  const before = predecessors(nodes, flows);
  const reach = new Map<string, ReadonlyMap<string, ReadonlySet<string>>>();
  for (const join of nodes.values()) {
    if (join.kind !== 'inclusiveGateway' || join.incoming.length < 2) continue;
    const barriers = new Set([join.id, ...joinsBehind(join.id, nodes, flows, before)]);
    const from = (flow: string) => nodesBefore(flows.get(flow)!.source, barriers, before);
    reach.set(join.id, new Map(join.incoming.map((flow) => [flow, from(flow)] as const)));
  }
  return reach;
}

/** Joins with an incoming flow that tokens can take only after they have passed the given one. */
function joinsBehind(join: string, nodes: Nodes, flows: Flows, before: Predecessors): string[] {
  const after = new Map<string, string[]>();
  for (const [target, sources] of before) {
    for (const source of sources) after.set(source, [...(after.get(source) ?? []), target]);
  }
  const free = new Set<string>();
  const open = [...nodes.keys()].filter((id) => !before.has(id));
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (free.has(id) || id === join) continue;
    free.add(id);
    open.push(...(after.get(id) ?? []));
  }
  return [...nodes.values()]
    .filter(({ kind, incoming }) => {
      const isJoin = (kind === 'parallelGateway' || kind === 'inclusiveGateway') && incoming.length > 1;
      return isJoin && incoming.some((flow) => !free.has(flows.get(flow)!.source));
    })
    .map(({ id }) => id);
}

function nodesBefore(from: string, barriers: ReadonlySet<string>, before: Predecessors): Set<string> {
  const seen = new Set<string>();
  const open = [from];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (seen.has(id) || barriers.has(id)) continue;
    seen.add(id);
    open.push(...(before.get(id) ?? []));
  }
  return seen;
}

function predecessors(nodes: Nodes, flows: Flows): Map<string, string[]> {
  const before = new Map<string, string[]>();
  const add = (target: string, source: string) => before.set(target, [...(before.get(target) ?? []), source]);
  for (const flow of flows.values()) add(flow.target, flow.source);
  for (const node of nodes.values()) {
    if (node.kind === 'boundaryEvent' && node.trigger.kind !== 'compensation') add(node.id, node.attachedTo);
    if (node.kind !== 'throwEvent' || node.trigger?.kind !== 'link') continue;
    const target = linkTarget(node.trigger.name, node.parent, nodes);
    if (target !== undefined) add(target.id, node.id);
  }
  return before;
}

/** The catching link event of that name in the same body. */
export function linkTarget(name: string, parent: string | undefined, nodes: Nodes): FlowNode | undefined {
  for (const node of nodes.values()) {
    if (node.kind === 'catchEvent' && node.trigger?.kind === 'link') {
      if (node.trigger.name === name && node.parent === parent) return node;
    }
  }
  return undefined;
}
