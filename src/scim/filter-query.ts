import { BadRequestError } from '#errors/index.ts';
import { KNOWN_AS, type QueryFilter } from '#resource/index.ts';
import type { AttributePath } from './attribute-path.ts';
import { commonFilter, isCommon, schemasMeet } from './common-filter.ts';
import {
  ALL,
  all,
  any,
  type Compare,
  comparePart,
  compareText,
  isNamed,
  NONE,
  negatedAsWhole,
  type Present,
  textMeets,
  withoutValue,
} from './compare-part.ts';
import type { ScimFilter } from './filter.ts';
import { COMMON_PARTS, requireParts } from './patch-element.ts';
import {
  type Find,
  found,
  type LookUp,
  ofOneElement,
  oneReference,
  referenceFilter,
} from './reference-filter.ts';
import {
  type Attribute,
  attributeAt,
  type Element,
  type Property,
  type ResourceType,
  type SubAttribute,
  subAttributeAt,
} from './resource-type.ts';

/** What a filter is about: a type, or this one of all types. */
export interface Asked {
  readonly type: ResourceType;
  readonly isOfAll: boolean;
}

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
  if (isCommon(type, path)) return commonFilter(type, filter);
  const attribute = attributeAt(type, path);
  if (attribute === undefined && isOfAll) return withoutValue(filter);
  if (attribute === undefined) throw unknown(type, path);
  if (attribute.returned === 'never') throw sensitive(attribute.name);
  const { binding } = attribute;
  switch (binding.kind) {
    case 'property':
      return ofProperty(attribute, binding, path, filter);
    case 'externalId':
      if (path.sub !== null) throw unknown(type, path);
      return (
        found(filter, (value) => find({ value })) ?? compareText([KNOWN_AS], filter, attribute.caseExact)
      );
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

function elementFilter(asked: Asked, path: AttributePath, filter: ScimFilter, find: Find): QueryFilter {
  const { type, isOfAll } = asked;
  if (isCommon(type, path)) {
    return isNamed(path, 'schemas') ? schemasMeet(type, filter) : partsMeet(asked, path, filter, find);
  }
  const attribute = attributeAt(type, path);
  if (attribute === undefined && isOfAll) return NONE;
  if (attribute === undefined) throw unknown(type, path);
  if (attribute.returned === 'never') throw sensitive(attribute.name);
  const { binding, multiValued, subAttributes } = attribute;
  if (!multiValued && subAttributes.length > 0) {
    const isThere = condition(asked, { kind: 'present', path }, find);
    return all([isThere, partsMeet(asked, path, filter, find)]);
  }
  const of = (one: Compare | Present) =>
    binding.kind === 'reference'
      ? referenceFilter(attribute, binding, one.path.name, one, find)
      : condition(asked, { ...one, path }, find);
  if (binding.kind === 'elements') {
    return any(
      binding.elements.map((element) => all([isThere(element), inElement(attribute, element, filter)])),
    );
  }
  if (multiValued && subAttributes.length === 0) requireParts(attribute, filter);
  const asOne =
    binding.kind === 'reference'
      ? oneReference(binding, filter, of)
      : multiValued && subAttributes.length === 0
        ? ofOneElement(filter, of)
        : undefined;
  if (asOne !== undefined) return asOne;
  throw new BadRequestError(`Elements of '${attribute.name}' cannot be looked for so`, {
    id: 'SCIM_BAD_FILTER',
    ...(multiValued ? { hint: `Such as ${attribute.name}[value eq "42"]` } : {}),
  });
}

/** `name[givenName eq "Kim"]`: of what is no list, its parts meet the filter. */
function partsMeet(asked: Asked, path: AttributePath, filter: ScimFilter, find: Find): QueryFilter {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return { kind: filter.kind, filters: filter.filters.map((one) => partsMeet(asked, path, one, find)) };
    case 'not':
      return { kind: 'not', filter: partsMeet(asked, path, filter.filter, find) };
    case 'element':
      throw new BadRequestError('An element has no elements of its own', { id: 'SCIM_BAD_FILTER' });
    default:
      return condition(asked, { ...filter, path: { ...path, sub: filter.path.name } }, find);
  }
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
      if (part === undefined && !COMMON_PARTS.has(name))
        throw new BadRequestError(`'${attribute.name}' has no '${filter.path.name}'`, {
          id: 'SCIM_BAD_FILTER',
        });
      return part === undefined || property === undefined
        ? withoutValue(filter)
        : comparePart(part, property, filter);
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
