import { toBigInt, toDecimal, toInt, toNumber } from '../arithmetic.ts';
import { decimalOfDouble, notDecimal, parseDecimal, toPrecision } from '../decimal.ts';
import { MathContext, roundingOf } from '../math-context.ts';
import { defineMethods, defineStatics } from '../method-table.ts';
import { numeric } from '../methods/number-methods.ts';
import { parseWhole } from '../parse-number.ts';
import { textOf, toText } from '../text.ts';
import { exception } from '../throwable.ts';
import { BigDecimal, BigInteger, Double, Float, type Numeric } from '../values.ts';
import { digits, radixOf } from './number-statics.ts';

function decimalOf(value: unknown, context?: unknown): BigDecimal {
  // Java has no constructor for one: Groovy takes that for doubles.
  if (value instanceof BigDecimal) return decimalOf(new Double(toNumber(value)), context);
  const text = textOf(value) ?? (Array.isArray(value) ? value.map(toText).join('') : undefined);
  const result = text === undefined ? exactDecimal(numeric(value)) : parseDecimal(text);
  if (result === undefined) throw notDecimal(text ?? '');
  return context instanceof MathContext ? toPrecision(result, context.precision, context.rounding) : result;
}

/** `new BigDecimal(0.1d)` has every digit that the double has. */
function exactDecimal(value: Numeric): BigDecimal {
  if (!(value instanceof Double || value instanceof Float)) return toDecimal(value);
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
      new MathContext([7, 16, 34][at]!, 'HALF_EVEN'),
    ]),
  ),
);

defineMethods('java.math.MathContext', 'java.lang.Object', {
  'getPrecision/0': (self: MathContext) => self.precision,
});
