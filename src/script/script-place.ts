import type { Objection } from '#config/index.ts';
import { formatPointer, isObject, type JsonValue } from '#json/index.ts';
import type { ScriptInspector } from './script-inspector.ts';

/** Where a configuration names a script. Nothing of the configuration need be as its schema wants it. */
export interface ScriptPlace {
  /** JSON pointer of the script reference. */
  readonly field: string;
  readonly reference: JsonValue;
}

/** Names and indexes on the way to a value. */
export type Path = readonly (string | number)[];

/** What keeps scripts of a configuration from running. */
export async function inspectPlaces(
  inspector: ScriptInspector,
  places: readonly ScriptPlace[],
): Promise<readonly Objection[]> {
  const objections: Objection[] = [];
  for (const { field, reference } of places) {
    const faults = await inspector.inspect(reference);
    objections.push(...faults.map((fault) => ({ ...fault, field: `${field}${fault.field}` })));
    // Many of them would keep the thread from everything else.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return objections;
}

/** The script reference there, if there is one. */
export function placeAt(json: JsonValue, path: Path): ScriptPlace[] {
  const reference = valueAt(json, path) ?? null;
  return reference === null ? [] : [{ field: formatPointer(path.map(String)), reference }];
}

/** The paths of what is in an array. */
export function elementsAt(json: JsonValue, path: Path): Path[] {
  const list = valueAt(json, path);
  return Array.isArray(list) ? list.map((_, index) => [...path, index]) : [];
}

/** The paths of what is in an object. */
export function membersAt(json: JsonValue, path: Path): Path[] {
  const object = valueAt(json, path);
  return isObject(object) ? Object.keys(object).map((key) => [...path, key]) : [];
}

export function valueAt(json: JsonValue, path: Path): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>((value, key) => {
    if (Array.isArray(value)) return value[Number(key)];
    return isObject(value) ? value[key] : undefined;
  }, json);
}
