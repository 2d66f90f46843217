import {
  compareNumbers,
  negate,
  toBigInt,
  toDecimal,
  toInt,
  toLong,
  toNumber,
  unsigned,
  WIDTH,
  widthOf,
} from '../arithmetic.ts';
import { textOfBytes } from '../bytes.ts';
import { parseDouble, parseWhole, toArray } from '../casting.ts';
import { decimalOfDouble, parseDecimal, type Rounding, toPrecision } from '../decimal.ts';
import { outside } from '../dispatch-port.ts';
import { compare } from '../equality.ts';
import { formatText } from '../format.ts';
import { listOf } from '../iterate.ts';
import { arrayType, classNamed, type JavaClass } from '../java-class.ts';
import { JavaMap } from '../java-map.ts';
import { MathContext, roundingOf } from '../math-context.ts';
import { defineMethods, defineStatics } from '../method-table.ts';
import { numeric } from '../methods/number-methods.ts';
import { hashCode } from '../methods/object-methods.ts';
import { doubleText } from '../number-text.ts';
import { textOf, toText } from '../text.ts';
import { exception } from '../throwable.ts';
import {
  BigDecimal,
  BigInteger,
  Byte,
  Char,
  Double,
  Float,
  JavaObject,
  type Numeric,
  Short,
  StringBuilder,
} from '../values.ts';

const LONG_MAX = 9_223_372_036_854_775_807n;

function radixOf(radix: unknown): number {
  return radix === undefined ? 10 : toInt(numeric(radix));
}

function digits(value: unknown): string {
  const found = textOf(value);
  if (found === undefined)
    throw exception('java.lang.NumberFormatException', value === null ? 'null' : toText(value));
  return found;
}

function parsed(bits: number, wrap: (value: bigint) => unknown) {
  return (value: unknown, radix?: unknown) => {
    if (typeof value === 'number' || typeof value === 'bigint') return wrap(BigInt(value));
    if (value instanceof Char) return wrap(BigInt(value.code));
    return wrap(parseWhole(digits(value), bits, radixOf(radix)));
  };
}

const intOf = parsed(32, Number);
const longOf = parsed(64, (value) => value);

function unsignedText(radix: number) {
  return (value: unknown) => {
    const number = numeric(value);
    const bits = typeof number === 'bigint' ? unsigned(number, 64n) : unsigned(toBigInt(number), 32n);
    return bits.toString(radix);
  };
}

const wholeStatics = {
  'toString/1-2': (value: unknown, radix?: unknown) => toBigInt(numeric(value)).toString(radixOf(radix)),
  'toHexString/1': unsignedText(16),
  'toBinaryString/1': unsignedText(2),
  'toOctalString/1': unsignedText(8),
  'compare/2': (left: unknown, right: unknown) => compareNumbers(numeric(left), numeric(right)),
  'signum/1': (value: unknown) => compareNumbers(numeric(value), 0),
  'bitCount/1': (value: unknown) => unsignedText(2)(value).replaceAll('0', '').length,
  'max/2': (left: unknown, right: unknown) =>
    compareNumbers(numeric(left), numeric(right)) >= 0 ? left : right,
  'min/2': (left: unknown, right: unknown) =>
    compareNumbers(numeric(left), numeric(right)) <= 0 ? left : right,
};

defineStatics(
  'java.lang.Integer',
  {
    ...wholeStatics,
    'parseInt/1-2': intOf,
    'valueOf/1-2': intOf,
    'new/1': intOf,
    'sum/2': (left: number, right: number) => (left + right) | 0,
  },
  { MAX_VALUE: 2_147_483_647, MIN_VALUE: -2_147_483_648, SIZE: 32, BYTES: 4 },
);
defineStatics(
  'java.lang.Long',
  { ...wholeStatics, 'parseLong/1-2': longOf, 'valueOf/1-2': longOf, 'new/1': longOf },
  { MAX_VALUE: LONG_MAX, MIN_VALUE: -LONG_MAX - 1n, SIZE: 64, BYTES: 8 },
);
defineStatics(
  'java.lang.Short',
  {
    'parseShort/1': parsed(16, (value) => new Short(Number(value))),
    'valueOf/1': parsed(16, (value) => new Short(Number(value))),
  },
  { MAX_VALUE: new Short(32_767), MIN_VALUE: new Short(-32_768) },
);
defineStatics(
  'java.lang.Byte',
  {
    'parseByte/1': parsed(8, (value) => new Byte(Number(value))),
    'valueOf/1': parsed(8, (value) => new Byte(Number(value))),
  },
  { MAX_VALUE: new Byte(127), MIN_VALUE: new Byte(-128) },
);

