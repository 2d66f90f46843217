import { toInt } from './arithmetic.ts';
import { asType } from './casting.ts';
import { itemsOf } from './equality.ts';
import { addPlainForm } from './host-values.ts';
import { JavaIterator } from './iterate.ts';
import { classNamed, type JavaClass } from './java-class.ts';
import { JavaMap } from './java-map.ts';
import { setOf } from './java-set.ts';
import { defineMethods, defineStatics } from './method-table.ts';
import './methods/object-methods.ts';
import { textOf, toText } from './text.ts';
import { Throwable } from './throwable.ts';
import { Entry, isNumeric, JavaObject, listKind } from './values.ts';

const JSON_VALUE_CLASS = classNamed('org.forgerock.json.JsonValue');
const JSON_POINTER_CLASS = classNamed('org.forgerock.json.JsonPointer');

/** A value with the path that led to it, as the field's servers hand JSON to Groovy. */
export class JsonValue extends JavaObject {
  readonly type: JavaClass = JSON_VALUE_CLASS;
  value: unknown;
  readonly path: readonly string[];

  constructor(value: unknown, path: readonly string[] = []) {
    super();
    this.value = value instanceof JsonValue ? value.value : value;
    this.path = path;
  }

  get pointer(): string {
    return this.path.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  }

  override toText(): string {
    return jsonText(this.value);
  }

  /** The child, which is a JsonValue of null when there is none. */
  get(key: unknown): JsonValue {
    if (key instanceof JsonPointer)
      return key.parts.reduce<JsonValue>((value, part) => value.get(part), this);
    const name = toText(key);
    return new JsonValue(this.child(key), [...this.path, name]);
  }

  child(key: unknown): unknown {
    if (this.value instanceof JavaMap) return this.value.find(toText(key))?.value ?? null;
    const items = itemsOf(this.value);
    const at = isNumeric(key) ? toInt(key) : /^\d+$/.test(toText(key)) ? Number(toText(key)) : -1;
    return items?.[at] ?? null;
  }

  put(key: unknown, value: unknown): void {
    const plain = value instanceof JsonValue ? value.value : value;
    if (this.value instanceof JavaMap) this.value.put(toText(key), plain);
    else if (Array.isArray(this.value) && isNumeric(key)) this.value[toInt(key)] = plain;
    else throw this.failure('Expecting a Map or List');
  }

  failure(message: string): Throwable {
    return new Throwable(
      classNamed('org.forgerock.json.JsonValueException'),
      `${this.pointer || '/'}: ${message}`,
    );
  }

  /** The value, null allowed, when the test takes it. */
  expect(what: string, test: (value: unknown) => boolean): unknown {
    if (this.value !== null && !test(this.value)) throw this.failure(`Expecting a ${what}`);
    return this.value;
  }
}

/** The field's own way of writing JSON, with blanks inside the braces. */
function jsonText(value: unknown): string {
  if (value === null) return 'null';
  if (value instanceof JavaMap) {
    if (value.size === 0) return '{ }';
    const parts = value.list().map(({ key, value: item }) => `"${toText(key)}": ${jsonText(item)}`);
    return `{ ${parts.join(', ')} }`;
  }
  const items = itemsOf(value);
  if (items !== undefined) return items.length === 0 ? '[ ]' : `[ ${items.map(jsonText).join(', ')} ]`;
  return textOf(value) === undefined ? toText(value) : JSON.stringify(toText(value));
}

export class JsonPointer extends JavaObject {
  readonly type: JavaClass = JSON_POINTER_CLASS;
  readonly parts: readonly string[];

  constructor(text: string) {
    super();
    this.parts = text
      .split('/')
      .filter((part) => part !== '')
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  }

  override toText(): string {
    return this.parts.map((part) => `/${part}`).join('');
  }

  override key(): unknown {
    return this.toText();
  }
}

const isText = (value: unknown) => textOf(value) !== undefined;
const isList = (value: unknown) => itemsOf(value) !== undefined;
const isMap = (value: unknown) => value instanceof JavaMap;
const isBoolean = (value: unknown) => typeof value === 'boolean';

function numberAs(kind: string) {
  return (self: JsonValue) => {
    const value = self.expect('Number', isNumeric);
    return value === null ? null : asType(value, classNamed(`java.lang.${kind}`));
  };
}

function children(self: JsonValue): JsonValue[] {
  if (self.value instanceof JavaMap) return self.value.keys().map((key) => self.get(key));
  return (itemsOf(self.value) ?? []).map((_item, at) => self.get(at));
}

function isDefined(self: JsonValue, key: unknown): boolean {
  if (key instanceof JsonPointer) return self.get(key).value !== null;
  return self.value instanceof JavaMap ? self.value.has(toText(key)) : self.child(key) !== null;
}

