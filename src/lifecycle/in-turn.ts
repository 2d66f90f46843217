/** Whoever looks at a node waits no longer for what Postgres does not answer. */
const PATIENCE_MS = 2_000;
const GIVEN_UP_MS = 6_000;
/** For so long an answer serves. */
const FRESH_MS = 500;

async function inTime<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(tooLate()), PATIENCE_MS);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * When several ask while there is no answer yet, only one question is sent: each holds a connection for as long as it takes.
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

/** One question serves all who ask it within a moment, as several figures of one look do. */
export function kept<T>(ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  let freshUntil = 0;
  return () => {
    if (answer === undefined || performance.now() > freshUntil) {
      answer = ask();
      freshUntil = Number.POSITIVE_INFINITY;
      const age = () => {
        freshUntil = performance.now() + FRESH_MS;
      };
      answer.then(age, age);
    }
    return answer;
  };
}

/** Has one question asked after the other, so that all of them together hold one connection. */
export function oneByOne(): <T>(ask: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (ask) => {
    const until = performance.now() + PATIENCE_MS;
    const answer = last.then(() => {
      // Nobody waits for it any more.
      if (performance.now() > until) throw tooLate();
      return ask();
    });
    last = answer.catch(() => undefined);
    return inTime(answer);
  };
}

function tooLate(): Error {
  return new Error(`no answer for ${PATIENCE_MS} ms`);
}
