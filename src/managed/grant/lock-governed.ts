import { lockingDerivations } from '../derive/derivation-repository.ts';
import type { WriteExchange } from '../exchange.ts';
import type { ManagedType } from '../managed-type.ts';
import type { Target } from '../relationship/edge.ts';
import { parseCondition } from './conditional-grant.ts';
import { lockingOwners } from './grant-repository.ts';

/**
 * Keeps those at the other ends of edges from being changed, where it depends on them whether they get a conditional
 * edge instead, or where they store something that they derive from the edge. It comes before any lock of an edge: whoever writes from the other end locks in the same order.
 */
export async function lockGoverned(
  exchange: WriteExchange,
  property: string,
  targets: readonly Target[],
): Promise<void> {
  const owners = new Set<ManagedType>();
  for (const { owner, relationship } of exchange.platform.types.governedBy(exchange.type.name)) {
    const { conditionField, reverseProperty } = relationship;
    if (conditionField === null || reverseProperty !== property) continue;
    if (parseCondition(exchange.object[conditionField], conditionField) !== null) owners.add(owner);
  }
  for (const { owner, depth, reverse } of exchange.platform.types.dependentsOn(exchange.type.name)) {
    if (depth === 1 && reverse === property) owners.add(owner);
  }
  for (const owner of owners) {
    const ids = targets
      .filter(({ collection }) => collection === `managed/${owner.name}`)
      .map(({ id }) => id);
    if (ids.length === 0) continue;
    const { unitOfWork } = exchange.context;
    if (owner.storedDerived.length > 0) await unitOfWork.hold(lockingDerivations(owner.name, 'in common'));
    await unitOfWork.hold(lockingOwners(owner.name, ids));
  }
}
