import { createHash } from 'node:crypto';
import { ConflictError, PayloadTooLargeError } from '#errors/index.ts';
import { canonicalText, type JsonObject } from '#json/index.ts';
import type { ObjectChange } from '#system/index.ts';
import { applyBatch } from './apply-batch.ts';
import {
  acceptAll,
  acceptChanged,
  acceptGone,
  clearStaged,
  countDifferences,
  type Listed,
  listChanged,
  listGone,
  stageListed,
} from './listing-repository.ts';
import { pathOf } from './livesync-platform.ts';
import { MOST_AT_ONCE, type RoundWork } from './round-work.ts';

/** Objects of a listing that is compared with the one before. */
const MOST_LISTED = 5_000_000;
const STAGED_AT_ONCE = 5_000;
/** What is gone at once is a mistake rather than a change where it is more than both: somebody looks at it first. */
const MOST_GONE = 20;
const MOST_GONE_SHARE = 0.3;

/** What there is now is what it is compared with from now on. */
export async function acceptListing(work: RoundWork): Promise<boolean> {
  const { place } = work;
  const print = await stage(work);
  await work.step(async (unitOfWork) => {
    const db = await unitOfWork.db();
    await acceptAll(db, place);
    await clearStaged(db, place);
    return print;
  });
  work.tellFirst();
  return true;
}

/**
 * Lists all objects, and follows what is other than it was listed last. That is looked at twice: what is written down first is a whole
 * listing, and only what it has is followed.
 *
 * @returns whether it has come to its end
 * @throws ConflictError `LIVESYNC_SHRUNK`
 */
export async function compareListing(work: RoundWork): Promise<boolean> {
  const { place, platform } = work;
  if ((await printOfListing(work)) === work.token) return true;
  const print = await stage(work);
  const { before, gone, changed } = await countDifferences(platform.database.db, place);
  if (gone > MOST_GONE && gone > before * MOST_GONE_SHARE) throw shrunk(work, before, gone);
  if (changed > 0 && !(await followChanged(work))) return false;
  while (gone > 0) {
    const ids = await listGone(platform.database.db, place, MOST_AT_ONCE);
    if (ids.length === 0) break;
    const changes = ids.map((id): ObjectChange => ({ kind: 'delete', id, last: null }));
    await followed(work, changes, ids, acceptGone);
    if (work.isOverdue) return false;
  }
  // What has changed since it was written down is other than it, and is followed by the next round.
  const left = await countDifferences(platform.database.db, place);
  const isAll = left.changed === 0 && left.gone === 0;
  await work.step(async (unitOfWork) => {
    await clearStaged(await unitOfWork.db(), place);
    return isAll ? print : `unfinished ${print}`;
  });
  return true;
}

async function followChanged(work: RoundWork): Promise<boolean> {
  const { place, platform, named } = work;
  let page: { readonly listed: Listed; readonly change: ObjectChange }[] = [];
  const look = async () => {
    const changed = await listChanged(
      platform.database.db,
      place,
      page.map(({ listed }) => listed),
    );
    const found = page.filter(({ listed }) => changed.has(listed.id)).map(({ change }) => change);
    page = [];
    if (found.length > 0)
      await followed(
        work,
        found,
        found.map(({ id }) => id),
        acceptChanged,
      );
  };
  for await (const object of platform.systems.list(place, named)) {
    const listed = listedOf(object);
    page.push({ listed, change: { kind: 'upsert', id: listed.id, object, previousId: undefined } });
    if (page.length < MOST_AT_ONCE) continue;
    await look();
    if (work.isOverdue) return false;
  }
  await look();
  return true;
}

/** The token stays until all of it is followed: what was is known by itself. */
async function followed(
  work: RoundWork,
  changes: readonly ObjectChange[],
  ids: readonly string[],
  accept: typeof acceptChanged,
): Promise<void> {
  const { place, token } = work;
  const accepted = async (unitOfWork: Parameters<Parameters<RoundWork['step']>[0]>[0]) => {
    await accept(await unitOfWork.db(), place, ids);
    return token ?? '';
  };
  if (!work.isStrict) return applyBatch(work, changes, accepted, { isStrict: false });
  for (const change of changes) {
    const acceptedOne: typeof accepted = async (unitOfWork) => {
      await accept(await unitOfWork.db(), place, [change.id]);
      return token ?? '';
    };
    await applyBatch(work, [change], acceptedOne, { isStrict: true });
  }
}

/** All of it or nothing: what fails on its way leaves nothing behind. */
async function stage(work: RoundWork): Promise<string> {
  const { place } = work;
  let print = '';
  await work.fenced(async (unitOfWork) => {
    const db = await unitOfWork.db();
    await clearStaged(db, place);
    let page: Listed[] = [];
    print = await printOfListing(work, async (listed) => {
      if (page.push(listed) < STAGED_AT_ONCE) return;
      await stageListed(db, place, page);
      page = [];
    });
    if (page.length > 0) await stageListed(db, place, page);
  });
  return print;
}

/**
 * Lists all objects, one after the other.
 *
 * @returns a hash of all of them in their order: where it is as it was, nothing has to be compared
 * @throws PayloadTooLargeError `LIVESYNC_TOO_MANY`
 */
async function printOfListing(
  { place, platform, named }: RoundWork,
  found: (listed: Listed) => Promise<void> = async () => {},
): Promise<string> {
  const hash = createHash('sha256');
  let count = 0;
  for await (const object of platform.systems.list(place, named)) {
    count += 1;
    if (count > MOST_LISTED) {
      throw new PayloadTooLargeError(`'${pathOf(place)}' has more than ${MOST_LISTED} objects`, {
        id: 'LIVESYNC_TOO_MANY',
        hint: 'Reconcile it instead',
      });
    }
    const listed = listedOf(object);
    hash.update(`${listed.id}\0${listed.print}\n`);
    await found(listed);
  }
  return hash.digest('base64url');
}

function listedOf({ _id, _rev, ...content }: JsonObject): Listed {
  const print = createHash('sha256').update(canonicalText(content)).digest('hex').slice(0, 32);
  return { id: String(_id), print };
}

function shrunk({ place }: RoundWork, before: number, gone: number): ConflictError {
  return new ConflictError(`${gone} of ${before} objects of '${pathOf(place)}' are gone at once`, {
    id: 'LIVESYNC_SHRUNK',
    hint: 'Where that is no mistake, reconcile the mappings from it, and begin anew with resetToken=now',
    detail: { before, gone },
  });
}
