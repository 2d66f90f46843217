import { toBigInt, toDecimal, toInt, toLong, toNumber, WIDTH, widthOf } from './arithmetic.ts';
import { arrays, Closure, parameterTypes } from './closure.ts';
import { dispatcher } from './dispatch-port.ts';
import { compare, itemsOf } from './equality.ts';
import { boxOf, classNamed, elementOf, type JavaClass } from './java-class.ts';
import { JavaMap, type MapKind } from './java-map.ts';
import { JavaSet, type SetKind, setOf } from './java-set.ts';
import { numberText } from './number-text.ts';
import { parseNumber } from './parse-number.ts';
import { scriptClassOf } from './script-class.ts';
import { textOf, toText } from './text.ts';
import { exception, type Throwable } from './throwable.ts';
import { truth } from './truth.ts';
import { classNameOf, requireType } from './type-of.ts';
import {
  BigInteger,
  Byte,
  Char,
  Double,
  Float,
  GString,
  isNumeric,
  JavaObject,
  listKind,
  markList,
  type Numeric,
  Short,
  StringBuilder,
} from './values.ts';

const OBJECT = classNamed('java.lang.Object');

export function isInstance(value: unknown, type: JavaClass): boolean {
  if (value === null || value === undefined) return false;
  const own = requireType(value);
  if (own === type) return true;
  const wanted = boxOf(type);
  if (own.isSubclassOf(wanted)) return true;
  if (wanted.name === 'groovy.lang.GroovyObject')
    return scriptClassOf(value) !== undefined || value instanceof Closure;
  return own.form === 'array' && wanted.form === 'array' && elementOf(own).isSubclassOf(elementOf(wanted));
}

/** What a variable of a declared type makes of a value. @throws GroovyCastException */
export function cast(value: unknown, type: JavaClass): unknown {
  if (type === OBJECT) return value;
  if (value === null || value === undefined) {
    if (type.form !== 'primitive') return null;
    if (type.name === 'boolean') return false;
    throw castError(value, type);
  }
  if (isInstance(value, type)) return value;
  const converted = convert(value, type);
  if (converted === undefined) throw castError(value, type);
  return converted;
}

/** Undefined when there is no such conversion. */
function convert(value: unknown, type: JavaClass): unknown {
  const { simpleName } = boxOf(type);
  switch (simpleName) {
    case 'Boolean':
      return truth(value);
    case 'String':
      return toText(value);
    case 'Character':
      return toCharacter(value);
    case 'Class':
      return undefined;
  }
  if (isNumeric(value)) return convertNumber(value, simpleName);
  if (value instanceof Char && type.form === 'primitive') return convertNumber(value.code, simpleName);
  const text = textOf(value);
  // A text of one character is its code, as in Java's `int x = 'A'`.
  if (text !== undefined && text.length === 1) {
    const code = convertNumber(text.charCodeAt(0), simpleName);
    if (code !== undefined) return code;
  }
  if (type.form === 'enum') {
    return text === undefined ? undefined : dispatcher.invoke(type, 'valueOf', [text]);
  }
  return convertCollection(value, type);
}

function convertCollection(value: unknown, type: JavaClass): unknown {
  if (type.form === 'array') {
    const items = itemsOf(value) ?? (value instanceof JavaSet ? value.list() : undefined);
    return items === undefined ? undefined : toArray(items, type);
  }
  const items = value instanceof JavaSet ? value.list() : itemsOf(value);
  const { name } = type;
  if (items !== undefined && name === 'java.util.List' && !(value instanceof JavaSet)) return [...items];
  if (items !== undefined && SET_KINDS[name] !== undefined)
    return setOf(items, SET_KINDS[name], orderOf(name));
  if (items !== undefined && LIST_NAMES.has(name) && !(value instanceof JavaSet))
    return listOfKind(items, name);
  if (value instanceof Closure && type.form === 'interface')
    return (type.isDeclared ? asDeclared : asInterface).make(value, type);
  // A list of arguments or a map of properties makes an object of a class of the script.
  if (isScriptClass(type) && (value instanceof JavaMap || Array.isArray(value))) {
    return declaredObject.make(type, Array.isArray(value) ? [...value] : [value]);
  }
  return undefined;
}

