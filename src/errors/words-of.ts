/** What was thrown, in its own words. A name with several addresses fails with one error for each, and has none. */
export function wordsOf(thrown: unknown): string {
  if (thrown instanceof AggregateError && thrown.message === '') return thrown.errors.map(wordsOf).join('; ');
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The code by which the system names what has failed, such as `ENOENT`. */
export function systemCodeOf(thrown: unknown): string | undefined {
  if (typeof thrown !== 'object' || thrown === null || !('code' in thrown)) return undefined;
  return typeof thrown.code === 'string' ? thrown.code : undefined;
}
