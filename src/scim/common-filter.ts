import { BadRequestError } from '#errors/index.ts';
import { type Comparison, CREATED_AT, otherEndsOf, type QueryFilter, UPDATED_AT } from '#resource/index.ts';
import { isInstant, parseInstant } from '#time/index.ts';
import type { AttributePath } from './attribute-path.ts';
import {
  ALL,
  any,
  type Compare,
  compareText,
  NONE,
  negatedAsWhole,
  type Present,
  presentFilter,
  textMeets,
} from './compare-part.ts';
import type { ScimFilter } from './filter.ts';
import { meetsFilter } from './filter-match.ts';
import type { ResourceType } from './resource-type.ts';

const COMMON: ReadonlySet<string> = new Set(['id', 'schemas', 'meta']);

/** Whether a path leads to what all resources have. */
export function isCommon(type: ResourceType, { schema, name }: AttributePath): boolean {
  return COMMON.has(name.toLowerCase()) && (schema === null || schema === type.schema);
}

/**
 * A condition of that.
 *
 * @throws BadRequestError `SCIM_BAD_FILTER` for what cannot be asked
 */
export function commonFilter(type: ResourceType, filter: Compare | Present): QueryFilter {
  const { name, sub } = filter.path;
  const isWhole = sub === null || sub.toLowerCase() === 'value';
  if (name.toLowerCase() === 'schemas' && isWhole) return schemasFilter(type, filter);
  if (name.toLowerCase() === 'id' && sub === null) return compareText(['_id'], filter, true);
  switch (name.toLowerCase() === 'meta' ? sub?.toLowerCase() : sub) {
    case 'resourcetype':
      return textMeets(type.name, filter) ? ALL : NONE;
    case 'created':
      return filter.kind === 'present' ? ALL : timeFilter(CREATED_AT, filter);
    case 'lastmodified':
      return filter.kind === 'present' ? ALL : timeFilter(UPDATED_AT, filter);
    case 'location':
    case 'version':
    case undefined:
      if (filter.kind === 'present') return ALL;
  }
  throw new BadRequestError(`'${sub === null ? name : `${name}.${sub}`}' cannot be asked for`, {
    id: 'SCIM_BAD_FILTER',
  });
}

/** A condition on `schemas`: `ne` holds for a list where no element is equal. */
function schemasFilter(type: ResourceType, filter: Compare | Present): QueryFilter {
  return negatedAsWhole(filter, (one) => schemasMeet(type, { ...one, path: VALUE }));
}

const VALUE: AttributePath = { schema: null, name: 'value', sub: null };

/** Whether one of the schemas of a resource meets a filter. It has that of an extension if it has one of its attributes. */
export function schemasMeet(type: ResourceType, filter: ScimFilter): QueryFilter {
  const meets = (value: string) => meetsFilter(filter, { value }, () => false);
  if (meets(type.schema)) return ALL;
  const extensions = type.extensions.filter(({ schema }) => meets(schema));
  return any(extensions.map(({ schema }) => extensionFilter(type, schema)));
}

function extensionFilter({ attributes }: ResourceType, extension: string): QueryFilter {
  const own = attributes.filter(({ schema, returned }) => schema === extension && returned !== 'never');
  const references = own.flatMap(({ binding }) => (binding.kind === 'reference' ? [binding.property] : []));
  const properties = own.flatMap(({ binding, subAttributes }) => {
    if (binding.kind === 'property') return [binding];
    if (binding.kind === 'parts') return subAttributes.flatMap(({ property }) => property ?? []);
    return binding.kind === 'elements' ? binding.elements.flatMap(({ parts }) => [...parts.values()]) : [];
  });
  return any([
    ...properties.map(({ pointer, values }) => presentFilter(pointer, values)),
    ...references.map((property): QueryFilter => ({ kind: 'present', pointer: [otherEndsOf(property)] })),
  ]);
}

/** Times are kept to the millisecond. */
function timeFilter(column: string, { operator, value }: Compare): QueryFilter {
  const at = typeof value === 'string' ? parseInstant(value) : Number.NaN;
  if (!isInstant(at) || operator === 'co' || operator === 'sw' || operator === 'ew') {
    throw new BadRequestError(`'${String(value)}' is no time that ${operator} compares with`, {
      id: 'SCIM_BAD_FILTER',
      hint: 'Such as meta.lastModified gt "2030-01-31T08:00:00Z"',
    });
  }
  const compare = (own: Comparison): QueryFilter => ({
    kind: 'compare',
    pointer: [column],
    operator: own,
    value: new Date(at).toISOString(),
  });
  return operator === 'ne' ? { kind: 'not', filter: compare('eq') } : compare(operator);
}
