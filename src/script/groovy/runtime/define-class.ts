import { asDeclared, cast, declaredObject } from './casting.ts';
import { arrays, Closure, closureOf, missingProperty } from './closure.ts';
import { call, responds } from './dispatch.ts';
import { arrayType, classNamed, JavaClass } from './java-class.ts';
import { JavaMap } from './java-map.ts';
import { staticMethods } from './method-table.ts';
import { setProperty } from './property.ts';
import { Script } from './script.ts';
import {
  outerOf,
  ScriptClass,
  type ScriptField,
  type ScriptMethod,
  ScriptObject,
  scriptClassOf,
  selectMethod,
  setOuter,
} from './script-class.ts';
import { toText } from './text.ts';
import { BadArgument, exception, illegalArgument, Throwable } from './throwable.ts';
import { classNameOf, typeOf } from './type-of.ts';
import { Byte, Char, Double, Float, JavaObject, Short } from './values.ts';

type Shape = [least: number, most: number, hasRest: boolean, typesOf?: () => (JavaClass | null)[]];

interface MethodFacts {
  readonly name: string;
  readonly isStatic: boolean;
  readonly isPrivate: boolean;
  readonly run: ScriptMethod['run'];
  readonly shape: Shape;
}

/** A class as the compiler writes it. */
export interface ClassFacts {
  readonly parent: JavaClass | null;
  readonly interfaces: readonly JavaClass[];
  readonly fields: readonly ScriptField[];
  readonly methods: readonly MethodFacts[];
  readonly constants: readonly {
    readonly name: string;
    readonly args: () => unknown[];
    readonly body: ((type: ScriptClass) => ClassFacts) | null;
  }[];
  readonly initializers: readonly { readonly isStatic: boolean; readonly run: (self: unknown) => unknown }[];
}

const CONSTRUCTOR = '<init>';

export function newClass(
  name: string,
  form: 'class' | 'interface' | 'enum',
  isAbstract: boolean,
  enclosing: ScriptClass | null = null,
  isInner = false,
): ScriptClass {
  return new ScriptClass(name, form, isAbstract, enclosing, isInner);
}

function toMethod({ name, isStatic, isPrivate, run, shape }: MethodFacts): ScriptMethod {
  const [least, most, hasRest, typesOf] = shape;
  return { name, isStatic, isPrivate, run, least, most, hasRest, typesOf };
}

/** A method of the script itself. */
export function defineMethod(
  script: Script,
  name: string,
  run: (...args: unknown[]) => unknown,
  ...shape: Shape
): void {
  const method = toMethod({
    name,
    isStatic: false,
    isPrivate: false,
    run: (_self, ...args) => run(...args),
    shape,
  });
  const known = script.methods.get(name);
  if (known === undefined) script.methods.set(name, [method]);
  else known.push(method);
}

export function defineClass(type: ScriptClass, _script: unknown, facts: ClassFacts): ScriptClass {
  type.parent = facts.parent ?? (type.form === 'enum' ? classNamed('java.lang.Enum') : null);
  type.interfaces = [...facts.interfaces];
  type.fields = [...facts.fields];
  for (const method of facts.methods) type.addMethod(toMethod(method));
  for (const { name, isStatic, type: declared } of facts.fields) {
    if (isStatic || type.form === 'interface') type.statics[name] = emptyValue(declared?.());
  }
  if (type.form === 'enum') defineConstants(type, facts);
  for (const { name, isStatic, value, type: declared } of facts.fields) {
    if ((isStatic || type.form === 'interface') && value !== undefined) {
      type.statics[name] = declared === undefined ? value(type) : cast(value(type), declared());
    }
  }
  for (const { isStatic, run } of facts.initializers) {
    if (isStatic) run(type);
    else type.initializers.push(run);
  }
  return type;
}

function defineConstants(type: ScriptClass, { constants }: ClassFacts): void {
  for (const [ordinal, { name, args, body }] of constants.entries()) {
    const own = body === null ? type : new ScriptClass(`${type.name}$${ordinal + 1}`, 'enum', false);
    if (body !== null) {
      defineClass(own, null, { ...body(own), parent: type, constants: [] });
    }
    const constant = new ScriptObject(own);
    constant.fields['$name'] = name;
    constant.fields['$ordinal'] = ordinal;
    if (body === null) construct(own, constant, args());
    else superConstructor(own, constant, args());
    type.statics[name] = constant;
    type.constants.push(constant);
  }
  const byName = (name: unknown) => {
    const found = type.statics[toText(name)];
    if (found instanceof ScriptObject) return found;
    throw illegalArgument(`No enum constant ${type.name}.${toText(name)}`);
  };
  const none = { isStatic: true, isPrivate: false, hasRest: false, typesOf: undefined };
  type.addMethod({
    ...none,
    name: 'values',
    run: () => arrays.make([...type.constants], arrayType(type)),
    least: 0,
    most: 0,
  });
  type.addMethod({ ...none, name: 'valueOf', run: (_self, name) => byName(name), least: 1, most: 1 });
  type.statics['MIN_VALUE'] = type.constants[0] ?? null;
  type.statics['MAX_VALUE'] = type.constants.at(-1) ?? null;
}

