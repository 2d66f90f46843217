/**
 * Asks again until the answer satisfies; for states of the database that announce themselves to nobody. The test's
 * own timeout bounds it.
 */
export async function eventually<T>(ask: () => Promise<T>, satisfied: (answer: T) => boolean): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (satisfied(answer)) return answer;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
