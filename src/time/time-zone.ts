import { toCivilDate } from './calendar.ts';
import { OffsetTable } from './offset-table.ts';
import { isSpelledRight, parseFixedOffset, toSystemId, unknownTimeZone } from './zone-id.ts';

/** What a clock on the wall shows, as the milliseconds that UTC would have when it shows the same. */
export type WallMs = number;

/** A change of a zone's offset: `before` holds up to the instant `at`, `after` from it on (all milliseconds). */
export interface OffsetChange {
  readonly at: number;
  readonly before: number;
  readonly after: number;
}

/** The instants at which a zone's clock shows a wall time: none (clocks went forward), one, or two (back). */
export type Resolution =
  | { readonly kind: 'gap'; readonly change: OffsetChange }
  | { readonly kind: 'one'; readonly at: number }
  | { readonly kind: 'two'; readonly earlier: number; readonly later: number; readonly change: OffsetChange };

export interface TimeZone {
  /** The id as it was given, never the system's name for it. */
  readonly id: string;
  /** Milliseconds east of UTC. */
  offsetAt(epochMs: number): number;
  wallAt(epochMs: number): WallMs;
  resolve(wall: WallMs): Resolution;
  /** The changes of its clocks at or after `from` and before `to`, in order. */
  changesBetween(from: number, to: number): OffsetChange[];
}

/**
 * The zone of a Java time-zone id: what the system's time-zone data knows (spelled as there), Java's
 * three-letter ids with Java's meaning, and fixed offsets written `GMT+hh:mm`.
 *
 * @throws BadRequestError `SCHED_UNKNOWN_TIME_ZONE`
 */
export function getTimeZone(id: string): TimeZone {
  const table = findTable(id);
  if (table === undefined) throw unknownTimeZone(id);
  return new TableZone(id, table);
}

export function isTimeZone(id: string): boolean {
  return findTable(id) !== undefined;
}

const DAY_MS = 86_400_000;

class TableZone implements TimeZone {
  readonly id: string;
  readonly #table: OffsetTable;

  constructor(id: string, table: OffsetTable) {
    this.id = id;
    this.#table = table;
  }

  offsetAt(epochMs: number): number {
    return this.#table.periodAt(epochMs).offset;
  }

  wallAt(epochMs: number): WallMs {
    return epochMs + this.#table.periodAt(epochMs).offset;
  }

  changesBetween(from: number, to: number): OffsetChange[] {
    const changes: OffsetChange[] = [];
    let period = this.#table.periodAt(from - 1);
    while (period.to < to) {
      const next = this.#table.periodAt(period.to);
      if (next.offset !== period.offset) {
        changes.push({ at: period.to, before: period.offset, after: next.offset });
      }
      period = next;
    }
    return changes;
  }

  resolve(wall: WallMs): Resolution {
    // Offsets are smaller than a day, so the instant lies within a day of the wall time read as UTC.
    let period = this.#table.periodAt(wall - DAY_MS);
    if (wall + DAY_MS < period.to) return { kind: 'one', at: wall - period.offset };

    let previous = period;
    let earlier: number | undefined;
    let gap: OffsetChange | undefined;
    for (;;) {
      const at = wall - period.offset;
      const change = { at: period.from, before: previous.offset, after: period.offset };
      if (period.from <= at && at < period.to) {
        if (earlier !== undefined) return { kind: 'two', earlier, later: at, change };
        earlier = at;
      } else if (previous !== period && change.at + change.before <= wall && at < period.from) {
        gap = change;
      }
      if (period.to > wall + DAY_MS) break;
      previous = period;
      period = this.#table.periodAt(period.to);
    }
    if (earlier !== undefined) return { kind: 'one', at: earlier };
    if (gap === undefined) throw new RangeError(`Wall time ${wall} has no place in the zone '${this.id}'`);
    return { kind: 'gap', change: gap };
  }
}

/**
 * By lower-case id and by the system's own name, so it cannot outgrow the time-zone data. Fixed offsets are
 * cheaper to make than to keep.
 */
const tables = new Map<string, OffsetTable>();

/** Keeps out what only folds to an id, such as a Kelvin sign for a K, and the offsets `Intl` takes for zones. */
const ZONE_ID = /^[A-Za-z][A-Za-z0-9_/+-]*$/;

function findTable(id: string): OffsetTable | undefined {
  const fixedOffset = parseFixedOffset(id);
  if (fixedOffset !== undefined) return OffsetTable.fixed(fixedOffset);
  if (!ZONE_ID.test(id) || !isSpelledRight(id)) return undefined;
  const key = id.toLowerCase();
  const known = tables.get(key);
  if (known !== undefined) return known;
  const systemId = toSystemId(id);
  const format = systemId === undefined ? undefined : findFormat(systemId);
  if (format === undefined) return undefined;
  const canonicalId = format.resolvedOptions().timeZone;
  const table = tables.get(canonicalId) ?? makeTable(canonicalId, format);
  tables.set(canonicalId, table);
  tables.set(key, table);
  return table;
}

function makeTable(canonicalId: string, format: Intl.DateTimeFormat): OffsetTable {
  return canonicalId === 'UTC' ? OffsetTable.fixed(0) : new OffsetTable((epochMs) => probe(format, epochMs));
}

function findFormat(systemId: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone: systemId,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Asks for the wall time of a whole second; day of month and time of day are enough to know the offset. */
function probe(format: Intl.DateTimeFormat, epochMs: number): number {
  const [day = 0, hour = 0, minute = 0, second = 0] = format.format(epochMs).match(/\d+/g)!;
  const epochDay = Math.floor(epochMs / DAY_MS);
  const dayStep = Number(day) - toCivilDate(epochDay).day;
  const days = dayStep > 1 ? -1 : dayStep < -1 ? 1 : dayStep;
  const secondOfDay = (Number(hour) * 60 + Number(minute)) * 60 + Number(second);
  return days * DAY_MS + secondOfDay * 1000 - (epochMs - epochDay * DAY_MS);
}
