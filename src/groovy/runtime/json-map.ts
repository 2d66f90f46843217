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
 * A map made of an object: one that came as JSON, or a literal of the script, whose members are Groovy's already. It
 * gets its entries when somebody wants more of it than to read members: most of what scripts are given, they never
 * look at, or only at a value or two, and most of their literals go straight to the host. Until then `json` is the
 * object, and nobody changes it.
 */
export interface JsonMap extends JavaMap {
  json: Json | undefined;
  /** What was made of members that are objects, which scripts may change. */
  made: Map<string, unknown> | undefined;
  readonly isLiteral: boolean;
}

class MapOfJson {
  readonly json: Json;

  constructor(json: Json) {
    this.json = json;
  }
}

/** A map of a literal in the script: its names are plain texts, in the order in which the script has them. */
export class MapOfLiteral extends MapOfJson {}

Object.setPrototypeOf(
  MapOfJson.prototype,
  Object.create(JavaMap.prototype, {
    kind: { value: 'LinkedHashMap' },
    changes: { value: 0, writable: true },
    isSorted: { value: true, writable: true },
    made: { value: undefined, writable: true },
    isLiteral: { value: false },
    pairs: {
      get(this: JsonMap) {
        const pairs = new Map<unknown, Entry>();
        const json = this.json!;
        // Names that begin with a control character have keys of their own.
        const rest: string[] = [];
        for (const name of Object.keys(json)) {
          if (name < '\u0002') rest.push(name);
          else pairs.set(name, new Entry(name, memberOf(this, json, name)));
        }
        this.json = undefined;
        Object.defineProperty(this, 'pairs', { value: pairs, writable: true });
        for (const name of rest) this.put(name, jsonToGroovy(json[name]));
        return pairs;
      },
    },
  }),
);
Object.defineProperty(MapOfLiteral.prototype, 'isLiteral', { value: true });

/** Pure JSON as Groovy has it. */
export function jsonToGroovy(value: unknown): unknown {
  switch (typeof value) {
    case 'number':
      return numberToGroovy(value);
    case 'object':
      if (value === null) return null;
      return Array.isArray(value) ? value.map(jsonToGroovy) : new MapOfJson(value as Json);
    case 'undefined':
      return null;
    default:
      return value;
  }
}

/** An own member, the same one each time. */
function memberOf(map: Partial<JsonMap>, json: Json, name: string): unknown {
  const value = json[name];
  if (map.isLiteral) return value;
  if (typeof value !== 'object' || value === null) return jsonToGroovy(value);
  map.made ??= new Map();
  let made = map.made.get(name);
  if (made === undefined) {
    made = jsonToGroovy(value);
    map.made.set(name, made);
  }
  return made;
}

/** A value of a map that has no entries yet; undefined when only its entries can tell. */
export function plainValue(map: object, name: string): unknown {
  const { json }: Partial<JsonMap> = map;
  if (json === undefined || name < '\u0002') return undefined;
  const value = json[name];
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'bigint':
      return value;
    case 'number':
      return numberToGroovy(value);
    case 'undefined':
      return null;
    case 'object':
      if (value === null) return null;
      return Object.hasOwn(json, name) ? memberOf(map, json, name) : undefined;
    default:
      return undefined;
  }
}

/** The object of a map that has no entries yet as the host wants it; undefined when it has them. */
export function untouched(map: JavaMap, convert: (value: unknown) => unknown): Json | undefined {
  const { json, made, isLiteral }: Partial<JsonMap> = map;
  if (json === undefined || (!isLiteral && made === undefined)) return json;
  const result: Json = {};
  for (const name of Object.keys(json)) {
    const value = isLiteral ? json[name] : made?.get(name);
    const member = value === undefined ? json[name] : convert(value);
    // A member called `__proto__` is one like any other.
    if (name === '__proto__') Object.defineProperty(result, name, { value: member, enumerable: true });
    else result[name] = member;
  }
  return result;
}
