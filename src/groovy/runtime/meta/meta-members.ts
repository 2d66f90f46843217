import { capitalize } from '../capitalize.ts';
import { isInstance } from '../casting.ts';
import { callUnintercepted, decapitalize, hasCapitalBehind } from '../dispatch.ts';
import { dispatcher } from '../dispatch-port.ts';
import { boxOf, classNamed, JavaClass } from '../java-class.ts';
import { defineMethods, type MethodTable, staticMethods } from '../method-table.ts';
import '../methods/object-methods.ts';
import { Script } from '../script.ts';
import { ScriptClass, type ScriptMethod } from '../script-class.ts';
import { toText } from '../text.ts';
import { requireType } from '../type-of.ts';
import { JavaObject } from '../values.ts';
import { addedMethods } from './class-changes.ts';

/** What a script may ask about the members that a class has. */

const META_METHOD = classNamed('groovy.lang.MetaMethod');
const META_PROPERTY = classNamed('groovy.lang.MetaProperty');
const OBJECT = classNamed('java.lang.Object');

export class MetaMethod extends JavaObject {
  readonly type = META_METHOD;
  readonly name: string;
  readonly isStatic: boolean;
  /** Undefined where the library does not know them. */
  readonly parameters: readonly (JavaClass | null)[] | undefined;

  constructor(name: string, isStatic: boolean, parameters?: readonly (JavaClass | null)[]) {
    super();
    this.name = name;
    this.isStatic = isStatic;
    this.parameters = parameters;
  }
}

export class MetaProperty extends JavaObject {
  readonly type = META_PROPERTY;
  readonly name: string;
  readonly valueType: JavaClass;

  constructor(name: string, valueType: JavaClass) {
    super();
    this.name = name;
    this.valueType = valueType;
  }
}

function ofScript(method: ScriptMethod): MetaMethod[] {
  const { name, isStatic, least, most } = method;
  const types = method.typesOf?.() ?? [];
  const parameters = Array.from({ length: most }, (_none, at) => types[at] ?? null);
  // Each argument that may be left out makes another method, as the original has it.
  return Array.from(
    { length: most - Math.min(least, most) + 1 },
    (_none, left) => new MetaMethod(name, isStatic, parameters.slice(0, most - left)),
  );
}

/** All methods of a name; what is left of `get`, `is`, `set` may be a property of the class. */
export function methodsNamed(type: JavaClass, name: string, self?: unknown): MetaMethod[] {
  if (self instanceof Script && self.methods.has(name)) return self.methods.get(name)!.flatMap(ofScript);
  if (type instanceof ScriptClass) {
    const own = type.findMethods(name).filter(({ name: each }) => each !== '<init>');
    if (own.length > 0) return own.flatMap(ofScript);
    const accessor = accessorOf(type, name);
    if (accessor !== undefined) return [accessor];
  }
  const table: MethodTable = type.methods;
  const changed = addedMethods(table, name);
  if (changed.length > 0) return changed.flatMap(ofScript);
  const method = table[name] ?? staticMethods(type.name)?.[name];
  if (method === undefined) return [];
  const most = Math.min(method.most, method.least + 8);
  return Array.from({ length: most - method.least + 1 }, (_none, more) => {
    const isStatic = table[name] === undefined;
    return new MetaMethod(
      name,
      isStatic,
      Array.from({ length: method.least + more }, () => null),
    );
  });
}

function accessorOf(type: ScriptClass, name: string): MetaMethod | undefined {
  const prefix = ['get', 'is', 'set'].find((each) => hasCapitalBehind(name, each));
  if (prefix === undefined) return undefined;
  const field = type.findField(decapitalize(name.slice(prefix.length)));
  if (field === undefined || !field.isProperty || (prefix === 'set' && field.isFinal)) return undefined;
  return new MetaMethod(name, field.isStatic, prefix === 'set' ? [field.type?.() ?? null] : []);
}

