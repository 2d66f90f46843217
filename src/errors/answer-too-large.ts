import { PayloadTooLargeError } from './named-errors.ts';

/**
 * Nobody is told half of what they asked for as if it were all.
 *
 * @param hint where a bound of its own has been met, and not that of all answers
 */
export function answerTooLarge(allowedBytes: number, hint?: string): PayloadTooLargeError {
  return new PayloadTooLargeError(`What is asked for has more than ${allowedBytes} bytes`, {
    id: 'ANSWER_TOO_LARGE',
    hint: 'Ask in pages, or in smaller ones (_pageSize), or for less; SVC_ANSWER_LIMIT is the number',
    ...(hint === undefined ? {} : { hint }),
    detail: { allowed: allowedBytes },
  });
}
