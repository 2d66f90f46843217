import type { Db } from '#database/index.ts';
import type { AuditKeys } from './audit-keys.ts';
import { TrailChecker, type TrailFinding } from './check-trail.ts';
import { countPruned } from './pruning.ts';
import { readSegments } from './read-trail.ts';
import {
  countSeals,
  findGaps,
  findLoose,
  findSignature,
  findWaiting,
  listSpans,
  type TrailRange,
} from './trail-repository.ts';

/** The number and the signature of a seal, as they were noted somewhere else than in the database. */
export interface TrailHead {
  readonly number: number;
  readonly signature: string;
}

export interface Verification {
  readonly entries: number;
  readonly seals: number;
  readonly chains: number;
  /** To be noted outside of the database: `TrailHead`. */
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
  const { seals, highest, waiting } = await countSeals(db);
  for await (const segment of readSegments(db, range, highest)) checker.check(segment);
  await checkNumbers(db, keys, checker, highest - seals);
  await checkWaiting(db, checker);
  if (noted !== undefined && (await findSignature(db, noted.number)) !== noted.signature) {
    const message = `seal ${noted.number}, the head that was noted, is not there as it was: seals were taken away, or the database was put back`;
    checker.find({ kind: 'head', message, seal: noted.number });
  }
  const old = await checkLoose(db, checker, range);
  const { entries, chains, count, findings } = checker;
  const signature = await findSignature(db, highest);
  const head = signature === undefined ? null : { number: highest, signature };
  return { entries, seals: checker.seals, chains, head, waiting, old, count, findings };
}

/** A list that whoever has the database writes, too: what stands there counts as little as what stands in no seal. */
async function checkWaiting(db: Db, checker: TrailChecker): Promise<void> {
  let after: string | undefined;
  for (;;) {
    const page = await findWaiting(db, after);
    for (const { id, entry } of page) checker.checkWaiting(id, entry);
    after = page.at(-1)?.id;
    if (after === undefined) return;
  }
}

async function checkNumbers(db: Db, keys: AuditKeys, checker: TrailChecker, missing: number): Promise<void> {
  const pruned = await countPruned(db, keys);
  if (missing === pruned) return;
  const gaps = (await findGaps(db)).map(({ first, last }) =>
    first === last ? `${first}` : `${first}–${last}`,
  );
  const message = `${missing} seals are missing, and ${pruned} were pruned by the server; missing numbers: ${gaps.join(', ')}`;
  checker.find({ kind: 'missing-seals', message });
}

/** @returns how many entries are older than seals */
async function checkLoose(db: Db, checker: TrailChecker, range: TrailRange): Promise<number> {
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
