import { BadRequestError } from '#errors/index.ts';

/** The decoded segments of a resource path; a segment may hold a slash as data. */
export type ResourcePath = readonly string[];

/**
 * Reads a path such as `managed/user/u1`. Leading and trailing slashes are ignored.
 *
 * @throws BadRequestError on an empty segment in the middle or a malformed percent escape
 */
export function parsePath(text: string): ResourcePath {
  const trimmed = withoutOuterSlashes(text);
  if (trimmed === '') return [];
  return trimmed.split('/').map((segment) => {
    if (segment === '') {
      throw new BadRequestError(`The path '${text}' has an empty segment`, { id: 'PATH_EMPTY_SEGMENT' });
    }
    if (!segment.includes('%')) return segment;
    try {
      return decodeURIComponent(segment);
    } catch {
      throw new BadRequestError(`The path '${text}' has a malformed percent escape`, {
        id: 'PATH_BAD_ESCAPE',
        hint: "Write a percent sign as '%25'",
      });
    }
  });
}

function withoutOuterSlashes(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && text[start] === '/') start += 1;
  while (end > start && text[end - 1] === '/') end -= 1;
  return text.slice(start, end);
}

const MEANS_SOMETHING = /[%/?#]/;

/** The path as text, without a leading slash; only what would change its meaning is escaped. */
export function formatPath(path: ResourcePath): string {
  return path.some((segment) => MEANS_SOMETHING.test(segment))
    ? path.map((segment) => segment.replace(/[%/?#]/g, encodeURIComponent)).join('/')
    : path.join('/');
}
