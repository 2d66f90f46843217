import { type Filter, NAME, type Scalar, UID } from '../../contract.ts';
import { childColumnOf, columnOf, type Layout } from './sql-catalogue.ts';
import type { Column, Dialect, Part } from './sql-session.ts';

/** A condition that leaves nothing out that the filter means; undefined is all rows. */
export interface Condition {
  readonly parts: readonly Part[] | undefined;
  /** There is nothing that it leaves in and should not, as the database compares. */
  readonly isExact: boolean;
}

export interface SqlScope {
  readonly dialect: Dialect;
  readonly layout: Layout;
}

const ALL: Condition = { parts: undefined, isExact: false };
const EVERYTHING: Condition = { parts: undefined, isExact: true };
const NOTHING: Condition = { parts: ['1 = 0'], isExact: true };
const SIGNS: Readonly<Record<string, string>> = { eq: '=', lt: '<', le: '<=', gt: '>', ge: '>=' };
const LARGEST = 2n ** 63n - 1n;

/** What a database can be asked so that nothing is left out: it is not asked for what it compares in a way of its own. */
export function sqlCondition(filter: Filter, scope: SqlScope): Condition {
  switch (filter.kind) {
    case 'literal':
      return filter.value ? EVERYTHING : NOTHING;
    case 'and':
      return allOf(filter.filters.map((one) => sqlCondition(one, scope)));
    case 'or':
      return anyOf(filter.filters.map((one) => sqlCondition(one, scope)));
    case 'not': {
      if (filter.filter.kind !== 'present') return ALL;
      const { parts } = sqlCondition(filter.filter, scope);
      return parts === undefined ? NOTHING : { parts: ['not (', ...parts, ')'], isExact: true };
    }
    case 'present':
      return at(filter.attribute, scope, (name) => ({ parts: [`${name} is not null`], isExact: true }));
    case 'in':
      return filter.values.length === 0
        ? NOTHING
        : anyOf(filter.values.map((value) => compared(filter.attribute, 'eq', value, scope)));
    case 'compare':
      return compared(filter.attribute, filter.operator, filter.value, scope);
  }
}

/** The condition that the key is this one, by characters; undefined where it cannot be. */
export function keyCondition(
  name: string,
  { kind }: Column,
  id: string,
  dialect: Dialect,
): readonly Part[] | undefined {
  if (kind === 'integer') {
    const isKey = /^-?(?:0|[1-9]\d{0,18})$/.test(id) && isInRange(BigInt(id));
    return isKey ? [`${name} = `, { value: id, kind }] : undefined;
  }
  if (kind === 'uuid') {
    const isKey = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id);
    return isKey ? [`${name} = `, { value: id, kind }] : undefined;
  }
  return id.includes('\0') ? undefined : dialect.sameKey(name, { value: id, kind });
}

function compared(
  attribute: string,
  operator: Extract<Filter, { kind: 'compare' }>['operator'],
  value: Scalar,
  scope: SqlScope,
): Condition {
  const { dialect, layout } = scope;
  if (attribute === UID || attribute === NAME) {
    if (operator !== 'eq') return ALL;
    const parts = keyCondition(`t.${dialect.quote(layout.key.name)}`, layout.key, String(value), dialect);
    return parts === undefined ? NOTHING : { parts, isExact: true };
  }
  return at(attribute, scope, (name, { kind }) => {
    const sign = SIGNS[operator];
    if (typeof value === 'boolean' && kind === 'boolean' && operator === 'eq') {
      return { parts: [dialect.boolean(name, value)], isExact: true };
    }
    if (
      (typeof value === 'number' || typeof value === 'bigint') &&
      (kind === 'integer' || kind === 'decimal')
    ) {
      if (sign === undefined) return ALL;
      const isWhole = typeof value === 'bigint' || Number.isSafeInteger(value);
      const isInteger = kind === 'integer' && isWhole && isInRange(BigInt(value));
      const bound = { value: String(value), kind: isInteger ? kind : 'decimal' } as const;
      return { parts: [`${name} ${sign} `, bound], isExact: true };
    }
    // Texts are in another order there.
    if (typeof value !== 'string' || kind !== 'text' || value.includes('\0')) return ALL;
    if (operator === 'eq') return { parts: [`${name} = `, { value, kind }], isExact: true };
    const part = value.replaceAll(/[%_!]/g, '!$&');
    const patterns: Readonly<Record<string, string>> = { co: `%${part}%`, sw: `${part}%`, ew: `%${part}` };
    const pattern = patterns[operator];
    if (pattern === undefined) return ALL;
    return { parts: [`${name} like `, { value: pattern, kind }, " escape '!'"], isExact: true };
  });
}

/** A condition of a column; of one of another table, that there is such a row. */
function at(
  attribute: string,
  { dialect, layout }: SqlScope,
  condition: (name: string, column: Column) => Condition,
): Condition {
  if (attribute === UID || attribute === NAME) return EVERYTHING;
  const child = childColumnOf(layout, attribute);
  if (child === undefined) {
    const column = columnOf(layout.table, attribute);
    return condition(`t.${dialect.quote(column.name)}`, column);
  }
  const { parts, isExact } = condition(`c.${dialect.quote(child.column.name)}`, child.column);
  if (parts === undefined) return ALL;
  const isOwn = `c.${dialect.quote(child.reference.name)} = t.${dialect.quote(layout.key.name)}`;
  return {
    parts: [`exists (select 1 from ${child.table.quoted} c where ${isOwn} and `, ...parts, ')'],
    isExact,
  };
}

function allOf(conditions: readonly Condition[]): Condition {
  const asked = conditions.flatMap(({ parts }) => (parts === undefined ? [] : [parts]));
  return {
    parts: asked.length === 0 ? undefined : joined(asked, ' and '),
    isExact: conditions.every((one) => one.isExact),
  };
}

function anyOf(conditions: readonly Condition[]): Condition {
  if (conditions.some((one) => one === EVERYTHING)) return EVERYTHING;
  const asked = conditions.flatMap(({ parts }) => (parts === undefined ? [] : [parts]));
  if (asked.length < conditions.length || asked.length === 0) return ALL;
  return { parts: joined(asked, ' or '), isExact: conditions.every((one) => one.isExact) };
}

function joined(all: readonly (readonly Part[])[], word: string): readonly Part[] {
  return all.flatMap((parts, place) => [place === 0 ? '((' : `)${word}(`, ...parts]).concat('))');
}

function isInRange(value: bigint): boolean {
  return value <= LARGEST && value >= -LARGEST;
}
