import { createHash } from 'node:crypto';
import { BadRequestError } from '#errors/index.ts';
import { isStorableText, type QueryFilter } from './query-filter.ts';
import { formatQueryFilter } from './query-filter-format.ts';
import { formatSortKeys, type SortKey, type SortValue } from './sort-key.ts';

/** Where the next page begins: after a row, given by its sort values (the last is its id), or at an offset. */
export type PageStart =
  | { readonly kind: 'after'; readonly tuple: readonly SortValue[] }
  | { readonly kind: 'offset'; readonly offset: number };

/** What a cookie belongs to; a cookie of another query would skip and repeat rows. */
export interface PagedQuery {
  /** The collection, such as `managed/user`, or whatever else tells queries apart. */
  readonly scope: string;
  readonly filter: QueryFilter;
  /** As `totalOrder` gives it. */
  readonly order: readonly SortKey[];
}

const MAX_OFFSET = 2 ** 31 - 1;

/** An opaque cookie. It is not signed: it says nothing a client does not know, and its values are only data. */
export function formatPageCookie(query: PagedQuery, tuple: readonly SortValue[]): string {
  return Buffer.from(JSON.stringify([fingerprint(query), ...tuple])).toString('base64url');
}

/**
 * Reads a cookie of `formatPageCookie`, or a plain integer, which is an offset: clients written for servers
 * whose cookies are offsets make their own.
 *
 * @throws BadRequestError `PAGING_BAD_COOKIE`, also for a cookie of another query
 */
export function parsePageCookie(query: PagedQuery, cookie: string): PageStart {
  if (/^\d+$/.test(cookie)) {
    const offset = Number(cookie);
    if (offset <= MAX_OFFSET) return { kind: 'offset', offset };
    throw invalidPageCookie('its offset is too large');
  }
  const [print, ...tuple] = decode(cookie);
  if (print !== fingerprint(query)) throw invalidPageCookie('it belongs to another query');
  if (tuple.length !== query.order.length || !tuple.every(isSortValue) || typeof tuple.at(-1) !== 'string') {
    throw invalidPageCookie('it is damaged');
  }
  return { kind: 'after', tuple };
}

function decode(cookie: string): unknown[] {
  try {
    const decoded: unknown = JSON.parse(Buffer.from(cookie, 'base64url').toString('utf8'));
    if (Array.isArray(decoded)) return decoded;
  } catch {
    // Not JSON: damaged like any other.
  }
  throw invalidPageCookie('it is damaged');
}

function isSortValue(value: unknown): value is SortValue {
  if (typeof value === 'string') return isStorableText(value);
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value === 'boolean' || value === null;
}

function fingerprint({ scope, filter, order }: PagedQuery): string {
  const text = JSON.stringify([scope, formatQueryFilter(filter), formatSortKeys(order)]);
  return createHash('sha256').update(text).digest('base64url').slice(0, 16);
}

export function invalidPageCookie(why: string): BadRequestError {
  return new BadRequestError('Invalid paged results cookie', {
    id: 'PAGING_BAD_COOKIE',
    field: '_pagedResultsCookie',
    hint: `Start again at the first page: ${why}`,
  });
}