/** What a field or variable of a type holds before anything was put there. */
export function emptyValue(type: JavaClass | undefined): unknown {
  if (type?.form !== 'primitive') return null;
  switch (type.name) {
    case 'boolean':
      return false;
    case 'long':
      return 0n;
    case 'double':
      return new Double(0);
    case 'float':
      return new Float(0);
    case 'short':
      return new Short(0);
    case 'byte':
      return new Byte(0);
    case 'char':
      return new Char('\0');
    default:
      return 0;
  }
}

/** `new Type(args)`. */
export function create(type: JavaClass, args: unknown[], around: unknown = null): unknown {
  if (!(type instanceof ScriptClass)) {
    const make = staticMethods(type.name)?.['new'];
    if (make === undefined || args.length < make.least || args.length > make.most) {
      throw missingConstructor(type, args);
    }
    try {
      return make.run(...args);
    } catch (error) {
      if (error instanceof BadArgument) throw missingConstructor(type, args);
      throw error;
    }
  }
  if (type.form === 'enum' || type.isAbstract || type.form === 'interface') {
    throw exception('java.lang.InstantiationException', type.name);
  }
  const self = instanceOf(type);
  if (!type.isInner) return construct(type, self, args);
  const outer = outerOf(around, type.enclosing!);
  if (outer !== null) {
    setOuter(self, outer);
    return construct(type, self, args);
  }
  // From outside the object around comes first.
  const [first, ...others] = args;
  const isOuter = outerOf(first, type.enclosing!) === first && first !== undefined && first !== null;
  if (isOuter) setOuter(self, first);
  return construct(type, self, isOuter ? others : args);
}

function missingConstructor(type: JavaClass, args: readonly unknown[]): Throwable {
  const types = args.map((arg) => classNameOf(arg).replace(/.*\./, ''));
  return exception(
    'groovy.lang.GroovyRuntimeException',
    `Could not find matching constructor for: ${type.name}(${types.join(', ')})`,
  );
}

/** An object of the class without values; exceptions are what their built-in ancestor is. */
function instanceOf(type: ScriptClass): ScriptObject {
  let above: JavaClass | null = type;
  while (above instanceof ScriptClass) above = above.parent;
  const isThrowable = above?.isSubclassOf(THROWABLE()) === true && above.name !== 'java.lang.Object';
  return isThrowable ? (new Throwable(type) as unknown as ScriptObject) : new ScriptObject(type);
}

let throwableClass: JavaClass | undefined;

function THROWABLE(): JavaClass {
  throwableClass ??= exception('java.lang.Throwable', null).type;
  return throwableClass;
}

function construct(type: ScriptClass, self: ScriptObject, args: unknown[]): ScriptObject {
  const constructors = type.methodsByName.get(CONSTRUCTOR) ?? [];
  if (constructors.length > 0) {
    const selected = selectMethod(constructors, args);
    if (selected !== undefined) {
      selected.method.run!(self, ...selected.args);
      return self;
    }
    const takesNothing = selectMethod(constructors, []);
    if (takesNothing === undefined || args.length !== 1 || !(args[0] instanceof JavaMap)) {
      throw missingConstructor(type, args);
    }
    takesNothing.method.run!(self, ...takesNothing.args);
    setProperties(self, args[0]);
    return self;
  }
  superConstructor(type, self, self instanceof Throwable && args.length > 0 ? args : []);
  if (args.length === 1 && args[0] instanceof JavaMap && !(self instanceof Throwable))
    setProperties(self, args[0]);
  else if (args.length > 0 && !(self instanceof Throwable)) throw missingConstructor(type, args);
  return self;
}

function setProperties(self: unknown, values: JavaMap): void {
  for (const { key, value } of values.list()) setProperty(self, toText(key), value);
}

/** `super(args)`, and the values of the fields behind it. */
export function superConstructor(type: ScriptClass, self: ScriptObject, args: unknown[]): void {
  if (type.parent instanceof ScriptClass) construct(type.parent, self, args);
  else if (self instanceof Throwable) becomeThrowable(self, args);
  else if (args.length > 0 && type.parent !== null) adopt(self, create(type.parent, args));
  for (const field of type.fields) {
    if (field.isStatic) continue;
    const declared = field.type?.();
    const value = field.value === undefined ? emptyValue(declared) : field.value(self);
    self.fields[field.name] = declared === undefined || value === null ? value : cast(value, declared);
  }
  for (const initialize of type.initializers) initialize(self);
}

export function thisConstructor(type: ScriptClass, self: ScriptObject, args: unknown[]): void {
  construct(type, self, args);
}

/** An object of a class that extends a built-in one has what an object of that holds. */
function adopt(self: ScriptObject, made: unknown): void {
  if (!(made instanceof JavaObject)) return;
  const { type: _, ...own } = made as JavaObject & { readonly type: JavaClass };
  Object.assign(self, own);
}

