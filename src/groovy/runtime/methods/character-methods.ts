import { defineMethods } from '../method-table.ts';
import { Char } from '../values.ts';
import '../core-classes.ts';
import './number-methods.ts';

defineMethods('java.lang.Character', 'java.lang.Object', {
  'charValue/0': (self: Char) => self,
  'isDigit/0': (self: Char) => /\p{Nd}/u.test(self.value),
  'isLetter/0': (self: Char) => /\p{L}/u.test(self.value),
  'isLetterOrDigit/0': (self: Char) => /[\p{L}\p{Nd}]/u.test(self.value),
  'isUpperCase/0': (self: Char) => /\p{Lu}/u.test(self.value),
  'isLowerCase/0': (self: Char) => /\p{Ll}/u.test(self.value),
  'isWhitespace/0': (self: Char) => /\s/.test(self.value),
  'toUpperCase/0': (self: Char) => new Char(self.value.toUpperCase()),
  'toLowerCase/0': (self: Char) => new Char(self.value.toLowerCase()),
});