function doubleOf(value: unknown): Double {
  return new Double(textOf(value) === undefined ? toNumber(numeric(value)) : parseDouble(digits(value)));
}

defineStatics(
  'java.lang.Double',
  {
    'parseDouble/1': doubleOf,
    'valueOf/1': doubleOf,
    'new/1': doubleOf,
    'toString/1': (value: unknown) => doubleText(toNumber(numeric(value))),
    'compare/2': wholeStatics['compare/2'],
    'isNaN/1': (value: unknown) => Number.isNaN(toNumber(numeric(value))),
    'isInfinite/1': (value: unknown) => Math.abs(toNumber(numeric(value))) === Number.POSITIVE_INFINITY,
    'isFinite/1': (value: unknown) => Number.isFinite(toNumber(numeric(value))),
  },
  {
    MAX_VALUE: new Double(Number.MAX_VALUE),
    MIN_VALUE: new Double(Number.MIN_VALUE),
    NaN: new Double(Number.NaN),
    POSITIVE_INFINITY: new Double(Number.POSITIVE_INFINITY),
    NEGATIVE_INFINITY: new Double(Number.NEGATIVE_INFINITY),
  },
);
defineStatics('java.lang.Float', {
  'parseFloat/1': (value: unknown) => new Float(doubleOf(value).value),
  'valueOf/1': (value: unknown) => new Float(doubleOf(value).value),
});

function booleanOf(value: unknown): boolean {
  return typeof value === 'boolean' ? value : value !== null && toText(value).toLowerCase() === 'true';
}

defineStatics(
  'java.lang.Boolean',
  {
    'parseBoolean/1': booleanOf,
    'valueOf/1': booleanOf,
    'new/1': booleanOf,
    'toString/1': toText,
    'compare/2': compare,
    'logicalAnd/2': (left: boolean, right: boolean) => left && right,
    'logicalOr/2': (left: boolean, right: boolean) => left || right,
  },
  { TRUE: true, FALSE: false },
);

function charTest(pattern: RegExp) {
  return (value: unknown) =>
    pattern.test(typeof value === 'number' ? String.fromCodePoint(value) : toText(value));
}

defineStatics(
  'java.lang.Character',
  {
    'isDigit/1': charTest(/^\p{Nd}/u),
    'isLetter/1': charTest(/^\p{L}/u),
    'isLetterOrDigit/1': charTest(/^[\p{L}\p{Nd}]/u),
    'isAlphabetic/1': charTest(/^\p{Alphabetic}/u),
    'isUpperCase/1': charTest(/^\p{Lu}/u),
    'isLowerCase/1': charTest(/^\p{Ll}/u),
    'isWhitespace/1': charTest(/^\s/u),
    'toUpperCase/1': (value: unknown) => new Char(toText(value).toUpperCase()),
    'toLowerCase/1': (value: unknown) => new Char(toText(value).toLowerCase()),
    'getNumericValue/1': (value: unknown) => Number.parseInt(toText(value), 36),
    'toString/1': toText,
    'valueOf/1': (value: unknown) => new Char(toText(value).charAt(0)),
    'toChars/1': (value: unknown) =>
      toArray([...String.fromCodePoint(toInt(numeric(value)))], arrayType(classNamed('char'))),
  },
  { MAX_VALUE: new Char('\uffff'), MIN_VALUE: new Char('\u0000') },
);

function newText(value: unknown = '', charset?: unknown): string {
  if (!Array.isArray(value)) return toText(value);
  return value[0] instanceof Byte
    ? textOfBytes(value, charset === undefined ? 'UTF-8' : toText(charset))
    : value.map(toText).join('');
}

defineStatics('java.lang.String', {
  'new/0-2': newText,
  'valueOf/1': newText,
  'copyValueOf/1': newText,
  'format/1+': (first: unknown, ...args: unknown[]) =>
    textOf(first) === undefined
      ? formatText(toText(args[0]), args.slice(1))
      : formatText(toText(first), args),
  'join/1+': (separator: unknown, ...parts: unknown[]) =>
    (parts.length === 1 && textOf(parts[0]) === undefined ? listOf(parts[0]) : parts)
      .map(toText)
      .join(toText(separator)),
});
for (const name of ['StringBuilder', 'StringBuffer']) {
  const isBuffer = name === 'StringBuffer';
  defineStatics(`java.lang.${name}`, {
    'new/0-1': (start: unknown = '') =>
      new StringBuilder(typeof start === 'number' ? '' : toText(start), isBuffer),
  });
}

function onDouble(run: (value: number) => number) {
  return (value: unknown) => new Double(run(toNumber(numeric(value))));
}

