import { InternalServerError } from '#errors/index.ts';
import type { FlowNode, SequenceFlow } from '../definition.ts';
import { conditionHolds, isSkipped } from '../implementation.ts';
import type { LiveExecution, Run } from '../run.ts';

/** The flows that a token takes out of its element. */
export async function selectFlows(
  run: Run,
  execution: LiveExecution,
  node: FlowNode,
): Promise<SequenceFlow[]> {
  const flows = node.outgoing.map((id) => run.flow(id));
  if (flows.length === 0 || node.kind === 'parallelGateway') return flows;
  const selected: SequenceFlow[] = [];
  for (const flow of flows) {
    if (flow.id === node.defaultFlow || !(await isOpen(run, execution, flow))) continue;
    selected.push(flow);
    if (node.kind === 'exclusiveGateway') break;
  }
  const fallback = flows.find((flow) => flow.id === node.defaultFlow);
  if (selected.length === 0 && fallback !== undefined) return [fallback];
  if (selected.length > 0) return selected;
  throw new InternalServerError(`No flow out of '${node.id}' can be taken`, {
    id: 'WORKFLOW_NO_FLOW',
    hint: 'No condition holds; give it a default flow',
  });
}

/**
 * A token has arrived at a join. A parallel one opens when as many tokens have arrived as it has incoming
 * flows, whichever they came over; an inclusive one is looked at when nothing else can be done.
 *
 * @returns whether the token may go on, the others being consumed
 */
export function arriveAtJoin(run: Run, execution: LiveExecution, node: FlowNode): boolean {
  if (node.incoming.length < 2) return true;
  execution.is = 'join';
  if (node.kind !== 'parallelGateway') return false;
  const arrived = tokensAt(run, execution);
  if (arrived.length < node.incoming.length) return false;
  consume(run, execution, arrived);
  return true;
}

/**
 * Opens one inclusive join that no other token can reach any more. A token that is still moving or at work
 * keeps every join closed that lies ahead of it. A token that waits at another join keeps it closed only
 * when it would bring a flow that has brought nothing yet: in a loop two joins would otherwise wait for each
 * other for ever.
 */
export function releaseInclusiveJoin(run: Run): LiveExecution | undefined {
  for (const execution of run.executions.values()) {
    if (execution.is !== 'join') continue;
    const reach = run.definition.joinReach.get(execution.at ?? '');
    if (reach === undefined) continue;
    const arrived = tokensAt(run, execution);
    if (arrived[0] !== execution) continue;
    const filled = new Set(arrived.map((token) => token.via));
    const others = run.children(run.scopeOf(execution)).filter((other) => !arrived.includes(other));
    const isAwaited = others.some((other) => {
      if (other.at === execution.at) return true;
      const flows = [...reach]
        .filter(([flow, nodes]) => canReach(run, other, flow, nodes))
        .map(([flow]) => flow);
      if (other.is !== 'join') return flows.length > 0;
      return flows.some((flow) => !filled.has(flow)) && !flows.some((flow) => filled.has(flow));
    });
    if (isAwaited) continue;
    consume(run, execution, arrived);
    return execution;
  }
  return undefined;
}

/** Whether a token can come over a flow; over its boundary events as long as they can still happen. */
function canReach(run: Run, token: LiveExecution, flow: string, nodes: ReadonlySet<string>): boolean {
  const { outgoing, boundaries } = run.node(token);
  if (outgoing.some((id) => id === flow || nodes.has(run.flow(id).target))) return true;
  return boundaries.some((id) => nodes.has(id) && canHappen(run, token, id));
}

function canHappen(run: Run, token: LiveExecution, boundary: string): boolean {
  if (token.is === 'jobBefore' || run.findWait(token.id, boundary) !== undefined) return true;
  const node = run.nodeById(boundary);
  const kind = node.kind === 'boundaryEvent' ? node.trigger.kind : undefined;
  return kind === 'error' || kind === 'escalation' || kind === 'cancel';
}

function tokensAt(run: Run, execution: LiveExecution): LiveExecution[] {
  return run
    .children(run.scopeOf(execution))
    .filter((other) => other.is === 'join' && other.at === execution.at);
}

function consume(run: Run, kept: LiveExecution, arrived: readonly LiveExecution[]): void {
  for (const token of arrived) if (token !== kept) run.remove(token);
  delete kept.is;
}

async function isOpen(run: Run, execution: LiveExecution, flow: SequenceFlow): Promise<boolean> {
  const skip = await isSkipped(run, execution, flow.skip);
  if (skip !== undefined) return skip;
  return flow.condition === undefined || (await conditionHolds(run, execution, flow.condition, flow.id));
}
