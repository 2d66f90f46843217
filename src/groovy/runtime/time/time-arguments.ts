import { int } from '../arguments.ts';
import { badArgument, nullPointer } from '../throwable.ts';
import { EnumConstant } from '../values.ts';
import { Zone } from './zone.ts';

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
