import { BadRequestError } from '#errors/index.ts';
import { isObject, type JsonValue } from '#json/index.ts';
import { isInstant, parseInstant } from '#time/index.ts';

/** A span from a time to another, in epoch ms; the end does not belong to it. */
export interface TimeSpan {
  readonly startAt: number;
  readonly endAt: number;
}

/**
 * Reads `[{"duration": "<ISO start>/<ISO end>"}]`: at most one, null and `[]` mean always.
 *
 * @throws BadRequestError for more than one, and for what is no span of time
 */
export function parseTemporalConstraints(
  value: JsonValue | undefined,
  of: 'role' | 'grant',
): TimeSpan | null {
  if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) return null;
  if (Array.isArray(value) && value.length > 1) {
    throw new BadRequestError(`Only 1 temporal constraint is supported per ${of}.`, {
      id: 'TEMPORAL_CONSTRAINT_COUNT',
    });
  }
  const span = Array.isArray(value) ? spanOf(value[0]) : undefined;
  if (span !== undefined && isInstant(span.startAt) && isInstant(span.endAt)) return span;
  throw new BadRequestError(`${JSON.stringify(value)} is not a temporal constraint`, {
    id: 'TEMPORAL_CONSTRAINT_INVALID',
    hint: 'Such as [{"duration": "2030-01-01T00:00:00Z/2030-06-30T00:00:00Z"}]',
  });
}

/** Whether constraints as they are stored let something be in effect; those that cannot be read do not. */
export function isInEffect(value: JsonValue | undefined, now: number): boolean {
  if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) return true;
  return (
    Array.isArray(value) &&
    value.every((entry) => {
      const span = spanOf(entry);
      return span !== undefined && span.startAt <= now && now < span.endAt;
    })
  );
}

/** Without an offset a time is meant in UTC, and not in the zone of the node that happens to look at it. */
function instantOf(text: string): number {
  const isLocal = /T[\d:.,]+$/.test(text);
  return parseInstant(isLocal ? `${text}Z` : text);
}

function spanOf(value: JsonValue | undefined): TimeSpan | undefined {
  const duration = isObject(value) ? value['duration'] : undefined;
  if (typeof duration !== 'string') return undefined;
  const [start, end, ...rest] = duration.split('/').map(instantOf);
  if (start === undefined || end === undefined || rest.length > 0) return undefined;
  return start < end ? { startAt: start, endAt: end } : undefined;
}
