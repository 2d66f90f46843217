import { toNumber } from './arithmetic.ts';
import { Closure, closureOf } from './closure.ts';
import { call } from './dispatch.ts';
import { outside } from './dispatch-port.ts';
import { itemsOf } from './equality.ts';
import { hostValues } from './failure.ts';
import { HostObject } from './host-object.ts';
import { JavaMap } from './java-map.ts';
import { JavaSet } from './java-set.ts';
import { numberToGroovy, untouched } from './json-map.ts';
import { ScriptObject } from './script-class.ts';
import { toText } from './text.ts';
import { illegalArgument } from './throwable.ts';
import { Char, EnumConstant, GString, isNumeric, JavaObject, StringBuilder } from './values.ts';

const DEEPEST = 200;

/**
 * Knows which objects are contexts; `install` connects it. A map made of a context is as good as it: only its name
 * goes out.
 */
export const contexts = {
  nameOf: (_object: object): string | undefined => undefined,
  mark: (_object: object, _name: string): void => {},
  /** Makes the value of an object; more than a map in a script that has a variable `context`, which `context.ts` connects. */
  make: mapOf,
};

/** Scripts that do not name the class of dates may be given one all the same. */
const makeLoaded = (ms: number): unknown => {
  outside.loads('Date');
  return dates.make === makeLoaded ? ms : dates.make(ms);
};

/** The class of dates; the file that has it connects it. */
export const dates = {
  make: makeLoaded,
  msOf: (_value: unknown): number | undefined => undefined,
};

const links = new WeakMap<JavaMap, string>();

/** JSON of the host as Groovy has it: maps, lists, Integers, Longs and Doubles. Functions become closures. */
export function toGroovy(value: unknown): unknown {
  switch (typeof value) {
    case 'number':
      return numberToGroovy(value);
    case 'object':
      if (value === null) return null;
      return Array.isArray(value) ? value.map(toGroovy) : objectToGroovy(value);
    case 'function':
      return closureOf(0, 255, (...args) =>
        toGroovy(value(...args.filter((arg) => arg !== undefined).map(toHostArgument))),
      );
    case 'undefined':
      return null;
    default:
      return value;
  }
}

function objectToGroovy(value: object): unknown {
  if (value instanceof JavaObject || value instanceof JavaMap) return value;
  if (value instanceof Date) return dates.make(value.getTime());
  if (Object.values(value).some((member) => typeof member === 'function'))
    return new HostObject(value, toGroovy, toHostArgument);
  const link = contexts.nameOf(value);
  if (link === undefined) return mapOf(value);
  const context = contexts.make(value);
  links.set(context, link);
  return context;
}

function mapOf(value: object): JavaMap {
  const map = new JavaMap();
  for (const [name, member] of Object.entries(value)) map.put(name, toGroovy(member));
  return map;
}

/** What the host gets of a value. Closures become functions, which only host functions can use. */
export function toJson(value: unknown): unknown {
  return convert(value, 0);
}

/** An argument of a function of the host: a date is one there too. */
export function toHostArgument(value: unknown): unknown {
  const ms = dates.msOf(value);
  return ms === undefined ? toJson(value) : new Date(ms);
}

function convert(value: unknown, depth: number): unknown {
  if (depth > DEEPEST) throw illegalArgument('The value contains itself or is nested too deeply');
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'boolean':
      return value;
    case 'bigint':
      return Number(value);
    case 'object':
      return value === null ? null : convertObject(value, depth);
    default:
      return null;
  }
}

function convertObject(value: object, depth: number): unknown {
  if (value instanceof JavaMap) {
    const object = untouched(value, (item) => convert(item, depth + 1));
    if (object !== undefined) return object;
    const result: Record<string, unknown> = {};
    for (const { key, value: item } of value.list()) setOwn(result, toText(key), convert(item, depth + 1));
    const link = links.get(value);
    if (link !== undefined) contexts.mark(result, link);
    return result;
  }
  const items = value instanceof JavaSet ? value.list() : itemsOf(value);
  if (items !== undefined) return items.map((item) => convert(item, depth + 1));
  if (isNumeric(value)) {
    const number = toNumber(value);
    return Number.isFinite(number) ? number : null;
  }
  if (value instanceof GString || value instanceof Char || value instanceof StringBuilder)
    return toText(value);
  if (value instanceof EnumConstant) return value.name;
  if (value instanceof Closure) return (...args: unknown[]) => toJson(value.call(args.map(toGroovy)));
  if (value instanceof ScriptObject) return convertFields(value, depth);
  if (value instanceof JavaObject) return convertJavaObject(value, depth);
  return toText(value);
}

function convertJavaObject(value: JavaObject, depth: number): unknown {
  if (value instanceof HostObject) return value.target;
  const plain = plainForms.find(({ test }) => test(value));
  return plain === undefined ? toText(value) : convert(plain.make(value), depth + 1);
}

/** How classes of other files look outside; each adds itself while it loads. */
const plainForms: { test(value: JavaObject): boolean; make(value: JavaObject): unknown }[] = [];

export function addPlainForm<T extends JavaObject>(
  type: abstract new (...args: never[]) => T,
  make: (value: T) => unknown,
): void {
  plainForms.push({ test: (value) => value instanceof type, make });
}

/** The properties of an object of a script's class. */
function convertFields(value: ScriptObject, depth: number): unknown {
  if (typeof value.fields['$name'] === 'string') return value.fields['$name'];
  const result: Record<string, unknown> = {};
  for (const { name, isProperty, isStatic } of value.type.allFields()) {
    if (!isStatic && isProperty) setOwn(result, name, convert(call(value, 'getProperty', [name]), depth + 1));
  }
  return result;
}

/** A member called `__proto__` is a member like any other. */
function setOwn(target: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__')
    Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
  else target[name] = value;
}

/** Filled in by whoever knows what a request is to a script. */
export const requests = { make: toGroovy };

hostValues.toGroovy = toGroovy;
hostValues.toJson = toJson;
