import { orderBy } from '../collecting.ts';
import { call } from '../dispatch.ts';
import { classNamed } from '../java-class.ts';
import { defineStatics } from '../method-table.ts';
import { javaText, toText } from '../text.ts';
import { nullPointer } from '../throwable.ts';

defineStatics('java.lang.Void', {}, { TYPE: classNamed('void') });

defineStatics('java.util.Objects', {
  'equals/2': (left: unknown, right: unknown) =>
    left === right || (left !== null && call(left, 'equals', [right]) === true),
  'hash/0+': (...values: unknown[]) =>
    values.reduce<number>(
      (hash, value) => (Math.imul(31, hash) + (value === null ? 0 : Number(call(value, 'hashCode', [])))) | 0,
      1,
    ),
  'hashCode/1': (value: unknown) => (value === null ? 0 : call(value, 'hashCode', [])),
  'toString/1-2': (value: unknown, byDefault?: unknown) =>
    value === null && byDefault !== undefined ? byDefault : javaText(value),
  'isNull/1': (value: unknown) => value === null,
  'nonNull/1': (value: unknown) => value !== null,
  'requireNonNull/1-2': (value: unknown, message: unknown = null) => {
    if (value === null) throw nullPointer(message === null ? null : toText(message));
    return value;
  },
  'requireNonNullElse/2': (value: unknown, other: unknown) => value ?? other,
  'compare/3': (left: unknown, right: unknown, order: unknown) => orderBy(order)(left, right),
});