/** What a closure becomes when it is taken for an object of an interface; others add what they know. */
export const asInterface = { make: (closure: Closure, _type: JavaClass): unknown => closure };

/** The same for interfaces that a script declares. */
export const asDeclared = { make: (closure: Closure, _type: JavaClass): unknown => closure };

/** Filled in by whoever makes objects of the classes of a script. */
export const declaredObject = { make: (_type: JavaClass, _args: unknown[]): unknown => undefined };

function isScriptClass(type: JavaClass): boolean {
  return 'methodsByName' in type && type.form === 'class';
}

export function orderOf(name: string): typeof compare | undefined {
  return /Tree|Sorted/.test(name) ? compare : undefined;
}

export const SET_KINDS: Readonly<Record<string, SetKind>> = {
  'java.util.Set': 'LinkedHashSet',
  'java.util.HashSet': 'HashSet',
  'java.util.LinkedHashSet': 'LinkedHashSet',
  'java.util.SortedSet': 'TreeSet',
  'java.util.TreeSet': 'TreeSet',
};
export const MAP_KINDS: Readonly<Record<string, MapKind>> = {
  'java.util.HashMap': 'HashMap',
  'java.util.LinkedHashMap': 'LinkedHashMap',
  'java.util.SortedMap': 'TreeMap',
  'java.util.TreeMap': 'TreeMap',
  'java.util.Hashtable': 'Hashtable',
  'java.util.concurrent.ConcurrentHashMap': 'ConcurrentHashMap',
  'java.util.Properties': 'Properties',
};
const LIST_NAMES = new Set([
  'java.util.List',
  'java.util.ArrayList',
  'java.util.LinkedList',
  'java.util.Stack',
  'java.util.Vector',
  'java.util.ArrayDeque',
  'java.util.Queue',
  'java.util.Deque',
  'java.util.Collection',
  'java.util.concurrent.CopyOnWriteArrayList',
]);
const LIST_INTERFACES: Readonly<Record<string, string>> = {
  List: 'ArrayList',
  Queue: 'LinkedList',
  Deque: 'LinkedList',
  Collection: 'ArrayList',
};

export function listOfKind(items: readonly unknown[], className: string): unknown[] {
  const simple = className.slice(className.lastIndexOf('.') + 1);
  const name = LIST_INTERFACES[simple] ?? simple;
  const list = [...items];
  if (name === 'CopyOnWriteArrayList')
    return markList(list, {
      name: `concurrent.${name}`,
      isFixed: false,
      isReadOnly: false,
      isSnapshot: true,
    });
  return name === 'ArrayList' ? list : markList(list, { name, isFixed: false, isReadOnly: false });
}

export function toArray(items: readonly unknown[], type: JavaClass): unknown[] {
  const element = elementOf(type);
  const list = items.map((item) => (element === OBJECT ? item : cast(item, element)));
  return markList(list, { name: 'array', isFixed: true, isReadOnly: false, element });
}

arrays.make = (items, type) => {
  if (type?.element == null)
    return markList(items, { name: 'array', isFixed: true, isReadOnly: false, element: OBJECT });
  return toArray(items, type);
};

export function toCharacter(value: unknown): Char | undefined {
  const text = textOf(value);
  if (text !== undefined) return text.length === 1 ? new Char(text) : undefined;
  return isNumeric(value) ? new Char(String.fromCharCode(toInt(value))) : undefined;
}

/** A number as another kind of number, as Java narrows; undefined for other classes. */
export function convertNumber(value: Numeric, simpleName: string): unknown {
  switch (simpleName) {
    case 'Integer':
      return toInt(value);
    case 'Long':
      return toLong(value);
    case 'Double':
      return new Double(toNumber(value));
    case 'Float':
      return new Float(toNumber(value));
    case 'Short':
      return new Short(toInt(value));
    case 'Byte':
      return new Byte(toInt(value));
    case 'BigInteger':
      return new BigInteger(toBigInt(value));
    case 'BigDecimal':
      return toDecimal(value);
    case 'Number':
      return value;
    default:
      return undefined;
  }
}

