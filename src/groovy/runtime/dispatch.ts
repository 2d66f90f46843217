import { Closure, missingMethod, naming } from './closure.ts';
import { dispatcher, outside } from './dispatch-port.ts';
import { classNamed, type JavaClass } from './java-class.ts';
import { JavaMap } from './java-map.ts';
import { type ListView, ValuesView } from './list-view.ts';
import { type Method, type MethodTable, staticMethods } from './method-table.ts';
import { Script } from './script.ts';
import {
  callScriptMethod,
  ScriptClass,
  type ScriptObject,
  selectMethod,
  surroundings,
} from './script-class.ts';
import { BadArgument, exception, nullPointer, type Throwable } from './throwable.ts';
import { requireType, typeOf } from './type-of.ts';
import { LIST_KIND, type List } from './values.ts';

const CLASS = classNamed('java.lang.Class');
const ARRAY_LIST = classNamed('java.util.ArrayList');
const LINKED_HASH_MAP = classNamed('java.util.LinkedHashMap');

/** Methods that would leave the sandbox if they existed; who calls them is told so. */
const REFUSED: Readonly<Record<string, string>> = {
  mixin: 'Classes cannot be changed here',
  getClassLoader: 'There are no class loaders here',
  forName: 'Classes cannot be loaded by name here',
};

/** `receiver.name(args)`. */
export function call(receiver: unknown, name: string, args: unknown[]): unknown {
  const type = typeOf(receiver);
  if (type === null) return callOnNull(name, args);
  if (typeof receiver === 'object') {
    if (type.isDeclared) return callObject(receiver as ScriptObject, type as ScriptClass, name, args);
    if (type === CLASS) return callClass(receiver as JavaClass, name, args);
    if (type === ARRAY_LIST && !Array.isArray(receiver)) return callOnView(receiver as ListView, name, args);
  }
  const method = (type.table ?? type.methods)[name];
  if (method === undefined || args.length < method.least || args.length > method.most) {
    return callOther(receiver, name, args);
  }
  // What `run` does, in place: most of what a script does comes by here, and its engine inlines nothing.
  try {
    switch (args.length) {
      case 0:
        return method.run(receiver);
      case 1:
        return method.run(receiver, args[0]);
      case 2:
        return method.run(receiver, args[0], args[1]);
      default:
        return method.run(receiver, ...args);
    }
  } catch (error) {
    if (error instanceof BadArgument) throw missingMethod(naming.className(receiver), name, args);
    throw error;
  }
}

const STRING = classNamed('java.lang.String');

/**
 * The table of methods of what most calls are made on beside texts: plain lists and maps. Undefined for all else.
 */
function plainTable(receiver: unknown): MethodTable | undefined {
  if (typeof receiver !== 'object' || receiver === null) return undefined;
  const { kind }: Partial<JavaMap> = receiver;
  if (kind === 'LinkedHashMap') return LINKED_HASH_MAP.table;
  if (!Array.isArray(receiver)) return undefined;
  const list: List = receiver;
  return list[LIST_KIND] === undefined ? ARRAY_LIST.table : undefined;
}

/** `receiver.name()`, without a list of arguments where none is needed. */
export function callBare(receiver: unknown, name: string): unknown {
  const method = (typeof receiver === 'string' ? STRING.table : plainTable(receiver))?.[name];
  if (method === undefined || method.least > 0) return call(receiver, name, []);
  try {
    return method.run(receiver);
  } catch (error) {
    if (error instanceof BadArgument) throw missingMethod(naming.className(receiver), name, []);
    throw error;
  }
}

/** `receiver.name(first)`, the same. */
export function callWith(receiver: unknown, name: string, first: unknown): unknown {
  const method = (typeof receiver === 'string' ? STRING.table : plainTable(receiver))?.[name];
  if (method === undefined || method.least > 1 || method.most < 1) return call(receiver, name, [first]);
  try {
    return method.run(receiver, first);
  } catch (error) {
    if (error instanceof BadArgument) throw missingMethod(naming.className(receiver), name, [first]);
    throw error;
  }
}

function callOnView(view: ListView, name: string, args: unknown[]): unknown {
  const method = ARRAY_LIST.methods[name];
  const fits = method !== undefined && args.length >= method.least && args.length <= method.most;
  return fits ? runOnView(view, method, name, args) : callOther(view, name, args);
}

function callOnNull(name: string, args: unknown[]): unknown {
  switch (name) {
    case 'equals':
      return args[0] === null;
    case 'is':
      return args[0] === null;
    case 'toString':
    case 'inspect':
      return 'null';
    case 'asBoolean':
      return false;
    case 'collect':
      return [];
    case 'iterator':
      return dispatcher.invoke([], 'iterator', []);
    case 'with':
      if (args[0] instanceof Closure) return args[0].call([null]);
      break;
    case 'plus':
      if (typeof args[0] === 'string') return `null${args[0]}`;
      throw nullPointer(`Cannot execute null+${naming.text(args[0])}`);
  }
  throw nullPointer(`Cannot invoke method ${name}() on null object`);
}

