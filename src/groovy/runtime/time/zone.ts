import { outside } from '../dispatch-port.ts';
import { classNamed, type JavaClass } from '../java-class.ts';
import { JavaObject } from '../values.ts';

/** Milliseconds. */
export const DAY = 86_400_000;

interface Year {
  /** Instants, each with the offset in milliseconds that holds from then until the next. */
  readonly changes: readonly (readonly [number, number])[];
}

/** A time zone. The host knows the rules; what it tells is kept for the rest of the run. */
export class Zone extends JavaObject {
  readonly type: JavaClass;
  readonly id: string;
  readonly #fixed: number | undefined;
  readonly #years = new Map<number, Year>();

  constructor(id: string, fixedOffset?: number, className = 'java.util.TimeZone') {
    super();
    this.type = classNamed(className);
    this.id = id;
    this.#fixed = fixedOffset;
  }

  get isFixed(): boolean {
    return this.#fixed !== undefined;
  }

  override toText(): string {
    return this.type.name === 'java.util.TimeZone' ? `sun.util.calendar.ZoneInfo[id="${this.id}"]` : this.id;
  }

  override key(): unknown {
    return this.id;
  }

  as(className: string): Zone {
    return new Zone(this.id, this.#fixed, className);
  }

  /** Milliseconds east of UTC at an instant. */
  offsetAt(ms: number): number {
    if (this.#fixed !== undefined) return this.#fixed;
    const { changes } = this.#yearOf(new Date(ms).getUTCFullYear());
    return (changes.findLast(([from]) => from <= ms) ?? changes[0]!)[1];
  }

  #yearOf(year: number): Year {
    let known = this.#years.get(year);
    if (known === undefined) {
      known = { changes: outside.host('groovy.zone', this.id, year) };
      this.#years.set(year, known);
    }
    return known;
  }

  /** The instant of a wall time: the earlier of two, and behind a gap when clocks skip it. */
  instantOf(wall: number): number {
    const before = this.offsetAt(wall - DAY);
    const after = this.offsetAt(wall + DAY);
    const early = wall - before;
    if (this.offsetAt(early) === before) return early;
    const late = wall - after;
    return this.offsetAt(late) === after ? late : early;
  }
}

export const UTC = new Zone('UTC', 0);
const GMT = new Zone('GMT', 0);
const known = new Map<string, Zone>();

/** The offset that a text such as `+02:00`, `GMT+2` or `Z` means, in milliseconds. */
export function parseOffset(text: string): number | undefined {
  if (text === 'Z') return 0;
  const match = /^(?:GMT|UTC|UT)?([+-])(\d{1,2})(?::?(\d{2}))?(?::?(\d{2}))?$/.exec(text);
  if (match === null) return undefined;
  const [, sign, hours, minutes = '0', seconds = '0'] = match;
  const size = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000;
  return sign === '-' && size > 0 ? -size : size;
}

/** Undefined for an id that nobody knows. */
export function findZone(id: string): Zone | undefined {
  if (id === 'UTC' || id === 'Etc/UTC' || id === 'Zulu') return id === 'UTC' ? UTC : new Zone(id, 0);
  if (id === 'GMT') return GMT;
  const offset = parseOffset(id);
  if (offset !== undefined)
    return new Zone(id.startsWith('GMT') ? `GMT${offsetText(offset, true)}` : id, offset);
  let zone = known.get(id);
  if (zone === undefined && outside.host('groovy.isZone', id) === true) {
    zone = new Zone(id);
    known.set(id, zone);
  }
  return zone;
}

/** As `TimeZone.getTimeZone`: GMT for what is unknown. */
export function zoneOf(id: string): Zone {
  return findZone(id) ?? GMT;
}

let byDefault: Zone | undefined;

export function defaultZone(): Zone {
  byDefault ??= zoneOf(String(outside.host('groovy.defaultZone')));
  return byDefault;
}

export function setDefaultZone(zone: Zone): void {
  byDefault = zone;
}

/** `+02:00`, or `+0200`. */
export function offsetText(offset: number, hasColon: boolean): string {
  const minutes = Math.abs(Math.trunc(offset / 60_000));
  const hours = String(Math.trunc(minutes / 60)).padStart(2, '0');
  return `${offset < 0 ? '-' : '+'}${hours}${hasColon ? ':' : ''}${String(minutes % 60).padStart(2, '0')}`;
}
