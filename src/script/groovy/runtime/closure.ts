import { dispatcher } from './dispatch-port.ts';
import { classNamed, type JavaClass } from './java-class.ts';
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

export class Closure {
  readonly owner: unknown;
  readonly self: unknown;
  readonly code: Code;
  readonly least: number;
  readonly most: number;
  readonly hasRest: boolean;
  /** Made when they are first needed: they may name classes that are declared later. */
  readonly typesOf: (() => (JavaClass | null)[]) | undefined;
  /** For method pointers. */
  readonly methodName: string | undefined;
  delegate: unknown;
  strategy = OWNER_FIRST;
  #types: (JavaClass | null)[] | undefined;

  constructor(
    owner: unknown,
    self: unknown,
    code: Code,
    least: number,
    most: number,
    hasRest: boolean,
    typesOf?: () => (JavaClass | null)[],
    methodName?: string,
  ) {
    this.owner = owner;
    this.self = self;
    this.delegate = owner;
    this.code = code;
    this.least = least;
    this.most = most;
    this.hasRest = hasRest;
    this.typesOf = typesOf;
    this.methodName = methodName;
  }

  get types(): (JavaClass | null)[] | undefined {
    if (this.#types === undefined && this.typesOf !== undefined) this.#types = this.typesOf();
    return this.#types;
  }

  call(args: readonly unknown[]): unknown {
    const { most, hasRest } = this;
    if (!hasRest) {
      // One list for several parameters is taken apart.
      const [only] = args;
      let given = args.length === 1 && most > 1 && Array.isArray(only) && only.length <= most ? only : args;
      // A parameter that was left out is null when it is the only one.
      if (most === 1 && this.least === 1 && given.length === 0) given = [null];
      if (given.length > most || given.length < this.least) throw this.mismatch(args);
      if (this.typesOf !== undefined) return this.code(this, ...this.#fit(given));
      if (this.least === 0 && most === 1 && given.length === 0 && this.methodName === undefined) {
        return this.code(this, this.#implicit());
      }
      return this.code(this, ...given);
    }
    return this.code(this, ...this.#withRest(args));
  }

  /** With one parameter that was left out: null, unless it has a value of its own. */
  #implicit(): unknown {
    return this.least === 0 && this.code.length === 2 ? null : undefined;
  }

  #fit(args: readonly unknown[]): unknown[] {
    const types = this.types!;
    return args.map((value, index) => {
      const type = types[index];
      if (type === null || type === undefined) return value;
      const fitting = parameterTypes.fit(value, type);
      if (fitting === undefined) throw this.mismatch(args);
      return fitting.value;
    });
  }

  #withRest(args: readonly unknown[]): unknown[] {
    const fixed = this.most - 1;
    if (args.length < this.least) throw this.mismatch(args);
    const last = args[fixed];
    const isPacked =
      args.length === this.most && Array.isArray(last) && listKind(last)?.element !== undefined;
    const first = args.slice(0, fixed);
    while (first.length < fixed) first.push(undefined);
    return [...first, isPacked ? last : restArray(args.slice(fixed), this.types?.[fixed] ?? null)];
  }

  mismatch(args: readonly unknown[]): Throwable {
    return missingMethod('Script1$_run_closure1', 'call', args);
  }
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

export function closureClass(): JavaClass {
  return classNamed('groovy.lang.Closure');
}