export function run(method: Method, receiver: unknown, name: string, args: unknown[]): unknown {
  try {
    switch (args.length) {
      case 0:
        return method.run(receiver);
      case 1:
        return method.run(receiver, args[0]);
      case 2:
        return method.run(receiver, args[0], args[1]);
      default:
        return method.run(receiver, ...args);
    }
  } catch (error) {
    if (error instanceof BadArgument) throw missingMethod(naming.className(receiver), name, args);
    throw error;
  }
}

/** A part of another list: the method sees a list of its own, and what it did is done to the other. */
function runOnView(view: ListView, found: Method, name: string, args: unknown[]): unknown {
  // `remove(2)` of a list is a position, of the values of a map a value.
  const isElement = name === 'remove' && view instanceof ValuesView;
  const method = isElement ? requireType(view).methods['removeElement']! : found;
  const items = view.read();
  const before = [...items];
  const result = run(method, items, name, args);
  const isChanged = items.length !== before.length || items.some((item, index) => item !== before[index]);
  if (isChanged) view.write(items);
  return result === items ? view : result;
}

/** Filled in by the objects of the host, whose methods only they know. */
export const hostCalls = {
  find: (_receiver: unknown, _name: string): ((args: unknown[]) => unknown) | undefined => undefined,
};

/** Methods that are no methods: closures in maps and scripts, and those of the owner of a closure. */
function callOther(receiver: unknown, name: string, args: unknown[]): unknown {
  if (receiver instanceof JavaMap) {
    const value = receiver.find(name)?.value;
    if (value instanceof Closure) return value.call(args);
  }
  const host = hostCalls.find(receiver, name);
  if (host !== undefined) return host(args);
  if (receiver instanceof Script) {
    const methods = receiver.methods.get(name);
    if (methods !== undefined) {
      const selected = selectMethod(methods, args);
      if (selected !== undefined) return selected.method.run(receiver, ...selected.args);
    }
    const value = receiver.binding.get(name);
    if (value !== undefined) return callValue(value, args);
  }
  if (receiver instanceof Script && args.length === 0 && hasCapitalBehind(name, 'get'))
    return dispatcher.property(receiver, decapitalize(name.slice(3)));
  const any = requireType(receiver).methods['methodMissing'];
  if (any !== undefined) return any.run(receiver, name, args);
  if (outside.loads(name)) return call(receiver, name, args);
  throw missing(receiver, name, args);
}

export function missing(receiver: unknown, name: string, args: unknown[]): Throwable {
  const refusal = Object.hasOwn(REFUSED, name) ? REFUSED[name] : undefined;
  if (refusal !== undefined) return exception('java.lang.SecurityException', refusal);
  return missingMethod(naming.className(receiver), name, args);
}

/** Calls a method as the object's metaClass does: past the `invokeMethod` that is asked of everything else. */
export function callUnintercepted(receiver: unknown, name: string, args: unknown[]): unknown {
  const type = typeOf(receiver);
  if (type instanceof ScriptClass) return callMember(receiver as ScriptObject, type, name, args, false);
  return receiver instanceof ScriptClass ? callOnClass(receiver, name, args) : call(receiver, name, args);
}

function callObject(receiver: ScriptObject, type: ScriptClass, name: string, args: unknown[]): unknown {
  const interceptors = type.isIntercepted ? type.findMethods('invokeMethod') : [];
  if (interceptors.length === 0) return callMember(receiver, type, name, args);
  return callScriptMethod(interceptors, 'invokeMethod', receiver, [name, args], type.name);
}

/** A method of an object of a script's class: its own, a getter, a closure in a property, what all objects have. */
function callMember(
  receiver: ScriptObject,
  type: ScriptClass,
  name: string,
  args: unknown[],
  hasInterceptor = true,
): unknown {
  const methods = type.findMethods(name);
  if (methods.length > 0) {
    const selected = selectMethod(methods, args);
    if (selected !== undefined)
      return selected.method.run(selected.method.isStatic ? type : receiver, ...selected.args);
  }
  const accessor = callAccessor(receiver, type, name, args);
  if (accessor !== undefined) return accessor.value;
  const closure = receiver.fields[name];
  if (closure instanceof Closure && methods.length === 0) return closure.call(args);
  const inherited = type.methods[name];
  if (inherited !== undefined && args.length >= inherited.least && args.length <= inherited.most) {
    return run(inherited, receiver, name, args);
  }
  const fallback = type.findMethods('methodMissing');
  if (fallback.length > 0)
    return callScriptMethod(fallback, 'methodMissing', receiver, [name, args], type.name);
  const any = requireType(receiver).methods['methodMissing'];
  if (any !== undefined) return any.run(receiver, name, args);
  const last = hasInterceptor ? type.findMethods('invokeMethod') : [];
  if (last.length > 0) return callScriptMethod(last, 'invokeMethod', receiver, [name, args], type.name);
  if (methods.length === 0) {
    for (const around of surroundings(receiver)) {
      if (!(around instanceof ScriptClass) || around.findMethods(name).some(({ isStatic }) => isStatic))
        return dispatcher.invoke(around, name, args);
    }
  }
  throw missing(receiver, name, args);
}

