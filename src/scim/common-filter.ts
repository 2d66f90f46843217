import { BadRequestError } from '#errors/index.ts';
import { type Comparison, CREATED_AT, type QueryFilter, UPDATED_AT } from '#resource/index.ts';
import { isInstant, parseInstant } from '#time/index.ts';
import type { ScimFilter } from './filter.ts';
import { meetsFilter } from './filter-match.ts';
import type { ResourceType } from './resource-type.ts';

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

/**
 * A condition of `schemas` or `meta`, which all resources have; undefined of anything else.
 *
 * @throws BadRequestError `SCIM_BAD_FILTER` for what cannot be asked
 */
export function commonFilter(type: ResourceType, filter: Compare | Present): QueryFilter | undefined {
  const { name, sub } = filter.path;
  if (name.toLowerCase() === 'schemas' && sub === null) return schemasFilter(type, filter);
  if (name.toLowerCase() !== 'meta') return undefined;
  switch (sub?.toLowerCase()) {
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

/** A resource has the schema of an extension if it has one of its attributes. */
function schemasFilter(type: ResourceType, filter: Compare | Present): QueryFilter {
  if (filter.kind === 'present') return ALL;
  const { operator } = filter;
  const positive: Compare = operator === 'ne' ? { ...filter, operator: 'eq' } : filter;
  const met = textMeets(type.schema, positive)
    ? ALL
    : any(
        type.extensions
          .filter(({ schema }) => textMeets(schema, positive))
          .map(({ schema }) => extensionFilter(type, schema)),
      );
  return operator === 'ne' ? { kind: 'not', filter: met } : met;
}

function extensionFilter({ attributes }: ResourceType, extension: string): QueryFilter {
  const own = attributes.filter(({ schema, returned }) => schema === extension && returned !== 'never');
  const properties = own.flatMap(({ binding, subAttributes }) => {
    if (binding.kind === 'property') return [binding];
    if (binding.kind === 'parts') return subAttributes.flatMap(({ property }) => property ?? []);
    if (binding.kind === 'elements') return binding.elements.flatMap(({ parts }) => [...parts.values()]);
    throw new BadRequestError(
      `'schemas' cannot be asked for '${extension}', which has references to other resources`,
      { id: 'SCIM_BAD_FILTER', hint: 'Ask for an attribute of it' },
    );
  });
  return any(
    properties.map(({ pointer, values }) =>
      // A text that is neither is shown as no value.
      values === undefined
        ? { kind: 'present', pointer }
        : { kind: 'in', pointer, values: [values.true, values.false] },
    ),
  );
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
