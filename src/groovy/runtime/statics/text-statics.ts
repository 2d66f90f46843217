import { textOfBytes } from '../bytes.ts';
import { formatText, unpacked } from '../format.ts';
import { listOf } from '../iterate.ts';
import { defineStatics } from '../method-table.ts';
import { javaText, textOf, toText } from '../text.ts';
import { Byte, listKind, StringBuilder } from '../values.ts';

function newText(value: unknown = '', charset?: unknown): string {
  if (!Array.isArray(value)) return toText(value);
  return value[0] instanceof Byte
    ? textOfBytes(value, charset === undefined ? 'UTF-8' : toText(charset))
    : value.map(toText).join('');
}

function isCharacters(value: unknown): boolean {
  return Array.isArray(value) && listKind(value)?.element?.name === 'char';
}

defineStatics('java.lang.String', {
  'new/0-2': newText,
  'valueOf/1': (value: unknown) => (isCharacters(value) ? newText(value) : javaText(value)),
  'copyValueOf/1': newText,
  'format/1+': (first: unknown, ...args: unknown[]) =>
    textOf(first) === undefined
      ? formatText(toText(args[0]), unpacked(args.slice(1)))
      : formatText(toText(first), unpacked(args)),
  'join/1+': (separator: unknown, ...parts: unknown[]) =>
    (parts.length === 1 && textOf(parts[0]) === undefined ? listOf(parts[0]) : parts)
      .map(toText)
      .join(toText(separator)),
});

for (const name of ['StringBuilder', 'StringBuffer']) {
  const isBuffer = name === 'StringBuffer';
  defineStatics(`java.lang.${name}`, {
    'new/0-1': (start: unknown = '') =>
      new StringBuilder(typeof start === 'number' ? '' : toText(start), isBuffer),
  });
}
