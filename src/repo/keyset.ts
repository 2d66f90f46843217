import { type RawBuilder, sql } from 'kysely';
import { type SortValue, sortRank } from '#resource/index.ts';
import { all, any } from './filter-sql.ts';
import { bindJson } from './filter-sql-json.ts';
import { bindText } from './filter-sql-text.ts';
import type { SortColumn } from './sort-sql.ts';

type PlainColumn = Extract<SortColumn, { kind: 'plain' }>;
type MixedColumn = Extract<SortColumn, { kind: 'mixed' }>;

/** A range of the sort order in which the first columns, `fixed` of them, have one value. */
export interface KeysetSegment {
  readonly condition: RawBuilder<boolean>;
  readonly fixed: number;
}

/**
 * The rows after a sort tuple as conditions that exclude each other, each one range of an index on the sort
 * columns. Together they would be an OR, for which Postgres reads the index from its beginning; apart, every
 * page costs the same. They stand in sort order.
 */
export function keysetSegments(columns: readonly SortColumn[], tuple: readonly SortValue[]): KeysetSegment[] {
  const row = rowSegments(columns, tuple);
  if (row !== undefined) return row;
  const segments: KeysetSegment[] = [];
  for (const [depth, column] of [...columns.entries()].reverse()) {
    const same = columns.slice(0, depth).map((before, index) => isSame(before, tuple[index] ?? null));
    const after = isAfter(column, tuple[depth] ?? null);
    segments.push(...after.map((condition) => ({ condition: all([...same, condition]), fixed: depth })));
  }
  return segments;
}

/**
 * All rows in the same way. Only where nulls come first is there anything to gain: the first page would have to
 * sort all of them by id.
 */
export function openingSegments(columns: readonly SortColumn[]): KeysetSegment[] {
  const [first] = columns;
  if (first?.kind !== 'plain' || !first.descending || !first.nullable) {
    return [{ condition: sql`true`, fixed: 0 }];
  }
  return [
    { condition: sql`${first.expression} is null`, fixed: 1 },
    { condition: sql`${first.expression} is not null`, fixed: 0 },
  ];
}

/**
 * The columns with the direction of their successor where they are fixed. Postgres does not see that a column
 * under IS NULL is constant and would sort what it could read in order.
 */
export function segmentOrder(columns: readonly SortColumn[], fixed: number): SortColumn[] {
  const descending = columns[fixed]?.descending ?? false;
  return columns.map((column, index) => (index < fixed ? { ...column, descending } : column));
}

/** The same rows as one condition, for orders that no index serves: one scan instead of one for each segment. */
export function keysetCondition(
  columns: readonly SortColumn[],
  tuple: readonly SortValue[],
): RawBuilder<boolean> {
  let condition: RawBuilder<boolean> = sql`false`;
  for (const [depth, column] of [...columns.entries()].reverse()) {
    const value = tuple[depth] ?? null;
    const further = depth === columns.length - 1 ? [] : [all([isSame(column, value), condition])];
    condition = any([...isAfter(column, value), ...further]);
  }
  return condition;
}

/** One ascending key before the id: equal keys and greater ones are one range by row comparison. */
function rowSegments(
  columns: readonly SortColumn[],
  tuple: readonly SortValue[],
): KeysetSegment[] | undefined {
  const [key, id] = columns;
  const [value, lastId] = tuple;
  if (columns.length !== 2 || key?.kind !== 'plain' || id?.kind !== 'plain') return undefined;
  if (key.descending || id.descending || value === undefined || value === null) return undefined;
  const bound = sql`(${key.bind(value)}, ${id.bind(lastId ?? null)})`;
  const range = sql<boolean>`(${key.expression}, ${id.expression}) > ${bound}`;
  const nulls: KeysetSegment = { condition: sql`${key.expression} is null`, fixed: 1 };
  return [{ condition: range, fixed: 0 }, ...(key.nullable ? [nulls] : [])];
}

function isSame(column: SortColumn, value: SortValue): RawBuilder<boolean> {
  if (column.kind === 'plain') {
    if (value === null) return sql`${column.expression} is null`;
    return sql`${column.expression} = ${column.bind(value)}`;
  }
  const sameRank = sql<boolean>`${column.rank} = ${bindRank(value)}`;
  return value === null ? sameRank : all([sameRank, compareMixed(column, '=', value)]);
}

function isAfter(column: SortColumn, value: SortValue): RawBuilder<boolean>[] {
  return column.kind === 'plain' ? isAfterPlain(column, value) : [isAfterMixed(column, value)];
}

/** None, one or two conditions: nulls are the last ascending and the first descending. */
function isAfterPlain(column: PlainColumn, value: SortValue): RawBuilder<boolean>[] {
  const { expression, descending, nullable } = column;
  if (value === null) return descending ? [sql`${expression} is not null`] : [];
  if (descending) return [sql`${expression} < ${column.bind(value)}`];
  const greater = sql<boolean>`${expression} > ${column.bind(value)}`;
  return nullable ? [greater, sql`${expression} is null`] : [greater];
}

function isAfterMixed(column: MixedColumn, value: SortValue): RawBuilder<boolean> {
  const operator = column.descending ? '<' : '>';
  const laterRank = sql<boolean>`${column.rank} ${sql.raw(operator)} ${bindRank(value)}`;
  if (value === null) return laterRank;
  const sameRank = sql<boolean>`${column.rank} = ${bindRank(value)}`;
  return any([laterRank, all([sameRank, compareMixed(column, operator, value)])]);
}

function compareMixed(
  column: MixedColumn,
  operator: '=' | '<' | '>',
  value: Exclude<SortValue, null>,
): RawBuilder<boolean> {
  if (typeof value === 'string') return sql`${column.text} ${sql.raw(operator)} ${bindText(value)}`;
  return sql`${column.scalar} ${sql.raw(operator)} ${bindJson(value)}`;
}

function bindRank(value: SortValue): RawBuilder<number> {
  return sql`${sql.val(sortRank(value))}::int`;
}
