const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How far back entries are counted, and in which steps. */
export const SPANS = {
  day: { bucket: 'hour', bucketMs: HOUR_MS, steps: 24 },
  week: { bucket: 'day', bucketMs: DAY_MS, steps: 7 },
  month: { bucket: 'day', bucketMs: DAY_MS, steps: 30 },
} as const;

export type Span = keyof typeof SPANS;

export function spanOf(text: string | undefined): Span {
  return text === 'week' || text === 'month' ? text : 'day';
}

export interface Stretch {
  readonly from: string;
  readonly to: string;
}

/** The stretch that ends with the hour, or the day, of this moment. */
export function stretchOf(span: Span, now: Date): Stretch {
  const { bucketMs, steps } = SPANS[span];
  const end = new Date(now);
  if (bucketMs === HOUR_MS) end.setMinutes(60, 0, 0);
  else end.setHours(24, 0, 0, 0);
  return { from: new Date(end.getTime() - steps * bucketMs).toISOString(), to: end.toISOString() };
}

/** The step that begins then. */
export function stepAt(span: Span, from: string): Stretch {
  return { from, to: new Date(Date.parse(from) + SPANS[span].bucketMs).toISOString() };
}

/** A step as an address has it, unless that is no time. */
export function stepOf(text: string | undefined): string | undefined {
  return text !== undefined && !Number.isNaN(Date.parse(text)) ? new Date(text).toISOString() : undefined;
}
