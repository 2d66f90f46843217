import { toInt } from '../arithmetic.ts';
import { cast, isInstance } from '../casting.ts';
import {
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
import { call } from '../dispatch.ts';
import { compare } from '../equality.ts';
import { keyText } from '../hash-key.ts';
import type { JavaClass } from '../java-class.ts';
import { defineMethods, defineStatics } from '../method-table.ts';
import type { Binding, Script } from '../script.ts';
import { ScriptClass } from '../script-class.ts';
import { throwableMessage, throwableText, toText } from '../text.ts';
import { exception, type Throwable } from '../throwable.ts';
import { truth } from '../truth.ts';
import { EnumConstant, type Numeric, type StringBuilder } from '../values.ts';
import { copyClosure } from './object-methods.ts';
import './text-methods.ts';

function curried(self: Closure, code: (args: unknown[]) => unknown, fixed: number): Closure {
  return closureOf(Math.max(0, self.least - fixed), Math.max(0, self.most - fixed), (...args) => code(args));
}

/** Without the arguments that a closure of several parameters was not given. */
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

defineMethods('groovy.lang.Closure', 'java.lang.Object', {
  'call/0+': (self: Closure, ...args: unknown[]) => self.call(args),
  'doCall/0+': (self: Closure, ...args: unknown[]) => self.call(args),
  'run/0': (self: Closure) => {
    self.call([]);
    return null;
  },
  'isCase/1': (self: Closure, value: unknown) => truth(call1(self, value)),
  'getOwner/0': (self: Closure) => self.owner,
  'getDelegate/0': (self: Closure) => self.delegate,
  'getThisObject/0': (self: Closure) => self.self,
  'getResolveStrategy/0': (self: Closure) => self.strategy,
  'setDelegate/1': (self: Closure, delegate: unknown) => {
    self.delegate = delegate;
    return null;
  },
  'setResolveStrategy/1': (self: Closure, strategy: unknown) => {
    self.strategy = toInt(strategy as Numeric);
    return null;
  },
  'getMaximumNumberOfParameters/0': (self: Closure) => self.most,
  'getParameterTypes/0': (self: Closure) => self.types ?? Array.from({ length: self.most }, () => null),
  'curry/1+': (self: Closure, ...fixed: unknown[]) =>
    curried(self, (args) => self.call([...fixed, ...given(args)]), fixed.length),
  'rcurry/1+': (self: Closure, ...fixed: unknown[]) =>
    curried(self, (args) => self.call([...given(args), ...fixed]), fixed.length),
  'ncurry/2+': (self: Closure, at: unknown, ...fixed: unknown[]) => {
    const position = toInt(at as Numeric);
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

defineMethods('java.lang.Class', 'java.lang.Object', {
  'getName/0': (self: JavaClass) => self.name,
  'getCanonicalName/0': (self: JavaClass) =>
    self.form === 'array' ? self.simpleName : self.name.replaceAll('$', '.'),
  'getTypeName/0': (self: JavaClass) => self.name,
  'getSimpleName/0': (self: JavaClass) => self.simpleName,
  'getPackageName/0': (self: JavaClass) => self.name.slice(0, Math.max(0, self.name.lastIndexOf('.'))),
  'getSuperclass/0': (self: JavaClass) => self.parent,
  'getInterfaces/0': (self: JavaClass) => self.interfaces,
  'isInstance/1': (self: JavaClass, value: unknown) => isInstance(value, self),
  'isCase/1': (self: JavaClass, value: unknown) => isInstance(value, self),
  'isAssignableFrom/1': (self: JavaClass, other: JavaClass) => other.isSubclassOf(self),
  'isInterface/0': (self: JavaClass) => self.form === 'interface',
  'isArray/0': (self: JavaClass) => self.form === 'array',
  'isEnum/0': (self: JavaClass) => self.form === 'enum',
  'isPrimitive/0': (self: JavaClass) => self.form === 'primitive',
  'getComponentType/0': (self: JavaClass) => self.element,
  'getEnumConstants/0': (self: JavaClass) => call(self, 'values', []),
  'newInstance/0+': (self: JavaClass, ...args: unknown[]) => call(self, 'new', args),
  'cast/1': (self: JavaClass, value: unknown) => cast(value, self),
  'call/0+': (self: JavaClass, ...args: unknown[]) => call(self, 'new', args),
  'iterator/0': (self: JavaClass) => call(call(self, 'values', []), 'iterator', []),
  'next/0': (self: JavaClass) => self,
});

defineMethods('java.lang.Throwable', 'java.lang.Object', {
  'getMessage/0': throwableMessage,
  'getLocalizedMessage/0': throwableMessage,
  'getCause/0': (self: Throwable) => self.causedBy,
  'initCause/1': (self: Throwable, cause: Throwable) => {
    self.causedBy = cause;
    return self;
  },
  'toString/0': throwableText,
  'getStackTrace/0': () => [],
  'printStackTrace/0-1': () => null,
  'addSuppressed/1': (self: Throwable, other: unknown) => {
    self.suppressed.push(other);
    return null;
  },
  'getSuppressed/0': (self: Throwable) => self.suppressed,
  'fillInStackTrace/0': (self: Throwable) => self,
});

for (const [className, fields] of [
  ['groovy.lang.MissingPropertyException', ['property']],
  ['groovy.lang.MissingMethodException', ['method', 'arguments']],
] as const) {
  defineMethods(className, 'java.lang.Throwable', {
    ...Object.fromEntries(
      fields.map((field) => [
        `get${field[0]!.toUpperCase()}${field.slice(1)}/0`,
        (self: Throwable) => self.fields[field],
      ]),
    ),
  });
}

defineMethods('java.lang.Enum', 'java.lang.Object', {
  'name/0': (self: unknown) => enumName(self),
  'getName/0': (self: unknown) => enumName(self),
  'ordinal/0': (self: unknown) => (self instanceof EnumConstant ? self.ordinal : enumField(self, '$ordinal')),
  'compareTo/1': compare,
  'getDeclaringClass/0': (self: EnumConstant) => self.type,
  'isCase/1': (self: unknown, value: unknown) => self === value,
  'next/0': (self: unknown) => neighbour(self, 1),
  'previous/0': (self: unknown) => neighbour(self, -1),
});

function enumName(self: unknown): unknown {
  return self instanceof EnumConstant ? self.name : enumField(self, '$name');
}

function enumField(self: unknown, name: string): unknown {
  return (self as { fields: Record<string, unknown> }).fields[name];
}

function neighbour(self: unknown, by: number): unknown {
  const type = (self as { type: JavaClass }).type;
  const home = type instanceof ScriptClass && type.constants.length === 0 ? type.parent! : type;
  const all = call(home, 'values', []) as unknown[];
  return all[(all.indexOf(self) + by + all.length) % all.length];
}

defineMethods('groovy.lang.Script', 'java.lang.Object', {
  'getBinding/0': (self: Script) => self.binding,
  'run/0': () => {
    throw exception('java.lang.UnsupportedOperationException', 'A script cannot run itself');
  },
  'evaluate/1': () => {
    throw exception('java.lang.SecurityException', 'Scripts cannot compile other scripts');
  },
});

defineMethods('groovy.lang.Binding', 'java.lang.Object', {
  'getVariable/1': (self: Binding, name: unknown) => {
    const value = self.get(toText(name));
    if (value === undefined) {
      throw exception(
        'groovy.lang.MissingPropertyException',
        `No such property: ${toText(name)} for class: groovy.lang.Binding`,
      );
    }
    return value;
  },
  'setVariable/2': (self: Binding, name: unknown, value: unknown) => {
    self.set(toText(name), value);
    return null;
  },
  'hasVariable/1': (self: Binding, name: unknown) => self.has(toText(name)),
  'removeVariable/1': (self: Binding, name: unknown) => self.all().remove(toText(name)),
  'getVariables/0': (self: Binding) => self.all(),
});

defineMethods('java.lang.AbstractStringBuilder', 'java.lang.CharSequence', {
  'append/1-3': (self: StringBuilder, value: unknown) => {
    self.text += toText(value);
    return self;
  },
  'leftShift/1': (self: StringBuilder, value: unknown) => {
    self.text += toText(value);
    return self;
  },
  'insert/2': (self: StringBuilder, at: unknown, value: unknown) => {
    const position = toInt(at as Numeric);
    self.text = self.text.slice(0, position) + toText(value) + self.text.slice(position);
    return self;
  },
  'deleteCharAt/1': (self: StringBuilder, at: unknown) => {
    const position = toInt(at as Numeric);
    self.text = self.text.slice(0, position) + self.text.slice(position + 1);
    return self;
  },
  'delete/2': (self: StringBuilder, from: unknown, to: unknown) => {
    self.text = self.text.slice(0, toInt(from as Numeric)) + self.text.slice(toInt(to as Numeric));
    return self;
  },
  'replace/3': (self: StringBuilder, from: unknown, to: unknown, text: unknown) => {
    self.text =
      self.text.slice(0, toInt(from as Numeric)) + toText(text) + self.text.slice(toInt(to as Numeric));
    return self;
  },
  'reverse/0': (self: StringBuilder) => {
    self.text = [...self.text].reverse().join('');
    return self;
  },
  'setLength/1': (self: StringBuilder, length: unknown) => {
    self.text = self.text.slice(0, toInt(length as Numeric)).padEnd(toInt(length as Numeric), '\0');
    return null;
  },
  'setCharAt/2': (self: StringBuilder, at: unknown, char: unknown) => {
    const position = toInt(at as Numeric);
    self.text = self.text.slice(0, position) + toText(char) + self.text.slice(position + 1);
    return null;
  },
  'putAt/2': (self: StringBuilder, at: unknown, value: unknown) => {
    const position = toInt(at as Numeric);
    self.text = self.text.slice(0, position) + toText(value) + self.text.slice(position + 1);
    return null;
  },
  'capacity/0': (self: StringBuilder) => Math.max(16, self.text.length),
  'toString/0': (self: StringBuilder) => self.text,
});
