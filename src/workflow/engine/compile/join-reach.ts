import type { FlowNode, SequenceFlow } from '../definition.ts';

type Nodes = ReadonlyMap<string, FlowNode>;
type Flows = ReadonlyMap<string, SequenceFlow>;

/**
 * For every inclusive join and each of its incoming flows, the nodes from which a token can arrive over that
 * flow without passing the join itself. Boundary events are reached from their activity, link targets from
 * their throwing event.
 */
export function computeJoinReach(nodes: Nodes, flows: Flows) {
  const before = predecessors(nodes, flows);
  const reach = new Map<string, ReadonlyMap<string, ReadonlySet<string>>>();
  for (const join of nodes.values()) {
    if (join.kind !== 'inclusiveGateway' || join.incoming.length < 2) continue;
    reach.set(
      join.id,
      new Map(join.incoming.map((id) => [id, nodesBefore(flows.get(id)!.source, join.id, before)] as const)),
    );
  }
  return reach;
}

function nodesBefore(
  from: string,
  barrier: string,
  before: ReadonlyMap<string, readonly string[]>,
): Set<string> {
  const seen = new Set<string>();
  const open = [from];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (seen.has(id) || id === barrier) continue;
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
