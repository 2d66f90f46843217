import type { JsonValue } from '#json/index.ts';
import { type FilterValue, isStorableText } from './query-filter.ts';
import { filterError, type Place } from './query-filter-error.ts';
import type { FilterTokens } from './query-filter-token.ts';

const INTEGER = /^[+-]?\d+$/;
const DECIMAL = /^[+-]?(?:\d+\.\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const MIN_INTEGER = -(2n ** 63n);
const MAX_INTEGER = 2n ** 63n - 1n;

/** Reads the literal on the right of a comparison. */
export function readFilterValue(tokens: FilterTokens): FilterValue {
  const token = tokens.take();
  if (token.kind === 'quoted') return storable(tokens, token, token.text);
  if (token.kind !== 'word') throw filterError(tokens.filter, token, 'a value is missing');
  const word = token.text.toLowerCase();
  if (word === 'true' || word === 'false') return word === 'true';
  if (INTEGER.test(word)) {
    const integer = BigInt(word.replace('+', ''));
    if (integer >= MIN_INTEGER && integer <= MAX_INTEGER) return Number(integer);
    throw filterError(tokens.filter, token, `${token.text} does not fit into 64 bits`);
  }
  if (DECIMAL.test(word)) {
    // Adding zero makes -0.0 the plain zero that JSON knows.
    const decimal = Number(word) + 0;
    if (Number.isFinite(decimal)) return decimal;
    throw filterError(tokens.filter, token, `${token.text} is beyond the range of a double`);
  }
  const hint =
    word === 'null' ? 'There is no null; write !(field pr)' : 'Text needs quotes: "text" or \'text\'';
  throw filterError(tokens.filter, token, `'${token.text}' is not a value`, { hint });
}

/** Reads the array on the right of `in`: JSON as it is, or the same inside quotes. */
export function readFilterValues(tokens: FilterTokens): FilterValue[] {
  const first = tokens.current;
  if (first.kind === 'word' && first.text.startsWith('[')) {
    const place = tokens.takeArray();
    return parseValues(tokens, place, place.token);
  }
  if (first.kind === 'quoted') return parseValues(tokens, tokens.take(), first.text);
  throw filterError(tokens.filter, first, "'in' needs an array", { hint: IN_HINT });
}

const IN_HINT = 'Write a JSON array of strings, numbers and booleans: field in \'["a", "b"]\'';

function parseValues(tokens: FilterTokens, place: Place, text: string): FilterValue[] {
  let values: JsonValue;
  try {
    values = JSON.parse(text);
  } catch {
    throw filterError(tokens.filter, place, "the value of 'in' is not JSON", { hint: IN_HINT });
  }
  if (!Array.isArray(values)) {
    throw filterError(tokens.filter, place, "the value of 'in' is not a JSON array", { hint: IN_HINT });
  }
  return values.map((value) => {
    if (typeof value === 'string') return storable(tokens, place, value);
    if (typeof value === 'boolean') return value;
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    throw filterError(tokens.filter, place, `${JSON.stringify(value)} is no string, number or boolean`, {
      hint: IN_HINT,
    });
  });
}

function storable(tokens: FilterTokens, place: Place, text: string): string {
  if (isStorableText(text)) return text;
  throw filterError(tokens.filter, place, 'a character in the value that no stored text can hold');
}
