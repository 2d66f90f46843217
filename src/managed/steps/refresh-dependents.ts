import { refreshDerived } from '../derive/refresh-derived.ts';
import type { Exchange } from '../exchange.ts';

/** Has what others store of this object and of its edges follow, in the same unit of work and without their hooks. */
export async function refreshDependents(exchange: Exchange): Promise<void> {
  const { context, dependents, platform, refreshed } = exchange;
  const unitOfWork = context.unitOfWork!;
  const db = await unitOfWork.db();
  for (const [owner, ids] of dependents) await refreshDerived(platform, db, owner, ids, refreshed);
  for (const [name, objects] of refreshed) {
    const properties = platform.types
      .current()
      .get(name)!
      .storedDerived.map((property) => property.name);
    unitOfWork.record({
      resource: `managed/${name}`,
      operation: 'update',
      before: null,
      after: { derived: { properties, updated: objects.size } },
    });
  }
}
refreshDependents.applies = ({ dependents }: Exchange) => dependents.size > 0;