/** Whether arguments, or values of classes that are named in their place, go in. */
export function takes({ parameters }: MetaMethod, args: readonly unknown[]): boolean {
  if (parameters === undefined) return true;
  return (
    parameters.length === args.length &&
    parameters.every((parameter, at) => {
      const arg = args[at];
      if (parameter === null || arg === null) return true;
      if (arg instanceof JavaClass) return boxOf(arg).isSubclassOf(boxOf(parameter));
      return isInstance(arg, parameter);
    })
  );
}

export function listed(args: readonly unknown[]): readonly unknown[] {
  return args.length === 1 && Array.isArray(args[0]) ? args[0] : args;
}

/** Null when there is none. */
export function propertyNamed(type: JavaClass, name: string): MetaProperty | null {
  if (name === 'class') return new MetaProperty(name, classNamed('java.lang.Class'));
  if (type instanceof ScriptClass) {
    const field = type.findField(name);
    if (field !== undefined) return new MetaProperty(name, field.type?.() ?? OBJECT);
    if (type.propertyNames().has(name)) return new MetaProperty(name, OBJECT);
  }
  const capital = capitalize(name);
  const getter = type.methods[`get${capital}`] ?? type.methods[`is${capital}`];
  return getter?.least === 0 && name !== 'metaClass' ? new MetaProperty(name, OBJECT) : null;
}

export function propertiesOf(type: JavaClass): MetaProperty[] {
  const names = new Set(type instanceof ScriptClass ? type.propertyNames() : []);
  if (!(type instanceof ScriptClass)) {
    for (const name in type.methods)
      if (hasCapitalBehind(name, 'get') && type.methods[name]!.least === 0 && name !== 'getMetaClass')
        names.add(decapitalize(name.slice(3)));
  }
  return [...names, 'class'].flatMap((name) => propertyNamed(type, name) ?? []);
}

export function methodsOf(type: JavaClass): MetaMethod[] {
  const names = new Set<string>();
  for (let at: JavaClass | null = type; at instanceof ScriptClass; at = at.parent) {
    for (const name of at.methodsByName.keys()) if (name !== '<init>') names.add(name);
    for (const { name, isProperty, isFinal } of at.fields) {
      if (!isProperty) continue;
      names.add(`get${capitalize(name)}`);
      if (!isFinal) names.add(`set${capitalize(name)}`);
    }
  }
  for (const name in type.methods) names.add(name);
  return [...names].flatMap((name) => methodsNamed(type, name));
}

defineMethods('groovy.lang.MetaMethod', 'java.lang.Object', {
  'getName/0': (self: MetaMethod) => self.name,
  'isStatic/0': (self: MetaMethod) => self.isStatic,
  'getNativeParameterTypes/0': (self: MetaMethod) => self.parameters?.map((type) => type ?? OBJECT) ?? [],
  'invoke/1-2': (self: MetaMethod, target: unknown, args: unknown = []) => invoke(self, target, args),
  'doMethodInvoke/2': invoke,
  'toString/0': (self: MetaMethod) => `MetaMethod(${self.name})`,
});

function invoke(self: MetaMethod, target: unknown, args: unknown): unknown {
  return callUnintercepted(target, self.name, Array.isArray(args) ? [...args] : [args]);
}

defineMethods('groovy.lang.MetaProperty', 'java.lang.Object', {
  'getName/0': (self: MetaProperty) => self.name,
  'getType/0': (self: MetaProperty) => self.valueType,
  'getProperty/1': (self: MetaProperty, target: unknown) => dispatcher.property(target, self.name),
  'setProperty/2': (self: MetaProperty, target: unknown, value: unknown) => {
    dispatcher.setProperty(target, self.name, value);
    return null;
  },
});

defineMethods('java.lang.Object', null, {
  'respondsTo/1-2': (self: unknown, name: unknown, ...args: unknown[]) => {
    const found = methodsNamed(requireType(self), toText(name), self);
    return args.length === 0 ? found : found.filter((method) => takes(method, listed(args)));
  },
  'hasProperty/1': (self: unknown, name: unknown) => propertyNamed(requireType(self), toText(name)),
});
