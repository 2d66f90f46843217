/** What comes next is read while what has come is worked on: the two databases wait for each other no longer. */
export async function* readAhead<T>(pages: AsyncIterable<T>): AsyncGenerator<T> {
  const reader = pages[Symbol.asyncIterator]();
  let next = reader.next();
  try {
    for (;;) {
      const { done, value } = await next;
      if (done === true) return;
      next = reader.next();
      // Whoever asks for it learns of a failure.
      next.catch(() => {});
      yield value;
    }
  } finally {
    await next.catch(() => {});
    await reader.return?.();
  }
}
