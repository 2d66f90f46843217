import { type RawBuilder, sql } from 'kysely';
import { BadRequestError } from '#errors/index.ts';
import { formatPointer, type Pointer } from '#json/index.ts';
import { lowerCaseOf, type QueryFilter } from '#resource/index.ts';
import { columnIsIn, compareColumn } from './filter-sql-column.ts';
import { compareJson, inLowerCase, isSameText, jsonIsIn } from './filter-sql-json.ts';
import { objectTable, type Place, placeOf, type QueryTable } from './filter-sql-table.ts';

/**
 * The filter as a condition for WHERE, with the truth table of `QueryFilter`. Values are bind parameters,
 * property names are quoted constants (see `filter-sql-table.ts`).
 *
 * As usual in WHERE, the condition may be null where it means false: positive comparisons stay bare, because
 * an index serves no condition inside `coalesce`. Only `not` needs the difference and makes its operand
 * two-valued; to *select* the condition, wrap it in `coalesce(…, false)`.
 *
 * @throws BadRequestError `FILTER_BAD_POINTER`, `FILTER_BAD_VALUE` for text that Postgres cannot hold; parsed
 *   filters have none
 */
export function filterSql(filter: QueryFilter, table: QueryTable): RawBuilder<boolean> {
  const looks = looksAtElements(filter, table);
  if (looks > MOST_LOOKS_AT_ELEMENTS) {
    throw new BadRequestError(`A filter has ${looks} conditions that look at each element of a list`, {
      id: 'FILTER_TOO_MANY_CONDITIONS',
      hint: `${MOST_LOOKS_AT_ELEMENTS} may, of lists and of properties without a type in the schema; eq, in and pr do not`,
    });
  }
  return conditionSql(filter, table);
}

/** Each of them costs as much as the list is long, which its owner decides. */
const MOST_LOOKS_AT_ELEMENTS = 32;

function looksAtElements(filter: QueryFilter, table: QueryTable): number {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.filters.reduce((sum, operand) => sum + looksAtElements(operand, table), 0);
    case 'not':
      return looksAtElements(filter.filter, table);
    case 'compare':
      return filter.operator !== 'eq' && isOfElements(placeOf(table, filter.pointer)) ? 1 : 0;
    default:
      return 0;
  }
}

function isOfElements(place: Place): boolean {
  return place.kind === 'json' && (place.type === undefined || place.type === 'array');
}

function conditionSql(filter: QueryFilter, table: QueryTable): RawBuilder<boolean> {
  switch (filter.kind) {
    case 'literal':
      return filter.value ? sql`true` : sql`false`;
    case 'and':
      return all(filter.filters.map((operand) => conditionSql(operand, table)));
    case 'or':
      return any(filter.filters.map((operand) => conditionSql(operand, table)));
    case 'not':
      return sql`(not coalesce(${conditionSql(filter.filter, table)}, false))`;
    case 'present':
      return presentSql(filter, table);
    case 'compare': {
      const place = placeOf(table, filter.pointer);
      if (place.kind === 'missing') return sql`false`;
      const { operator, value, ignoresCase } = filter;
      if (place.kind === 'column') return compareColumn(place, operator, value);
      if (ignoresCase !== true || typeof value !== 'string') return compareJson(place, operator, value);
      return compareJson(inLowerCase(place), operator, lowerCaseOf(value));
    }
    case 'in': {
      const place = placeOf(table, filter.pointer);
      if (place.kind === 'missing') return sql`false`;
      return place.kind === 'column' ? columnIsIn(place, filter.values) : jsonIsIn(place, filter.values);
    }
  }
}

export function all(conditions: readonly RawBuilder<boolean>[]): RawBuilder<boolean> {
  return conditions.length === 0 ? sql`true` : sql`(${sql.join(conditions, sql` and `)})`;
}

export function any(conditions: readonly RawBuilder<boolean>[]): RawBuilder<boolean> {
  return conditions.length === 0 ? sql`false` : sql`(${sql.join(conditions, sql` or `)})`;
}

function presentSql(
  filter: Extract<QueryFilter, { kind: 'present' }>,
  table: QueryTable,
): RawBuilder<boolean> {
  const place = placeOf(table, filter.pointer);
  if (place.kind === 'missing') return sql`false`;
  return sql`(${place.kind === 'column' ? place.expression : place.text} is not null)`;
}

/**
 * Whether a property of a stored object is the same text as another expression.
 *
 * @param options.ignoresCase the other one is in lower case, as `lowerCaseOf` has it
 */
export function hasSameText(
  pointer: Pointer,
  alias: string,
  other: RawBuilder<unknown>,
  { ignoresCase = false } = {},
): RawBuilder<boolean> {
  const propertyTypes = new Map([[formatPointer(pointer), 'string'] as const]);
  const place = placeOf(objectTable({ alias, propertyTypes }), pointer);
  if (place.kind !== 'json') return sql`false`;
  return isSameText(ignoresCase ? inLowerCase(place) : place, other);
}
