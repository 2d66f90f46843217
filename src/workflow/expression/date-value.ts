import type { JsonObject } from '#json/index.ts';
import type { Value } from './value.ts';

/** The only member of a date, which holds milliseconds since the epoch. */
const MEMBER = '$date';

/**
 * A date among variables: `{ "$date": ms }`, so that it is JSON like all of them and yet no number. It is stored and
 * shown as milliseconds; scripts get a date of their language.
 */
export function dateValue(ms: number): JsonObject {
  return { [MEMBER]: ms };
}

/** The milliseconds of a date; undefined for anything else. */
export function dateOf(value: Value | undefined): number | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, MEMBER)) return undefined;
  const ms = (value as JsonObject)[MEMBER];
  return typeof ms === 'number' && Number.isFinite(ms) && Object.keys(value).length === 1 ? ms : undefined;
}

/** What a date is to whoever gets JSON: ISO text, at the top only. */
export function isoOfDate<T extends Value>(value: T): T | string {
  const ms = dateOf(value);
  return ms === undefined ? value : isoText(ms);
}

export function isoText(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? String(ms) : date.toISOString();
}