function choose(sign: 1 | -1) {
  return (left: unknown, right: unknown) => {
    const [first, second] = [numeric(left), numeric(right)];
    const chosen = compareNumbers(first, second) * sign >= 0 ? first : second;
    const width = Math.max(widthOf(first), widthOf(second));
    if (width === WIDTH.LONG) return toLong(chosen);
    return width === WIDTH.DOUBLE || width === WIDTH.BIG_DECIMAL ? widened(chosen, width) : chosen;
  };
}

function widened(value: Numeric, width: number): Numeric {
  return width === WIDTH.DOUBLE || value instanceof BigDecimal
    ? new Double(toNumber(value))
    : toDecimal(value);
}

/** Exact arithmetic of ints and longs. */
function exactly(run: (left: bigint, right: bigint) => bigint) {
  return (left: unknown, right: unknown = 1) => {
    const isLong = typeof left === 'bigint' || typeof right === 'bigint';
    const result = run(toBigInt(numeric(left)), toBigInt(numeric(right)));
    if (BigInt.asIntN(isLong ? 64 : 32, result) !== result) {
      throw exception('java.lang.ArithmeticException', isLong ? 'long overflow' : 'integer overflow');
    }
    return isLong ? result : Number(result);
  };
}

function floored(left: unknown, right: unknown, wantsRest: boolean): unknown {
  const [first, second] = [toBigInt(numeric(left)), toBigInt(numeric(right))];
  if (second === 0n) throw exception('java.lang.ArithmeticException', '/ by zero');
  const rest = ((first % second) + second) % second;
  const value = wantsRest ? rest : (first - rest) / second;
  return typeof left === 'bigint' || typeof right === 'bigint' ? value : Number(value);
}

function absolute(value: unknown): Numeric {
  const number = numeric(value);
  const size = compareNumbers(number, 0) < 0 ? negate(number) : number;
  return size instanceof BigDecimal ? new Double(toNumber(size)) : size;
}

const mathStatics = {
  'abs/1': absolute,
  'max/2': choose(1),
  'min/2': choose(-1),
  'round/1': (value: unknown) => {
    const number = numeric(value);
    const rounded = Math.floor(toNumber(number) + 0.5);
    return number instanceof Float ? rounded | 0 : toLong(new Double(rounded));
  },
  'floor/1': onDouble(Math.floor),
  'ceil/1': onDouble(Math.ceil),
  'rint/1': onDouble((value) => {
    const rounded = Math.round(value);
    return Math.abs(value % 1) === 0.5 && rounded % 2 !== 0 ? rounded - 1 : rounded;
  }),
  'sqrt/1': onDouble(Math.sqrt),
  'cbrt/1': onDouble(Math.cbrt),
  'pow/2': (base: unknown, power: unknown) => new Double(toNumber(numeric(base)) ** toNumber(numeric(power))),
  'exp/1': onDouble(Math.exp),
  'log/1': onDouble(Math.log),
  'log10/1': onDouble(Math.log10),
  'sin/1': onDouble(Math.sin),
  'cos/1': onDouble(Math.cos),
  'tan/1': onDouble(Math.tan),
  'asin/1': onDouble(Math.asin),
  'acos/1': onDouble(Math.acos),
  'atan/1': onDouble(Math.atan),
  'atan2/2': (y: unknown, x: unknown) => new Double(Math.atan2(toNumber(numeric(y)), toNumber(numeric(x)))),
  'hypot/2': (y: unknown, x: unknown) => new Double(Math.hypot(toNumber(numeric(y)), toNumber(numeric(x)))),
  'toRadians/1': onDouble((value) => (value / 180) * Math.PI),
  'toDegrees/1': onDouble((value) => (value * 180) / Math.PI),
  'signum/1': onDouble(Math.sign),
  'random/0': () => new Double(Math.random()),
  'addExact/2': exactly((left, right) => left + right),
  'subtractExact/2': exactly((left, right) => left - right),
  'multiplyExact/2': exactly((left, right) => left * right),
  'incrementExact/1': exactly((left, right) => left + right),
  'toIntExact/1': (value: unknown) => {
    const whole = toBigInt(numeric(value));
    if (BigInt.asIntN(32, whole) !== whole)
      throw exception('java.lang.ArithmeticException', 'integer overflow');
    return Number(whole);
  },
  'floorDiv/2': (left: unknown, right: unknown) => floored(left, right, false),
  'floorMod/2': (left: unknown, right: unknown) => floored(left, right, true),
};
defineStatics('java.lang.Math', mathStatics, { PI: new Double(Math.PI), E: new Double(Math.E) });
defineStatics('java.lang.StrictMath', mathStatics, { PI: new Double(Math.PI), E: new Double(Math.E) });

