import { toInt } from '../arithmetic.ts';
import { Closure, closureOf } from '../closure.ts';
import { orderBy } from '../collecting.ts';
import { call } from '../dispatch.ts';
import { equal, javaEquals } from '../equality.ts';
import { hashCode } from '../hash-code.ts';
import { listOf } from '../iterate.ts';
import { JavaMap } from '../java-map.ts';
import { JavaSet, setOf } from '../java-set.ts';
import { defineStatics } from '../method-table.ts';
import { frozen } from '../methods/collection-methods.ts';
import { frozenMap } from '../methods/map-changes.ts';
import { mapOfKind } from '../methods/map-methods.ts';
import { numeric } from '../methods/number-methods.ts';
import { toText } from '../text.ts';
import { noSuchElement } from '../throwable.ts';
import { Entry, type List, listKind, markList } from '../values.ts';
import { unpack } from './collection-statics.ts';
import { Comparator } from './comparator.ts';

function call2Sort(items: unknown, order?: unknown): null {
  call(
    items,
    'sort',
    order === undefined
      ? []
      : [order instanceof Closure ? order : closureOf(2, 2, (left, right) => orderBy(order)(left, right))],
  );
  return null;
}

function extreme(items: unknown, name: 'max' | 'min', order: unknown): unknown {
  if (listOf(items).length === 0) throw noSuchElement();
  return call(items, name, order === undefined ? [] : [order]);
}

defineStatics(
  'java.util.Collections',
  {
    'emptyList/0': () => frozen([]),
    'emptyMap/0': () => new JavaMap('UnmodifiableMap'),
    'emptySet/0': () => new JavaSet('UnmodifiableSet'),
    'singletonList/1': (item: unknown) => frozen([item]),
    'singleton/1': (item: unknown) => frozen(setOf([item])),
    'singletonMap/2': (key: unknown, value: unknown) => frozenMap(mapOfKind('', [new Entry(key, value)])),
    'unmodifiableList/1': frozen,
    'unmodifiableCollection/1': frozen,
    'unmodifiableSet/1': frozen,
    'unmodifiableMap/1': frozenMap,
    'synchronizedList/1': (list: unknown) => list,
    'synchronizedMap/1': (map: unknown) => map,
    'sort/1-2': call2Sort,
    'reverse/1': (list: unknown) => call(list, 'reverse', [true]) && null,
    'shuffle/1-2': (list: unknown) => call(list, 'shuffle', []),
    'swap/3': (list: unknown, first: unknown, second: unknown) => call(list, 'swap', [first, second]) && null,
    'max/1-2': (items: unknown, order?: unknown) => extreme(items, 'max', order),
    'min/1-2': (items: unknown, order?: unknown) => extreme(items, 'min', order),
    'frequency/2': (items: unknown, value: unknown) =>
      listOf(items).filter((item) => javaEquals(item, value)).length,
    'nCopies/2': (count: unknown, value: unknown) =>
      frozen(Array.from({ length: toInt(numeric(count)) }, () => value)),
    'addAll/2+': (list: unknown, ...items: unknown[]) => call(list, 'addAll', [unpack(items)]),
    'reverseOrder/0-1': (order?: unknown) => new Comparator((left, right) => orderBy(order)(right, left)),
    'disjoint/2': (left: unknown, right: unknown) => call(left, 'disjoint', [right]),
    'binarySearch/2-3': (list: unknown, key: unknown) => call(list, 'binarySearch', [key]),
  },
  {
    EMPTY_LIST: frozen([]),
    EMPTY_MAP: new JavaMap('UnmodifiableMap'),
    EMPTY_SET: new JavaSet('UnmodifiableSet'),
  },
);

defineStatics('java.util.Arrays', {
  'asList/0+': (...items: unknown[]) =>
    markList([...unpack(items)], { name: 'Arrays$ArrayList', isFixed: true, isReadOnly: false }),
  'sort/1-2': call2Sort,
  'toString/1': toText,
  'equals/2': equal,
  'fill/2': (list: unknown[], value: unknown) => list.fill(value) && null,
  'copyOf/2': (list: List, length: number) => resized(list, 0, length),
  'copyOfRange/3': (list: List, from: number, to: number) => resized(list, from, to),
  'stream/1': (list: unknown) => call(list, 'stream', []),
  'hashCode/1': hashCode,
});

function resized(list: List, from: number, to: number): unknown[] {
  const items = Array.from({ length: to - from }, (_, at) => list[from + at] ?? null);
  const element = listKind(list)?.element;
  return element === undefined ? items : markList(items, listKind(list)!);
}
