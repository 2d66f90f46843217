import { toArray } from '../casting.ts';
import { distinct, like, numberKey } from '../collecting.ts';
import { call } from '../dispatch.ts';
import { javaEquals } from '../equality.ts';
import { listOf } from '../iterate.ts';
import { arrayType, classNamed, type JavaClass } from '../java-class.ts';
import { setOf } from '../java-set.ts';
import { defineMethods } from '../method-table.ts';
import { frozen } from './collection-methods.ts';
import './object-methods.ts';

defineMethods('java.util.Collection', 'java.lang.Object', {
  'containsAll/1': (self: unknown, others: unknown) => {
    const items = listOf(self);
    return listOf(others).every((other) => items.some((item) => javaEquals(item, other)));
  },
  'toSet/0': (self: unknown) => setOf(listOf(self)),
  'toArray/0-1': (self: unknown, kind: unknown) => {
    const items = listOf(self);
    const type = Array.isArray(kind) ? (call(kind, 'getClass', []) as JavaClass) : undefined;
    return toArray(items, type ?? arrayType(objectClass()));
  },
  'intersect/1': (self: unknown, other: unknown) => {
    const keys = new Set(listOf(other).map(numberKey));
    return like(
      self,
      distinct(
        listOf(self).filter((item) => keys.has(numberKey(item))),
        undefined,
      ),
    );
  },
  'disjoint/1': (self: unknown, other: unknown) => {
    const keys = new Set(listOf(other).map(numberKey));
    return !listOf(self).some((item) => keys.has(numberKey(item)));
  },
  'asImmutable/0': (self: unknown) => frozen(self),
  'asUnmodifiable/0': (self: unknown) => frozen(self),
  'asSynchronized/0': (self: unknown) => self,
  'getIndices/0': (self: unknown) => call(listOf(self), 'indices', []),
});

function objectClass(): JavaClass {
  return classNamed('java.lang.Object');
}