function decimalOf(value: unknown, context?: unknown): BigDecimal {
  const text = textOf(value) ?? (Array.isArray(value) ? value.map(toText).join('') : undefined);
  const result = text === undefined ? exactDecimal(numeric(value)) : parseDecimal(text);
  if (result === undefined)
    throw exception('java.lang.NumberFormatException', 'Character array is missing "exponent" mark');
  return context instanceof MathContext ? toPrecision(result, context.precision, context.rounding) : result;
}

/** `new BigDecimal(0.1d)` has every digit that the double has. */
function exactDecimal(value: Numeric): BigDecimal {
  if (!(value instanceof Double)) return toDecimal(value);
  if (!Number.isFinite(value.value)) throw exception('java.lang.NumberFormatException', 'Infinite or NaN');
  let [scaled, places] = [value.value, 0];
  while (!Number.isInteger(scaled)) {
    scaled *= 2;
    places++;
  }
  return new BigDecimal(BigInt(scaled) * 5n ** BigInt(places), places);
}

const roundingValues = Object.fromEntries(
  ['UP', 'DOWN', 'CEILING', 'FLOOR', 'HALF_UP', 'HALF_DOWN', 'HALF_EVEN', 'UNNECESSARY'].map((name, at) => [
    `ROUND_${name}`,
    at,
  ]),
);
defineStatics(
  'java.math.BigDecimal',
  {
    'new/1-2': decimalOf,
    'valueOf/1-2': (value: unknown, scale?: unknown) => {
      const number = numeric(value);
      if (scale !== undefined) return new BigDecimal(toBigInt(number), toInt(numeric(scale)));
      return number instanceof Double ? decimalOfDouble(number.value) : toDecimal(number);
    },
  },
  { ZERO: new BigDecimal(0n, 0), ONE: new BigDecimal(1n, 0), TEN: new BigDecimal(10n, 0), ...roundingValues },
);
defineStatics(
  'java.math.BigInteger',
  {
    'new/1-2': (value: unknown, radix?: unknown) =>
      new BigInteger(parseWhole(digits(value), 0, radixOf(radix))),
    'valueOf/1': (value: unknown) => new BigInteger(toBigInt(numeric(value))),
  },
  { ZERO: new BigInteger(0n), ONE: new BigInteger(1n), TWO: new BigInteger(2n), TEN: new BigInteger(10n) },
);
defineStatics(
  'java.math.MathContext',
  {
    'new/1-2': (precision: unknown, rounding?: unknown) =>
      new MathContext(toInt(numeric(precision)), rounding === undefined ? 'HALF_UP' : roundingOf(rounding)),
  },
  Object.fromEntries(
    (['DECIMAL32', 'DECIMAL64', 'DECIMAL128'] as const).map((name, at) => [
      name,
      new MathContext([7, 16, 34][at]!, 'HALF_EVEN' as Rounding),
    ]),
  ),
);
defineMethods('java.math.MathContext', 'java.lang.Object', {
  'getPrecision/0': (self: MathContext) => self.precision,
});

class Printer extends JavaObject {
  readonly type: JavaClass = classNamed('java.io.PrintStream');
}

/** `System.out`: what is printed goes where `println` prints. */
defineMethods('java.io.PrintStream', 'java.lang.Object', {
  'flush/0': () => null,
  'format/1+': (_self: unknown, pattern: unknown, ...args: unknown[]) => {
    outside.print(formatText(toText(pattern), args));
    return null;
  },
});
defineStatics(
  'java.lang.System',
  {
    'currentTimeMillis/0': () => BigInt(Date.now()),
    'nanoTime/0': () => BigInt(Date.now()) * 1_000_000n,
    'lineSeparator/0': () => '\n',
    'identityHashCode/1': (value: unknown) => hashCode(value),
    'getProperty/1-2': (name: unknown, byDefault: unknown = null) =>
      toText(name) === 'line.separator' ? '\n' : byDefault,
    'getenv/0-1': (name?: unknown) => (name === undefined ? new JavaMap() : null),
    'arraycopy/5': (source: unknown[], from: number, target: unknown[], to: number, length: number) => {
      const part = source.slice(from, from + length);
      if (part.length < length || to + length > target.length)
        throw exception('java.lang.ArrayIndexOutOfBoundsException', 'arraycopy');
      for (const [at, item] of part.entries()) target[to + at] = item;
      return null;
    },
  },
  { out: new Printer(), err: new Printer() },
);
defineStatics('java.lang.Thread', {
  'sleep/1': (ms: unknown) => {
    outside.host('groovy.sleep', toNumber(numeric(ms)));
    return null;
  },
});
defineStatics('java.lang.Object', { 'new/0': () => new PlainObject() });

class PlainObject extends JavaObject {
  readonly type: JavaClass = classNamed('java.lang.Object');
}
