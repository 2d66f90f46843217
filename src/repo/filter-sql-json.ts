import { type RawBuilder, sql } from 'kysely';
import type { Comparison, FilterValue } from '#resource/index.ts';
import type { Place } from './filter-sql-table.ts';
import {
  beginningInOrder,
  beginningOfText,
  bindText,
  compareLongTextSql,
  compareTextSql,
  inCodePointOrder,
  meansEquality,
  requireStorable,
  scalarOperator,
  textIsIn,
} from './filter-sql-text.ts';

export type JsonPlace = Extract<Place, { kind: 'json' }>;

/**
 * Compares a value inside jsonb. When the schema says that it is a scalar, the condition is on the expression
 * of `indexOf`; otherwise it looks at the value itself and, in an array, at each element.
 */
export function compareJson(place: JsonPlace, operator: Comparison, value: FilterValue): RawBuilder<boolean> {
  const { type } = place;
  if (type === 'string' || type === 'number' || type === 'boolean') {
    if (type !== typeof value) return sql`false`;
    if (typeof value === 'string')
      return sql`(${compareLongTextSql(place.text, operator, value)} and ${isString(place)})`;
    return sql`(${scalarKey(place)} ${scalarOperator(operator)} ${bindJson(value)})`;
  }
  if (operator === 'eq' || (typeof value !== 'string' && meansEquality(operator))) {
    // A scalar contains itself, and an array its elements: equality and any-match in one, and GIN serves it.
    return sql`(${place.value} @> ${bindJson(value)})`;
  }
  return sql`(case jsonb_typeof(${place.value})
    when ${sql.raw(`'${typeof value}'`)} then ${compareScalar(place.value, place.text, operator, value)}
    when 'array' then exists (
      select from jsonb_array_elements(${place.value}) as element (value)
      where jsonb_typeof(element.value) = ${sql.raw(`'${typeof value}'`)}
        and ${compareScalar(sql`element.value`, sql`(element.value #>> '{}')`, operator, value)}
    )
    else false end)`;
}

/** Where the same value stands with the letters of ASCII in lower case, whatever the database's own collation. */
export function inLowerCase(place: JsonPlace): JsonPlace {
  const { text, type, value } = place;
  const lower = { ...place, text: sql<string>`lower(${text} collate "C")` };
  return type === 'string' ? lower : { ...lower, value: sql`lower(${value}::text collate "C")::jsonb` };
}

/** Whether a property is a text that is the same as another expression, by its index. */
export function isSameText(place: JsonPlace, other: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`(${beginningInOrder(place.text)} = ${beginningOfText(other)}
    and ${inCodePointOrder(place.text)} = ${other} and ${isString(place)})`;
}

export function jsonIsIn(place: JsonPlace, values: readonly FilterValue[]): RawBuilder<boolean> {
  const { type } = place;
  const scalar = type === 'string' || type === 'number' || type === 'boolean';
  const fitting = scalar ? values.filter((value) => typeof value === type) : values;
  if (fitting.length === 0) return sql`false`;
  if (type === 'string') {
    return sql`(${textIsIn(place.text, fitting.map(String))} and ${isString(place)})`;
  }
  const operator = sql.raw(scalar ? '=' : '@>');
  return sql`(${scalar ? scalarKey(place) : place.value} ${operator} any(${bindJsons(fitting)}))`;
}

/**
 * The expression by which a scalar property is sorted and indexed, and compared as far as it goes. Numbers and booleans
 * stay jsonb, where they have the right order and no value can make a cast fail; of a text it is the beginning, which
 * needs a test of its type beside it.
 */
export function scalarKey({ type, text, value }: JsonPlace): RawBuilder<string> {
  if (type === 'string') return beginningInOrder(text);
  return sql`(case jsonb_typeof(${value}) when ${sql.raw(`'${type}'`)} then ${value} end)`;
}

function isString({ value }: JsonPlace): RawBuilder<boolean> {
  return sql`jsonb_typeof(${value}) = 'string'`;
}

/** Both sides are known to be of the literal's type. */
function compareScalar(
  value: RawBuilder<unknown>,
  text: RawBuilder<string>,
  operator: Comparison,
  literal: FilterValue,
): RawBuilder<boolean> {
  if (typeof literal !== 'string') return sql`${value} ${scalarOperator(operator)} ${bindJson(literal)}`;
  if (operator === 'sw') return sql`starts_with(${text}, ${bindText(literal)})`;
  return compareTextSql(inCodePointOrder(text), operator, literal);
}

export function bindJson(value: FilterValue): RawBuilder<unknown> {
  return sql`${sql.val(toJson(value))}::jsonb`;
}

function bindJsons(values: readonly FilterValue[]): RawBuilder<unknown> {
  return sql`${sql.val(values.map(toJson))}::jsonb[]`;
}

function toJson(value: FilterValue): string {
  return JSON.stringify(typeof value === 'string' ? requireStorable(value) : value);
}
