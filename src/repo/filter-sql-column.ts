import { type RawBuilder, sql } from 'kysely';
import type { Comparison, FilterValue } from '#resource/index.ts';
import { isInstant } from '#time/index.ts';
import type { Place } from './filter-sql-table.ts';
import { bindText, bindTexts, compareTextSql, inCodePointOrder, scalarOperator } from './filter-sql-text.ts';

type ColumnPlace = Extract<Place, { kind: 'column' }>;

export function compareColumn(
  { expression, type, instant, uuid }: ColumnPlace,
  operator: Comparison,
  value: FilterValue,
): RawBuilder<boolean> {
  if (uuid !== undefined && !meansMoreThanOrder(operator)) {
    if (isUuidText(value)) return sql`(${uuid} ${scalarOperator(operator)} ${bindUuid(value)})`;
    if (operator === 'eq') return sql`false`;
  }
  if (instant !== undefined && isInstantText(value)) {
    const compared = compareInstant(instant, operator, value);
    if (compared !== undefined) return compared;
  }
  if (type === 'text' && typeof value === 'string') {
    // Equality is the same in all collations, and bare it fits the column's index in whatever it is collated.
    if (operator === 'eq') return sql`(${expression} = ${bindText(value)})`;
    return compareTextSql(inCodePointOrder(expression), operator, value);
  }
  if (type === typeof value) return sql`(${expression} ${scalarOperator(operator)} ${bindScalar(value)})`;
  return sql`false`;
}

/**
 * As the texts compare, but in a form that an index on the instant serves. The text ends with the millisecond, the
 * instant may go on.
 */
function compareInstant(
  instant: RawBuilder<unknown>,
  operator: Comparison,
  text: string,
): RawBuilder<boolean> | undefined {
  const from = sql`${bindText(text)}::timestamptz`;
  const next = sql`${bindText(new Date(Date.parse(text) + 1).toISOString())}::timestamptz`;
  switch (operator) {
    case 'eq':
      return sql`(${instant} >= ${from} and ${instant} < ${next})`;
    case 'gt':
      return sql`(${instant} >= ${next})`;
    case 'ge':
      return sql`(${instant} >= ${from})`;
    case 'lt':
      return sql`(${instant} < ${from})`;
    case 'le':
      return sql`(${instant} < ${next})`;
    default:
      return undefined;
  }
}

/** Whether it is written as `toISOString` writes; other texts compare as texts. */
function isInstantText(value: FilterValue): value is string {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value)) return false;
  const at = Date.parse(value);
  // The next millisecond is asked for as well.
  return isInstant(at) && isInstant(at + 1) && new Date(at).toISOString() === value;
}

export function columnIsIn(
  { expression, type, uuid }: ColumnPlace,
  values: readonly FilterValue[],
): RawBuilder<boolean> {
  if (uuid !== undefined) return sql`(${uuid} = any(${bindTexts(values.filter(isUuidText))}::uuid[]))`;
  const fitting = values.filter((value) => typeof value === (type === 'text' ? 'string' : type));
  if (fitting.length === 0) return sql`false`;
  if (type === 'text') return sql`(${expression} = any(${bindTexts(fitting.map(String))}))`;
  return sql`(${expression} in (${sql.join(fitting.map(bindScalar))}))`;
}

/** Whether it is written as Postgres shows a uuid; other texts compare as texts, and are the same as none. */
export function isUuidText(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value);
}

export function bindUuid(value: string): RawBuilder<unknown> {
  return sql`${bindText(value)}::uuid`;
}

function meansMoreThanOrder(operator: Comparison): boolean {
  return operator === 'co' || operator === 'sw' || operator === 'ew';
}

/** Binds as text with a cast: a whole number as bigint, because numeric would keep an integer index out. */
export function bindScalar(value: FilterValue): RawBuilder<unknown> {
  if (typeof value === 'string') return bindText(value);
  if (typeof value === 'boolean') return sql`${sql.val(value)}::boolean`;
  return sql`${sql.val(String(value))}::${sql.raw(Number.isSafeInteger(value) ? 'bigint' : 'numeric')}`;
}
