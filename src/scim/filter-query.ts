import { BadRequestError } from '#errors/index.ts';
import type { Pointer } from '#json/index.ts';
import type { Comparison, QueryFilter } from '#resource/index.ts';
import type { AttributePath } from './attribute-path.ts';
import { ALL, all, any, type Compare, commonFilter, NONE, type Present, textMeets } from './common-filter.ts';
import type { ScimFilter, ScimValue } from './filter.ts';
import {
  type Attribute,
  attributeAt,
  type Element,
  type Property,
  type Reference,
  type ResourceType,
  type SubAttribute,
  subAttributeAt,
} from './resource-type.ts';

/** Whom a filter is about: a type, or this one of all. */
export interface Asked {
  readonly type: ResourceType;
  readonly isOfAll: boolean;
}

/** What is known of objects elsewhere: their `externalId`, and whom they refer to. It is asked before the query itself. */
export interface LookUp {
  /** Undefined: the `externalId`. */
  readonly reference?: Reference;
  readonly value: string;
}

/** The ids of the objects that it is true of. */
export type Find = (lookUp: LookUp) => readonly string[];

/**
 * A filter of SCIM as one of managed objects, with one truth table (`meetsFilter`).
 *
 * @throws BadRequestError `SCIM_BAD_FILTER` for what cannot be asked of stored objects, `SCIM_SENSITIVE`
 */
export function toQueryFilter(asked: Asked, filter: ScimFilter, find: Find): QueryFilter {
  const of = (one: ScimFilter): QueryFilter => toQueryFilter(asked, one, find);
  switch (filter.kind) {
    case 'and':
    case 'or':
      return { kind: filter.kind, filters: filter.filters.map(of) };
    case 'not':
      return { kind: 'not', filter: of(filter.filter) };
    case 'element':
      return elementFilter(asked, filter.path, filter.filter, find);
    default:
      return condition(asked, filter, find);
  }
}

/** What has to be looked up for a filter, each thing once. */
export function lookUpsOf(asked: Asked, filter: ScimFilter): readonly LookUp[] {
  const found = new Map<string, LookUp>();
  toQueryFilter(asked, filter, (lookUp) => {
    found.set(keyOf(lookUp), lookUp);
    return [];
  });
  return [...found.values()];
}

export function keyOf({ reference, value }: LookUp): string {
  return `${reference?.property ?? ''} ${value}`;
}

function condition({ type, isOfAll }: Asked, filter: Compare | Present, find: Find): QueryFilter {
  const { path } = filter;
  if (path.schema === null || path.schema === type.schema) {
    if (isNamed(path, 'id') && path.sub === null) return compareText(['_id'], filter, true);
    const common = commonFilter(type, filter);
    if (common !== undefined) return common;
  }
  const attribute = attributeAt(type, path);
  if (attribute === undefined && isOfAll) return withoutValue(filter);
  if (attribute === undefined) throw unknown(type, path);
  if (attribute.returned === 'never') throw sensitive(attribute.name);
  const { binding } = attribute;
  switch (binding.kind) {
    case 'property':
      return ofProperty(attribute, binding, path, filter);
    case 'externalId': {
      if (filter.kind === 'compare' && filter.operator === 'eq' && typeof filter.value === 'string') {
        return { kind: 'in', pointer: ['_id'], values: find({ value: filter.value }) };
      }
      throw new BadRequestError("'externalId' is asked for by 'eq' and a text alone", {
        id: 'SCIM_BAD_FILTER',
      });
    }
    case 'parts': {
      const whole = attribute.subAttributes.filter(({ returned }) => returned !== 'never');
      const parts = path.sub === null ? whole : [partAt(type, attribute, path.sub)];
      if (path.sub === null && filter.kind === 'compare') {
        throw new BadRequestError(`'${attribute.name}' has parts, and is compared by one of them`, {
          id: 'SCIM_BAD_FILTER',
        });
      }
      const filters = parts.flatMap((part) =>
        part.property === undefined ? [] : [comparePart(part, part.property, filter)],
      );
      return path.sub === null ? { kind: 'or', filters } : (filters[0] ?? NONE);
    }
    case 'elements': {
      const inner = { ...filter, path: { schema: null, name: path.sub ?? 'value', sub: null } };
      if (filter.kind === 'present' && path.sub === null) {
        return any(binding.elements.map(isThere));
      }
      return negatedAsWhole(inner, (one) =>
        any(binding.elements.map((element) => inElement(attribute, element, one))),
      );
    }
    case 'reference':
      return referenceFilter(attribute, binding, path.sub ?? 'value', filter, find);
  }
}

/** Whom something refers to is asked for by an id. */
function referenceFilter(
  { name }: Attribute,
  reference: Reference,
  sub: string,
  filter: Compare | Present,
  find: Find,
): QueryFilter {
  const isId = sub.toLowerCase() === 'value' && filter.kind === 'compare' && typeof filter.value === 'string';
  if (isId && reference.reverse !== null && (filter.operator === 'eq' || filter.operator === 'ne')) {
    const values = find({ reference, value: String(filter.value) });
    const found: QueryFilter = { kind: 'in', pointer: ['_id'], values };
    return filter.operator === 'eq' ? found : { kind: 'not', filter: found };
  }
  throw new BadRequestError(
    `'${name}' is a reference, and asked for by 'eq' and the id of the other resource alone`,
    { id: 'SCIM_BAD_FILTER', hint: `Such as ${name}.value eq "42"` },
  );
}

