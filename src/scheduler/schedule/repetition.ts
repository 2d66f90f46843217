import { type FieldReader, refuse } from './field-reader.ts';

/** Fires at `startAt + k × everyMs` for k from 0 to `count`. */
export interface Repetition {
  readonly everyMs: number;
  /** How often it fires after the first time; infinite for `repeatCount: -1`. */
  readonly count: number;
}

const SHORTEST_MS = 100;
/** A hundred years: later times could not be stored as dates. */
const LONGEST_MS = 100 * 365 * 86_400_000;

/** What a simple schedule says of its repetition; nothing where it fires once. */
export function readRepetition(fields: FieldReader): { repeatInterval?: number; repeatCount?: number } {
  const repeatInterval = fields.wholeNumber(
    'repeatInterval',
    0,
    [0, LONGEST_MS],
    'Milliseconds between two firings, a whole number',
  );
  const repeatCount = fields.wholeNumber(
    'repeatCount',
    0,
    [-1, Number.MAX_SAFE_INTEGER],
    'How often it fires after the first time, a whole number; -1 for ever',
  );
  if (repeatCount === 0) return {};
  return fields.attempt<{ repeatInterval?: number; repeatCount?: number }>(() => {
    if (repeatInterval >= SHORTEST_MS) return { repeatInterval, repeatCount };
    throw refuse(
      'repeatInterval',
      `repeatCount is ${repeatCount} and repeatInterval is ${repeatInterval}`,
      `What repeats needs a repeatInterval of at least ${SHORTEST_MS} milliseconds`,
    );
  }, {});
}

/** The earliest time after `after`, and the last one until `until`; null for none. */
export function nextRepetition(
  { everyMs, count }: Repetition,
  { startAt, after, until }: { startAt: number; after: number; until: number | null },
): number | null {
  const n = after < startAt ? 0 : Math.floor((after - startAt) / everyMs) + 1;
  const at = startAt + n * everyMs;
  return n > count || (until !== null && at > until) ? null : at;
}
