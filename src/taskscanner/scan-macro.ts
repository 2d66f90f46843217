import { addDuration, parseDuration, subtractDuration } from '#time/index.ts';

/** A macro that is not behind a backslash; macros do not nest. */
const MACRO = /(?<!\\)\$\{([^{}]*)\}/g;
const TIME = /^Time\.now(?: ([+-]) (\S+))?$/;

/**
 * Replaces `${Time.now}`, `${Time.now + 2d}` and `${Time.now - 1h}` by the instant as ISO text in UTC with
 * milliseconds. Anything else in braces stays as it is.
 *
 * @param now epoch ms
 * @throws BadRequestError `TIME_BAD_DURATION` for a span that cannot be read
 */
export function expandMacros(text: string, now: number): string {
  return text.replace(MACRO, (macro, word: string) => {
    const match = TIME.exec(word.trim());
    if (match === null) return macro;
    const [, sign, span] = match;
    if (span === undefined) return new Date(now).toISOString();
    const duration = parseDuration(span);
    return new Date(
      sign === '+' ? addDuration(now, duration) : subtractDuration(now, duration),
    ).toISOString();
  });
}
