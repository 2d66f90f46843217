import type { JavaClass } from './java-class.ts';

/*
 * What Groovy values are here: null, booleans, strings, lists (arrays) and closures have JavaScript's own types,
 * an Integer is a number, a Long a bigint. Everything else is one of these classes or has a file of its own.
 */

export class Double {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

export class Float {
  readonly value: number;

  constructor(value: number) {
    this.value = Math.fround(value);
  }
}

export class Short {
  readonly value: number;

  constructor(value: number) {
    this.value = (value << 16) >> 16;
  }
}

export class Byte {
  readonly value: number;

  constructor(value: number) {
    this.value = (value << 24) >> 24;
  }
}

export class Char {
  readonly value: string;

  constructor(value: string) {
    this.value = value;
  }

  get code(): number {
    return this.value.charCodeAt(0);
  }
}

export class BigInteger {
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }
}

/** `unscaled` divided by ten to the power of `scale`. */
export class BigDecimal {
  readonly unscaled: bigint;
  readonly scale: number;

  constructor(unscaled: bigint, scale: number) {
    this.unscaled = unscaled;
    this.scale = scale;
  }
}

/** A text with values; closures among them are asked each time the text is wanted. */
export class GString {
  readonly strings: readonly string[];
  readonly values: readonly unknown[];

  constructor(strings: readonly string[], values: readonly unknown[]) {
    this.strings = strings;
    this.values = values;
  }
}

export class Entry {
  readonly key: unknown;
  value: unknown;

  constructor(key: unknown, value: unknown) {
    this.key = key;
    this.value = value;
  }
}

/** So that generated code recognises one without a call. */
Object.defineProperty(Entry.prototype, 'isEntry$', { value: true });

export class StringBuilder {
  text: string;
  readonly isBuffer: boolean;

  constructor(text: string, isBuffer = false) {
    this.text = text;
    this.isBuffer = isBuffer;
  }
}

/** A constant of a built-in enum. */
export class EnumConstant {
  readonly type: JavaClass;
  readonly name: string;
  readonly ordinal: number;
  /** What is printed for it; the name, unless its class says otherwise. */
  readonly text: string;

  constructor(type: JavaClass, name: string, ordinal: number, text = name) {
    this.type = type;
    this.name = name;
    this.ordinal = ordinal;
    this.text = text;
  }
}

/** An object of one of the smaller built-in classes, which knows itself how it is written and compared. */
export abstract class JavaObject {
  abstract readonly type: JavaClass;

  toText(): string {
    return `${this.type.name}@1`;
  }

  /** Equal objects have equal keys; by default an object is equal to itself only. */
  key(): unknown {
    return this;
  }

  /** Whether it equals a value that may be of another class; undefined where its class has no such values. */
  equalTo(_other: unknown): boolean | undefined {
    return undefined;
  }

  /** Nothing when the two have no order. */
  compareTo(_other: unknown): number | undefined {
    return undefined;
  }
}

/** What kind of list an array is; without the mark it is an ArrayList. */
export const LIST_KIND = Symbol('list kind');

export interface ListKind {
  readonly name: string;
  readonly isFixed: boolean;
  readonly isReadOnly: boolean;
  /** Whoever walks through it sees what was there when it began. */
  readonly isSnapshot?: boolean;
  /** Its package, unless that is `java.util`. */
  readonly home?: string;
  /** A property of it is one list of what its items have. */
  readonly isFlat?: boolean;
  /** The class of the elements of a Java array. */
  readonly element?: JavaClass;
}

export type List = unknown[] & { [LIST_KIND]?: ListKind };

export function markList(list: unknown[], kind: ListKind): List {
  Object.defineProperty(list, LIST_KIND, {
    value: kind,
    configurable: true,
    writable: true,
    enumerable: false,
  });
  return list;
}

export function listKind(list: object): ListKind | undefined {
  const { [LIST_KIND]: kind }: { [LIST_KIND]?: ListKind } = list;
  return kind;
}

export type Numeric = number | bigint | Double | Float | Short | Byte | BigInteger | BigDecimal;

/** On the prototypes of the classes of numbers: one look-up instead of an `instanceof` for each. */
const NUMERIC = 'isNumeric$';
for (const type of [Double, Float, Short, Byte, BigInteger, BigDecimal]) {
  Object.defineProperty(type.prototype, NUMERIC, { value: true });
}

function hasNumber(value: { [NUMERIC]?: boolean }): boolean {
  return value[NUMERIC] === true;
}

export function isNumeric(value: unknown): value is Numeric {
  switch (typeof value) {
    case 'number':
    case 'bigint':
      return true;
    case 'object':
      return value !== null && hasNumber(value);
    default:
      return false;
  }
}

export function isText(value: unknown): value is string | GString {
  return typeof value === 'string' || value instanceof GString;
}
