import { JavaMap } from './java-map.ts';
import { Double, Entry } from './values.ts';

type Json = Record<string, unknown>;

const INT_LIMIT = 2_147_483_648;

/** A number of the host as an Integer, a Long or a Double. */
export function numberToGroovy(value: number): unknown {
  if (!Number.isInteger(value)) return new Double(value);
  if (value >= -INT_LIMIT && value < INT_LIMIT) return value | 0;
  return Number.isSafeInteger(value) ? BigInt(value) : new Double(value);
}

/**
 * A map made of an object that came as JSON. It gets its entries when somebody wants more of it than to read plain
 * values: most of what scripts are given, they never look at, or only at a value or two. Until then `json` is the object,
 * and nobody changes it.
 */
export interface JsonMap extends JavaMap {
  json: Json | undefined;
}

const PROTOTYPE: JsonMap = Object.create(JavaMap.prototype, {
  kind: { value: 'LinkedHashMap' },
  changes: { value: 0, writable: true },
  isSorted: { value: true, writable: true },
  pairs: {
    get(this: JsonMap) {
      const pairs = new Map<unknown, Entry>();
      const json = this.json!;
      this.json = undefined;
      // Names that begin with a control character have keys of their own.
      const rest: string[] = [];
      for (const name of Object.keys(json)) {
        if (name < '\u0002') rest.push(name);
        else pairs.set(name, new Entry(name, jsonToGroovy(json[name])));
      }
      Object.defineProperty(this, 'pairs', { value: pairs, writable: true });
      for (const name of rest) this.put(name, jsonToGroovy(json[name]));
      return pairs;
    },
  },
});

/** Pure JSON as Groovy has it. */
export function jsonToGroovy(value: unknown): unknown {
  switch (typeof value) {
    case 'number':
      return numberToGroovy(value);
    case 'object': {
      if (value === null) return null;
      if (Array.isArray(value)) return value.map(jsonToGroovy);
      const map: JsonMap = Object.create(PROTOTYPE);
      map.json = value as Json;
      return map;
    }
    case 'undefined':
      return null;
    default:
      return value;
  }
}

/** A plain value of a map that has no entries yet; undefined when it is no plain one, or the map has its entries. */
export function plainValue(map: object, name: string): unknown {
  const { json } = map as Partial<JsonMap>;
  if (json === undefined || name < '\u0002') return undefined;
  const value = json[name];
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return numberToGroovy(value);
    case 'undefined':
      return null;
    default:
      return undefined;
  }
}
