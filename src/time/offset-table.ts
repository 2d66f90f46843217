/** A stretch of time with one offset from UTC: `from <= instant < to`, all in milliseconds. */
export interface ZonePeriod {
  readonly from: number;
  readonly to: number;
  readonly offset: number;
}

/** The offset from UTC in milliseconds at an instant, asked of the system's time-zone data. */
export type OffsetProbe = (epochMs: number) => number;

const DAY_MS = 86_400_000;
/** Ten years are searched at a time: two or three milliseconds of work, kept for good. */
const CHUNK_MS = 3652.5 * DAY_MS;
/**
 * Less than half of the shortest stretch there is between a change and its undoing: seven days in Recife in
 * October 2000, and in Gaza around the Ramadans from 2040 on. A weekly look missed both.
 */
const STRIDE_MS = 3 * DAY_MS;
/** Years 1 to 9999. Outside of them the offset of the edge holds. */
const FIRST_CHUNK = Math.floor(-62_135_596_800_000 / CHUNK_MS) + 1;
const LAST_CHUNK = Math.floor(253_402_300_800_000 / CHUNK_MS) - 1;

/**
 * The offsets of one zone. The changes are found when a decade is first asked for, because a call into `Intl`
 * costs microseconds and a look-up here nanoseconds. Periods are cut at the edges of decades, so neighbours
 * may have the same offset.
 */
export class OffsetTable {
  readonly #probe: OffsetProbe;
  readonly #chunks = new Map<number, readonly ZonePeriod[]>();
  #last: ZonePeriod = { from: Infinity, to: -Infinity, offset: 0 };

  constructor(probe: OffsetProbe) {
    this.#probe = probe;
  }

  static fixed(offset: number): OffsetTable {
    const table = new OffsetTable(() => offset);
    table.#last = { from: -Infinity, to: Infinity, offset };
    return table;
  }

  periodAt(epochMs: number): ZonePeriod {
    const last = this.#last;
    if (last.from <= epochMs && epochMs < last.to) return last;
    return this.#find(epochMs);
  }

  #find(epochMs: number): ZonePeriod {
    if (Number.isNaN(epochMs)) throw new RangeError('NaN is not an instant');
    const index = Math.min(Math.max(Math.floor(epochMs / CHUNK_MS), FIRST_CHUNK), LAST_CHUNK);
    let periods = this.#chunks.get(index);
    if (periods === undefined) {
      periods = findPeriods(this.#probe, index);
      this.#chunks.set(index, periods);
    }
    let low = 0;
    let high = periods.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (periods[middle]!.from <= epochMs) low = middle;
      else high = middle - 1;
    }
    this.#last = periods[low]!;
    return this.#last;
  }
}

function findPeriods(probe: OffsetProbe, chunk: number): readonly ZonePeriod[] {
  const end = chunk === LAST_CHUNK ? Infinity : (chunk + 1) * CHUNK_MS;
  const searchEnd = (chunk + 1) * CHUNK_MS;
  const periods: ZonePeriod[] = [];
  let from = chunk === FIRST_CHUNK ? -Infinity : chunk * CHUNK_MS;
  let seen = chunk * CHUNK_MS;
  let offset = probe(seen);
  while (seen < searchEnd) {
    const next = Math.min(seen + STRIDE_MS, searchEnd);
    if (probe(next) === offset) {
      seen = next;
      continue;
    }
    seen = firstChange(probe, seen, next, offset);
    if (seen >= searchEnd) break;
    periods.push({ from, to: seen, offset });
    from = seen;
    offset = probe(seen);
  }
  periods.push({ from, to: end, offset });
  return periods;
}

/** The first whole second after `low`, at most `high`, whose offset is another. */
function firstChange(probe: OffsetProbe, low: number, high: number, offset: number): number {
  let same = low / 1000;
  let other = high / 1000;
  while (other - same > 1) {
    const middle = Math.floor((same + other) / 2);
    if (probe(middle * 1000) === offset) same = middle;
    else other = middle;
  }
  return other * 1000;
}
