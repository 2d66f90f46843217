import { toInt } from '../arithmetic.ts';
import { toArray } from '../casting.ts';
import { arrayType, classNamed } from '../java-class.ts';
import { defineStatics } from '../method-table.ts';
import { numeric } from '../methods/number-methods.ts';
import { toText } from '../text.ts';
import { Char } from '../values.ts';

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
  { MAX_VALUE: new Char('\uffff'), MIN_VALUE: new Char('\u0000'), TYPE: classNamed('char') },
);
