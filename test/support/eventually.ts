const LONGEST_MS = 240_000;

/**
 * Asks again until the answer satisfies; for states of the database that announce themselves to nobody.
 *
 * @throws after four minutes, with the last answer
 */
export async function eventually<T>(ask: () => Promise<T>, satisfied: (answer: T) => boolean): Promise<T> {
  const startedAt = performance.now();
  for (;;) {
    const answer = await ask();
    if (satisfied(answer)) return answer;
    if (performance.now() - startedAt > LONGEST_MS)
      throw new Error(`It did not come to that. The last answer: ${JSON.stringify(answer, null, 2)}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