/**
 * The one thing that a filter asks of the other end: all of them have the same type, so that a condition of it is met by all or none.
 *
 * @returns undefined where it asks for more
 */
function oneReference({ typeName }: Reference, filter: ScimFilter): Compare | Present | 'none' | undefined {
  const conditions = filter.kind === 'and' ? filter.filters : [filter];
  const others: (Compare | Present)[] = [];
  for (const one of conditions) {
    if (one.kind !== 'compare' && one.kind !== 'present') return undefined;
    if (typeName === null || !isNamed(one.path, 'type')) others.push(one);
    else if (!textMeets(typeName, one)) return 'none';
  }
  return others.length === 1 ? others[0] : undefined;
}

/** `ne` of a list is that no element is equal. */
function negatedAsWhole(
  filter: Compare | Present,
  of: (filter: Compare | Present) => QueryFilter,
): QueryFilter {
  if (filter.kind === 'present' || filter.operator !== 'ne') return of(filter);
  return { kind: 'not', filter: of({ ...filter, operator: 'eq' }) };
}

function elementFilter(
  { type, isOfAll }: Asked,
  path: AttributePath,
  filter: ScimFilter,
  find: Find,
): QueryFilter {
  const attribute = attributeAt(type, path);
  if (attribute === undefined && isOfAll) return NONE;
  if (attribute === undefined) throw unknown(type, path);
  if (attribute.returned === 'never') throw sensitive(attribute.name);
  const { binding } = attribute;
  if (binding.kind === 'reference') {
    const asked = oneReference(binding, filter);
    if (asked === 'none') return NONE;
    if (asked !== undefined) return referenceFilter(attribute, binding, asked.path.name, asked, find);
  }
  if (binding.kind !== 'elements') {
    throw new BadRequestError(`Elements of '${attribute.name}' cannot be looked for`, {
      id: 'SCIM_BAD_FILTER',
    });
  }
  return any(
    binding.elements.map((element) => all([isThere(element), inElement(attribute, element, filter)])),
  );
}

/** Whether one of the places where elements stand is taken, and meets the filter. */
function inElement(attribute: Attribute, element: Element, filter: ScimFilter): QueryFilter {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return { kind: filter.kind, filters: filter.filters.map((one) => inElement(attribute, element, one)) };
    case 'not':
      return { kind: 'not', filter: inElement(attribute, element, filter.filter) };
    case 'element':
      throw new BadRequestError('An element has no elements of its own', { id: 'SCIM_BAD_FILTER' });
    default: {
      const name = filter.path.name.toLowerCase();
      const mark = Object.entries(element.marks).find(([key]) => key.toLowerCase() === name);
      if (mark !== undefined) return all([isThere(element), textMeets(mark[1], filter) ? ALL : NONE]);
      const property = [...element.parts].find(([key]) => key.toLowerCase() === name)?.[1];
      const part = subAttributeAt(attribute, filter.path.name);
      if (part === undefined)
        throw new BadRequestError(`'${attribute.name}' has no '${filter.path.name}'`, {
          id: 'SCIM_BAD_FILTER',
        });
      if (property === undefined) return filter.kind === 'compare' && filter.operator === 'ne' ? ALL : NONE;
      return comparePart(part, property, filter);
    }
  }
}

function isThere({ parts }: Element): QueryFilter {
  return any([...parts.values()].map(({ pointer }) => ({ kind: 'present', pointer })));
}

function ofProperty(
  attribute: Attribute,
  property: Property,
  path: AttributePath,
  filter: Compare | Present,
): QueryFilter {
  if (path.sub === null) return comparePart(attribute, property, filter);
  const part = subAttributeAt(attribute, path.sub);
  if (part === undefined || attribute.multiValued) {
    throw new BadRequestError(`'${attribute.name}.${path.sub}' cannot be asked for`, {
      id: 'SCIM_BAD_FILTER',
    });
  }
  return comparePart(part, { kind: 'property', pointer: [...property.pointer, part.name] }, filter);
}

function comparePart(
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

function presentFilter(pointer: Pointer, values: Property['values']): QueryFilter {
  // A text that is neither is shown as no value.
  return values === undefined
    ? { kind: 'present', pointer }
    : { kind: 'in', pointer, values: [values.true, values.false] };
}

function compareText(pointer: Pointer, filter: Compare | Present, caseExact: boolean): QueryFilter {
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

function partAt(type: ResourceType, attribute: Attribute, sub: string): SubAttribute {
  const part = subAttributeAt(attribute, sub);
  if (part === undefined) throw unknown(type, { schema: attribute.schema, name: attribute.name, sub });
  if (part.returned === 'never') throw sensitive(`${attribute.name}.${sub}`);
  return part;
}

function sensitive(name: string): Error {
  return new BadRequestError(`'${name}' is shown to nobody, and no filter asks for it`, {
    id: 'SCIM_SENSITIVE',
  });
}

function unknown({ name: type }: ResourceType, { name, sub }: AttributePath): Error {
  return new BadRequestError(`'${sub === null ? name : `${name}.${sub}`}' is no attribute of a ${type}`, {
    id: 'SCIM_BAD_FILTER',
  });
}

/** What is true of an attribute that has none. */
function withoutValue(filter: Compare | Present): QueryFilter {
  if (filter.kind === 'present') return NONE;
  const { operator, value } = filter;
  return (operator === 'ne') === (value !== null) && (operator === 'ne' || operator === 'eq') ? ALL : NONE;
}

function isNamed({ name }: AttributePath, wanted: string): boolean {
  return name.toLowerCase() === wanted.toLowerCase();
}
