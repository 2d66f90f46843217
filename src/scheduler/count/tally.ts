/** Digits that count what is in one span. */
const DIGITS = 12;
/** The first span is less than a millisecond, each further one goes to so many times the one before it. */
const GROWTH = 1.2;

/**
 * The values, in milliseconds, that so large shares of what was tallied do not exceed: right within a tenth.
 *
 * @param tally as `scheduler_tally` of the database has it: a number with twelve digits for each span, the last of them for
 *   the first span; null for none
 * @param shares from 0 to 1, the smaller ones first
 * @param most what nothing of it exceeds
 * @returns null for each where nothing was tallied
 */
export function percentiles(
  tally: string | null,
  shares: readonly number[],
  most: number | null,
): readonly (number | null)[] {
  const counts = countsOf(tally ?? '');
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return shares.map(() => null);
  let span = 0;
  let upTo = counts[0] ?? 0;
  return shares.map((share) => {
    while (upTo < total * share || upTo === 0) upTo += counts[++span] ?? Number.POSITIVE_INFINITY;
    const middle = span === 0 ? 0.5 : GROWTH ** (span - 0.5);
    return round(Math.min(middle, most ?? middle));
  });
}

function countsOf(tally: string): number[] {
  const counts: number[] = [];
  for (let end = tally.length; end > 0; end -= DIGITS)
    counts.push(Number(tally.slice(Math.max(0, end - DIGITS), end)));
  return counts;
}

/** Rounds to a tenth of a millisecond, as the ledger shows its times. */
export function round(ms: number): number {
  return Math.round(ms * 10) / 10;
}