/** What the built-in parent's constructor makes of its arguments: message and cause, and the extras it has. */
function becomeThrowable(self: Throwable, args: unknown[]): void {
  let above: JavaClass | null = self.type;
  while (above instanceof ScriptClass) above = above.parent;
  const made = staticMethods(above!.name)!['new']!.run(...args) as Throwable;
  self.detailMessage = made.detailMessage;
  self.causedBy = made.causedBy;
  Object.assign(self.fields, made.fields);
}

export function newAnonymous(
  name: string,
  parent: JavaClass,
  owner: unknown,
  args: unknown[],
  facts: (type: ScriptClass) => ClassFacts,
): unknown {
  const type = new ScriptClass(name, 'class', false);
  const isInterface = parent.form === 'interface';
  const own = facts(type);
  defineClass(type, null, {
    ...own,
    parent: isInterface ? null : parent,
    interfaces: isInterface ? [parent] : [],
  });
  type.outer = owner;
  const self = instanceOf(type);
  superConstructor(type, self, args);
  return self;
}

/** An object whose missing methods all are the closure. */
function implementedBy(closure: Closure, parent: JavaClass): unknown {
  const type = new ScriptClass(`${parent.name}$closure`, 'class', false);
  type.interfaces = [parent];
  const wanted = [parent, ...parent.ancestors].filter(
    (each): each is ScriptClass => each instanceof ScriptClass,
  );
  for (const name of wanted.flatMap(({ methodsByName }) => [...methodsByName.keys()])) {
    const run = (_self: unknown, ...args: unknown[]) => closure.call(args);
    type.addMethod({
      name,
      isStatic: false,
      isPrivate: false,
      run,
      least: 0,
      most: 255,
      hasRest: false,
      typesOf: undefined,
    });
  }
  return instanceOf(type);
}

asDeclared.make = implementedBy;
declaredObject.make = create;

/** `super.name` in a class. */
export function superProperty(type: ScriptClass, self: ScriptObject, name: string): unknown {
  const { parent } = type;
  if (parent instanceof ScriptClass) {
    const getter = parent.findMethods(`get${name.charAt(0).toUpperCase()}${name.slice(1)}`);
    if (getter.length > 0) return getter[0]!.run!(self);
  }
  if (name in self.fields) return self.fields[name];
  if (name === 'message' && self instanceof Throwable) return self.detailMessage;
  throw missingProperty(name, type.name);
}

/** `object.&name`, `Type::name`. */
export function pointer(receiver: unknown, name: string, owner: unknown, self: unknown): Closure {
  if (receiver instanceof JavaClass && name === 'new')
    return closureOf(0, 255, (...args) => create(receiver, given(args)));
  const code =
    receiver instanceof JavaClass
      ? (_closure: Closure, ...args: unknown[]) => callOfClass(receiver, name, given(args))
      : (_closure: Closure, ...args: unknown[]) => call(receiver, name, given(args));
  const count = parametersOf(receiver, name);
  return new Closure(owner, self, code, count ?? 0, count ?? 255, false, undefined, name);
}

/** How many arguments the only method of the name takes; undefined when that is not sure. */
function parametersOf(receiver: unknown, name: string): number | undefined {
  const own = receiver instanceof Script ? receiver.methods.get(name) : ownMethods(receiver, name);
  if (own !== undefined) return own.length === 1 && own[0]!.least === own[0]!.most ? own[0]!.most : undefined;
  const statics = receiver instanceof JavaClass ? staticMethods(receiver.name)?.[name] : undefined;
  const method = statics ?? typeOf(receiver)?.methods[name];
  return method !== undefined && method.least === method.most && method.most === 2 ? 2 : undefined;
}

function ownMethods(receiver: unknown, name: string): readonly ScriptMethod[] | undefined {
  const methods = scriptClassOf(receiver)?.findMethods(name) ?? [];
  return methods.length === 0 ? undefined : methods;
}

function given(args: readonly unknown[]): unknown[] {
  return args.filter((arg) => arg !== undefined);
}

/** A static method, or an instance method whose object comes as the first argument. */
function callOfClass(type: JavaClass, name: string, args: unknown[]): unknown {
  const [first, ...others] = args;
  const isStatic =
    staticMethods(type.name)?.[name] !== undefined ||
    (type instanceof ScriptClass && type.findMethods(name).some((method) => method.isStatic));
  if (isStatic || args.length === 0 || !responds(first, name, others.length)) return call(type, name, args);
  return call(first, name, others);
}

/**
 * A function whose parameters with values of their own do not all come last: when arguments are missing, those
 * parameters are left out from the right.
 */
export function withDefaults(
  hasDefault: readonly boolean[],
  hidden: number,
  code: (...args: unknown[]) => unknown,
): (...args: unknown[]) => unknown {
  return (...args) => {
    const given = args.slice(hidden).filter((arg) => arg !== undefined);
    let left = hasDefault.length - given.length;
    const skipped = new Set<number>();
    for (let at = hasDefault.length - 1; at >= 0 && left > 0; at--) {
      if (!hasDefault[at]) continue;
      skipped.add(at);
      left--;
    }
    const placed = hasDefault.map((_, at) => (skipped.has(at) ? undefined : given.shift()));
    return code(...args.slice(0, hidden), ...placed);
  };
}
