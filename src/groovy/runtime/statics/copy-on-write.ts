import { listOfKind } from '../casting.ts';
import { javaEquals } from '../equality.ts';
import { listOf } from '../iterate.ts';
import { defineMethods, defineStatics } from '../method-table.ts';
import '../methods/list-methods.ts';

const COPY_ON_WRITE = 'java.util.concurrent.CopyOnWriteArrayList';

/** A list that may change while somebody walks through it. */

function addIfAbsent(self: unknown[], item: unknown): boolean {
  if (self.some((each) => javaEquals(each, item))) return false;
  self.push(item);
  return true;
}

defineStatics(COPY_ON_WRITE, {
  'new/0-1': (items: unknown = []) => listOfKind(listOf(items), COPY_ON_WRITE),
});
defineMethods(COPY_ON_WRITE, 'java.util.List', {
  'addIfAbsent/1': addIfAbsent,
  'addAllAbsent/1': (self: unknown[], items: unknown) =>
    listOf(items).filter((item) => addIfAbsent(self, item)).length,
});
