import { type RawBuilder, sql } from 'kysely';
import { invalidPageCookie, type SortKey, type SortValue, sortRank } from '#resource/index.ts';
import { isInstant, parseInstant } from '#time/index.ts';
import { bindScalar, bindUuid, isUuidText } from './filter-sql-column.ts';
import { bindJson, inLowerCase, type JsonPlace, scalarKey } from './filter-sql-json.ts';
import { placeOf, type QueryTable } from './filter-sql-table.ts';
import { beginningInOrder, bindText, inCodePointOrder } from './filter-sql-text.ts';

/**
 * A sort key in SQL, in the order of `sortTuple`. A *plain* key is one expression that an index can hold, null
 * where the value has no place of its own. A *mixed* key may hold any type: the rank of the type decides first.
 */
export type SortColumn =
  | {
      readonly kind: 'plain';
      readonly expression: RawBuilder<unknown>;
      readonly descending: boolean;
      readonly nullable: boolean;
      /** @throws BadRequestError `PAGING_BAD_COOKIE` when the value is of another type than the key */
      readonly bind: (value: SortValue) => RawBuilder<unknown>;
    }
  | {
      readonly kind: 'mixed';
      readonly rank: RawBuilder<number>;
      /** Numbers and booleans as jsonb; null for all else. */
      readonly scalar: RawBuilder<unknown>;
      /** Strings; null for all else. */
      readonly text: RawBuilder<string>;
      readonly descending: boolean;
    };

/** The SQL of an order that `totalOrder` gave. A key that the table lacks sorts nothing and stays null. */
export function sortColumns(order: readonly SortKey[], table: QueryTable): SortColumn[] {
  return order.map((key) => sortColumn(key, table));
}

function sortColumn({ pointer, descending, ignoresCase = false }: SortKey, table: QueryTable): SortColumn {
  const place = placeOf(table, pointer);
  if (place.kind === 'missing') return { ...NOTHING, descending };
  if (place.kind === 'json') return jsonColumn(ignoresCase ? inLowerCase(place) : place, descending);
  const { expression, type, notNull, instant, uuid } = place;
  if (uuid !== undefined) {
    return { kind: 'plain', expression: uuid, descending, nullable: !notNull, bind: bindSortedUuid };
  }
  if (instant !== undefined) {
    return { kind: 'plain', expression: instant, descending, nullable: !notNull, bind: bindInstant };
  }
  return {
    kind: 'plain',
    expression: type === 'text' ? inCodePointOrder(expression) : expression,
    descending,
    nullable: !notNull,
    bind: (value) => bindScalar(requireType(value, type === 'text' ? 'string' : type)),
  };
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?\+00:00$/;

/** What `jsonb` makes of a timestamptz, in UTC. */
function bindInstant(value: SortValue): RawBuilder<unknown> {
  const text = requireType(value, 'string') as string;
  if (!INSTANT.test(text) || !isInstant(parseInstant(text)))
    throw invalidPageCookie('a time that it sorts by is none');
  return sql`${bindText(text)}::timestamptz`;
}

function bindSortedUuid(value: SortValue): RawBuilder<unknown> {
  if (!isUuidText(value)) throw invalidPageCookie('an id that it sorts by is none');
  return bindUuid(value);
}

function jsonColumn(place: JsonPlace, descending: boolean): SortColumn {
  const { type, value, text } = place;
  if (type === 'string' || type === 'number' || type === 'boolean') {
    const bind = (bound: SortValue) => {
      const scalar = requireType(bound, type);
      return typeof scalar === 'string' ? bindText(scalar) : bindJson(scalar);
    };
    return { kind: 'plain', expression: scalarKey(place), descending, nullable: true, bind };
  }
  return {
    kind: 'mixed',
    descending,
    rank: sql`(case jsonb_typeof(${value}) when 'number' then ${rankOf(0)} when 'string' then ${rankOf('')}
      when 'boolean' then ${rankOf(false)} else ${rankOf(null)} end)`,
    scalar: sql`(case when jsonb_typeof(${value}) in ('number', 'boolean') then ${value} end)`,
    text: beginningInOrder(sql`(case jsonb_typeof(${value}) when 'string' then ${text} end)`),
  };
}

function rankOf(sample: SortValue): RawBuilder<number> {
  return sql.raw(String(sortRank(sample)));
}

/** Null in every row: no index holds it and no row is before another by it. */
const NOTHING = {
  kind: 'plain',
  expression: sql`null::text`,
  nullable: true,
  bind: (value: SortValue) => bindText(String(requireType(value, 'string'))),
} as const;

function requireType<T extends 'string' | 'number' | 'boolean'>(value: SortValue, type: T) {
  if (value !== null && typeof value === type) return value;
  throw invalidPageCookie('a property that it sorts by has changed its type');
}

/** What stands after ORDER BY. Nulls come last ascending and first descending, which is Postgres's default. */
export function orderBySql(columns: readonly SortColumn[]): RawBuilder<unknown> {
  return sql.join(
    columns.flatMap((column) => {
      const expressions =
        column.kind === 'plain' ? [column.expression] : [column.rank, column.scalar, column.text];
      return expressions.map((expression) => sql`${expression} ${column.descending ? sql`desc` : sql`asc`}`);
    }),
  );
}

/** The sort values of a row as a jsonb array, for its cookie: what was sorted by, not what it was read from. */
export function sortTupleSql(columns: readonly SortColumn[]): RawBuilder<SortValue[]> {
  const values = columns.map((column) => {
    if (column.kind === 'plain') return column.expression;
    return sql`coalesce(${column.scalar}, to_jsonb(${column.text}))`;
  });
  return sql`jsonb_build_array(${sql.join(values)})`;
}
