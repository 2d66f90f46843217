import { BadRequestError, didYouMean } from '#errors/index.ts';
import { formatPointer, type Pointer } from '#json/index.ts';
import type { FilterValue, QueryFilter } from '#resource/index.ts';
import { type Filter, type Scalar, UID } from './contract.ts';
import type { SystemObjectType, SystemProperty } from './object-type.ts';
import { scalarOf } from './property-value.ts';

type Looked = { readonly native: string; readonly property: SystemProperty | undefined };

/**
 * What is asked for, by the names and with the values of the other side. A value that a property cannot have is equal to nothing.
 *
 * @throws BadRequestError `SYSTEM_UNKNOWN_PROPERTY` for what the type does not have, or shows nobody
 */
export function nativeFilter(type: SystemObjectType, filter: QueryFilter): Filter {
  switch (filter.kind) {
    case 'literal':
      return filter;
    case 'and':
    case 'or':
      return { kind: filter.kind, filters: filter.filters.map((one) => nativeFilter(type, one)) };
    case 'not':
      return { kind: 'not', filter: nativeFilter(type, filter.filter) };
    case 'present':
      return { kind: 'present', attribute: lookedAt(type, filter.pointer).native };
    case 'compare': {
      const looked = lookedAt(type, filter.pointer);
      const value = valueFor(looked, filter.value);
      if (value === undefined) return { kind: 'literal', value: false };
      return { kind: 'compare', attribute: looked.native, operator: filter.operator, value };
    }
    case 'in': {
      const looked = lookedAt(type, filter.pointer);
      const values = filter.values.map((one) => valueFor(looked, one)).filter((one) => one !== undefined);
      return { kind: 'in', attribute: looked.native, values };
    }
  }
}

/** The property that a pointer of a filter or of a sort key means; undefined for the id. */
export function propertyAt(type: SystemObjectType, pointer: Pointer): SystemProperty | undefined {
  return lookedAt(type, pointer).property;
}

/** The same filter where capitals do not count. */
export function ignoringCase(filter: QueryFilter): QueryFilter {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return { kind: filter.kind, filters: filter.filters.map(ignoringCase) };
    case 'not':
      return { kind: 'not', filter: ignoringCase(filter.filter) };
    case 'compare':
      return { ...filter, ignoresCase: true };
    case 'in': {
      const { pointer, values } = filter;
      return {
        kind: 'or',
        filters: values.map((value) => ({
          kind: 'compare',
          pointer,
          operator: 'eq',
          value,
          ignoresCase: true,
        })),
      };
    }
    default:
      return filter;
  }
}

function lookedAt(type: SystemObjectType, pointer: Pointer): Looked {
  const [name = ''] = pointer;
  if (pointer.length === 1 && name === '_id') return { native: UID, property: undefined };
  const property = type.properties.get(name);
  if (pointer.length === 1 && property?.isReadable === true) return { native: property.native, property };
  const readable = [...type.properties.values()].filter(({ isReadable }) => isReadable);
  const names = readable.map((one) => one.name);
  throw new BadRequestError(
    `'${type.name}' has no property '${formatPointer(pointer).slice(1)}' to look for`,
    {
      id: 'SYSTEM_UNKNOWN_PROPERTY',
      field: formatPointer(pointer),
      hint: didYouMean(name, names) ?? `There are _id, ${names.join(', ')}`,
    },
  );
}

function valueFor({ property }: Looked, value: FilterValue): Scalar | undefined {
  if (property === undefined) return typeof value === 'string' ? value : undefined;
  // What a filter of this server compares is of one type.
  const { type } = property;
  const expected = type === 'integer' || type === 'number' ? 'number' : type === 'boolean' ? type : 'string';
  return typeof value === expected || type === 'any' ? scalarOf(property, value) : undefined;
}
