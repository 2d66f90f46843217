import { asType } from '../casting.ts';
import { itemsOf } from '../equality.ts';
import { addPlainForm } from '../host-values.ts';
import { JavaIterator } from '../iterate.ts';
import { classNamed, type JavaClass } from '../java-class.ts';
import { JavaMap } from '../java-map.ts';
import { JavaSet, setOf } from '../java-set.ts';
import { defineMethods, defineStatics, type Implementation } from '../method-table.ts';
import '../methods/object-methods.ts';
import { toInt } from '../arithmetic.ts';
import { numeric } from '../methods/number-methods.ts';
import { textOf, toText } from '../text.ts';
import { exception, type Throwable } from '../throwable.ts';
import { isNumeric, JavaObject } from '../values.ts';
import { readJson } from './json-reader.ts';
import { prettyJson, writeJson } from './json-writer.ts';

const OBJECT_CLASS = classNamed('org.json.JSONObject');
const ARRAY_CLASS = classNamed('org.json.JSONArray');

/** `org.json`: objects in the order of Java's hashes, as that library has them. */
class JsonObject extends JavaObject {
  readonly type: JavaClass = OBJECT_CLASS;
  readonly members = new JavaMap('HashMap');

  override toText(): string {
    return writeJson(plain(this));
  }
}

class JsonArray extends JavaObject {
  readonly type: JavaClass = ARRAY_CLASS;
  readonly items: unknown[] = [];

  override toText(): string {
    return writeJson(plain(this));
  }
}

/** Stands for a null that is a value. */
class JsonNull extends JavaObject {
  readonly type: JavaClass = classNamed('java.lang.Object');

  override toText(): string {
    return 'null';
  }
}

const NULL = new JsonNull();

/** Maps and lists are objects and arrays of this library inside of them. */
function wrapped(value: unknown): unknown {
  if (value instanceof JavaMap) return objectOf(value);
  const items = value instanceof JavaSet ? value.list() : itemsOf(value);
  return items === undefined ? (value ?? NULL) : arrayOf(items);
}

function objectOf(source: JavaMap): JsonObject {
  const object = new JsonObject();
  for (const { key, value } of source.list())
    if (value !== null) object.members.put(toText(key), wrapped(value));
  return object;
}

function arrayOf(source: readonly unknown[]): JsonArray {
  const array = new JsonArray();
  array.items.push(...source.map(wrapped));
  return array;
}

function plain(value: unknown): unknown {
  if (value instanceof JsonArray) return value.items.map(plain);
  if (value === NULL) return null;
  if (!(value instanceof JsonObject)) return value;
  const map = new JavaMap('HashMap');
  for (const { key, value: item } of value.members.list()) map.put(key, plain(item));
  return map;
}

function parsed<T>(text: string, isFitting: (value: unknown) => value is T, what: string): T {
  const value = readJson(text);
  if (!isFitting(value))
    throw jsonError(`A ${what} text must begin with '${what === 'JSONObject' ? '{' : '['}'`);
  return value;
}

function jsonError(message: string): Throwable {
  return exception('org.json.JSONException', message);
}

type Holder = JsonObject | JsonArray;

function find(self: Holder, key: unknown): unknown {
  if (self instanceof JsonArray) return self.items[toInt(numeric(key))];
  return self.members.find(toText(key))?.value;
}

function get(self: Holder, key: unknown): unknown {
  const value = find(self, key);
  if (value !== undefined) return value;
  const name = self instanceof JsonArray ? toText(key) : `"${toText(key)}"`;
  throw jsonError(`${self.type.simpleName}[${name}] not found.`);
}

const KINDS: Readonly<
  Record<string, readonly [what: string, (value: unknown) => unknown, byDefault: unknown]>
> = {
  String: ['string', (value) => textOf(value), ''],
  Boolean: ['boolean', (value) => (typeof value === 'boolean' ? value : undefined), false],
  Int: ['int', (value) => (isNumeric(value) ? asType(value, classNamed('java.lang.Integer')) : undefined), 0],
  Long: ['long', (value) => (isNumeric(value) ? asType(value, classNamed('java.lang.Long')) : undefined), 0n],
  Double: [
    'double',
    (value) => (isNumeric(value) ? asType(value, classNamed('java.lang.Double')) : undefined),
    null,
  ],
  JSONObject: ['JSONObject', (value) => (value instanceof JsonObject ? value : undefined), null],
  JSONArray: ['JSONArray', (value) => (value instanceof JsonArray ? value : undefined), null],
};

