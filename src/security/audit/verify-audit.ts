import type { Db } from '#database/index.ts';
import type { AuditKeys } from './audit-keys.ts';
import { TrailChecker, type TrailFinding } from './check-trail.ts';
import { countPruned } from './pruning.ts';
import { isSeal, readTrail } from './read-trail.ts';
import { unsealedSeconds } from './seal-repository.ts';
import {
  countSeals,
  countWaiting,
  findGaps,
  findLoose,
  hasSeal,
  listInTheWay,
  listSpans,
  readWaiting,
  type TrailRange,
} from './trail-repository.ts';
import { findLastSeal, findSealedSince } from './trusted-seal.ts';

/** Nodes seal each second; what waits for so long was left by nodes that were killed, or somebody keeps them from it. */
const MOST_WAITING_SECONDS = 600;

/** The number and the signature of a seal, as they were noted somewhere else than in the database. */
export interface TrailHead {
  readonly number: number;
  readonly signature: string;
}

export interface Verification {
  readonly entries: number;
  readonly seals: number;
  readonly chains: number;
  /** The head of the trail, to be noted outside of the database. */
  readonly head: TrailHead | null;
  /** Entries that wait for their seal. */
  readonly waiting: number;
  /** Entries from before the first seal, about which nothing is known. */
  readonly old: number;
  /** How many there are of what does not fit, of which `findings` has the first. */
  readonly count: number;
  readonly findings: readonly TrailFinding[];
}

/** Calculates anew all that was sealed, and looks for what is in no seal. Changes nothing. */
export async function verifyAudit(
  db: Db,
  keys: AuditKeys,
  range: TrailRange,
  noted: TrailHead | undefined,
): Promise<Verification> {
  const checker = new TrailChecker(keys, { isPart: range.from !== undefined });
  for (const relation of await listInTheWay(db)) {
    const message = `${relation} stands where nodes look for the trail: what they write may go there, and stay in no trail`;
    checker.find({ kind: 'in-the-way', message });
  }
  // What stands there instead says nothing of the trail.
  if (checker.count > 0) {
    const { count, findings } = checker;
    return { entries: 0, seals: 0, chains: 0, head: null, waiting: 0, old: 0, count, findings };
  }
  const last = await findLastSeal(db, keys);
  const waiting = await countWaiting(db);
  for await (const item of readTrail(db, range)) {
    if (!isSeal(item)) checker.addEntry(item);
    else if (item.seal === undefined) checker.addUnsound(item.number);
    else checker.addSeal(item.seal);
  }
  await checkNumbers(db, keys, checker, last.number);
  // A list that whoever has the database writes, too: what stands there counts as little as what stands in no seal.
  for await (const { id, entry } of readWaiting(db)) checker.checkWaiting(id, entry);
  const seconds = await unsealedSeconds(db);
  if (seconds > MOST_WAITING_SECONDS) {
    const message = `entries wait for their seal since ${Math.round(seconds / 60)} minutes: until then nobody would find that one was taken away`;
    checker.find({ kind: 'waiting', message });
  }
  if (noted !== undefined && !(await hasSeal(db, noted.number, noted.signature))) {
    const message = `seal ${noted.number}, the head that was noted, is not there as it was: seals were taken away, or the database was put back`;
    checker.find({ kind: 'head', message, seal: noted.number });
  }
  const sealedSince = await findSealedSince(db, keys, last.number);
  const old = await checkLoose(db, checker, { ...range, sealedSince });
  const { entries, chains, count, findings } = checker;
  const { number, signature } = last;
  const head = signature === undefined ? null : { number, signature };
  return { entries, seals: checker.seals, chains, head, waiting, old, count, findings };
}

async function checkNumbers(db: Db, keys: AuditKeys, checker: TrailChecker, highest: number): Promise<void> {
  const missing = highest - (await countSeals(db, highest));
  const pruned = await countPruned(db, keys);
  if (missing === pruned) return;
  const gaps = (await findGaps(db, highest)).map(({ first, last }) =>
    first === last ? `${first}` : `${first}–${last}`,
  );
  const message = `${missing} seals are missing, and ${pruned} were pruned by the server; missing numbers: ${gaps.join(', ')}`;
  checker.find({ kind: 'missing-seals', message });
}

/** @returns how many entries are older than seals */
async function checkLoose(
  db: Db,
  checker: TrailChecker,
  range: TrailRange & { readonly sealedSince: string },
): Promise<number> {
  let all = 0;
  for (const span of await listSpans(db)) {
    const { old, strays, examples } = await findLoose(db, span, range);
    all += old;
    for (const { id, topic, recordedAt } of examples) {
      const message = `entry ${id} (${topic}, ${recordedAt}) is in no seal: it was put in behind the server's back, or its seal was taken away`;
      checker.find({ kind: 'inserted', message, entry: id });
    }
    checker.count += strays - examples.length;
  }
  return all;
}
