import { toArray } from '../casting.ts';
import { distinct, ItemSet, like } from '../collecting.ts';
import { call } from '../dispatch.ts';
import { javaEquals } from '../equality.ts';
import { listOf } from '../iterate.ts';
import { arrayType, classNamed, type JavaClass } from '../java-class.ts';
import { hashSetOf } from '../java-set.ts';
import { defineMethods } from '../method-table.ts';
import { requireType } from '../type-of.ts';
import { frozen } from './collection-methods.ts';
import './object-methods.ts';

defineMethods('java.util.Collection', 'java.lang.Object', {
  'containsAll/1': (self: unknown, others: unknown) => {
    const items = listOf(self);
    return listOf(others).every((other) => items.some((item) => javaEquals(item, other)));
  },
  'toSet/0': (self: unknown) => hashSetOf(listOf(self), listOf(self).length),
  'toArray/0-1': (self: unknown, kind: unknown) => {
    const items = listOf(self);
    const type = Array.isArray(kind) ? requireType(kind) : undefined;
    return toArray(items, type ?? arrayType(objectClass()));
  },
  'intersect/1': (self: unknown, other: unknown) => {
    const others = new ItemSet(listOf(other));
    return like(
      self,
      distinct(
        listOf(self).filter((item) => others.has(item)),
        undefined,
      ),
    );
  },
  'disjoint/1': (self: unknown, other: unknown) => {
    const others = new ItemSet(listOf(other));
    return !listOf(self).some((item) => others.has(item));
  },
  'asImmutable/0': (self: unknown) => frozen(self),
  'asUnmodifiable/0': (self: unknown) => frozen(self),
  'asSynchronized/0': (self: unknown) => self,
  'getIndices/0': (self: unknown) => call(listOf(self), 'indices', []),
});

function objectClass(): JavaClass {
  return classNamed('java.lang.Object');
}
