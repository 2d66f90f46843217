import type { ThresholdKind, ThresholdsConfig } from '#config/index.ts';
import { ConflictError } from '#errors/index.ts';

/** How much may be done that nobody has looked at: so many per cent of what there is, or so many, whichever is more. */
export interface Threshold {
  readonly percent: number;
  readonly atLeast: number;
}

/** What is not named is not limited. */
export type Thresholds = Readonly<Partial<Record<ThresholdKind, Threshold>>>;

const DEFAULTS: Thresholds = {
  delete: { percent: 10, atLeast: 20 },
  shrink: { percent: 30, atLeast: 20 },
};

/** @param given undefined: what holds where nothing is said. @returns undefined: there are none */
export function thresholdsOf(given: ThresholdsConfig | undefined): Thresholds | undefined {
  if (given === false) return undefined;
  const named = Object.entries(given ?? {}).filter(([, threshold]) => threshold !== undefined);
  return { ...DEFAULTS, ...Object.fromEntries(named) };
}

/** @param hint what is to be done. @returns what stands against it; undefined where it may be done */
export function overThreshold(
  { name, thresholds }: { readonly name: string; readonly thresholds: Thresholds | undefined },
  { held, targets }: { readonly held: number; readonly targets: number },
  hint: string,
): ConflictError | undefined {
  const threshold = thresholds?.delete;
  if (!isOver(threshold, held, targets)) return undefined;
  const { percent, atLeast } = threshold;
  return new ConflictError(
    `'${name}' would take away ${held} of ${targets} targets, which is more than ${percent} % and more than ${atLeast}: none was`,
    {
      id: 'SYNC_THRESHOLD',
      hint,
    },
  );
}

/** Whether so many are more than may be. */
export function isOver(threshold: Threshold | undefined, count: number, all: number): threshold is Threshold {
  return threshold !== undefined && count > Math.max(threshold.atLeast, (all * threshold.percent) / 100);
}
