import { int } from '../arguments.ts';
import { defineMethods } from '../method-table.ts';
import { javaText, toText } from '../text.ts';
import type { StringBuilder } from '../values.ts';
import './text-methods.ts';

defineMethods('java.lang.AbstractStringBuilder', 'java.lang.CharSequence', {
  'append/1-3': (self: StringBuilder, value: unknown) => {
    self.text += javaText(value);
    return self;
  },
  'insert/2': (self: StringBuilder, at: unknown, value: unknown) => {
    const position = int(at);
    self.text = self.text.slice(0, position) + javaText(value) + self.text.slice(position);
    return self;
  },
  'deleteCharAt/1': (self: StringBuilder, at: unknown) => {
    const position = int(at);
    self.text = self.text.slice(0, position) + self.text.slice(position + 1);
    return self;
  },
  'delete/2': (self: StringBuilder, from: unknown, to: unknown) => {
    self.text = self.text.slice(0, int(from)) + self.text.slice(int(to));
    return self;
  },
  'replace/3': (self: StringBuilder, from: unknown, to: unknown, text: unknown) => {
    self.text = self.text.slice(0, int(from)) + toText(text) + self.text.slice(int(to));
    return self;
  },
  'reverse/0': (self: StringBuilder) => {
    self.text = [...self.text].reverse().join('');
    return self;
  },
  'setLength/1': (self: StringBuilder, length: unknown) => {
    self.text = self.text.slice(0, int(length)).padEnd(int(length), '\0');
    return null;
  },
  'setCharAt/2': (self: StringBuilder, at: unknown, char: unknown) => {
    const position = int(at);
    self.text = self.text.slice(0, position) + toText(char) + self.text.slice(position + 1);
    return null;
  },
  'capacity/0': (self: StringBuilder) => Math.max(16, self.text.length),
});
