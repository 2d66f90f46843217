/** Whether this is `npm run test:long`. What takes long shows in `npm test` a part of what it shows there. */
export const isLong = process.env['SVC_TEST_LONG'] === '1';

const LEAST_RUNS = 10;

/** How often a property is tried. */
export function runs(many: number): number {
  return isLong ? many : Math.min(many, Math.max(LEAST_RUNS, Math.ceil(many / 5)));
}

/** What stands for all of something, each of which takes long, and all of it. */
export function some<T>(shown: readonly T[], more: readonly T[]): readonly T[] {
  return isLong ? [...shown, ...more] : shown;
}

/** A number that is smaller, or larger, where not everything is tried. */
export function longOr<T>(inLong: T, otherwise: T): T {
  return isLong ? inLong : otherwise;
}
