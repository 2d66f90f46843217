import { BadRequestError } from '#errors/index.ts';
import { type Pointer, parsePointer } from '#json/index.ts';
import type { FilterValue, QueryFilter } from './query-filter.ts';
import { parseQueryFilter } from './query-filter-parser.ts';

/** A query with a name: a filter with places for the parameters of a request. */
export interface PredefinedQuery {
  /** The filter with marks in its places; good for seeing what it asks about, not for asking. */
  readonly template: QueryFilter;
  /** @throws BadRequestError when a parameter is missing or is not of its type */
  bind(parameters: Readonly<Record<string, string>>): QueryFilter;
}

/** Stands before the name of a parameter in a parsed template; no stored text and no property has it. */
const MARK = '\u0002';
const PLACE = /\$\{(?:(string|int|number|boolean|pointer):)?(\w[\w.]*)\}/g;
type PlaceType = 'string' | 'int' | 'number' | 'boolean' | 'pointer';

/**
 * Compiles a filter such as `userName eq ${uid} and level ge ${int:level}`. A place stands where a value stands, or,
 * as `${pointer:field}`, where a pointer does. The text of a parameter never becomes part of the filter's text: it is
 * put into the parsed filter, so it cannot be anything but a value.
 *
 * @throws BadRequestError when the template does not parse
 */
export function compilePredefinedQuery(template: string): PredefinedQuery {
  const types = new Map<string, PlaceType>();
  const text = template.replace(PLACE, (_place, type: PlaceType | undefined, name: string) => {
    types.set(name, type ?? 'string');
    return type === 'pointer' ? `/${MARK}${name}` : `"${MARK}${name}"`;
  });
  const parsed = parseQueryFilter(text);
  return { template: parsed, bind: (parameters) => bindFilter(parsed, types, parameters) };
}

type Parameters = Readonly<Record<string, string>>;

function bindFilter(filter: QueryFilter, types: Map<string, PlaceType>, given: Parameters): QueryFilter {
  const pointer = (path: Pointer): Pointer => {
    const name = markedName(path[0]);
    return name === undefined ? path : bindPointer(name, given);
  };
  const value = (constant: FilterValue): FilterValue => {
    const name = typeof constant === 'string' ? markedName(constant) : undefined;
    return name === undefined ? constant : bindValue(name, types.get(name) ?? 'string', given);
  };
  switch (filter.kind) {
    case 'literal':
      return filter;
    case 'and':
    case 'or':
      return { ...filter, filters: filter.filters.map((each) => bindFilter(each, types, given)) };
    case 'not':
      return { ...filter, filter: bindFilter(filter.filter, types, given) };
    case 'present':
      return { ...filter, pointer: pointer(filter.pointer) };
    case 'compare':
      return { ...filter, pointer: pointer(filter.pointer), value: value(filter.value) };
    case 'in':
      return { ...filter, pointer: pointer(filter.pointer), values: filter.values.map(value) };
  }
}

function markedName(text: string | undefined): string | undefined {
  return text?.startsWith(MARK) === true ? text.slice(MARK.length) : undefined;
}

function bindPointer(name: string, given: Parameters): Pointer {
  const pointer = parsePointer(required(name, given));
  if (pointer.length > 0) return pointer;
  throw refuse(name, `The query parameter '${name}' is no pointer to a field`);
}

function bindValue(name: string, type: PlaceType, given: Parameters): FilterValue {
  const text = required(name, given);
  switch (type) {
    case 'string':
    case 'pointer':
      return text;
    case 'int':
      if (/^[+-]?\d+$/.test(text)) return Number(text);
      throw refuse(name, `The query parameter '${name}' is '${text}', not an integer`);
    case 'number': {
      const number = Number(text);
      if (text.trim() !== '' && Number.isFinite(number)) return number;
      throw refuse(name, `The query parameter '${name}' is '${text}', not a number`);
    }
    case 'boolean':
      if (text === 'true' || text === 'false') return text === 'true';
      throw refuse(name, `The query parameter '${name}' is '${text}', not true or false`);
  }
}

function required(name: string, given: Parameters): string {
  const text = Object.hasOwn(given, name) ? given[name] : undefined;
  if (text !== undefined) return text;
  throw refuse(name, `The query needs the parameter '${name}'`);
}

function refuse(name: string, message: string): BadRequestError {
  return new BadRequestError(message, { id: 'QUERY_PARAMETER', field: name });
}
