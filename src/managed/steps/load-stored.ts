import type { UnitOfWork } from '#database/index.ts';
import { NotFoundError } from '#errors/index.ts';
import { findObject, findOwn, objectStore, type StoredObject, timesOf } from '#repo/index.ts';
import { readerOf } from '#resource/index.ts';
import { withId } from '../derive/derivation-repository.ts';
import { listWithDerivations, type PathsOfWays } from '../derive/derive-properties.ts';
import { type Exchange, objectPath, type WriteExchange } from '../exchange.ts';
import { type DerivedProperty, isDerived } from '../managed-property.ts';
import type { ManagedType } from '../managed-type.ts';
import { lookUpAll } from '../relationship/looked-up-edges.ts';
import { lockObject } from '../relationship/target-repository.ts';
import { relationshipsOf } from './attach-relationships.ts';
import { calculatedOf } from './compute-virtual-properties.ts';

/**
 * Reads the object. For a write, its row stays locked until the end of the unit of work, so that writers queue; a
 * change of nothing but the object itself need not lock it, because it is stored only if nobody else was faster. A
 * lock for a deletion also waits for those who just refer to the object, and holds off new references.
 */
export async function loadStored(exchange: Exchange): Promise<void> {
  const stored = await find(exchange);
  if (stored === undefined) throw new NotFoundError(`Object '${objectPath(exchange)}' not found`);
  exchange.stored = stored;
  exchange.rev = stored.rev;
  exchange.times = timesOf(stored);
}

async function find(exchange: Exchange): Promise<StoredObject | undefined> {
  const { context, isLight, platform, type, id, request } = exchange;
  const { unitOfWork } = context;
  const store = objectStore(['managed', type.name]);
  const { knownTo } = request;
  const reading = knownTo === undefined ? {} : { knownTo };
  if (unitOfWork === null) return findObject(await readerOf(platform, context), store, id, reading);
  const isChanged = isLight || (request.method === 'read' && request.toChange === true && unitOfWork.isLight);
  if (isChanged && unitOfWork.pendingRows.length === 0) return findWithDerivations(exchange, unitOfWork);
  if (request.method === 'read' || isLight) return findOwn(unitOfWork, store, id, reading);
  const strength = request.method === 'delete' ? 'update' : 'no key update';
  const [stored] = await Promise.all([
    lockObject(await unitOfWork.db(), type.name, id, strength),
    lookUpAll(exchange as WriteExchange, relationshipsOf(exchange)),
  ]);
  return stored;
}

/** What units of work have read last in order to change it, and what those properties are derived from. */
const lastRead = new WeakMap<UnitOfWork, Read>();

interface Read {
  readonly type: ManagedType;
  readonly object: StoredObject;
  readonly derived: readonly DerivedProperty[];
  readonly paths: PathsOfWays;
}

/** Whoever changes what is derived changes the revision: as long as that is the same, so is what was read with it. */
async function findWithDerivations(
  exchange: Exchange,
  unitOfWork: UnitOfWork,
): Promise<StoredObject | undefined> {
  const { id, request, type } = exchange;
  const { judgedAt, knownTo } = request;
  const derived = calculatedOf(exchange).filter(isDerived);
  if (derived.length === 0) {
    const reading = {
      ...(judgedAt === undefined ? {} : { readAt: judgedAt }),
      ...(knownTo === undefined ? {} : { knownTo }),
    };
    return findOwn(unitOfWork, objectStore(['managed', type.name]), id, reading);
  }
  const before = lastRead.get(unitOfWork);
  const isKnown =
    before?.type === type && before.object.id === id && derived.every((one) => before.derived.includes(one));
  if (isKnown && judgedAt === String(before.object.rev)) {
    exchange.paths = before.paths;
    return before.object;
  }
  const db = await unitOfWork.readerBesidePending();
  const { objects, paths } = await listWithDerivations(db, type, derived, withId(id), knownTo);
  const [object] = objects;
  if (object !== undefined) lastRead.set(unitOfWork, { type, object, derived, paths });
  exchange.paths = paths;
  return object;
}
