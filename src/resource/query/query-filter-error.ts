import { BadRequestError } from '#errors/index.ts';

/** Where in the filter the trouble is, and what stands there (empty at the end of the filter). */
export interface Place {
  readonly position: number;
  readonly token: string;
}

const CONTEXT = 40;

/**
 * A 400 whose detail holds the position (from 0, in UTF-16 units), the offending token and a two-line excerpt
 * with a caret under it.
 */
export function filterError(
  filter: string,
  place: Place,
  message: string,
  facts: { id?: string; hint?: string } = {},
): BadRequestError {
  const where = place.position >= filter.length ? 'at its end' : `at position ${place.position}`;
  return new BadRequestError(`The query filter is wrong ${where}: ${message}`, {
    id: facts.id ?? 'FILTER_SYNTAX',
    ...(facts.hint === undefined ? {} : { hint: facts.hint }),
    detail: { position: place.position, token: place.token, excerpt: excerpt(filter, place) },
  });
}

/** The surroundings only: filters may be long, and answers and logs should not repeat them. */
function excerpt(filter: string, { position }: Place): string {
  const start = Math.max(0, position - CONTEXT);
  const end = Math.min(filter.length, position + CONTEXT);
  const before = start > 0 ? '…' : '';
  const after = end < filter.length ? '…' : '';
  // A control character would move the caret away from what it points at.
  const line = filter.slice(start, end).replace(/\p{Cc}/gu, '·');
  return `${before}${line}${after}\n${' '.repeat(before.length + position - start)}^`;
}
