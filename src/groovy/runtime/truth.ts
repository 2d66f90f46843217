import { toNumber } from './arithmetic.ts';
import { dispatcher } from './dispatch-port.ts';
import { pairsOf } from './java-map.ts';
import { JavaSet } from './java-set.ts';
import type { JsonMap } from './json-map.ts';
import { isListView } from './list-view.ts';
import { Range } from './range.ts';
import { callScriptMethod, scriptClassOf } from './script-class.ts';
import { toText } from './text.ts';
import { Char, GString, isNumeric, JavaObject, StringBuilder } from './values.ts';

/** What a condition makes of a value. */
export function truth(value: unknown): boolean {
  switch (typeof value) {
    case 'boolean':
      return value;
    case 'string':
      return value !== '';
    case 'number':
      return value !== 0;
    case 'bigint':
      return value !== 0n;
    case 'object':
      return value !== null && objectTruth(value);
    default:
      return false;
  }
}

/** What a value is without being asked: the `asBoolean` of all objects. */
export function truthUnasked(value: unknown): boolean {
  return typeof value === 'object' && value !== null ? objectTruth(value, false) : truth(value);
}

function objectTruth(value: object, asks = true): boolean {
  if (Array.isArray(value)) return value.length > 0;
  // Whether a map is empty is no reason to make its entries.
  const { json }: Partial<JsonMap> = value;
  if (json !== undefined) return Object.keys(json).length > 0;
  const pairs = pairsOf(value);
  if (pairs !== undefined) return pairs.size > 0;
  if (value instanceof JavaSet) return value.size > 0;
  if (value instanceof GString || value instanceof StringBuilder) return toText(value) !== '';
  if (isNumeric(value)) {
    const number = toNumber(value);
    return number !== 0 && !Number.isNaN(number);
  }
  if (value instanceof Char) return value.code !== 0;
  if (value instanceof Range) return !value.isEmpty;
  if (isListView(value)) return value.read().length > 0;
  const type = scriptClassOf(value);
  const methods = type?.findMethods('asBoolean') ?? [];
  if (methods.length > 0) return truth(callScriptMethod(methods, 'asBoolean', value, [], type!.name));
  if (!(value instanceof JavaObject)) return true;
  // An iterator is true while something follows.
  if (dispatcher.responds(value, 'hasNext', 0)) return dispatcher.invoke(value, 'hasNext', []) === true;
  if (asks && dispatcher.responds(value, 'asBoolean', 0)) {
    return dispatcher.invoke(value, 'asBoolean', []) === true;
  }
  return true;
}