export function castError(value: unknown, type: JavaClass): Throwable {
  const isNull = value === null || value === undefined;
  const hint = isNull && type.form === 'primitive' ? `. Try '${boxOf(type).name}' instead` : '';
  const text = isNull ? 'null' : toText(value);
  return exception(
    'org.codehaus.groovy.runtime.typehandling.GroovyCastException',
    `Cannot cast object '${text}' with class '${classNameOf(value)}' to class '${type.name}'${hint}`,
  );
}

/** `value as Type`, which also reads numbers from texts. */
export function asType(value: unknown, type: JavaClass): unknown {
  if (value === null || value === undefined) return type.form === 'primitive' ? cast(value, type) : null;
  if (isInstance(value, type)) return value;
  const own = scriptClassOf(value)?.findMethods('asType') ?? [];
  if (own.length > 0) return dispatcher.invoke(value, 'asType', [type]);
  const text = textOf(value);
  const box = boxOf(type);
  if (value instanceof Float && box.simpleName === 'Double') return new Double(Number(numberText(value)));
  if (text !== undefined && !(value instanceof Char)) {
    const number = parseNumber(text.trim(), box.simpleName);
    if (number !== undefined) return number;
    if (type.name === 'java.util.List' || type.name === 'java.util.Collection') return [...text];
    if (type.form === 'array' && type.element?.name === 'char') return toArray([...text], type);
    if (type.name === 'java.lang.StringBuilder' || type.name === 'java.lang.StringBuffer') {
      return new StringBuilder(text, type.name.endsWith('Buffer'));
    }
  }
  if (value instanceof JavaSet && LIST_NAMES.has(type.name)) return listOfKind(value.list(), type.name);
  if (value instanceof JavaMap && type.form === 'interface') return value;
  const mapKind = MAP_KINDS[type.name];
  if (value instanceof JavaMap && mapKind !== undefined) {
    const map = new JavaMap(mapKind, orderOf(type.name));
    for (const entry of value.list()) map.put(entry.key, entry.value);
    return map;
  }
  const items = type.form === 'array' ? itemsOf(value) : undefined;
  if (items !== undefined) {
    const element = elementOf(type);
    return toArray(
      items.map((item) => asType(item, element)),
      type,
    );
  }
  // What all objects have comes here.
  const convertsItself = requireType(value).methods['asType'] !== OBJECT.methods['asType'];
  if (value instanceof JavaObject && convertsItself) {
    return dispatcher.invoke(value, 'asType', [type]);
  }
  return cast(value, type);
}

/** Whether an argument goes where a parameter of the type stands, and as what. */
parameterTypes.fit = (value, type) => {
  if (type === OBJECT) return { value };
  if (value === null || value === undefined) return type.form === 'primitive' ? undefined : { value: null };
  if (isInstance(value, type)) return { value };
  const box = boxOf(type);
  if (value instanceof GString && (box.simpleName === 'String' || box.simpleName === 'CharSequence')) {
    return { value: toText(value) };
  }
  if (isNumeric(value)) return widen(value, box.simpleName, type.form === 'primitive');
  if (value instanceof Closure && type.form === 'interface') return { value };
  if (value instanceof Char && type.name === 'int') return { value: value.code };
  if (Array.isArray(value) && type.form === 'array' && listKind(value)?.element !== undefined) {
    return { value };
  }
  return undefined;
};

/** Numbers go where wider ones stand. */
function widen(value: Numeric, simpleName: string, isPrimitive: boolean): { value: unknown } | undefined {
  const width = widthOf(value);
  switch (simpleName) {
    case 'Long':
      return width <= WIDTH.INT ? { value: toLong(value) } : undefined;
    case 'Integer':
      return width <= WIDTH.INT ? { value: toInt(value) } : undefined;
    case 'BigInteger':
      return width <= WIDTH.LONG ? { value: new BigInteger(toBigInt(value)) } : undefined;
    case 'BigDecimal':
      return width <= WIDTH.BIG_DECIMAL ? { value: toDecimal(value) } : undefined;
    case 'Double':
      return width <= WIDTH.DOUBLE ? { value: new Double(toNumber(value)) } : undefined;
    case 'Float':
      return isPrimitive && width <= WIDTH.LONG ? { value: new Float(toNumber(value)) } : undefined;
    default:
      return undefined;
  }
}
