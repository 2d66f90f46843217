/** Begins the name of a node that did not end, but was given up because it hung or was cut off. */
export const SILENT = 'the silent ';

/** How many of these ended for good, which the job that they ran may have caused. */
export function countEnded(lostWith: readonly string[]): number {
  return lostWith.filter((name) => !name.startsWith(SILENT)).length;
}
