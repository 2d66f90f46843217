import { ServiceUnavailableError } from '#errors/index.ts';

/** When the main thread has said nothing for so long, whoever asks how the node is, is told that it is not well. */
const SILENCE_MS = 5_000;

/** What the main thread says. @throws ServiceUnavailableError when it says nothing for too long */
export async function heard<Answer>(answer: Promise<Answer>): Promise<Answer> {
  const silent = Promise.withResolvers<never>();
  const timer = setTimeout(
    () =>
      silent.reject(
        new ServiceUnavailableError(`The main thread has said nothing for ${SILENCE_MS} ms`, {
          id: 'NODE_SILENT',
        }),
      ),
    SILENCE_MS,
  );
  try {
    return await Promise.race([answer, silent.promise]);
  } finally {
    clearTimeout(timer);
  }
}
