import { compareNumbers, toBigInt, toInt, toNumber, unsigned } from '../arithmetic.ts';
import { doubleText } from '../double-text.ts';
import { classNamed } from '../java-class.ts';
import { defineStatics } from '../method-table.ts';
import { numeric } from '../methods/number-methods.ts';
import { parseDouble, parseWhole } from '../parse-number.ts';
import { textOf, toText } from '../text.ts';
import { exception } from '../throwable.ts';
import { Byte, Char, Double, Float, Short } from '../values.ts';

const LONG_MAX = 9_223_372_036_854_775_807n;

export function radixOf(radix: unknown): number {
  return radix === undefined ? 10 : toInt(numeric(radix));
}

export function digits(value: unknown): string {
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
  { MAX_VALUE: 2_147_483_647, MIN_VALUE: -2_147_483_648, SIZE: 32, BYTES: 4, TYPE: classNamed('int') },
);

defineStatics(
  'java.lang.Long',
  { ...wholeStatics, 'parseLong/1-2': longOf, 'valueOf/1-2': longOf, 'new/1': longOf },
  { MAX_VALUE: LONG_MAX, MIN_VALUE: -LONG_MAX - 1n, SIZE: 64, BYTES: 8, TYPE: classNamed('long') },
);

defineStatics(
  'java.lang.Short',
  {
    'parseShort/1': parsed(16, (value) => new Short(Number(value))),
    'valueOf/1': parsed(16, (value) => new Short(Number(value))),
  },
  {
    MAX_VALUE: new Short(32_767),
    MIN_VALUE: new Short(-32_768),
    SIZE: 16,
    BYTES: 2,
    TYPE: classNamed('short'),
  },
);

defineStatics(
  'java.lang.Byte',
  {
    'parseByte/1': parsed(8, (value) => new Byte(Number(value))),
    'valueOf/1': parsed(8, (value) => new Byte(Number(value))),
  },
  { MAX_VALUE: new Byte(127), MIN_VALUE: new Byte(-128), SIZE: 8, BYTES: 1, TYPE: classNamed('byte') },
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
    TYPE: classNamed('double'),
  },
);

defineStatics(
  'java.lang.Float',
  {
    'parseFloat/1': (value: unknown) => new Float(doubleOf(value).value),
    'valueOf/1': (value: unknown) => new Float(doubleOf(value).value),
  },
  {
    MAX_VALUE: new Float(3.4028234663852886e38),
    MIN_VALUE: new Float(1.401298464324817e-45),
    NaN: new Float(Number.NaN),
    TYPE: classNamed('float'),
  },
);
