import { call0, call1 } from '../closure.ts';
import { hashCode } from '../hash-code.ts';
import { classNamed, type JavaClass } from '../java-class.ts';
import { defineMethods, defineStatics } from '../method-table.ts';
import { toText } from '../text.ts';
import { noSuchElement, nullPointer } from '../throwable.ts';
import { truth } from '../truth.ts';
import { JavaObject } from '../values.ts';

const OPTIONAL_CLASS = classNamed('java.util.Optional');

class Optional extends JavaObject {
  readonly type: JavaClass = OPTIONAL_CLASS;
  readonly value: unknown;

  constructor(value: unknown) {
    super();
    this.value = value;
  }

  override toText(): string {
    return this.value === null ? 'Optional.empty' : `Optional[${toText(this.value)}]`;
  }

  override key(): unknown {
    return hashCode(this.value);
  }
}

export function optional(value: unknown): JavaObject {
  return new Optional(value ?? null);
}

defineStatics('java.util.Optional', {
  'of/1': (value: unknown) => {
    if (value === null) throw nullPointer();
    return optional(value);
  },
  'ofNullable/1': optional,
  'empty/0': () => optional(null),
});

function present(self: Optional): unknown {
  if (self.value === null) throw noSuchElement('No value present');
  return self.value;
}

defineMethods('java.util.Optional', 'java.lang.Object', {
  'isPresent/0': (self: Optional) => self.value !== null,
  'isEmpty/0': (self: Optional) => self.value === null,
  'asBoolean/0': (self: Optional) => self.value !== null,
  'get/0': present,
  ...Object.fromEntries(['getAsInt', 'getAsLong', 'getAsDouble'].map((name) => [`${name}/0`, present])),
  'orElse/1': (self: Optional, other: unknown) => self.value ?? other,
  'orElseGet/1': (self: Optional, fn: unknown) => self.value ?? call0(fn),
  'orElseThrow/0-1': (self: Optional, fn?: unknown) => {
    if (self.value !== null) return self.value;
    throw fn === undefined ? noSuchElement('No value present') : call0(fn);
  },
  'map/1': (self: Optional, fn: unknown) => (self.value === null ? self : optional(call1(fn, self.value))),
  'flatMap/1': (self: Optional, fn: unknown) => (self.value === null ? self : call1(fn, self.value)),
  'filter/1': (self: Optional, fn: unknown) =>
    self.value === null || truth(call1(fn, self.value)) ? self : optional(null),
  'ifPresent/1': (self: Optional, fn: unknown) =>
    self.value === null || call1(fn, self.value) === undefined ? null : null,
});
