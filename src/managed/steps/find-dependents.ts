import type { Db } from '#database/index.ts';
import { type Dependent, nextStep, seesChange } from '../derive/dependent.ts';
import { listOrigins, lockDerivations, lockingDerivations } from '../derive/derivation-repository.ts';
import { collectionOf, type Exchange, type WriteExchange } from '../exchange.ts';
import type { ManagedType } from '../managed-type.ts';
import { changedEnds } from '../relationship/edge-set.ts';

/** Holds off, in common with others who write objects of the type, those who change what its derivations look at. */
export async function lockOwnDerivations({ context, type }: WriteExchange): Promise<void> {
  await context.unitOfWork.hold(lockingDerivations(type.name, 'in common'));
}
lockOwnDerivations.applies = ({ isLight, type }: Exchange) => type.storedDerived.length > 0 && !isLight;

/** A place on the path of a derivation from which to look back for its owners. */
interface Origin {
  readonly depth: number;
  readonly collection: string;
  readonly ids: readonly string[];
  /** No other request can make a path to it meanwhile. */
  readonly isOurs: boolean;
}

/**
 * Finds the objects that store something of this one, or of its edges, which has changed. Before a deletion it is
 * all that can be reached over the edges that go with the object.
 */
export async function findDependents(exchange: WriteExchange): Promise<void> {
  const db = await exchange.context.unitOfWork.db();
  const known = new Set<string>();
  for (const dependent of exchange.platform.types.dependentsOn(exchange.type.name)) {
    const { owner, derivation } = dependent;
    for (const origin of originsOf(exchange, dependent)) {
      const path = derivation.path.slice(0, origin.depth);
      const key = JSON.stringify([owner.name, path, origin]);
      if (known.has(key)) continue;
      known.add(key);
      add(exchange, owner, await ownersOf(db, owner, path, origin));
    }
  }
}
findDependents.applies = ({ platform, type }: Exchange) => platform.types.dependentsOn(type.name).length > 0;

function originsOf(exchange: Exchange, dependent: Dependent): Origin[] {
  const { id, object, request, stored } = exchange;
  const { depth, reverse } = dependent;
  const isDelete = request.method === 'delete';
  const itself = { depth, collection: collectionOf(exchange), ids: [id] };
  // New references to an object that is deleted wait for that, and to one that is created nobody knows the way yet.
  const isOurs = stored === null || (isDelete && depth === 1);
  if (isDelete) return [{ ...itself, isOurs }];
  const ends = changedEnds(exchange);
  const goesOn = ends.some(({ property }) => property !== null && property === nextStep(dependent));
  const isSeen = stored === null || seesChange(dependent, stored.data, object) || goesOn;
  const before = ends.filter(({ property }) => property === reverse);
  return [
    ...(isSeen ? [{ ...itself, isOurs }] : []),
    ...before.map(({ collection, ids }) => ({ depth: depth - 1, collection, ids, isOurs: depth === 1 })),
  ];
}

async function ownersOf(
  db: Db,
  owner: ManagedType,
  path: readonly string[],
  { collection, ids, isOurs }: Origin,
): Promise<readonly string[]> {
  const place = `managed/${owner.name}`;
  if (path.length === 0) return collection === place ? ids : [];
  if (!isOurs) await lockDerivations(db, owner.name, 'alone');
  return listOrigins(db, place, path, { collection, ids });
}

function add({ dependents }: Exchange, owner: ManagedType, ids: readonly string[]): void {
  if (ids.length > 0) dependents.set(owner, new Set([...(dependents.get(owner) ?? []), ...ids]));
}
