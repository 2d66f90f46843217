import { mayBePending, objectStore } from '#repo/index.ts';
import type { Exchange, WriteExchange } from '../exchange.ts';
import { conditionedBy } from '../grant/conditional-grant.ts';
import { seemsUnconditioned } from '../grant/unconditioned-repository.ts';

/**
 * A request that, as far as can be known, writes nothing but the row of its object goes without locks: the row is
 * stored only if it is still at the revision at which it was read, and whoever changes what is derived from elsewhere
 * changes that revision. Everything else locks first, and so does a request that has lost such a race once.
 */
export function chooseLocking(exchange: WriteExchange): void {
  const { context, id, request, type } = exchange;
  const { unitOfWork } = context;
  if (!writesOnlyItsRow(exchange)) return;
  exchange.isLight =
    request.method === 'create'
      ? unitOfWork.isLight
      : mayBePending(unitOfWork, objectStore(['managed', type.name]), id);
}

function writesOnlyItsRow({ platform, type, request, edit }: Exchange): boolean {
  const { types } = platform;
  if (edit !== null) return false;
  if (types.dependentsOn(type.name).length > 0 || types.governedBy(type.name).length > 0) return false;
  if (!seemsUnconditioned(platform.database, type.conditional.flatMap(conditionedBy))) return false;
  const isEdge = (name: string | undefined) => name === undefined || type.relationships.has(name);
  switch (request.method) {
    case 'create':
      return !Object.keys(request.content).some(isEdge);
    case 'update':
      return type.relationships.size === 0;
    case 'patch':
      return !request.operations.some(
        ({ field, from }) => isEdge(field[0]) || (from !== undefined && isEdge(from[0])),
      );
    default:
      return false;
  }
}