defineMethods('org.forgerock.json.JsonValue', 'java.lang.Object', {
  'get/1': (self: JsonValue, key: unknown) => self.get(key),
  'getAt/1': (self: JsonValue, key: unknown) => self.get(key),
  'propertyMissing/1': (self: JsonValue, name: string) => self.get(name),
  'put/2': (self: JsonValue, key: unknown, value: unknown) => {
    self.put(key, value);
    return self;
  },
  'add/1-2': (self: JsonValue, first: unknown, second?: unknown) => {
    const plain = (value: unknown) => (value instanceof JsonValue ? value.value : value);
    if (second !== undefined) {
      if (isDefined(self, first)) throw self.failure(`${toText(first)} is already defined`);
      self.put(first, second);
    } else if (Array.isArray(self.value)) self.value.push(plain(first));
    else throw self.failure('Expecting a List');
    return self;
  },
  'remove/1': (self: JsonValue, key: unknown) => {
    if (self.value instanceof JavaMap) self.value.remove(toText(key));
    return null;
  },
  'clear/0': (self: JsonValue) => {
    if (self.value instanceof JavaMap) self.value.clear();
    return null;
  },
  'isDefined/1': isDefined,
  'contains/1': (self: JsonValue, value: unknown) => children(self).some((child) => child.value === value),
  'isNull/0': (self: JsonValue) => self.value === null,
  'isNotNull/0': (self: JsonValue) => self.value !== null,
  'isString/0': (self: JsonValue) => isText(self.value),
  'isNumber/0': (self: JsonValue) => isNumeric(self.value),
  'isBoolean/0': (self: JsonValue) => isBoolean(self.value),
  'isList/0': (self: JsonValue) => isList(self.value),
  'isCollection/0': (self: JsonValue) => isList(self.value),
  'isMap/0': (self: JsonValue) => isMap(self.value),
  'getObject/0': (self: JsonValue) => self.value,
  'setObject/1': (self: JsonValue, value: unknown) => {
    self.value = value;
    return null;
  },
  'getWrappedObject/0': (self: JsonValue) => self.value,
  'asString/0': (self: JsonValue) => self.expect('String', isText),
  'asBoolean/0': (self: JsonValue) => self.expect('Boolean', isBoolean),
  'asInteger/0': numberAs('Integer'),
  'asLong/0': numberAs('Long'),
  'asDouble/0': numberAs('Double'),
  'asNumber/0': (self: JsonValue) => self.expect('Number', isNumeric),
  'asList/0-1': (self: JsonValue) => self.expect('List', isList),
  'asMap/0-1': (self: JsonValue) => self.expect('Map', isMap),
  'asCollection/0': (self: JsonValue) => self.expect('List', isList),
  'defaultTo/1': (self: JsonValue, value: unknown) =>
    self.value === null ? new JsonValue(value, self.path) : self,
  'required/0': (self: JsonValue) => {
    if (self.value === null) throw self.failure('Expecting a value');
    return self;
  },
  'expect/1': (self: JsonValue, type: JavaClass) => {
    self.expect(type.simpleName, (value) => asType(value, type) === value);
    return self;
  },
  'keys/0': (self: JsonValue) =>
    setOf(
      self.value instanceof JavaMap
        ? self.value.keys()
        : (itemsOf(self.value) ?? []).map((_item, at) => String(at)),
    ),
  'size/0': (self: JsonValue) => children(self).length,
  'iterator/0': (self: JsonValue) => {
    const all = children(self);
    let at = 0;
    return new JavaIterator(() => all[at++]);
  },
  'getPointer/0': (self: JsonValue) => new JsonPointer(self.pointer),
  'copy/0': (self: JsonValue) => new JsonValue(copyOf(self.value), self.path),
  'clone/0': (self: JsonValue) => new JsonValue(copyOf(self.value), self.path),
});

function copyOf(value: unknown): unknown {
  if (value instanceof JavaMap) {
    const copy = value.emptyCopy();
    for (const { key, value: item } of value.list()) copy.put(key, copyOf(item));
    return copy;
  }
  return Array.isArray(value) ? value.map(copyOf) : value;
}

/** An array alone is all the arguments. */
function spreadArguments(items: readonly unknown[]): readonly unknown[] {
  const [only] = items;
  const isArray = items.length === 1 && Array.isArray(only) && listKind(only)?.element !== undefined;
  return isArray ? only : items;
}

defineStatics('org.forgerock.json.JsonValue', {
  'new/1-2': (value: unknown) => new JsonValue(value),
  'json/1': (value: unknown) => new JsonValue(value),
  'object/0+': (...entries: unknown[]) => {
    const map = new JavaMap();
    for (const entry of spreadArguments(entries)) if (entry instanceof Entry) map.put(entry.key, entry.value);
    return map;
  },
  'field/2': (key: unknown, value: unknown) => new Entry(toText(key), value),
  'fieldIfNotNull/2': (key: unknown, value: unknown) =>
    value === null ? null : new Entry(toText(key), value),
  'array/0+': (...items: unknown[]) => [...spreadArguments(items)],
  'set/0+': (...items: unknown[]) => setOf(spreadArguments(items)),
});
defineStatics('org.forgerock.json.JsonPointer', {
  'new/0-1': (text: unknown = '') => new JsonPointer(toText(text)),
  'ptr/1': (text: unknown) => new JsonPointer(toText(text)),
});
defineMethods('org.forgerock.json.JsonPointer', 'java.lang.Object', {
  'size/0': (self: JsonPointer) => self.parts.length,
  'get/1': (self: JsonPointer, at: number) => self.parts[at] ?? null,
  'leaf/0': (self: JsonPointer) => self.parts.at(-1) ?? null,
  'isEmpty/0': (self: JsonPointer) => self.parts.length === 0,
  'toArray/0': (self: JsonPointer) => [...self.parts],
});

addPlainForm(JsonValue, ({ value }) => value);
