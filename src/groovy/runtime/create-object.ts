import { cast, declaredObject } from './casting.ts';
import { emptyValue } from './empty-value.ts';
import type { JavaClass } from './java-class.ts';
import { JavaMap } from './java-map.ts';
import { staticMethods } from './method-table.ts';
import { setProperty } from './property.ts';
import { outerOf, ScriptClass, ScriptObject, selectMethod, setOuter } from './script-class.ts';
import { toText } from './text.ts';
import { BadArgument, exception, Throwable } from './throwable.ts';
import { classNameOf } from './type-of.ts';
import { JavaObject } from './values.ts';

const CONSTRUCTOR = '<init>';
/** What a script has assigned to `metaClass.constructor`. */
const ADDED_CONSTRUCTOR = '$constructor';

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
  const added = type.methodsByName.get(ADDED_CONSTRUCTOR);
  const changed = added === undefined ? undefined : selectMethod(added, args);
  if (changed !== undefined) return changed.method.run(type, ...changed.args);
  const self = instanceOf(type);
  const { enclosing } = type;
  if (!type.isInner || enclosing === null) return construct(type, self, args);
  const outer = outerOf(around, enclosing);
  if (outer !== null) {
    setOuter(self, outer);
    return construct(type, self, args);
  }
  // From outside the object around comes first.
  const [first, ...others] = args;
  const isOuter = outerOf(first, enclosing) === first && first !== undefined && first !== null;
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
export function instanceOf(type: ScriptClass): ScriptObject {
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

export function construct(type: ScriptClass, self: ScriptObject, args: unknown[]): ScriptObject {
  const constructors = type.methodsByName.get(CONSTRUCTOR) ?? [];
  if (constructors.length > 0) {
    const selected = selectMethod(constructors, args);
    if (selected !== undefined) {
      selected.method.run(self, ...selected.args);
      return self;
    }
    const takesNothing = selectMethod(constructors, []);
    if (takesNothing === undefined || args.length !== 1 || !(args[0] instanceof JavaMap)) {
      throw missingConstructor(type, args);
    }
    takesNothing.method.run(self, ...takesNothing.args);
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
  const { type: _, ...own } = made;
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

declaredObject.make = create;
