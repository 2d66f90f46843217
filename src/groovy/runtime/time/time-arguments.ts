import { toBigInt, toInt, toNumber } from '../arithmetic.ts';
import { badArgument, nullPointer } from '../throwable.ts';
import { EnumConstant, isNumeric } from '../values.ts';
import { Zone } from './zone.ts';

/** @throws BadArgument for what is no number */
export function int(value: unknown): number {
  if (!isNumeric(value)) throw badArgument();
  return toInt(value);
}

/** A long that fits a double, such as milliseconds. @throws BadArgument for what is no number */
export function millis(value: unknown): number {
  if (!isNumeric(value)) throw badArgument();
  return toNumber(value);
}

/** @throws BadArgument for what is no number */
export function long(value: unknown): bigint {
  if (!isNumeric(value)) throw badArgument();
  return toBigInt(value);
}

/** 1 to 12 for a number or a Month. */
export function monthNumber(value: unknown): number {
  return value instanceof EnumConstant ? value.ordinal + 1 : int(value);
}

export function zone(value: unknown): Zone {
  if (value === null) throw nullPointer('zone');
  if (!(value instanceof Zone)) throw badArgument();
  return value;
}

export function enumArgument(value: unknown, className: string): EnumConstant {
  if (!(value instanceof EnumConstant) || value.type.name !== className) throw badArgument();
  return value;
}
