import type { FlowNode } from '../definition.ts';
import type { Findings } from './findings.ts';
import type { ReadElements } from './read-process.ts';

/** Warns of what runs, but probably not as its author meant. */
export function lintFlows({ nodes, flows }: ReadElements, findings: Findings): void {
  const joins = new Set(
    [...nodes.values()].filter((node) => isJoin(node) && node.incoming.length > 1).map((node) => node.id),
  );
  const splits = [...nodes.values()].filter((node) => node.outgoing.length > 1);
  /** The nodes and flows behind a flow, up to and with the first that is a barrier. */
  const behind = (flow: string, barriers: ReadonlySet<string>): Set<string> => {
    const seen = new Set<string>();
    const open = [flow];
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      if (seen.has(id)) continue;
      seen.add(id);
      const { target } = flows.get(id)!;
      seen.add(target);
      if (!barriers.has(target)) open.push(...(nodes.get(target)?.outgoing ?? []));
    }
    return seen;
  };

  const merges = [...nodes.values()].filter((node) => node.incoming.length > 1 && !joins.has(node.id));
  for (const split of splits) {
    if (!splitsTokens(split)) continue;
    const branches = split.outgoing.map((id) => behind(id, new Set([...joins, split.id])));
    for (const merge of merges) {
      const arriving = merge.incoming.filter((id) => branches.some((branch) => branch.has(id)));
      const reached = branches.filter((branch) => merge.incoming.some((id) => branch.has(id)));
      if (arriving.length > 1 && reached.length > 1) {
        findings.warn(
          'MULTI_MERGE',
          merge.id,
          `is entered once for each of the parallel branches of '${split.id}'`,
          'Join the branches with a gateway first, if it should happen once',
        );
      }
    }
  }
  for (const split of splits) {
    if (split.kind !== 'exclusiveGateway' && split.kind !== 'eventGateway') continue;
    const barriers = new Set([
      ...[...nodes.values()]
        .filter((node) => node.outgoing.length > 1 || joins.has(node.id))
        .map((node) => node.id),
    ]);
    const branches = split.outgoing.map((id) => behind(id, barriers));
    for (const id of joins) {
      const join = nodes.get(id)!;
      if (join.kind !== 'parallelGateway') continue;
      const doors = branches.map((branch) => join.incoming.filter((flow) => branch.has(flow)));
      const all = new Set(doors.flat());
      if (doors.filter((door) => door.length > 0).length > 1 && all.size === join.incoming.length) {
        findings.warn(
          'JOIN_AFTER_DECISION',
          id,
          `waits for flows of which '${split.id}' takes only one, and would wait for ever`,
          'Merge alternatives with an exclusive gateway',
        );
      }
    }
  }
  for (const node of nodes.values()) lintNode(node, { nodes, flows }, findings);
}

function lintNode(
  node: FlowNode,
  { flows }: Pick<ReadElements, 'nodes' | 'flows'>,
  findings: Findings,
): void {
  const conditional = node.outgoing.filter((id) => flows.get(id)?.condition !== undefined);
  const decides = node.kind === 'exclusiveGateway' || node.kind === 'inclusiveGateway';
  if (decides && node.outgoing.length > 1 && node.defaultFlow === undefined) {
    if (conditional.length === node.outgoing.length) {
      findings.warn('NO_DEFAULT', node.id, 'has no default flow, and fails when no condition holds');
    } else if (node.kind === 'exclusiveGateway' && conditional.length < node.outgoing.length - 1) {
      findings.warn(
        'NO_CONDITION',
        node.id,
        'has several flows without a condition, of which the first wins',
      );
    }
  }
  if (conditional.length > 0 && (node.kind === 'parallelGateway' || node.kind === 'eventGateway')) {
    findings.warn('IGNORED_CONDITION', node.id, 'ignores the conditions of its flows');
  }
  const isEntered = !['startEvent', 'boundaryEvent', 'eventSubProcess'].includes(node.kind);
  const isLinkTarget = node.kind === 'catchEvent' && node.trigger?.kind === 'link';
  if (isEntered && node.incoming.length === 0 && !node.isForCompensation && !isLinkTarget) {
    findings.warn('UNREACHABLE', node.id, 'is never reached');
  }
}

function isJoin(node: FlowNode): boolean {
  return node.kind === 'parallelGateway' || node.kind === 'inclusiveGateway';
}

function splitsTokens(node: FlowNode): boolean {
  return node.kind !== 'exclusiveGateway' && node.kind !== 'eventGateway';
}
