import { BadRequestError } from '#errors/index.ts';
import type { Pointer } from '#json/index.ts';
import type { Comparison, QueryFilter } from '#resource/index.ts';
import type { AttributePath } from './attribute-path.ts';
import type { ScimFilter, ScimValue } from './filter.ts';
import { meetsFilter } from './filter-match.ts';
import type { Attribute, Property, SubAttribute } from './resource-type.ts';

export type Compare = Extract<ScimFilter, { kind: 'compare' }>;
export type Present = Extract<ScimFilter, { kind: 'present' }>;

export const ALL: QueryFilter = { kind: 'literal', value: true };
export const NONE: QueryFilter = { kind: 'literal', value: false };

export function all(filters: readonly QueryFilter[]): QueryFilter {
  return { kind: 'and', filters };
}

export function any(filters: readonly QueryFilter[]): QueryFilter {
  return { kind: 'or', filters };
}

/** Whether a text that stands in no object meets a condition. */
export function textMeets(value: string, filter: Compare | Present): boolean {
  return meetsFilter({ ...filter, path: { schema: null, name: 'value', sub: null } }, { value }, () => false);
}

export function isCondition(filter: ScimFilter): filter is Compare | Present {
  return filter.kind === 'compare' || filter.kind === 'present';
}

export function isNamed({ name }: AttributePath, wanted: string): boolean {
  return name.toLowerCase() === wanted.toLowerCase();
}

/** A condition of a value that stands in the object. @throws BadRequestError `SCIM_BAD_FILTER` */
export function comparePart(
  { name, type, caseExact }: Attribute | SubAttribute,
  { pointer, values }: Property,
  filter: Compare | Present,
): QueryFilter {
  if (filter.kind === 'present') return presentFilter(pointer, values);
  if (type === 'complex')
    throw new BadRequestError(`'${name}' has parts, and is compared by one of them`, {
      id: 'SCIM_BAD_FILTER',
    });
  if (values === undefined || filter.value === null) return compareText(pointer, filter, caseExact);
  const { operator } = filter;
  const value = flagOf(filter.value);
  if (value === undefined || (operator !== 'eq' && operator !== 'ne')) {
    throw new BadRequestError(`'${name}' is compared by eq and ne with true and false`, {
      id: 'SCIM_BAD_FILTER',
    });
  }
  const stored: QueryFilter = {
    kind: 'compare',
    pointer,
    operator: 'eq',
    value: values[value ? 'true' : 'false'],
  };
  return operator === 'eq' ? stored : { kind: 'not', filter: stored };
}

/** Some clients write it as a text. */
function flagOf(value: ScimValue): boolean | undefined {
  const word = String(value).toLowerCase();
  return word === 'true' ? true : word === 'false' ? false : undefined;
}

export function presentFilter(pointer: Pointer, values: Property['values']): QueryFilter {
  // A text that is neither is shown as no value.
  return values === undefined
    ? { kind: 'present', pointer }
    : { kind: 'in', pointer, values: [values.true, values.false] };
}

export function compareText(pointer: Pointer, filter: Compare | Present, caseExact: boolean): QueryFilter {
  if (filter.kind === 'present') return { kind: 'present', pointer };
  const { operator, value } = filter;
  if (value === null) {
    const present: QueryFilter = { kind: 'present', pointer };
    if (operator === 'eq') return { kind: 'not', filter: present };
    if (operator === 'ne') return present;
    throw new BadRequestError(`null is compared by eq and ne, not by ${operator}`, { id: 'SCIM_BAD_FILTER' });
  }
  const compare = (own: Comparison): QueryFilter => ({
    kind: 'compare',
    pointer,
    operator: own,
    value,
    ...(caseExact || typeof value !== 'string' ? {} : { ignoresCase: true }),
  });
  return operator === 'ne' ? { kind: 'not', filter: compare('eq') } : compare(operator);
}

/** What is true of an attribute that has none. */
export function withoutValue(filter: Compare | Present): QueryFilter {
  if (filter.kind === 'present') return NONE;
  const { operator, value } = filter;
  return (operator === 'ne') === (value !== null) && (operator === 'ne' || operator === 'eq') ? ALL : NONE;
}

/** `ne` of a list is that no element is equal. */
export function negatedAsWhole(
  filter: Compare | Present,
  of: (filter: Compare | Present) => QueryFilter,
): QueryFilter {
  if (filter.kind === 'present' || filter.operator !== 'ne') return of(filter);
  return { kind: 'not', filter: of({ ...filter, operator: 'eq' }) };
}
