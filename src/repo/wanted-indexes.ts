import { createHash } from 'node:crypto';
import { formatPointer, isObject, type JsonObject, type JsonValue, type Pointer } from '#json/index.ts';
import { type PredefinedQueries, parseSortKeys, pointersOf } from '#resource/index.ts';
import { indexIgnoringCase, type PropertyIndex, propertyIndex } from './filter-sql-index.ts';
import { objectTable, type PropertyType } from './filter-sql-table.ts';

/** A type as far as indexes go. */
export interface IndexedType {
  readonly name: string;
  readonly properties: JsonObject;
  readonly propertyTypes: ReadonlyMap<string, PropertyType>;
}

/** An index that should be there. The name tells two definitions apart, so a changed one is made anew. */
export interface WantedIndex extends PropertyIndex {
  readonly name: string;
  readonly type: string;
  /** The property as a pointer, such as `/userName`. */
  readonly property: string;
}

/** Properties that shipped queries ask for by name. */
const SHIPPED: readonly string[] = ['userName'];

/**
 * The indexes that a configuration asks for: `searchable` properties, and declared properties that a predefined
 * query or a relationship's list filters or sorts by. A property of one scalar type has a btree; any other a GIN index.
 *
 * @param ignoringCase by type: what is asked for whatever its case
 */
export function wantedIndexes(
  types: Iterable<IndexedType>,
  queries: PredefinedQueries,
  ignoringCase: ReadonlyMap<string, readonly Pointer[]> = new Map(),
): WantedIndex[] {
  const queried = [...queries.values()].flatMap((query) => pointersOf(query.template));
  return [...types].flatMap((type) => {
    const named = [
      ...Object.entries(type.properties)
        .filter(([name, property]) => isIndexed(name, property))
        .map(([name]) => [name]),
      ...queried,
      ...listedBy(type.properties),
    ];
    const declared = named.filter(([name]) => name !== undefined && Object.hasOwn(type.properties, name));
    const distinct = new Map(declared.map((pointer) => [formatPointer(pointer), pointer]));
    return [
      ...[...distinct.values()].flatMap((pointer) => wanted(type, pointer)),
      ...(ignoringCase.get(type.name) ?? []).flatMap((pointer) => wantedIgnoringCase(type, pointer)),
    ];
  });
}

/** Whether a property has an index because of what it is. */
export function isIndexed(name: string, property: JsonValue | undefined): boolean {
  return SHIPPED.includes(name) || (isObject(property) && isTrue(property['searchable']));
}

function wanted(type: IndexedType, pointer: Pointer): WantedIndex[] {
  const index = propertyIndex(objectTable({ propertyTypes: type.propertyTypes }), pointer);
  if (index === undefined) return [];
  const property = formatPointer(pointer);
  const declared = type.propertyTypes.get(property) ?? 'any';
  const kind = declared === 'string' ? 'beginning of a string' : declared;
  return [{ ...index, name: nameOf(type, property, kind, index.method), type: type.name, property }];
}

function wantedIgnoringCase(type: IndexedType, pointer: Pointer): WantedIndex[] {
  const index = indexIgnoringCase(objectTable({ propertyTypes: type.propertyTypes }), pointer);
  if (index === undefined) return [];
  const property = formatPointer(pointer);
  const name = nameOf(type, property, 'beginning of a string in lower case', index.method);
  return [{ ...index, name, type: type.name, property }];
}

function nameOf({ name }: IndexedType, property: string, kind: string, method: string): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([name, property, kind, method, 'with statistics']))
    .digest('hex');
  return `managed_${hash.slice(0, 20)}_auto`;
}

/** What lists of a relationship's targets filter and sort by; they name properties of other types as well. */
function listedBy(properties: JsonObject): Pointer[] {
  return Object.values(properties).flatMap((property) => {
    const holder = isObject(property) && isObject(property['items']) ? property['items'] : property;
    const collections = isObject(holder) ? holder['resourceCollection'] : undefined;
    return (Array.isArray(collections) ? collections : [collections]).flatMap((entry) => {
      const query = isObject(entry) && isObject(entry['query']) ? entry['query'] : {};
      const keys = Array.isArray(query['sortKeys']) ? query['sortKeys'].map(String) : [];
      return keys.flatMap((key) => parseSortKeys(key).map(({ pointer }) => pointer));
    });
  });
}

function isTrue(value: unknown): boolean {
  return value === true || value === 'true';
}
