import { type Exchange, objectPath, type WriteExchange } from '../exchange.ts';
import { planConstraint } from '../grant/constraint-schedules.ts';
import { formatRef } from '../relationship/edge.ts';
import { type EdgeChange, edgeOf } from '../relationship/plan-edges.ts';

/** Plans the moments at which edges, or all edges to this object, begin and cease to be in effect. */
export async function scheduleConstraints(exchange: WriteExchange): Promise<void> {
  for (const change of exchange.edgeChanges) {
    const { before, after } = change;
    const resource = concerned(exchange, change);
    if (resource === null) continue;
    const [old, current] = [
      before?.properties['temporalConstraints'],
      after?.properties['temporalConstraints'],
    ];
    await planConstraint(exchange, edgeOf(change).id, old, current, { resource });
  }
  for (const { temporalField, reverseProperty } of governing(exchange)) {
    const isGone = exchange.request.method === 'delete';
    await planConstraint(
      exchange,
      objectPath(exchange).replaceAll('/', '-'),
      exchange.before?.[temporalField],
      isGone ? null : exchange.object[temporalField],
      reverseProperty === null ? null : { resource: objectPath(exchange), property: reverseProperty },
    );
  }
}
scheduleConstraints.applies = (exchange: Exchange) =>
  exchange.edgeChanges.length > 0 || governing(exchange).length > 0;

/** The object to which it matters whether an edge is in effect: the one whose relationship says so. */
function concerned(exchange: Exchange, change: EdgeChange): string | null {
  const { reverseProperty, temporalField } = change.relationship;
  if (temporalField !== null) return objectPath(exchange);
  const { target } = edgeOf(change);
  const other = exchange.platform.types.at(target.collection);
  const reverse = reverseProperty === null ? undefined : other?.relationships.get(reverseProperty);
  return reverse?.temporalField ? formatRef(target) : null;
}

/** The relationships to this object whose edges its own time span governs. */
function governing({ platform, type }: Exchange) {
  return platform.types
    .governedBy(type.name)
    .flatMap(({ relationship: { temporalField, reverseProperty } }) =>
      temporalField === null ? [] : { temporalField, reverseProperty },
    );
}
