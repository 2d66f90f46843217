import {
  addNumbers,
  combineBits,
  compareNumbers,
  divideNumbers,
  multiplyNumbers,
  raiseNumber,
  remainderOf,
  shift,
  subtractNumbers,
  toInt,
} from '../arithmetic.ts';
import { equal } from '../equality.ts';
import { defineMethods } from '../method-table.ts';
import { numberText } from '../number-text.ts';
import { next, previous } from '../operators.ts';
import { toText } from '../text.ts';
import { badArgument } from '../throwable.ts';
import { Char, isNumeric, type Numeric } from '../values.ts';
import './object-methods.ts';

export function numeric(value: unknown): Numeric {
  if (value instanceof Char) return value.code;
  if (!isNumeric(value)) throw badArgument();
  return value;
}

export function calculation(calculate: (left: Numeric, right: Numeric) => Numeric) {
  return (self: Numeric, other: unknown) => calculate(self, numeric(other));
}

defineMethods('java.lang.Number', 'java.lang.Object', {
  'plus/1': (self: Numeric, other: unknown) =>
    isNumeric(other) || other instanceof Char ? addNumbers(self, numeric(other)) : plusText(self, other),
  'minus/1': calculation(subtractNumbers),
  'multiply/1': calculation(multiplyNumbers),
  'div/1': calculation(divideNumbers),
  'mod/1': calculation(remainderOf),
  'power/1': calculation(raiseNumber),
  'positive/0': (self: Numeric) => self,
  'next/0': next,
  'previous/0': previous,
  'and/1': calculation((left, right) => combineBits(left, right, (a, b) => a & b)),
  'or/1': calculation((left, right) => combineBits(left, right, (a, b) => a | b)),
  'xor/1': calculation((left, right) => combineBits(left, right, (a, b) => a ^ b)),
  'leftShift/1': (self: Numeric, by: unknown) => shift(self, toInt(numeric(by)), '<<'),
  'rightShift/1': (self: Numeric, by: unknown) => shift(self, toInt(numeric(by)), '>>'),
  'rightShiftUnsigned/1': (self: Numeric, by: unknown) => shift(self, toInt(numeric(by)), '>>>'),
  'bitwiseNegate/0': (self: Numeric) => combineBits(self, -1, (a, b) => a ^ b),
  'compareTo/1': (self: Numeric, other: unknown) => compareNumbers(self, numeric(other)),
  'isCase/1': (self: Numeric, other: unknown) => equal(self, other),
  'toString/0': numberText,
});

function plusText(self: Numeric, other: unknown): string {
  if (typeof other !== 'string' && !(typeof other === 'object' && other !== null && 'strings' in other))
    throw badArgument();
  return toText(self) + toText(other);
}

defineMethods('java.lang.Character', 'java.lang.Object', {
  'plus/1': (self: Char, other: unknown) =>
    isNumeric(other) ? addNumbers(self.code, other) : self.value + toText(other),
  'minus/1': (self: Char, other: unknown) => subtractNumbers(self.code, numeric(other)),
  'multiply/1': (self: Char, times: unknown) => multiplyNumbers(self.code, numeric(times)),
  'next/0': (self: Char) => new Char(String.fromCharCode(self.code + 1)),
  'previous/0': (self: Char) => new Char(String.fromCharCode(self.code - 1)),
  'compareTo/1': (self: Char, other: Char) => self.code - other.code,
});

defineMethods('java.lang.Boolean', 'java.lang.Object', {
  'booleanValue/0': (self: boolean) => self,
  'and/1': (self: boolean, other: unknown) => self && other === true,
  'or/1': (self: boolean, other: unknown) => self || other === true,
  'xor/1': (self: boolean, other: unknown) => self !== (other === true),
  'implies/1': (self: boolean, other: unknown) => !self || other === true,
  'compareTo/1': (self: boolean, other: unknown) => Number(self) - Number(other),
});
