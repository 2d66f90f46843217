import { capitalize } from './capitalize.ts';
import { cast } from './casting.ts';
import { Closure, missingProperty, naming } from './closure.ts';
import { call, hostCalls } from './dispatch.ts';
import { dispatcher, outside } from './dispatch-port.ts';
import { itemsOf } from './equality.ts';
import { JavaClass } from './java-class.ts';
import { JavaMap } from './java-map.ts';
import { JavaSet } from './java-set.ts';
import { type JsonMap, plainValue } from './json-map.ts';
import { staticMethods, staticValue } from './method-table.ts';
import { nameInClosure, setNameInClosure } from './names.ts';
import { Range } from './range.ts';
import { Binding, Script } from './script.ts';
import {
  callScriptMethod,
  ScriptClass,
  type ScriptMethod,
  ScriptObject,
  scriptClassOf,
  surroundings,
} from './script-class.ts';
import { exception, nullPointer, Throwable } from './throwable.ts';
import { classNameOf, requireType, typeOf } from './type-of.ts';
import { Entry, JavaObject, type List, listKind, markList } from './values.ts';

/** `receiver.name`. */
export function property(receiver: unknown, name: string): unknown {
  // As `pairsOf` says; nothing is asked as often, and each call costs.
  if (typeof receiver === 'object' && receiver !== null) {
    const map: Partial<JsonMap> = receiver;
    const { json } = map;
    if (json !== undefined) {
      const text = json[name];
      if (typeof text === 'string' && name >= '\u0002') return text;
      const value = plainValue(receiver, name);
      if (value !== undefined) return value;
    }
    const { pairs } = map;
    if (pairs !== undefined) {
      const entry = pairs.get(name);
      if (entry !== undefined) return entry.value;
      return map.byDefault === undefined && name >= '\u0002' ? null : (receiver as JavaMap).get(name);
    }
    if ((name === 'key' || name === 'value') && receiver instanceof Entry) return receiver[name];
  }
  if (receiver === null || receiver === undefined) {
    throw nullPointer(`Cannot get property '${name}' on null object`);
  }
  const items = receiver instanceof JavaSet ? receiver.list() : itemsOf(receiver);
  if (items !== undefined) return propertyOfItems(receiver, items, name);
  const type = scriptClassOf(receiver);
  if (type !== undefined) return propertyOfObject(receiver as ScriptObject, type, name);
  const found = findProperty(receiver, name);
  if (found !== undefined) return found;
  if (outside.loads(name)) return property(receiver, name);
  throw missingProperty(name, naming.className(receiver));
}

/** Undefined when there is no such property. */
function findProperty(receiver: unknown, name: string): unknown {
  if (receiver instanceof Script) return propertyOfScript(receiver, name);
  if (receiver instanceof JavaClass) return propertyOfClass(receiver, name);
  if (receiver instanceof Binding && name !== 'variables' && receiver.has(name)) return receiver.get(name);
  const found = callGetter(receiver, name);
  if (found !== undefined) return found;
  if (receiver instanceof Closure) return nameInClosure(receiver, name);
  if (receiver instanceof Throwable && name in receiver.fields) return receiver.fields[name];
  return undefined;
}

/** What the getter gives; undefined when there is none. */
function callGetter(receiver: unknown, name: string): unknown {
  const { methods } = requireType(receiver);
  const capital = capitalize(name);
  const getter = methods[`get${capital}`] ?? methods[`is${capital}`];
  if (getter?.least === 0) return getter.run(receiver);
  // Host objects and JSON values know their properties themselves.
  const any = methods['propertyMissing'];
  return any === undefined ? undefined : any.run(receiver, name);
}

/** A property of a list is the list of the properties of its items. */
function propertyOfItems(receiver: object, items: readonly unknown[], name: string): unknown {
  if (name === 'class') return typeOf(receiver);
  if (name === 'length' && listKind(receiver)?.isFixed) return items.length;
  if (name === 'empty') return items.length === 0;
  if (name === 'indices') return call(items, 'indices', []);
  if (receiver instanceof Range && (name === 'from' || name === 'to')) {
    return name === 'from' ? receiver.low : receiver.high;
  }
  if (receiver instanceof Range && name === 'reverse') return receiver.isReverse;
  // Scripts of the field read `list.size`, which old virtual machines gave them.
  if (name === 'size' && !items.some((item) => item instanceof JavaMap)) return items.length;
  if ((name === 'first' || name === 'last') && listKind(receiver)?.name === 'LinkedList') {
    return call(receiver, name, []);
  }
  if (listKind(receiver)?.isFlat) return propertyOfNodes(receiver as List, name);
  const result: unknown[] = [];
  for (const item of items) {
    if (item === null) continue;
    try {
      result.push(property(item, name));
    } catch (error) {
      if (!(error instanceof Throwable) || error.type.name !== 'groovy.lang.MissingPropertyException')
        throw error;
      const reason = error.detailMessage?.startsWith('Exception evaluating')
        ? error.detailMessage
        : `${error.type.name}: ${error.detailMessage}`;
      throw exception(
        'groovy.lang.MissingPropertyException',
        `Exception evaluating property '${name}' for ${classNameOf(receiver)}, Reason: ${reason}`,
      );
    }
  }
  return result;
}

