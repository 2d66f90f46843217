import type { Pointer } from '#json/index.ts';

/** What a field can be compared with. There is no null: ask for absence with `!(field pr)`. */
export type FilterValue = string | number | boolean;

/** Comparison operators with what they say; `in` and `pr` have shapes of their own. */
export const COMPARISONS = {
  eq: 'equal to',
  co: 'contains',
  sw: 'starts with',
  ew: 'ends with',
  lt: 'less than',
  le: 'less than or equal to',
  gt: 'greater than',
  ge: 'greater than or equal to',
} as const;

export type Comparison = keyof typeof COMPARISONS;

/**
 * A query filter, immutable. Memory and SQL answer alike; this is the one truth table:
 *
 * - A field that is missing or null compares false with everything, and `pr` is false. `pr` is true for any
 *   other value, the empty array included.
 * - An array that stands at the end of the pointer compares true when one of its elements does; arrays inside
 *   it are not looked into. On the way, only an index such as `/emails/0` steps into an array.
 * - Strings compare with strings, case-sensitively, by Unicode code point. Numbers compare with numbers, as
 *   doubles. Booleans compare with booleans, false before true. Anything else is false, never an error.
 * - A comparison that ignores case compares both texts as `lowerCaseOf` has them.
 * - `co`, `sw` and `ew` look into strings; with a number or a boolean they mean `eq`.
 * - `in` is true when `eq` is true for one of the values.
 * - `not` is plain negation: `!(field eq 1)` is true where the field is missing.
 */
export type QueryFilter =
  | { readonly kind: 'literal'; readonly value: boolean }
  | { readonly kind: 'and' | 'or'; readonly filters: readonly QueryFilter[] }
  | { readonly kind: 'not'; readonly filter: QueryFilter }
  | { readonly kind: 'present'; readonly pointer: Pointer }
  | {
      readonly kind: 'compare';
      readonly pointer: Pointer;
      readonly operator: Comparison;
      readonly value: FilterValue;
      /** Texts are compared whatever their case. The language of filters has no words for it: only the server asks so. */
      readonly ignoresCase?: boolean;
    }
  | { readonly kind: 'in'; readonly pointer: Pointer; readonly values: readonly FilterValue[] };

/** What a filter looks at. */
export function pointersOf(filter: QueryFilter): Pointer[] {
  switch (filter.kind) {
    case 'literal':
      return [];
    case 'and':
    case 'or':
      return filter.filters.flatMap(pointersOf);
    case 'not':
      return pointersOf(filter.filter);
    default:
      return [filter.pointer];
  }
}

export function isComparison(word: string): word is Comparison {
  return Object.hasOwn(COMPARISONS, word);
}

/**
 * Text that neither Postgres nor JSON over the wire can hold: a NUL character or half of a surrogate pair. No
 * stored value or property name has it.
 */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** A text with the letters of ASCII in lower case: all others have as many rules for it as there are databases. */
export function lowerCaseOf(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
