/** Digits that count what is in one span. */
const DIGITS = 12;
/** The first span is less than a millisecond, each further one goes to so many times the one before it. */
const GROWTH = 1.2;

/**
 * The value, in milliseconds, that so large a share of what was tallied does not exceed: right within a tenth.
 *
 * @param tally as `scheduler_tally` of the database has it: a number with twelve digits for each span, the last of them for
 *   the first span; null for none
 * @param most what nothing of it exceeds
 * @returns null where nothing was tallied
 */
export function percentile(tally: string | null, share: number, most: number | null): number | null {
  const counts = countsOf(tally ?? '');
  const total = counts.reduce((sum, count) => sum + count, 0);
  let below = 0;
  for (const [span, count] of counts.entries()) {
    below += count;
    if (count === 0 || below < total * share) continue;
    const middle = span === 0 ? 0.5 : GROWTH ** (span - 0.5);
    return round(Math.min(middle, most ?? middle));
  }
  return null;
}

function countsOf(tally: string): number[] {
  const counts: number[] = [];
  for (let end = tally.length; end > 0; end -= DIGITS)
    counts.push(Number(tally.slice(Math.max(0, end - DIGITS), end)));
  return counts;
}

/** To a tenth of a millisecond, as the ledger shows its times. */
export function round(ms: number): number {
  return Math.round(ms * 10) / 10;
}
