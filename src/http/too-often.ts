import { TooManyRequestsError } from '#errors/index.ts';
import type { RateLimit } from '#security/index.ts';

/**
 * Counts one more request of a client.
 *
 * @param limit undefined: there is none
 * @returns what it is refused with where that was one too many
 */
export function tooOften(limit: RateLimit | undefined, client: string): TooManyRequestsError | undefined {
  const seconds = limit?.take(client) ?? 0;
  if (seconds === 0) return undefined;
  return new TooManyRequestsError('Too many requests', {
    id: 'HTTP_RATE_LIMIT',
    hint: `Try again in ${seconds} s`,
    detail: { retryAfterSeconds: seconds },
  });
}
