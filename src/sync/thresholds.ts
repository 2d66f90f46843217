import { ConflictError } from '#errors/index.ts';

/** How many targets a delivery of all may take away: so many per cent of those there are, or so many, whichever is more. */
export interface Threshold {
  readonly percent: number;
  readonly atLeast: number;
}

export const DEFAULT_THRESHOLD: Threshold = { percent: 10, atLeast: 20 };

/** @param hint what is to be done. @returns what stands against it; undefined where it may be done */
export function overThreshold(
  { name, threshold }: { readonly name: string; readonly threshold: Threshold | undefined },
  { held, targets }: { readonly held: number; readonly targets: number },
  hint: string,
): ConflictError | undefined {
  if (threshold === undefined) return undefined;
  const { percent, atLeast } = threshold;
  if (held <= Math.max(atLeast, (targets * percent) / 100)) return undefined;
  return new ConflictError(
    `'${name}' would take away ${held} of ${targets} targets, which is more than ${percent} % and more than ${atLeast}: none was`,
    {
      id: 'SYNC_THRESHOLD',
      hint,
    },
  );
}
