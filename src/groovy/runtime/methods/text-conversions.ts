import { bytesOf } from '../bytes.ts';
import { toArray } from '../casting.ts';
import { parseDecimal } from '../decimal.ts';
import { digest } from '../digest.ts';
import { arrayType, classNamed } from '../java-class.ts';
import { defineMethods } from '../method-table.ts';
import { parseNumber } from '../parse-number.ts';
import { toText } from '../text.ts';
import { Char } from '../values.ts';
import { onText, text } from './text-methods.ts';
import './object-methods.ts';

const CHARS = arrayType(classNamed('char'));

function converted(self: string, kind: string): unknown {
  return parseNumber(self.trim(), kind);
}

function isParsed(self: string, kind: string): boolean {
  try {
    return converted(self, kind) !== undefined && self.trim() !== '';
  } catch {
    return false;
  }
}

defineMethods('java.lang.CharSequence', 'java.lang.Object', {
  'getChars/0': onText((self) => toArray(self.split(''), CHARS)),
  'toCharArray/0': onText((self) => toArray(self.split(''), CHARS)),
  'toCharacter/0': onText((self) => new Char(self.charAt(0))),
  'getBytes/0-1': onText((self, charset?: unknown) =>
    bytesOf(self, charset === undefined ? undefined : toText(charset)),
  ),
  'isNumber/0': onText((self) => parseDecimal(self.trim()) !== undefined),
  'isBigDecimal/0': onText((self) => parseDecimal(self.trim()) !== undefined),
  'isInteger/0': onText((self) => isParsed(self, 'Integer')),
  'isLong/0': onText((self) => isParsed(self, 'Long')),
  'isBigInteger/0': onText((self) => isParsed(self, 'BigInteger')),
  'isDouble/0': onText((self) => isParsed(self, 'Double')),
  'isFloat/0': onText((self) => isParsed(self, 'Float')),
  'toInteger/0': onText((self) => converted(self, 'Integer')),
  'toLong/0': onText((self) => converted(self, 'Long')),
  'toShort/0': onText((self) => converted(self, 'Short')),
  'toDouble/0': onText((self) => converted(self, 'Double')),
  'toFloat/0': onText((self) => converted(self, 'Float')),
  'toBigInteger/0': onText((self) => converted(self, 'BigInteger')),
  'toBigDecimal/0': onText((self) => converted(self, 'BigDecimal')),
  'toBoolean/0': onText((self) => ['y', '1', 'true'].includes(self.trim().toLowerCase())),
  'intern/0': onText((self) => self),
  'digest/1': onText((self, algorithm: unknown) => digest(text(algorithm), bytesOf(self), 'hex')),
});
