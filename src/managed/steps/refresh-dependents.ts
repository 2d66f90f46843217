import { refreshDerived } from '../derive/refresh-derived.ts';
import type { Exchange, WriteExchange } from '../exchange.ts';

/** Has what others store of this object and of its edges follow, in the same unit of work and without their hooks. */
export async function refreshDependents(exchange: WriteExchange): Promise<void> {
  const { context, dependents, platform, refreshed } = exchange;
  const { unitOfWork } = context;
  const db = await unitOfWork.db();
  for (const [owner, ids] of dependents) await refreshDerived(platform, db, owner, ids, refreshed);
  for (const [name, { owner, before }] of refreshed) {
    const properties = owner.storedDerived.map((property) => property.name);
    unitOfWork.record({
      resource: `managed/${name}`,
      operation: 'update',
      before: null,
      after: { derived: { properties, updated: before.size } },
    });
  }
}
refreshDependents.applies = ({ dependents }: Exchange) => dependents.size > 0;
