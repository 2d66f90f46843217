import { BadRequestError } from '#errors/index.ts';
import { otherEndsOf, type QueryFilter } from '#resource/index.ts';
import {
  any,
  type Compare,
  compareText,
  isCondition,
  isNamed,
  NONE,
  negatedAsWhole,
  type Present,
  textMeets,
} from './compare-part.ts';
import type { ScimFilter } from './filter.ts';
import type { Attribute, Reference } from './resource-type.ts';

/** What is known of objects elsewhere: their `externalId`, and whom they refer to. It is asked before the query itself. */
export interface LookUp {
  /** Undefined: the `externalId`. */
  readonly reference?: Reference;
  readonly value: string;
}

/** The ids of the objects that it is true of; null where there are too many to be named. */
export type Find = (lookUp: LookUp) => readonly string[] | null;

/** What is looked up before the query, as an index finds it; undefined where that is not what is asked. */
export function found(
  filter: Compare | Present,
  find: (value: string) => readonly string[] | null,
): QueryFilter | undefined {
  if (filter.kind === 'present' || typeof filter.value !== 'string') return undefined;
  if (filter.operator !== 'eq' && filter.operator !== 'ne') return undefined;
  const values = find(filter.value);
  if (values === null) return undefined;
  const equal: QueryFilter = { kind: 'in', pointer: ['_id'], values };
  return filter.operator === 'eq' ? equal : { kind: 'not', filter: equal };
}

/** A condition on references. The id and the type of the other end are known here; anything else only the other end knows. */
export function referenceFilter(
  { name }: Attribute,
  reference: Reference,
  sub: string,
  filter: Compare | Present,
  find: Find,
): QueryFilter {
  const ends = [otherEndsOf(reference.property)];
  const isThere: QueryFilter = { kind: 'present', pointer: ends };
  const part = sub.toLowerCase();
  if (part === 'value') {
    const known =
      reference.reverse === null ? undefined : found(filter, (value) => find({ reference, value }));
    return known ?? negatedAsWhole(filter, (one) => compareText(ends, one, true));
  }
  if (part === '$ref' && filter.kind === 'present') return isThere;
  const { typeName } = reference;
  if (part === 'type' && reference.isArray && typeName !== null) {
    return negatedAsWhole(filter, (one) => (textMeets(typeName, one) ? isThere : NONE));
  }
  throw new BadRequestError(`'${name}' is a reference, and asked for by the id of the other resource alone`, {
    id: 'SCIM_BAD_FILTER',
    hint: `Such as ${name}.value eq "42"`,
  });
}

/**
 * What a list of references has to have where an element meets a filter: all of them have the same type, so that a condition of it is
 * met by all or none.
 *
 * @returns undefined where one element has to meet several conditions
 */
export function oneReference(
  { typeName }: Reference,
  filter: ScimFilter,
  of: (condition: Compare | Present) => QueryFilter,
): QueryFilter | undefined {
  const others: ScimFilter[] = [];
  for (const one of filter.kind === 'and' ? filter.filters : [filter]) {
    if (typeName === null || !isCondition(one) || !isNamed(one.path, 'type')) others.push(one);
    else if (!textMeets(typeName, one)) return NONE;
  }
  const [only = ANYTHING] = others;
  return others.length > 1 ? undefined : ofOneElement(only, of);
}

const ANYTHING: Present = { kind: 'present', path: { schema: null, name: 'value', sub: null } };

/** The filter for elements that are looked for by one condition, or by one of several. */
export function ofOneElement(
  filter: ScimFilter,
  of: (condition: Compare | Present) => QueryFilter,
): QueryFilter | undefined {
  if (isCondition(filter)) return isNegative(filter) ? undefined : of(filter);
  if (filter.kind !== 'or') return undefined;
  const each = filter.filters.map((one) => ofOneElement(one, of));
  return each.every((one) => one !== undefined) ? any(each) : undefined;
}

/** `ne` of one element is not `ne` of a list, which no element is to be equal to. */
function isNegative(filter: Compare | Present): boolean {
  return filter.kind === 'compare' && (filter.operator === 'ne' || filter.value === null);
}
