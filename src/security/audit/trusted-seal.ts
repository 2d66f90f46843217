import type { Db } from '#database/index.ts';
import type { AuditKeys } from './audit-keys.ts';
import { countPruned } from './pruning.ts';
import { sealText } from './seal.ts';
import { findFirstMarks, readMarks, type SealChain, type SealMark } from './seal-repository.ts';
import { countSeals } from './trail-repository.ts';

export function checkMark(keys: AuditKeys, mark: SealMark) {
  return keys.check(sealText(mark, mark.entries), mark.signature);
}

/**
 * The seal that sealing goes on from. Whoever may seal may write any number, so only one with a right signature counts.
 * Where there is none, as when all keys were replaced, numbers cannot be higher than there are seals.
 */
export async function findLastSeal(
  db: Db,
  keys: AuditKeys,
): Promise<{ readonly number: number; readonly signature?: string }> {
  for await (const mark of readMarks(db)) if (keys.trusts(checkMark(keys, mark))) return mark;
  const pruned = await countPruned(db, keys);
  const most = pruned + (await countSeals(db));
  for await (const mark of readMarks(db)) if (mark.number <= most && mark.number > pruned) return mark;
  return { number: pruned };
}

/** The last seal of a chain, of those that are rightly signed. */
export async function findHead(db: Db, keys: AuditKeys, chain: SealChain): Promise<SealMark | undefined> {
  for await (const mark of readMarks(db, chain)) if (keys.trusts(checkMark(keys, mark))) return mark;
  return undefined;
}

/**
 * When entries began to be sealed: what nobody has signed may be older. Once the first seal was pruned, nothing that is
 * kept is.
 *
 * @returns ISO, or an infinity
 */
export async function findSealedSince(db: Db, keys: AuditKeys, highest: number): Promise<string> {
  const marks = await findFirstMarks(db);
  const first = marks.find((mark) => keys.trusts(checkMark(keys, mark))) ?? marks[0];
  return first?.sealedAt ?? (highest === 0 ? 'infinity' : '-infinity');
}