/** `getInt(key)` fails without one, `optInt(key, other)` gives the other. */
const typed: Record<string, Implementation> = {};
for (const [kind, [what, read, byDefault]] of Object.entries(KINDS)) {
  typed[`get${kind}/1`] = (self: Holder, key: unknown) => {
    const value = read(get(self, key));
    if (value === undefined) throw jsonError(`${self.type.simpleName}[${writeJson(key)}] is not a ${what}.`);
    return value;
  };
  typed[`opt${kind}/1-2`] = (self: Holder, key: unknown, other: unknown = byDefault) =>
    read(find(self, key) ?? null) ?? other;
}

function write(self: Holder, indent?: unknown): string {
  if (indent === undefined) return self.toText();
  return prettyJson(self.toText()).replace(/^( {4})+/gm, (blanks) =>
    ' '.repeat((blanks.length / 4) * toInt(numeric(indent))),
  );
}

const common: Record<string, Implementation> = {
  ...typed,
  'get/1': get,
  'getAt/1': get,
  'opt/1': (self: Holder, key: unknown) => find(self, key) ?? null,
  'isNull/1': (self: Holder, key: unknown) => (find(self, key) ?? NULL) === NULL,
  'toString/0-1': write,
};

defineMethods('org.json.JSONObject', 'java.lang.Object', {
  ...common,
  'put/2': (self: JsonObject, key: unknown, value: unknown) => {
    if (value === null) self.members.remove(toText(key));
    else self.members.put(toText(key), wrapped(value));
    return self;
  },
  'putOpt/2': (self: JsonObject, key: unknown, value: unknown) => {
    if (value !== null) self.members.put(toText(key), wrapped(value));
    return self;
  },
  'has/1': (self: JsonObject, key: unknown) => self.members.has(toText(key)),
  'remove/1': (self: JsonObject, key: unknown) => self.members.remove(toText(key)),
  'keySet/0': (self: JsonObject) => setOf(self.members.keys(), 'HashSet'),
  'keys/0': (self: JsonObject) => {
    const names = self.members.keys();
    let at = 0;
    return new JavaIterator(() => names[at++]);
  },
  'length/0': (self: JsonObject) => self.members.size,
  'isEmpty/0': (self: JsonObject) => self.members.size === 0,
  'toMap/0': plain,
  'propertyMissing/1': (self: JsonObject, name: string) => find(self, name),
});
defineMethods('org.json.JSONArray', 'java.lang.Object', {
  ...common,
  'put/1-2': (self: JsonArray, first: unknown, ...others: unknown[]) => {
    if (others.length === 0) self.items.push(wrapped(first));
    else {
      const at = toInt(numeric(first));
      while (self.items.length < at) self.items.push(NULL);
      self.items[at] = wrapped(others[0]);
    }
    return self;
  },
  'remove/1': (self: JsonArray, at: unknown) => self.items.splice(toInt(numeric(at)), 1)[0] ?? null,
  'length/0': (self: JsonArray) => self.items.length,
  'isEmpty/0': (self: JsonArray) => self.items.length === 0,
  'toList/0': plain,
  'join/1': (self: JsonArray, separator: unknown) =>
    self.items.map((item) => writeJson(plain(item))).join(toText(separator)),
  'iterator/0': (self: JsonArray) => {
    let at = 0;
    return new JavaIterator(() => self.items[at++]);
  },
});
defineStatics(
  'org.json.JSONObject',
  {
    'new/0-1': (source?: unknown) => {
      if (source === undefined) return new JsonObject();
      const map = source instanceof JavaMap ? source : parsed(toText(source), isMap, 'JSONObject');
      return objectOf(map);
    },
    'quote/1': writeJson,
  },
  { NULL },
);
defineStatics('org.json.JSONArray', {
  'new/0-1': (source?: unknown) => {
    if (source === undefined) return new JsonArray();
    const items = source instanceof JavaSet ? source.list() : itemsOf(source);
    return arrayOf(items ?? parsed(toText(source), isList, 'JSONArray'));
  },
});

function isMap(value: unknown): value is JavaMap {
  return value instanceof JavaMap;
}

function isList(value: unknown): value is unknown[] {
  return Array.isArray(value);
}

for (const type of [JsonObject, JsonArray]) addPlainForm<JsonObject | JsonArray>(type, plain);
addPlainForm(JsonNull, () => null);