/** `getX`, `isX` and `setX` of a property. */
export function callAccessor(
  receiver: ScriptObject,
  type: ScriptClass,
  name: string,
  args: unknown[],
): { value: unknown } | undefined {
  const prefix = ['get', 'is', 'set'].find((each) => hasCapitalBehind(name, each));
  if (prefix === undefined || args.length !== (prefix === 'set' ? 1 : 0)) return undefined;
  const field = type.findField(decapitalize(name.slice(prefix.length)));
  if (field === undefined || !field.isProperty) return undefined;
  if (prefix === 'set') dispatcher.setProperty(receiver, field.name, args[0]);
  return { value: prefix === 'set' ? null : dispatcher.property(receiver, field.name) };
}

function callClass(type: JavaClass, name: string, args: unknown[]): unknown {
  if (!(type instanceof ScriptClass) || !type.isStaticIntercepted || name === 'new')
    return callOnClass(type, name, args);
  const interceptors = type.findMethods('$static_invokeMethod');
  return callScriptMethod(interceptors, '$static_invokeMethod', type, [name, args], type.name);
}

function callOnClass(type: JavaClass, name: string, args: unknown[]): unknown {
  if (type instanceof ScriptClass) {
    const methods = type.findMethods(name).filter(({ isStatic }) => isStatic);
    const selected = methods.length === 0 ? undefined : selectMethod(methods, args);
    if (selected !== undefined) return selected.method.run(type, ...selected.args);
    const closure = type.staticHome(name)?.statics[name];
    if (closure instanceof Closure) return closure.call(args);
  }
  const method = staticMethods(type.name)?.[name];
  if (method !== undefined && args.length >= method.least && args.length <= method.most) {
    try {
      return method.run(...args);
    } catch (error) {
      if (error instanceof BadArgument) throw missingMethod(`static ${type.name}`, name, args);
      throw error;
    }
  }
  const own = requireType(type).methods[name];
  if (own !== undefined && args.length >= own.least && args.length <= own.most)
    return run(own, type, name, args);
  if (outside.loads(type.simpleName) || outside.loads(name)) return callOnClass(type, name, args);
  if (type instanceof ScriptClass) {
    // As the original: a class that makes up properties is asked for one that can be called.
    if (type.findMethods('$static_propertyMissing').some(({ least }) => least === 1))
      return callValue(dispatcher.property(type, name), args);
    const fallback = type.methodsByName.get('$static_methodMissing') ?? [];
    if (fallback.some(({ isStatic }) => isStatic))
      return callScriptMethod(fallback, '$static_methodMissing', type, [name, args], type.name);
  }
  // Instance methods of a class that are called with the object in front, as in `collect(String.&trim)`.
  throw missing(type, name, args);
}

/** `value(args)`. */
export function callValue(value: unknown, args: unknown[]): unknown {
  return value instanceof Closure ? value.call(args) : call(value, 'call', args);
}

export function callSafe(receiver: unknown, name: string, args: () => unknown[]): unknown {
  return receiver === null || receiver === undefined ? null : call(receiver, name, args());
}

export function responds(receiver: unknown, name: string, count: number): boolean {
  if (receiver === null || receiver === undefined) return false;
  const fits = ({ least, most }: { least: number; most: number }) => count >= least && count <= most;
  const type = requireType(receiver);
  if (type instanceof ScriptClass && type.findMethods(name).some(fits)) return true;
  if (receiver instanceof Script && receiver.methods.get(name)?.some(fits)) return true;
  if (receiver instanceof JavaMap && receiver.find(name)?.value instanceof Closure) return true;
  if (hostCalls.find(receiver, name) !== undefined) return true;
  const method = type.methods[name];
  return method !== undefined && fits(method);
}

export function decapitalize(name: string): string {
  return isCapital(name[0]) && isCapital(name[1]) ? name : name[0]!.toLowerCase() + name.slice(1);
}

/** This needs no regular expression: the capitals of Unicode would be kilobytes in each sandbox. */
function isCapital(char: string | undefined): boolean {
  return char !== undefined && char.toLowerCase() !== char;
}

/** Whether it is a name such as `getX` behind `get`. */
export function hasCapitalBehind(name: string, prefix: string): boolean {
  return name.startsWith(prefix) && isCapital(name[prefix.length]);
}

dispatcher.invoke = call;
dispatcher.responds = responds;
