import {
  compareNumbers,
  negate,
  toBigInt,
  toDecimal,
  toLong,
  toNumber,
  WIDTH,
  widthOf,
} from '../arithmetic.ts';
import { defineStatics } from '../method-table.ts';
import { numeric } from '../methods/number-methods.ts';
import { exception } from '../throwable.ts';
import { BigDecimal, Double, Float, type Numeric } from '../values.ts';

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