/** What the nodes of a list have by that name, in one list of the same kind. */
function propertyOfNodes(nodes: List, name: string): unknown {
  const found = nodes.filter((node) => typeof node === 'object').flatMap((node) => property(node, name));
  return markList(found, listKind(nodes)!);
}

function propertyOfScript(script: Script, name: string): unknown {
  const value = script.binding.get(name);
  if (value !== undefined) return value;
  if (name === 'binding') return script.binding;
  return callGetter(script, name);
}

function propertyOfObject(receiver: ScriptObject, type: ScriptClass, name: string): unknown {
  const capital = capitalize(name);
  for (const getter of [`get${capital}`, `is${capital}`]) {
    const methods = type.findMethods(getter).filter(({ least }) => least === 0);
    if (methods.length > 0) return callScriptMethod(methods, getter, receiver, [], type.name);
  }
  if (name in receiver.fields) return receiver.fields[name];
  const statics = type.staticHome(name);
  if (statics !== undefined) return statics.statics[name];
  if (name === 'class') return type.isSingle ? type.parent : type;
  const inherited = callGetter(receiver, name);
  if (inherited !== undefined) return inherited;
  const fallback = type.findMethods('propertyMissing').filter(({ least }) => least === 1);
  if (fallback.length > 0) return callScriptMethod(fallback, 'propertyMissing', receiver, [name], type.name);
  for (const around of surroundings(receiver)) {
    if (!(around instanceof ScriptClass) || around.staticHome(name) !== undefined)
      return dispatcher.property(around, name);
  }
  throw missingProperty(name, type.name);
}

function staticMissing(type: ScriptClass, count: number): ScriptMethod[] {
  const methods = type.findMethods('$static_propertyMissing');
  return methods.filter(({ isStatic, least, most }) => isStatic && least <= count && count <= most);
}

function propertyOfClass(type: JavaClass, name: string): unknown {
  if (type instanceof ScriptClass) {
    const home = type.staticHome(name);
    if (home !== undefined) return home.statics[name];
    const methods = type.findMethods(`get${capitalize(name)}`).filter(({ isStatic }) => isStatic);
    if (methods.length > 0) return callScriptMethod(methods, name, type, [], type.name);
  }
  const getter = staticMethods(type.name)?.[`get${capitalize(name)}`];
  if (getter?.least === 0) return getter.run();
  const value = staticValue(type.name, name) ?? callGetter(type, name);
  if (value !== undefined || !(type instanceof ScriptClass)) return value;
  const missing = staticMissing(type, 1);
  return missing.length === 0 ? undefined : callScriptMethod(missing, name, type, [name], type.name);
}

export function setProperty(receiver: unknown, name: string, value: unknown): unknown {
  if (receiver instanceof JavaMap) {
    receiver.put(name, value);
    return value;
  }
  if (receiver === null || receiver === undefined) {
    throw nullPointer(`Cannot set property '${name}' on null object`);
  }
  if (receiver instanceof Script) receiver.binding.set(name, value);
  else if (receiver instanceof Binding) receiver.set(name, value);
  else if (receiver instanceof Entry && name === 'value') receiver.value = value;
  else if (scriptClassOf(receiver) !== undefined) setPropertyOfObject(receiver as ScriptObject, name, value);
  else if (receiver instanceof ScriptClass && receiver.staticHome(name) !== undefined) {
    receiver.staticHome(name)!.statics[name] = value;
  } else if (receiver instanceof ScriptClass && staticMissing(receiver, 2).length > 0) {
    callScriptMethod(staticMissing(receiver, 2), name, receiver, [name, value], receiver.name);
  } else if (!callSetter(receiver, name, value)) throw cannotSet(receiver, name);
  return value;
}

