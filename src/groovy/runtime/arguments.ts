import { toBigInt, toInt, toNumber } from './arithmetic.ts';
import { badArgument } from './throwable.ts';
import { isNumeric, type Numeric } from './values.ts';

/** Arguments as a method of Java takes them. Each throws BadArgument for what is no number. */

export function numeric(value: unknown): Numeric {
  if (!isNumeric(value)) throw badArgument();
  return value;
}

export function int(value: unknown): number {
  return toInt(numeric(value));
}

/** A long that fits a double, such as milliseconds. */
export function millis(value: unknown): number {
  return toNumber(numeric(value));
}

export function long(value: unknown): bigint {
  return toBigInt(numeric(value));
}
