import { dispatcher } from './dispatch-port.ts';
import type { JavaClass } from './java-class.ts';
import { exception, type Throwable } from './throwable.ts';
import { listKind } from './values.ts';

export const OWNER_FIRST = 0;
export const DELEGATE_FIRST = 1;
export const OWNER_ONLY = 2;
export const DELEGATE_ONLY = 3;
export const TO_SELF = 4;

type Code = (self: Closure, ...args: unknown[]) => unknown;

/** Converts an argument to the type of its parameter, or says that it does not fit. */
export interface ParameterTypes {
  fit(value: unknown, type: JavaClass): { readonly value: unknown } | undefined;
}

export const parameterTypes: ParameterTypes = { fit: (value) => ({ value }) };

/**
 * Scripts make many, so what hardly any of them needs stands on the prototype until it is something else, and nothing
 * in the class is private: QuickJS would mark each object.
 */
export class Closure {
  readonly owner: unknown;
  readonly self: unknown;
  readonly code: Code;
  readonly least: number;
  readonly most: number;
  declare readonly hasRest: boolean;
  /** The types of the parameters, made when they are first needed: they may name classes that are declared later. */
  declare readonly typesOf: (() => (JavaClass | null)[]) | undefined;
  /** For method pointers. */
  declare readonly methodName: string | undefined;
  delegate: unknown;
  declare strategy: number;
  declare knownTypes: (JavaClass | null)[] | undefined;

  constructor(
    owner: unknown,
    self: unknown,
    code: Code,
    least: number,
    most: number,
    hasRest?: boolean,
    typesOf?: () => (JavaClass | null)[],
    methodName?: string,
  ) {
    this.owner = owner;
    this.self = self;
    this.delegate = owner;
    this.code = code;
    this.least = least;
    this.most = most;
    if (hasRest === true) this.hasRest = true;
    if (typesOf !== undefined) this.typesOf = typesOf;
    if (methodName !== undefined) this.methodName = methodName;
  }

  get types(): (JavaClass | null)[] | undefined {
    if (this.knownTypes === undefined && this.typesOf !== undefined) this.knownTypes = this.typesOf();
    return this.knownTypes;
  }

  call(args: readonly unknown[]): unknown {
    const { most, hasRest } = this;
    if (!hasRest) {
      let given = args;
      // One list for several parameters is taken apart.
      if (most > 1 && args.length === 1 && Array.isArray(args[0]) && args[0].length <= most) given = args[0];
      // A parameter that was left out is null when it is the only one.
      if (most === 1 && this.least === 1 && given.length === 0) given = [null];
      if (given.length > most || given.length < this.least) throw this.mismatch(args);
      if (this.typesOf !== undefined) return this.code(this, ...fitted(this, given));
      if (this.least === 0 && most === 1 && given.length === 0 && this.methodName === undefined) {
        return this.code(this, implicit(this));
      }
      switch (given.length) {
        case 0:
          return this.code(this);
        case 1:
          return this.code(this, given[0]);
        case 2:
          return this.code(this, given[0], given[1]);
        default:
          return this.code(this, ...given);
      }
    }
    return this.code(this, ...withRest(this, args));
  }

  mismatch(args: readonly unknown[]): Throwable {
    return missingMethod('Script1$_run_closure1', 'call', args);
  }
}

Object.assign(Closure.prototype, {
  hasRest: false,
  typesOf: undefined,
  methodName: undefined,
  strategy: OWNER_FIRST,
  knownTypes: undefined,
});

/** The argument for the one parameter that was left out: null, unless it has a value of its own. */
function implicit({ least, code }: Closure): unknown {
  return least === 0 && code.length === 2 ? null : undefined;
}

function fitted(closure: Closure, args: readonly unknown[]): unknown[] {
  const types = closure.types!;
  return args.map((value, index) => {
    const type = types[index];
    if (type === null || type === undefined) return value;
    const fitting = parameterTypes.fit(value, type);
    if (fitting === undefined) throw closure.mismatch(args);
    return fitting.value;
  });
}

