/** Whoever looks at a node waits no longer for what Postgres does not answer. */
const PATIENCE_MS = 2_000;
const GIVEN_UP_MS = 6_000;

async function inTime<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer for ${PATIENCE_MS} ms`)), PATIENCE_MS);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Of several who ask while there is no answer yet, one asks: each question holds a connection for as long as it takes.
 *
 * @throws what the answer does, and an error when there is none in time
 */
export function inTurn<T>(ask: () => Promise<T>): () => Promise<T> {
  let pending: { readonly answer: Promise<T>; readonly askedAt: number } | undefined;
  return () => {
    const now = performance.now();
    // A connection may be dead without anybody knowing; the next question takes another one.
    if (pending === undefined || now - pending.askedAt > GIVEN_UP_MS) {
      const question = { answer: ask(), askedAt: now };
      pending = question;
      const done = () => {
        if (pending === question) pending = undefined;
      };
      question.answer.then(done, done);
    }
    return inTime(pending.answer);
  };
}
