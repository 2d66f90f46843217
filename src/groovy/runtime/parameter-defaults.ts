/**
 * A function whose parameters with values of their own do not all come last: when arguments are missing, those
 * parameters are left out from the right.
 */
export function withDefaults(
  hasDefault: readonly boolean[],
  hidden: number,
  code: (...args: unknown[]) => unknown,
): (...args: unknown[]) => unknown {
  return (...args) => {
    const given = args.slice(hidden).filter((arg) => arg !== undefined);
    let left = hasDefault.length - given.length;
    const skipped = new Set<number>();
    for (let at = hasDefault.length - 1; at >= 0 && left > 0; at--) {
      if (!hasDefault[at]) continue;
      skipped.add(at);
      left--;
    }
    const placed = hasDefault.map((_, at) => (skipped.has(at) ? undefined : given.shift()));
    return code(...args.slice(0, hidden), ...placed);
  };
}