function withRest(closure: Closure, args: readonly unknown[]): unknown[] {
  const { least, most, types } = closure;
  const fixed = most - 1;
  if (args.length < least) throw closure.mismatch(args);
  const last = args[fixed];
  const isPacked = args.length === most && Array.isArray(last) && listKind(last)?.element !== undefined;
  const first = args.slice(0, fixed);
  while (first.length < fixed) first.push(undefined);
  return [...first, isPacked ? last : restArray(args.slice(fixed), types?.[fixed] ?? null)];
}

/** Filled in by the lists, which know what a Java array is. */
export const arrays = { make: (items: unknown[], _type: JavaClass | null): unknown[] => items };

function restArray(items: unknown[], type: JavaClass | null): unknown[] {
  return arrays.make(items, type);
}

/** Filled in by whoever knows the class and the text of anything. */
export const naming = {
  className: (_value: unknown): string => 'java.lang.Object',
  text: (value: unknown): string => String(value),
};

export function missingMethod(className: string, name: string, args: readonly unknown[]): Throwable {
  const types = args.map((value) => {
    const typeName = value === null ? 'null' : naming.className(value);
    return typeName.slice(typeName.lastIndexOf('.') + 1);
  });
  const values = args.map((value) => naming.text(value));
  const failure = exception(
    'groovy.lang.MissingMethodException',
    `No signature of method: ${className}.${name}() is applicable for argument types: (${types.join(', ')}) values: [${values.join(', ')}]`,
  );
  failure.fields['method'] = name;
  failure.fields['arguments'] = args;
  return failure;
}

export function missingProperty(name: string, className: string): Throwable {
  const failure = exception(
    'groovy.lang.MissingPropertyException',
    `No such property: ${name} for class: ${className}`,
  );
  failure.fields['property'] = name;
  return failure;
}

export function call0(fn: unknown): unknown {
  return fn instanceof Closure ? fn.call([]) : callObject(fn, []);
}

export function call1(fn: unknown, value: unknown): unknown {
  if (fn instanceof Closure) {
    if (fn.most === 1 && fn.typesOf === undefined && !fn.hasRest) return fn.code(fn, value);
    return fn.call([value]);
  }
  return callObject(fn, [value]);
}

/** A closure that can be given one value as it is. */
export function takesOne(fn: unknown): fn is Closure {
  return fn instanceof Closure && fn.most === 1 && fn.typesOf === undefined && !fn.hasRest;
}

/** The same for two values. */
export function takesTwo(fn: unknown): fn is Closure {
  return fn instanceof Closure && fn.most === 2 && fn.typesOf === undefined && !fn.hasRest;
}

export function call2(fn: unknown, first: unknown, second: unknown): unknown {
  if (fn instanceof Closure) {
    if (fn.most === 2 && fn.typesOf === undefined && !fn.hasRest) return fn.code(fn, first, second);
    return fn.call([first, second]);
  }
  return callObject(fn, [first, second]);
}

/** What Java would do with an object of an interface that has one method. */
export function callObject(fn: unknown, args: unknown[]): unknown {
  if (fn === null || fn === undefined)
    throw exception('java.lang.NullPointerException', 'Cannot invoke method call() on null object');
  for (const name of ['call', 'apply', 'test', 'accept', 'get', 'compare', 'run', 'applyAsInt']) {
    if (dispatcher.responds(fn, name, args.length)) return dispatcher.invoke(fn, name, args);
  }
  return dispatcher.invoke(fn, 'call', args);
}

/** How many parameters a closure has; other callables take one. */
export function parameterCount(fn: unknown): number {
  return fn instanceof Closure ? fn.most : 1;
}

export function closureOf(least: number, most: number, code: (...args: unknown[]) => unknown): Closure {
  return new Closure(null, null, (_self, ...args) => code(...args), least, most, false, undefined, 'code');
}
