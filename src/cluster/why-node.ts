import { type Why, type WhyLink, whyOf } from '#resource/index.ts';
import type { ClusterEvent } from './cluster-event-repository.ts';
import type { ReportedNode } from './node-report-repository.ts';

const SAID: Readonly<Record<ClusterEvent['kind'], string>> = {
  joined: 'it joined the cluster',
  left: 'it left the cluster',
  lost: 'it was given up for lost',
  recovered: 'another node had taken over its work',
  drained: 'it was drained',
  resumed: 'it was resumed',
};

/**
 * Why a node works, or does not: gone, drained, not ready, without keys that others use, with a configuration that it refuses or
 * that others are ahead of.
 *
 * @param nodes all of them, with what they said last
 * @param events of the node, the last ones
 */
export function whyNode(
  node: ReportedNode,
  nodes: readonly ReportedNode[],
  events: readonly ClusterEvent[],
): Why {
  const others = nodes.filter(({ name, state }) => name !== node.name && state === 'running');
  const reasons = [
    ...goneOf(node),
    ...drainOf(node),
    ...partsOf(node),
    ...keysOf(node, others),
    ...configOf(node, others),
  ];
  const told = events.map((event): WhyLink => {
    const by = event.by === null ? '' : ` by ${event.by}`;
    return { at: event.at.toISOString(), text: `${SAID[event.kind]}${by}`, ref: `cluster/event/${event.id}` };
  });
  const chain = [...told, ...reasons.map(({ at, text }) => ({ at, text, ref: `cluster/${node.name}` }))];
  const [first] = reasons;
  if (first !== undefined) return whyOf(first.outcome, first.why, chain);
  if (!node.roles.includes('worker')) {
    return whyOf(
      'idle',
      'It answers requests, and does no work of the cluster: it has not the role worker',
      chain,
    );
  }
  return whyOf('working', 'It is ready, and claims work', chain);
}

interface Reason {
  readonly outcome: string;
  readonly why: string;
  readonly at: string;
  readonly text: string;
}

function goneOf({ state, seen_at }: ReportedNode): Reason[] {
  if (state === 'running') return [];
  const at = seen_at.toISOString();
  const why =
    state === 'lost'
      ? 'It has not been heard of for so long that others have its work'
      : 'It is down, and has to be started again';
  return [{ outcome: state, why, at, text: 'it was last heard of' }];
}

function drainOf({ drained_at, drained_by }: ReportedNode): Reason[] {
  if (drained_at === null) return [];
  const why = `It was drained by ${drained_by ?? 'somebody'}, and claims nothing until it is resumed`;
  return [{ outcome: 'drained', why, at: drained_at.toISOString(), text: 'it claims nothing since then' }];
}

function partsOf({ report, reported_at }: ReportedNode): Reason[] {
  return (report?.parts ?? [])
    .filter(({ ok }) => !ok)
    .map(({ name, detail, since }) => ({
      outcome: 'notReady',
      why: `It is not ready: ${name}${detail === undefined ? '' : `, ${detail}`}`,
      at: since ?? reported_at?.toISOString() ?? '',
      text: `${name} is not ready${detail === undefined ? '' : `: ${detail}`}`,
    }));
}

/** Keys that live neighbours use and it does not have. */
function keysOf({ keys, reported_at, seen_at }: ReportedNode, others: readonly ReportedNode[]): Reason[] {
  const lacking = new Set<string>();
  for (const { keys: theirs } of others) {
    for (const [alias, [used]] of Object.entries(theirs ?? {})) {
      const own = keys?.[alias];
      if (used !== undefined && own !== undefined && !own.includes(used)) lacking.add(alias);
    }
  }
  if (lacking.size === 0) return [];
  const names = [...lacking]
    .sort()
    .map((alias) => `'${alias}'`)
    .join(', ');
  return [
    {
      outcome: 'lacksKeys',
      why: `It lacks keys of ${names} that others use, and leaves to them what these encrypt`,
      at: (reported_at ?? seen_at).toISOString(),
      text: `it has not the keys of ${names} that others use`,
    },
  ];
}

function configOf({ report, reported_at }: ReportedNode, others: readonly ReportedNode[]): Reason[] {
  if (report === null || reported_at === null) return [];
  const at = reported_at.toISOString();
  const refused = report.refused.map(({ id, since, findings }) => ({
    outcome: 'refusesConfiguration',
    why: `It refuses the configuration '${id}', and goes on with the one before: ${findings[0] ?? ''}`,
    at: since,
    text: `it refuses the configuration '${id}': ${findings.join('; ')}`,
  }));
  const ahead = others.filter(
    (other) => other.report !== null && other.report.configuration !== report.configuration,
  );
  if (ahead.length === 0) return refused;
  const names = ahead.map(({ name }) => name).join(', ');
  return [
    ...refused,
    {
      outcome: 'otherConfiguration',
      why: `It has another configuration in force than ${names}`,
      at,
      text: `its configuration is not that of ${names}`,
    },
  ];
}
