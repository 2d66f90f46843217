import { BadRequestError } from '#errors/index.ts';
import { getAt, type JsonObject, type JsonValue, type Pointer, parsePointer } from '#json/index.ts';
import { isStorableText, lowerCaseOf } from './query-filter.ts';
import { formatFilterPointer } from './query-filter-format.ts';
import { compareText } from './query-filter-order.ts';

export interface SortKey {
  readonly pointer: Pointer;
  readonly descending: boolean;
  /** Texts by their letters in lower case, those of ASCII. */
  readonly ignoresCase?: boolean;
}

/**
 * Texts are sorted by so many of their first characters, and then by id: no index takes a text of any length, and a
 * cookie holds what was sorted by.
 */
export const SORTED_CHARACTERS = 500;

/** What an object is sorted by; null stands for everything that has no place of its own. */
export type SortValue = number | string | boolean | null;

const MAX_SORT_KEYS = 16;

const BY_ID: SortKey = { pointer: ['_id'], descending: false };

/**
 * Reads `_sortKeys`: a comma list of JSON pointers, each with an optional `+` (ascending, also when it decoded to
 * a space) or `-` (descending).
 *
 * @throws BadRequestError `SORT_BAD_KEY` for an empty or malformed key, `SORT_TOO_MANY_KEYS`
 */
export function parseSortKeys(text: string): SortKey[] {
  const keys = text.split(',').map(parseSortKey);
  if (keys.length <= MAX_SORT_KEYS) return keys;
  throw new BadRequestError(`${keys.length} sort keys are given; ${MAX_SORT_KEYS} are allowed`, {
    id: 'SORT_TOO_MANY_KEYS',
    field: '_sortKeys',
  });
}

function parseSortKey(text: string): SortKey {
  const [, sign, path] = /^ *([+-]?)(.*)$/s.exec(text)!;
  const pointer = parsePointer(path!.trim());
  if (pointer.length > 0 && pointer.every(isStorableText)) return { pointer, descending: sign === '-' };
  throw new BadRequestError(`'${text}' is not a sort key`, {
    id: 'SORT_BAD_KEY',
    field: '_sortKeys',
    hint: "Sort keys are JSON pointers with an optional '+' (sent as %2B) or '-', separated by commas",
  });
}

export function formatSortKeys(keys: readonly SortKey[]): string {
  return keys
    .map(({ descending, ignoresCase = false, pointer }) => {
      const sign = `${descending ? '-' : '+'}${ignoresCase ? '~' : ''}`;
      return `${sign}${formatFilterPointer(pointer)}`;
    })
    .join(',');
}

/**
 * The keys that decide, the last of them always `_id`, so that the order is total and pages are stable: repeated
 * keys and keys after `_id` change nothing and are dropped.
 */
export function totalOrder(keys: readonly SortKey[]): SortKey[] {
  const seen = new Set<string>();
  const order: SortKey[] = [];
  for (const key of keys) {
    const name = formatFilterPointer(key.pointer);
    if (seen.has(name)) continue;
    seen.add(name);
    order.push(key);
    if (name === '/_id') return order;
  }
  return [...order, BY_ID];
}

/**
 * The values an object is sorted by. Ascending: numbers, then strings by the code points of their beginning, then false, true, and last
 * whatever is none of these: missing, null, objects and arrays. Descending is the exact reverse.
 */
export function sortTuple(order: readonly SortKey[], object: JsonObject): SortValue[] {
  return order.map(({ ignoresCase = false, pointer }) => {
    const value = getAt(object, pointer);
    return toSortValue(ignoresCase && typeof value === 'string' ? lowerCaseOf(value) : value);
  });
}

export function compareSortTuples(
  order: readonly SortKey[],
  left: readonly SortValue[],
  right: readonly SortValue[],
): number {
  for (const [index, key] of order.entries()) {
    const compared = compareSortValues(left[index] ?? null, right[index] ?? null);
    if (compared !== 0) return key.descending ? -compared : compared;
  }
  return 0;
}

const RANKS = { number: 1, string: 2, boolean: 3 } as const;

/** The place of a value's type in the order; 4 is for what has no value to compare. */
export function sortRank(value: SortValue): number {
  return value === null ? 4 : RANKS[typeof value as keyof typeof RANKS];
}

function compareSortValues(left: SortValue, right: SortValue): number {
  if (typeof left === 'string' && typeof right === 'string') return compareText(left, right);
  const ranks = sortRank(left) - sortRank(right);
  return ranks === 0 ? Number(left) - Number(right) : ranks;
}

/** The first characters of a text, as Postgres counts them: by code points. */
export function beginningOf(text: string): string {
  if (text.length <= SORTED_CHARACTERS) return text;
  let end = 0;
  for (let count = 0; count < SORTED_CHARACTERS && end < text.length; count++) {
    end += text.codePointAt(end)! > 0xffff ? 2 : 1;
  }
  return text.slice(0, end);
}

function toSortValue(value: JsonValue | undefined): SortValue {
  if (typeof value === 'string') return beginningOf(value);
  return typeof value === 'object' || value === undefined ? null : value;
}