function callSetter(receiver: unknown, name: string, value: unknown): boolean {
  const setter = requireType(receiver).methods[`set${capitalize(name)}`];
  if (setter !== undefined && setter.least <= 1) {
    setter.run(receiver, value);
    return true;
  }
  if (receiver instanceof Closure) return setNameInClosure(receiver, name, value);
  const any = requireType(receiver).methods['propertyMissing'];
  if (any?.most === 2) {
    any.run(receiver, name, value);
    return true;
  }
  const ofHost = hostCalls.find(receiver, `set${capitalize(name)}`);
  if (ofHost !== undefined) {
    ofHost([value]);
    return true;
  }
  const items = itemsOf(receiver);
  if (items === undefined) return false;
  for (const item of items) setProperty(item, name, value);
  return true;
}

function cannotSet(receiver: unknown, name: string): Throwable {
  const hasGetter = callGetterExists(receiver, name);
  if (hasGetter) {
    return exception(
      'groovy.lang.ReadOnlyPropertyException',
      `Cannot set readonly property: ${name} for class: ${naming.className(receiver)}`,
    );
  }
  return missingProperty(name, naming.className(receiver));
}

function callGetterExists(receiver: unknown, name: string): boolean {
  return requireType(receiver).methods[`get${capitalize(name)}`] !== undefined;
}

function setPropertyOfObject(receiver: ScriptObject, name: string, value: unknown): void {
  const { type } = receiver;
  const setters = type.findMethods(`set${capitalize(name)}`);
  if (setters.length > 0) {
    callScriptMethod(setters, `set${capitalize(name)}`, receiver, [value], type.name);
    return;
  }
  const field = type.findField(name);
  if (field !== undefined && !field.isStatic) {
    if (field.isFinal) {
      throw exception(
        'groovy.lang.ReadOnlyPropertyException',
        `Cannot set readonly property: ${name} for class: ${type.name}`,
      );
    }
    receiver.fields[name] = field.type === undefined ? value : cast(value, field.type());
    return;
  }
  const home = type.staticHome(name);
  if (home !== undefined) {
    home.statics[name] = value;
    return;
  }
  if (callSetter(receiver, name, value)) return;
  const fallback = type.findMethods('propertyMissing').filter(({ most }) => most === 2);
  if (fallback.length > 0) {
    callScriptMethod(fallback, 'propertyMissing', receiver, [name, value], type.name);
    return;
  }
  for (const around of surroundings(receiver)) {
    if (around instanceof ScriptClass && around.staticHome(name) === undefined) continue;
    setProperty(around, name, value);
    return;
  }
  throw missingProperty(name, type.name);
}

export function propertySafe(receiver: unknown, name: string): unknown {
  return receiver === null || receiver === undefined ? null : property(receiver, name);
}

/** `list*.name`: nulls stay. */
export function propertyEach(receiver: unknown, name: string): unknown {
  if (receiver === null) return null;
  return spreadItems(receiver).map((item) => (item === null ? null : property(item, name)));
}

export function callEach(receiver: unknown, name: string, args: unknown[]): unknown {
  if (receiver === null) return null;
  return spreadItems(receiver).map((item) => (item === null ? null : call(item, name, args)));
}

function spreadItems(receiver: unknown): readonly unknown[] {
  const items = itemsOf(receiver);
  if (items !== undefined) return items;
  if (receiver instanceof JavaSet || receiver instanceof JavaMap) return receiver.list();
  const iterator = dispatcher.responds(receiver, 'iterator', 0) ? call(receiver, 'toList', []) : undefined;
  return Array.isArray(iterator) ? iterator : [receiver];
}

/** `object.@name`. */
export function field(receiver: unknown, name: string): unknown {
  if (receiver instanceof ScriptObject && name in receiver.fields) return receiver.fields[name];
  if (receiver instanceof Throwable && name in receiver.fields) return receiver.fields[name];
  if (receiver instanceof JavaMap) return receiver.get(name);
  // `node.@id`.
  const isNodes = receiver instanceof JavaObject || (Array.isArray(receiver) && listKind(receiver)?.isFlat);
  if (isNodes && dispatcher.responds(receiver, 'attribute', 1)) return call(receiver, 'attribute', [name]);
  throw exception(
    'groovy.lang.MissingFieldException',
    `No such field: ${name} for class: ${naming.className(receiver)}`,
  );
}

export function setField(receiver: unknown, name: string, value: unknown): unknown {
  if (receiver instanceof ScriptObject || receiver instanceof Throwable) receiver.fields[name] = value;
  else if (receiver instanceof JavaObject && dispatcher.responds(receiver, 'attribute', 1))
    call(receiver, 'putAt', [`@${name}`, value]);
  else setProperty(receiver, name, value);
  return value;
}

dispatcher.property = property;
dispatcher.setProperty = setProperty;
