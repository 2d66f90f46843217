import { type RawBuilder, sql } from 'kysely';
import { BadRequestError } from '#errors/index.ts';
import { arrayIndex, formatPointer, type Pointer } from '#json/index.ts';
import { CREATED_AT, isStorableText, UPDATED_AT } from '#resource/index.ts';

/**
 * What every value of a property is, when it is there at all. It is a promise of the schema that lets an index
 * serve the property: a value of another type then matches no comparison and sorts as it happens to.
 */
export type PropertyType = 'string' | 'number' | 'boolean' | 'array';

/** A column that stands for a top-level property. Text shows as a string, `json` may be looked into. */
export interface QueryColumn {
  readonly expression: RawBuilder<unknown>;
  readonly type: 'text' | 'number' | 'boolean' | 'json';
  readonly notNull?: boolean;
  /** The timestamptz that a text shows as `toISOString` does: what is compared with such a text, and sorted by. */
  readonly instant?: RawBuilder<unknown>;
  /** The uuid that a text shows: its order is that of the texts, and an index serves it. */
  readonly uuid?: RawBuilder<unknown>;
}

export function textColumn(name: string, notNull = true): QueryColumn {
  return { expression: sql.ref(name), type: 'text', notNull };
}

/** @param at a timestamptz, as the name of its column or an expression; it is shown as `toISOString` does */
export function instantColumn(at: string | RawBuilder<unknown>, notNull = false): QueryColumn {
  const instant = typeof at === 'string' ? sql.ref(at) : at;
  return {
    expression: sql`to_char(${instant} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
    type: 'text',
    notNull,
    instant,
  };
}

export function uuidColumn(name: string): QueryColumn {
  const uuid = sql.ref(name);
  return { expression: sql`${uuid}::text`, type: 'text', notNull: true, uuid };
}

/** How a table or view shows itself to filters and sort keys. */
export interface QueryTable {
  /** The columns by property name. */
  readonly columns: ReadonlyMap<string, QueryColumn>;
  /** The jsonb expression that holds all other properties; without it they are missing. */
  readonly document?: RawBuilder<unknown>;
  /** The types by pointer, as `formatPointer` writes it: `/userName`. */
  readonly propertyTypes?: ReadonlyMap<string, PropertyType>;
}

/** Where a pointer leads in a table. */
export type Place =
  | { readonly kind: 'missing' }
  | {
      readonly kind: 'column';
      readonly expression: RawBuilder<unknown>;
      readonly type: 'text' | 'number' | 'boolean';
      readonly notNull: boolean;
      readonly instant?: RawBuilder<unknown>;
      readonly uuid?: RawBuilder<unknown>;
    }
  | {
      readonly kind: 'json';
      /** The value as jsonb, and its text form, which is null for a JSON null. */
      readonly value: RawBuilder<unknown>;
      readonly text: RawBuilder<string>;
      readonly type: PropertyType | undefined;
    };

const TIMES = [
  [CREATED_AT, 'created_at'],
  [UPDATED_AT, 'updated_at'],
] as const;

/** The object store: `id text`, `rev bigint`, `data jsonb` without `_id` and `_rev`. */
export function objectTable(
  options: {
    readonly alias?: string;
    readonly propertyTypes?: ReadonlyMap<string, PropertyType>;
    /** Whether it may be asked when they were made and changed. */
    readonly withTimes?: boolean;
    /** What else may be asked for that stands elsewhere. */
    readonly more?: ReadonlyMap<string, QueryColumn>;
  } = {},
): QueryTable {
  const { alias, propertyTypes, withTimes = false, more = [] } = options;
  const column = (name: string) => sql.ref(alias === undefined ? name : `${alias}.${name}`);
  return {
    columns: new Map<string, QueryColumn>([
      ['_id', { expression: column('id'), type: 'text', notNull: true }],
      ['_rev', { expression: sql`${column('rev')}::text`, type: 'text', notNull: true }],
      ...(withTimes ? TIMES.map(([name, at]) => [name, instantColumn(column(at), true)] as const) : []),
      ...more,
    ]),
    document: column('data'),
    ...(propertyTypes === undefined ? {} : { propertyTypes }),
  };
}

export function placeOf(table: QueryTable, pointer: Pointer): Place {
  const column = pointer[0] === undefined ? undefined : table.columns.get(pointer[0]);
  const type = table.propertyTypes?.get(formatPointer(pointer));
  if (column === undefined) {
    return table.document === undefined ? { kind: 'missing' } : jsonPlace(table.document, pointer, type);
  }
  const below = pointer.slice(1);
  if (column.type === 'json') return jsonPlace(column.expression, below, type);
  if (below.length > 0) return { kind: 'missing' };
  return {
    kind: 'column',
    expression: sql`(${column.expression})`,
    type: column.type,
    notNull: column.notNull ?? false,
    ...(column.instant === undefined ? {} : { instant: column.instant }),
    ...(column.uuid === undefined ? {} : { uuid: column.uuid }),
  };
}

function jsonPlace(root: RawBuilder<unknown>, pointer: Pointer, type: PropertyType | undefined): Place {
  const last = pointer.at(-1);
  if (last === undefined) return { kind: 'json', value: root, text: sql`(${root} #>> '{}')`, type };
  const parent = pointer.slice(0, -1).reduce((value, token) => step(value, '', token), root);
  return { kind: 'json', value: step(parent, '', last), text: step(parent, '>', last), type };
}

/**
 * `->` with text steps into objects only. An index steps into arrays as well, which `#>` does; other tokens must
 * not reach it, because it would read `-1` as the last element. (`-> 3` is no way either: on a string it gives
 * the string itself.)
 */
function step<T>(value: RawBuilder<unknown>, asText: '' | '>', token: string): RawBuilder<T> {
  const arrow = sql.raw(`${arrayIndex(token) === undefined ? '->' : '#>'}${asText}`);
  const key = arrayIndex(token) === undefined ? token : `{${token}}`;
  return sql<T>`(${value} ${arrow} ${quoteLiteral(key)})`;
}

/**
 * A property name as a string constant. It cannot be a bind parameter: an expression index serves a condition
 * only when both hold the same constant. `E''` with doubled backslashes means the same under both settings of
 * `standard_conforming_strings`.
 */
function quoteLiteral(text: string): RawBuilder<string> {
  if (!isStorableText(text)) {
    throw new BadRequestError('A property name holds a character that cannot be stored', {
      id: 'FILTER_BAD_POINTER',
    });
  }
  const doubled = text.replaceAll("'", "''");
  return sql.raw(text.includes('\\') ? `E'${doubled.replaceAll('\\', '\\\\')}'` : `'${doubled}'`);
}
