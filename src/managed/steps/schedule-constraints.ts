import { type Exchange, objectPath } from '../exchange.ts';
import { planConstraint } from '../grant/constraint-schedules.ts';
import type { Governed } from '../managed-types.ts';
import { type Edge, formatRef } from '../relationship/edge.ts';
import type { Relationship } from '../relationship/relationship.ts';

/** Plans the moments at which edges, or all edges to this object, begin and cease to be in effect. */
export async function scheduleConstraints(exchange: Exchange): Promise<void> {
  for (const { before, after } of exchange.edgeChanges) {
    const edge = (after ?? before)!;
    const resource = concerned(exchange, edge);
    if (resource === null) continue;
    const [old, current] = [
      before?.properties['temporalConstraints'],
      after?.properties['temporalConstraints'],
    ];
    await planConstraint(exchange, edge.id, old, current, { resource });
  }
  for (const governed of governing(exchange)) {
    const { temporalField, reverseProperty } = governed.relationship;
    const isGone = exchange.request.method === 'delete';
    await planConstraint(
      exchange,
      objectPath(exchange).replaceAll('/', '-'),
      exchange.before?.[temporalField!],
      isGone ? null : exchange.object[temporalField!],
      reverseProperty === null ? null : { resource: objectPath(exchange), property: reverseProperty },
    );
  }
}
scheduleConstraints.applies = (exchange: Exchange) =>
  exchange.edgeChanges.length > 0 || governing(exchange).length > 0;

/** The object to which it matters whether an edge is in effect: the one whose relationship says so. */
function concerned({ platform, type, id }: Exchange, { property, target }: Edge): string | null {
  const relationship: Relationship = type.relationships.get(property)!;
  if (relationship.temporalField !== null) return objectPath({ type, id });
  const { reverseProperty } = relationship;
  const other = platform.types.at(target.collection);
  const reverse = reverseProperty === null ? undefined : other?.relationships.get(reverseProperty);
  return reverse?.temporalField ? formatRef(target) : null;
}

function governing({ platform, type }: Exchange): readonly Governed[] {
  return platform.types
    .governedBy(type.name)
    .filter(({ relationship }) => relationship.temporalField !== null);
}
