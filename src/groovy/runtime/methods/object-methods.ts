import { asType } from '../casting.ts';
import { Closure, call1, DELEGATE_FIRST } from '../closure.ts';
import { call } from '../dispatch.ts';
import { outside } from '../dispatch-port.ts';
import { equal, javaEquals } from '../equality.ts';
import { formatText } from '../format.ts';
import { hashCode } from '../hash-code.ts';
import { identityOf } from '../hash-key.ts';
import { listOf } from '../iterate.ts';
import type { JavaClass } from '../java-class.ts';
import { JavaMap } from '../java-map.ts';
import { defineMethods } from '../method-table.ts';
import { property, setProperty } from '../property.ts';
import { scriptClassOf } from '../script-class.ts';
import { inspect, textOf, toText } from '../text.ts';
import { badArgument } from '../throwable.ts';
import { truthUnasked } from '../truth.ts';
import { classOf, requireType } from '../type-of.ts';

/** Runs a closure with the object as its delegate. */
export function runWith(self: unknown, closure: unknown): unknown {
  if (!(closure instanceof Closure)) throw badArgument();
  const bound = copyClosure(closure);
  bound.delegate = self;
  bound.strategy = DELEGATE_FIRST;
  return bound.call(bound.most === 0 ? [] : [self]);
}

export function copyClosure(closure: Closure): Closure {
  const { owner, self, code, least, most, hasRest, typesOf, methodName } = closure;
  const copy = new Closure(owner, self, code, least, most, hasRest, typesOf, methodName);
  copy.delegate = closure.delegate;
  copy.strategy = closure.strategy;
  return copy;
}

/** To `printf` of Groovy a list alone is all the arguments; to `String.format` it is one. */
function listed(values: readonly unknown[]): readonly unknown[] {
  return values.length === 1 && Array.isArray(values[0]) ? values[0] : values;
}

/** The fields of an object of a class of the script, and what its getters give. */
function propertiesOf(self: unknown): JavaMap {
  const map = new JavaMap();
  map.put('class', classOf(self));
  for (const name of scriptClassOf(self)?.propertyNames() ?? []) map.put(name, property(self, name));
  return map;
}

defineMethods('java.lang.Object', null, {
  'toString/0': toText,
  'getClass/0': classOf,
  'hashCode/0': hashCode,
  'equals/1': (self: unknown, other: unknown) =>
    Array.isArray(self) || self instanceof JavaMap ? equal(self, other) : javaEquals(self, other),
  'is/1': (self: unknown, other: unknown) => self === other,
  'asType/1': (self: unknown, type: JavaClass) => asType(self, type),
  'asBoolean/0': truthUnasked,
  'inspect/0': inspect,
  'dump/0': (self: unknown) => `<${requireType(self).name}@${identityOf(Object(self)).toString(16)}>`,
  'with/1-2': (self: unknown, first: unknown, second?: unknown) => {
    const result = runWith(self, second ?? first);
    return first === true ? self : result;
  },
  'tap/1': (self: unknown, closure: unknown) => {
    runWith(self, closure);
    return self;
  },
  'identity/1': runWith,
  'println/0-1': (_self: unknown, value: unknown = '') => {
    outside.print(`${toText(value)}\n`);
    return null;
  },
  'print/1': (_self: unknown, value: unknown) => {
    outside.print(toText(value));
    return null;
  },
  'printf/1+': (_self: unknown, pattern: unknown, ...values: unknown[]) => {
    outside.print(formatText(toText(pattern), listed(values)));
    return null;
  },
  'sprintf/1+': (_self: unknown, pattern: unknown, ...values: unknown[]) =>
    formatText(toText(pattern), listed(values)),
  'sleep/1': (_self: unknown, ms: unknown) => {
    outside.host('groovy.sleep', Number(toText(ms)));
    return null;
  },
  'getAt/1': (self: unknown, name: unknown) => {
    if (textOf(name) === undefined) throw badArgument();
    return property(self, toText(name));
  },
  'putAt/2': (self: unknown, name: unknown, value: unknown) => setProperty(self, toText(name), value),
  'getProperties/0': propertiesOf,
  'getProperty/1': (self: unknown, name: unknown) => property(self, toText(name)),
  'setProperty/2': (self: unknown, name: unknown, value: unknown) => {
    setProperty(self, toText(name), value);
    return null;
  },
  'invokeMethod/2': (self: unknown, name: unknown, args: unknown) =>
    call(self, toText(name), Array.isArray(args) ? [...args] : [args]),
  'each/1': (self: unknown, closure: unknown) => {
    for (const item of listOf(self)) call1(closure, item);
    return self;
  },
});
