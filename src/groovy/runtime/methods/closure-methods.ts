import { int } from '../arguments.ts';
import {
  arrays,
  Closure,
  call0,
  call1,
  closureOf,
  DELEGATE_FIRST,
  DELEGATE_ONLY,
  OWNER_FIRST,
  OWNER_ONLY,
  TO_SELF,
} from '../closure.ts';
import { keyText } from '../hash-key.ts';
import { arrayType, classNamed } from '../java-class.ts';
import { defineMethods, defineStatics } from '../method-table.ts';
import { truth } from '../truth.ts';
import { copyClosure } from './object-methods.ts';
import './text-methods.ts';

function curried(self: Closure, code: (args: unknown[]) => unknown, fixed: number): Closure {
  return closureOf(Math.max(0, self.least - fixed), Math.max(0, self.most - fixed), (...args) => code(args));
}

/** The arguments without those that a closure of several parameters was not given. */
function given(args: readonly unknown[]): unknown[] {
  return args.filter((arg) => arg !== undefined);
}

function memoize(self: Closure): Closure {
  const known = new Map<string, unknown>();
  return closureOf(self.least, self.most, (...args) => {
    const key = keyText(given(args));
    if (!known.has(key)) known.set(key, self.call(given(args)));
    return known.get(key);
  });
}

/** Runs closures that closures give back, without nesting the calls. */
function trampoline(self: Closure, args: readonly unknown[]): Closure {
  const start = new Closure(
    self.owner,
    self.self,
    (_closure, ...more) => {
      let result: unknown = self.call(given(args.length > 0 ? args : more));
      while (result instanceof Closure && result.methodName === 'trampoline')
        result = result.delegate instanceof Closure ? result.delegate.call([]) : null;
      return result;
    },
    0,
    Math.max(self.most, 1),
    false,
    undefined,
    'trampoline',
  );
  start.delegate = closureOf(0, 0, () => self.call([...args]));
  return start;
}

function composed(first: Closure, second: unknown): Closure {
  return closureOf(first.least, first.most, (...args) => call1(second, first.call(given(args))));
}

function apply(fn: unknown, args: readonly unknown[]): unknown {
  return fn instanceof Closure ? fn.call(given(args)) : call1(fn, args[0]);
}

/** An untyped parameter takes any object. */
function parameterTypes(self: Closure): unknown[] {
  const object = classNamed('java.lang.Object');
  const types = Array.from({ length: self.most }, (_, at) => self.types?.[at] ?? object);
  return arrays.make(types, arrayType(classNamed('java.lang.Class')));
}

defineMethods('groovy.lang.Closure', 'java.lang.Object', {
  'doCall/0+': (self: Closure, ...args: unknown[]) => self.call(args),
  'run/0': (self: Closure) => {
    self.call([]);
    return null;
  },
  'getOwner/0': (self: Closure) => self.owner,
  'getDelegate/0': (self: Closure) => self.delegate,
  'getThisObject/0': (self: Closure) => self.self,
  'getResolveStrategy/0': (self: Closure) => self.strategy,
  'setDelegate/1': (self: Closure, delegate: unknown) => {
    self.delegate = delegate;
    return null;
  },
  'setResolveStrategy/1': (self: Closure, strategy: unknown) => {
    self.strategy = int(strategy);
    return null;
  },
  'getMaximumNumberOfParameters/0': (self: Closure) => self.most,
  'getParameterTypes/0': parameterTypes,
  'curry/1+': (self: Closure, ...fixed: unknown[]) =>
    curried(self, (args) => self.call([...fixed, ...given(args)]), fixed.length),
  'rcurry/1+': (self: Closure, ...fixed: unknown[]) =>
    curried(self, (args) => self.call([...given(args), ...fixed]), fixed.length),
  'ncurry/2+': (self: Closure, at: unknown, ...fixed: unknown[]) => {
    const position = int(at);
    return curried(
      self,
      (args) => self.call([...given(args).slice(0, position), ...fixed, ...given(args).slice(position)]),
      fixed.length,
    );
  },
  'memoize/0': memoize,
  'memoizeAtMost/1': memoize,
  'memoizeAtLeast/1': memoize,
  'memoizeBetween/2': memoize,
  'trampoline/0+': (self: Closure, ...args: unknown[]) => trampoline(self, args),
  'rightShift/1': composed,
  'leftShift/1': (self: Closure, other: unknown) =>
    other instanceof Closure ? composed(other, self) : self.call([other]),
  'andThen/1': composed,
  'compose/1': (self: Closure, other: Closure) => composed(other, self),
  'rehydrate/3': (self: Closure, delegate: unknown, owner: unknown, thisObject: unknown) => {
    const { code, least, most, hasRest, typesOf } = self;
    const copy = new Closure(owner, thisObject, code, least, most, hasRest, typesOf);
    copy.delegate = delegate;
    copy.strategy = self.strategy;
    return copy;
  },
  'dehydrate/0': copyClosure,
  'clone/0': copyClosure,
  'asWritable/0': (self: Closure) => self,
  'compare/2': (self: Closure, first: unknown, second: unknown) => self.call([first, second]),
  'apply/0+': (self: Closure, ...args: unknown[]) => self.call(args),
  'test/0+': (self: Closure, ...args: unknown[]) => truth(self.call(args)),
  'accept/0+': (self: Closure, ...args: unknown[]) => self.call(args),
  'get/0': (self: Closure) => call0(self),
  'negate/0': (self: Closure) =>
    closureOf(self.least, self.most, (...args) => !truth(self.call(given(args)))),
  'and/1': (self: Closure, other: unknown) =>
    closureOf(self.least, self.most, (...args) => truth(self.call(given(args))) && truth(apply(other, args))),
  'or/1': (self: Closure, other: unknown) =>
    closureOf(self.least, self.most, (...args) => truth(self.call(given(args))) || truth(apply(other, args))),
  'reversed/0': (self: Closure) => closureOf(2, 2, (first, second) => self.call([second, first])),
});

defineStatics(
  'groovy.lang.Closure',
  {},
  {
    OWNER_FIRST,
    DELEGATE_FIRST,
    OWNER_ONLY,
    DELEGATE_ONLY,
    TO_SELF,
    IDENTITY: closureOf(1, 1, (value) => value),
  },
);
