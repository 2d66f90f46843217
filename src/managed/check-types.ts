import { type Objection, PROPERTY_TYPES, SHOWN } from '#config/index.ts';
import { BadRequestError, didYouMean, factsOf } from '#errors/index.ts';
import { formatPointer, isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import { typeNameOf } from './collection.ts';
import { compileType, type ManagedType } from './managed-type.ts';
import { ManagedTypes } from './managed-types.ts';

/**
 * What is wrong with the types of `managed.json` beyond their schema: all of it, as far as one mistake does not hide
 * another.
 *
 * @param definitions as they are written, which may be anything
 */
export function findTypeMistakes(definitions: JsonValue | undefined): Objection[] {
  if (!Array.isArray(definitions)) return [];
  const objections: Objection[] = [];
  const types = new Map<string, ManagedType>();
  for (const [index, definition] of definitions.entries()) {
    if (!isObject(definition)) continue;
    const place = ['objects', String(index)];
    objections.push(...findPropertyMistakes(definition, place));
    const type = attempt(objections, place, () => compileType(definition));
    if (type !== undefined) types.set(type.name, type);
  }
  const names = new Set(definitions.filter(isObject).map(({ name }) => String(name)));
  for (const [index, definition] of definitions.entries()) {
    const type = isObject(definition) ? types.get(String(definition['name'])) : undefined;
    if (type !== undefined) objections.push(...findRelationMistakes(type, types, names, String(index)));
  }
  if (objections.every(({ isWarning }) => isWarning)) {
    attempt(objections, [], () => new ManagedTypes().replace(definitions.filter(isObject)));
  }
  return objections;
}

function findPropertyMistakes(definition: JsonObject, place: readonly string[]): Objection[] {
  const schema = isObject(definition['schema']) ? definition['schema'] : {};
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const objections = findShownMistakes(schema, [...place, 'schema']);
  for (const [name, property] of Object.entries(properties)) {
    if (!isObject(property)) continue;
    const at = [...place, 'schema', 'properties', name];
    objections.push(...findShownMistakes(property, at), ...findUnknownTypes(property, at));
    for (const { target, at: below } of targetsOf(property)) {
      objections.push(...findShownMistakes({ label: target['label'] ?? null }, [...at, ...below]));
    }
  }
  return objections;
}

/** What a relationship says of the objects that it leads to. */
function targetsOf(
  property: JsonObject,
): readonly { readonly target: JsonObject; readonly at: readonly string[] }[] {
  const { items } = property;
  const [holder, above] = isObject(items) ? [items, ['items']] : [property, []];
  const declared = holder['resourceCollection'] ?? [];
  const all = Array.isArray(declared) ? declared : [declared];
  return all.flatMap((target, index) => {
    const at = [...above, 'resourceCollection', ...(Array.isArray(declared) ? [String(index)] : [])];
    return isObject(target) ? [{ target, at }] : [];
  });
}

/** Nothing here depends on them, so they are kept as they are. */
function findShownMistakes(declared: JsonObject, place: readonly string[]): Objection[] {
  const wrong = Object.entries(SHOWN).filter(([key, kind]) => {
    const value = declared[key] ?? null;
    return value !== null && !isShown(value, kind);
  });
  return wrong.map(([key, kind]) => ({
    id: 'MANAGED_BAD_DISPLAY',
    field: formatPointer([...place, key]),
    message: `"${key}" is nothing that a user interface understands`,
    hint: { text: 'Write a text', flag: 'Write true or false', texts: 'Write an array of texts' }[kind],
    isWarning: true,
  }));
}

function isShown(value: JsonValue, kind: (typeof SHOWN)[keyof typeof SHOWN]): boolean {
  if (kind === 'text') return typeof value === 'string';
  if (kind === 'flag') return typeof value === 'boolean' || value === 'true' || value === 'false';
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

/** A near miss is a typing error; another word is somebody's own, and no value is valid for it. */
function findUnknownTypes(property: JsonObject, place: readonly string[]): Objection[] {
  const types = Array.isArray(property['type']) ? property['type'] : [property['type'] ?? 'any'];
  const own = types.filter((type) => !PROPERTY_TYPES.some((known) => known === type));
  const found = own.map((type): Objection => {
    const hint = didYouMean(String(type), PROPERTY_TYPES);
    return {
      id: 'MANAGED_UNKNOWN_TYPE',
      field: formatPointer([...place, 'type']),
      message: `the property '${place.at(-1)}' is of the type ${JSON.stringify(type)}, which there is not`,
      hint: hint ?? `One of ${PROPERTY_TYPES.join(', ')}`,
      ...(hint === undefined ? { isWarning: true } : {}),
    };
  });
  const items = property['items'];
  return isObject(items) ? [...found, ...findUnknownTypes(items, [...place, 'items'])] : found;
}

/** Relationships to types that there are not, and reverse properties that are none. */
function findRelationMistakes(
  type: ManagedType,
  types: ReadonlyMap<string, ManagedType>,
  names: ReadonlySet<string>,
  index: string,
): Objection[] {
  const objections: Objection[] = [];
  for (const { property, collections, reverseProperty, isArray } of type.relationships.values()) {
    const own = ['objects', index, 'schema', 'properties', property, ...(isArray ? ['items'] : [])];
    const object = (member: string, message: string, more: { hint?: string | undefined; isWarning?: true }) =>
      objections.push({
        id: 'MANAGED_BAD_RELATIONSHIP',
        field: formatPointer([...own, member]),
        message: `the relationship '${property}' of '${type.name}' ${message}`,
        ...(more.hint === undefined ? {} : { hint: more.hint }),
        ...(more.isWarning === undefined ? {} : { isWarning: true }),
      });
    for (const collection of collections) {
      const name = typeNameOf(collection);
      if (name === null) continue;
      const target = types.get(name);
      if (!names.has(name)) {
        object('resourceCollection', `leads to '${collection}', which there is not`, {
          hint: didYouMean(name, [...names]),
        });
      }
      if (target === undefined || reverseProperty === null) continue;
      const back = target.relationships.get(reverseProperty);
      if (back === undefined) {
        const hint = didYouMean(reverseProperty, [...target.relationships.keys()]);
        const what = target.compiled.has(reverseProperty) ? 'is no relationship' : 'it does not have';
        object('reversePropertyName', `names '${reverseProperty}' of '${name}', which ${what}`, { hint });
      } else if (back.reverseProperty !== null && back.reverseProperty !== property) {
        const message = `and '${reverseProperty}' of '${name}' do not name each other: that names '${back.reverseProperty}'`;
        object('reversePropertyName', message, { isWarning: true });
      }
    }
  }
  return objections;
}

function attempt<T>(objections: Objection[], place: readonly string[], read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof BadRequestError)) throw error;
    const { id = 'MANAGED_BAD_TYPE', hint } = factsOf(error);
    // What a script reference lacks is told where references are looked at.
    if (id === 'SCRIPT_BAD_REFERENCE') return undefined;
    const field = place.length === 0 ? '' : formatPointer(place);
    objections.push({ id, field, message: error.message, ...(hint === undefined ? {} : { hint }) });
    return undefined;
  }
}
