import { BadRequestError, didYouMean } from '#errors/index.ts';
import { type Pointer, parsePointer } from '#json/index.ts';
import { COMPARISONS, isComparison, isStorableText, type QueryFilter } from './query-filter.ts';
import { filterError } from './query-filter-error.ts';
import { FilterTokens, type Token } from './query-filter-token.ts';
import { readFilterValue, readFilterValues } from './query-filter-value.ts';

export const MAX_FILTER_LENGTH = 262_144;
export const MAX_FILTER_CONDITIONS = 5_000;
const MAX_FILTER_DEPTH = 256;
/** Each reads all of a text. */
const MAX_LOOKS_INSIDE = 100;

/**
 * Reads the filter language of Common REST:
 *
 * ```
 * filter  = and { "or" and }        and = not { "and" not }        not = [ "!" ] primary
 * primary = "(" filter ")" | "true" | "false" | pointer "pr" | pointer operator value | pointer "in" array
 * value   = "text" | 'text' | true | false | integer | decimal
 * array   = [ JSON array of such values ], as it is or as a quoted string
 * ```
 *
 * Words are case-insensitive, tokens are separated by spaces, `!` needs a space or a parenthesis after it (`!a`
 * is a field of that name). A number is a double, as in JSON: an integer of up to 64 bits beyond 2^53 is rounded
 * as the stored value was.
 *
 * @throws BadRequestError `FILTER_SYNTAX`, `FILTER_UNKNOWN_OPERATOR` with position, token and excerpt in its
 *   detail; `FILTER_TOO_LONG`, `FILTER_TOO_MANY_CONDITIONS`
 */
export function parseQueryFilter(text: string): QueryFilter {
  if (text.length > MAX_FILTER_LENGTH) {
    throw new BadRequestError(
      `The query filter has ${text.length} characters; ${MAX_FILTER_LENGTH} are allowed`,
      { id: 'FILTER_TOO_LONG', hint: "Use 'in' for lists of values, or several queries" },
    );
  }
  const tokens = new FilterTokens(text);
  const first = tokens.current;
  if (first.kind === 'end') {
    throw filterError(text, first, 'it is empty', { hint: "The filter 'true' matches everything" });
  }
  const filter = readOr(tokens, 0);
  if (tokens.current.kind !== 'end') {
    throw filterError(text, tokens.current, `'${tokens.current.token}' after a complete expression`, {
      hint: "Expressions are joined by 'and' or 'or'",
    });
  }
  return filter;
}

function readOr(tokens: FilterTokens, depth: number): QueryFilter {
  return readJoined(tokens, 'or', () => readJoined(tokens, 'and', () => readNot(tokens, depth)));
}

function readJoined(tokens: FilterTokens, kind: 'and' | 'or', readOperand: () => QueryFilter): QueryFilter {
  const first = readOperand();
  if (!isWord(tokens.current, kind)) return first;
  const filters = [first];
  while (isWord(tokens.current, kind)) {
    tokens.take();
    filters.push(readOperand());
  }
  return { kind, filters };
}

function readNot(tokens: FilterTokens, depth: number): QueryFilter {
  if (!isWord(tokens.current, '!')) return readPrimary(tokens, depth);
  tokens.take();
  if (isWord(tokens.current, '!')) {
    throw filterError(tokens.filter, tokens.current, "a second '!'", { hint: 'Write !(!(…))' });
  }
  return { kind: 'not', filter: readPrimary(tokens, depth) };
}

function readPrimary(tokens: FilterTokens, depth: number): QueryFilter {
  const token = tokens.take();
  if (token.kind === 'open') {
    if (depth === MAX_FILTER_DEPTH) {
      throw filterError(tokens.filter, token, `more than ${MAX_FILTER_DEPTH} levels of parentheses`);
    }
    const filter = readOr(tokens, depth + 1);
    if (tokens.current.kind !== 'close') {
      throw filterError(tokens.filter, tokens.current, "a ')' is missing");
    }
    tokens.take();
    return filter;
  }
  if (isWord(token, 'true') || isWord(token, 'false')) {
    return { kind: 'literal', value: isWord(token, 'true') };
  }
  if (tokens.countCondition() > MAX_FILTER_CONDITIONS) {
    throw filterError(tokens.filter, token, `more than ${MAX_FILTER_CONDITIONS} conditions`, {
      id: 'FILTER_TOO_MANY_CONDITIONS',
      hint: "Use 'in' for lists of values, or several queries",
    });
  }
  return readCondition(tokens, readPointer(tokens, token));
}

function readCondition(tokens: FilterTokens, pointer: Pointer): QueryFilter {
  const token = tokens.take();
  if (token.kind !== 'word') {
    throw filterError(tokens.filter, token, 'an operator is missing', { hint: operatorHint });
  }
  const operator = token.text.toLowerCase();
  if (operator === 'pr') return { kind: 'present', pointer };
  if (operator === 'in') return { kind: 'in', pointer, values: readFilterValues(tokens) };
  if (!isComparison(operator)) throw unknownOperator(tokens.filter, token);
  if (operator === 'co' && tokens.countLook() > MAX_LOOKS_INSIDE) {
    throw filterError(tokens.filter, token, `more than ${MAX_LOOKS_INSIDE} conditions with co`, {
      id: 'FILTER_TOO_MANY_CONDITIONS',
      hint: "Use 'in' for lists of values, or several queries",
    });
  }
  return { kind: 'compare', pointer, operator, value: readFilterValue(tokens) };
}

function readPointer(tokens: FilterTokens, token: Token): Pointer {
  if (token.kind !== 'word') {
    const found = token.kind === 'end' ? 'a field is missing' : `${token.token} where a field is expected`;
    const hint = 'Fields are JSON pointers without quotes; write a space in one as %20';
    throw filterError(tokens.filter, token, found, { hint });
  }
  let pointer: Pointer;
  try {
    pointer = parsePointer(token.text);
  } catch (error) {
    if (!(error instanceof BadRequestError)) throw error;
    const hint = "Write a slash inside a name as '%2F', a percent sign as '%25' and a tilde as '%7E'";
    throw filterError(tokens.filter, token, `malformed escape in '${token.text}'`, { hint });
  }
  if (pointer.every(isStorableText)) return pointer;
  throw filterError(tokens.filter, token, 'a character in the field name that no name can hold');
}

const operatorHint = `Operators are ${Object.keys(COMPARISONS).join(', ')}, in and pr`;

function unknownOperator(filter: string, token: Token): BadRequestError {
  const word = token.text.toLowerCase();
  let hint = didYouMean(word, [...Object.keys(COMPARISONS), 'in', 'pr']) ?? operatorHint;
  if (['ne', '!=', '<>', 'not'].includes(word)) hint = 'Write !(field eq value)';
  if (word === '=' || word === '==') hint = "Did you mean 'eq'?";
  if (/\s/.test(token.text)) hint = 'Tokens are separated by spaces only, not by tabs or line breaks';
  return filterError(filter, token, `unknown operator '${token.text}'`, {
    id: 'FILTER_UNKNOWN_OPERATOR',
    hint,
  });
}

function isWord(token: Token, word: string): boolean {
  return token.kind === 'word' && token.text.toLowerCase() === word;
}
