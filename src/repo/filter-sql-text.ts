import { type RawBuilder, sql } from 'kysely';
import { BadRequestError } from '#errors/index.ts';
import { beginningOf, type Comparison, isStorableText, SORTED_CHARACTERS } from '#resource/index.ts';

const SQL_OPERATORS = {
  eq: sql.raw('='),
  lt: sql.raw('<'),
  le: sql.raw('<='),
  gt: sql.raw('>'),
  ge: sql.raw('>='),
} as const;

/** Where there is no text to look into, `co`, `sw` and `ew` mean equality, too. */
export function meansEquality(operator: Comparison): operator is 'eq' | 'co' | 'sw' | 'ew' {
  return operator === 'eq' || operator === 'co' || operator === 'sw' || operator === 'ew';
}

export function scalarOperator(operator: Comparison): RawBuilder<unknown> {
  return meansEquality(operator) ? SQL_OPERATORS.eq : SQL_OPERATORS[operator];
}

/** Code point order, whatever the database's own collation; the one in which text is indexed and sorted. */
export function inCodePointOrder(text: RawBuilder<unknown>): RawBuilder<string> {
  return sql`(${text} collate "C")`;
}

/** The beginning of a text in code point order: what is indexed and sorted by, since no index takes a text of any length. */
export function beginningInOrder(text: RawBuilder<unknown>): RawBuilder<string> {
  return inCodePointOrder(beginningOfText(text));
}

export function beginningOfText(text: RawBuilder<unknown>): RawBuilder<string> {
  return sql`"left"(${text}, ${sql.lit(SORTED_CHARACTERS)})`;
}

/** Whether a text is the same as another as soon as their beginnings are. */
export function isWholeBeginning(value: string): boolean {
  return value.length < SORTED_CHARACTERS || [...value].length < SORTED_CHARACTERS;
}

/**
 * Compares a text by its indexed beginning. Where that decides nothing, because the value has as many characters or
 * more, the beginning finds what the whole text is then compared for.
 */
export function compareLongTextSql(
  text: RawBuilder<string>,
  operator: Comparison,
  value: string,
): RawBuilder<boolean> {
  const whole = inCodePointOrder(text);
  if (operator === 'co' || operator === 'ew') return compareTextSql(whole, operator, value);
  const beginning = beginningInOrder(text);
  if (isWholeBeginning(value)) return compareTextSql(beginning, operator, value);
  const bound = bindText(beginningOf(value));
  const candidate = {
    eq: sql`${beginning} = ${bound}`,
    sw: sql`${beginning} = ${bound}`,
    lt: sql`${beginning} <= ${bound}`,
    le: sql`${beginning} <= ${bound}`,
    gt: sql`${beginning} >= ${bound}`,
    ge: sql`${beginning} >= ${bound}`,
  }[operator];
  const decision =
    operator === 'sw'
      ? sql`starts_with(${text}, ${bindText(value)})`
      : compareTextSql(whole, operator, value);
  return sql`(${candidate} and ${decision})`;
}

/** Whether a text is one of several, by its indexed beginning. */
export function textIsIn(text: RawBuilder<string>, values: readonly string[]): RawBuilder<boolean> {
  const [short, long] = [values.filter(isWholeBeginning), values.filter((value) => !isWholeBeginning(value))];
  const conditions = [
    ...(short.length === 0 ? [] : [sql`${beginningInOrder(text)} = any(${bindTexts(short)})`]),
    ...(long.length === 0
      ? []
      : [
          sql`(${beginningInOrder(text)} = any(${bindTexts(long.map(beginningOf))})
            and ${inCodePointOrder(text)} = any(${bindTexts(long)}))`,
        ]),
  ];
  return sql`(${sql.join(conditions, sql` or `)})`;
}

/**
 * Compares a text expression that is in code point order. A prefix is a range, which an index serves also in a
 * prepared statement, and in which `%` and `_` are characters like any other.
 */
export function compareTextSql(
  text: RawBuilder<string>,
  operator: Comparison,
  value: string,
): RawBuilder<boolean> {
  const bound = bindText(value);
  switch (operator) {
    case 'co':
      return hasTextSql(text, value);
    case 'sw': {
      const end = afterPrefix(value);
      if (end === undefined) return sql`(${text} >= ${bound})`;
      return sql`(${text} >= ${bound} and ${text} < ${bindText(end)})`;
    }
    case 'ew':
      return sql`(right(${text}, char_length(${bound})) = ${bound})`;
    default:
      return sql`(${text} ${SQL_OPERATORS[operator]} ${bound})`;
  }
}

/** So few characters are looked for soon enough, whatever they are. */
const FEW_CHARACTERS = 16;
const MOST_LOOKED_FOR = 1_000;

/**
 * Whether a text has another in it, in time in proportion to it: `strpos` takes the product of both lengths for texts that are made
 * for that, and an expression that is quoted as a whole (`q`) does not.
 */
function hasTextSql(text: RawBuilder<string>, value: string): RawBuilder<boolean> {
  if (value.length <= FEW_CHARACTERS) return sql`(strpos(${text}, ${bindText(value)}) > 0)`;
  if (value.length <= MOST_LOOKED_FOR) return sql`regexp_like(${text}, ${bindText(value)}, 'q')`;
  throw new BadRequestError(`A text of ${value.length} characters is looked for with co`, {
    id: 'FILTER_TEXT_TOO_LONG',
    hint: `Look for ${MOST_LOOKED_FOR} characters of it, or for how it begins, with sw`,
  });
}

export function bindText(value: string): RawBuilder<string> {
  return sql`${sql.val(requireStorable(value))}::text`;
}

export function bindTexts(values: readonly string[]): RawBuilder<string[]> {
  return sql`${sql.val(values.map(requireStorable))}::text[]`;
}

export function requireStorable(value: string): string {
  if (isStorableText(value)) return value;
  throw new BadRequestError('A value of the filter holds a character that no stored text can hold', {
    id: 'FILTER_BAD_VALUE',
  });
}

const LAST_BEFORE_SURROGATES = 0xd7ff;
const FIRST_AFTER_SURROGATES = 0xe000;
const LAST_CODE_POINT = 0x10ffff;

/** The least text beyond all that begin with the prefix, or undefined when there is none. */
export function afterPrefix(prefix: string): string | undefined {
  const characters = [...prefix];
  for (let last = characters.pop(); last !== undefined; last = characters.pop()) {
    const codePoint = last.codePointAt(0)!;
    if (codePoint === LAST_CODE_POINT) continue;
    const next = codePoint === LAST_BEFORE_SURROGATES ? FIRST_AFTER_SURROGATES : codePoint + 1;
    return characters.join('') + String.fromCodePoint(next);
  }
  return undefined;
}
