import { int, numeric } from './arguments.ts';
import { toLong, toNumber } from './arithmetic.ts';
import { call0, call1, call2 } from './closure.ts';
import { groupBy, sorted } from './collecting.ts';
import { call } from './dispatch.ts';
import { listOf } from './iterate.ts';
import { classNamed, type JavaClass } from './java-class.ts';
import { JavaMap } from './java-map.ts';
import { setOf } from './java-set.ts';
import { defineMethods, defineStatics, type Implementation } from './method-table.ts';
import './methods/collection-methods.ts';
import { plus } from './operators.ts';
import { optional } from './statics/optional.ts';
import { toText } from './text.ts';
import { exception } from './throwable.ts';
import { truth } from './truth.ts';
import { Double, JavaObject } from './values.ts';

const STREAM_CLASS = classNamed('java.util.stream.Stream');
const COLLECTOR_CLASS = classNamed('java.util.stream.Collector');

/** Items that are asked for one by one: a stream may have no end. */
export class Stream extends JavaObject {
  readonly type: JavaClass = STREAM_CLASS;
  readonly source: Iterable<unknown>;
  #items: readonly unknown[] | undefined;

  constructor(source: Iterable<unknown>) {
    super();
    this.source = source;
  }

  /** All that is left of it. */
  get items(): readonly unknown[] {
    this.#items ??= [...this.source];
    return this.#items;
  }

  /** The stream of what the function makes of each item, or leaves out. */
  through(step: (items: Iterable<unknown>) => Iterable<unknown>): Stream {
    return new Stream(step(this.source));
  }
}

function* mapped(items: Iterable<unknown>, fn: unknown): Iterable<unknown> {
  for (const item of items) yield call1(fn, item);
}

function* filtered(items: Iterable<unknown>, fn: unknown): Iterable<unknown> {
  for (const item of items) if (truth(call1(fn, item))) yield item;
}

function* taken(items: Iterable<unknown>, most: number): Iterable<unknown> {
  let count = 0;
  if (most <= 0) return;
  for (const item of items) {
    yield item;
    if (++count === most) return;
  }
}

function* takenWhile(items: Iterable<unknown>, fn: unknown): Iterable<unknown> {
  for (const item of items) {
    if (!truth(call1(fn, item))) return;
    yield item;
  }
}

function* peeked(items: Iterable<unknown>, fn: unknown): Iterable<unknown> {
  for (const item of items) {
    call1(fn, item);
    yield item;
  }
}

function* iterated(seed: unknown, goesOn: unknown, next: unknown): Iterable<unknown> {
  for (let value = seed; goesOn === undefined || truth(call1(goesOn, value)); value = call1(next, value))
    yield value;
}

function* generated(fn: unknown): Iterable<unknown> {
  for (;;) yield call0(fn);
}

/** The first item that fits, if one comes. */
function firstOf(self: Stream, fits: (item: unknown) => boolean): { readonly item: unknown } | undefined {
  for (const item of self.source) if (fits(item)) return { item };
  return undefined;
}

/** What `summaryStatistics` tells; the kinds of Java's differ in the widths of their numbers only. */
class Statistics extends JavaObject {
  readonly type: JavaClass = classNamed('java.util.IntSummaryStatistics');
  readonly items: readonly unknown[];

  constructor(items: readonly unknown[]) {
    super();
    this.items = items;
  }
}

const MAPPINGS = ['map', 'mapToInt', 'mapToLong', 'mapToDouble', 'mapToObj'];

class Collector extends JavaObject {
  readonly type: JavaClass = COLLECTOR_CLASS;
  readonly finish: (items: readonly unknown[]) => unknown;

  constructor(finish: (items: readonly unknown[]) => unknown) {
    super();
    this.finish = finish;
  }
}

defineMethods('java.util.stream.Stream', 'java.lang.Object', {
  ...Object.fromEntries(
    MAPPINGS.map((name) => [
      `${name}/1`,
      (self: Stream, fn: unknown) => self.through((items) => mapped(items, fn)),
    ]),
  ),
  'flatMap/1': (self: Stream, fn: unknown) =>
    new Stream(self.items.flatMap((item) => [...(call1(fn, item) as Stream).items])),
  'filter/1': (self: Stream, fn: unknown) => self.through((items) => filtered(items, fn)),
  'takeWhile/1': (self: Stream, fn: unknown) => self.through((items) => takenWhile(items, fn)),
  'distinct/0': (self: Stream) => new Stream(setOf(self.items).list()),
  'sorted/0-1': (self: Stream, order?: unknown) => new Stream(sorted(self.items, order)),
  'limit/1': (self: Stream, size: unknown) => self.through((items) => taken(items, int(size))),
  'skip/1': (self: Stream, size: unknown) => new Stream(self.items.slice(int(size))),
  'peek/1': (self: Stream, fn: unknown) => self.through((items) => peeked(items, fn)),
  'asLongStream/0': (self: Stream) => new Stream(self.items.map((item) => toLong(numeric(item)))),
  'asDoubleStream/0': (self: Stream) =>
    new Stream(self.items.map((item) => new Double(toNumber(numeric(item))))),
  'summaryStatistics/0': (self: Stream) => new Statistics(self.items),
  'boxed/0': (self: Stream) => self,
  'parallel/0': (self: Stream) => self,
  'forEach/1': (self: Stream, fn: unknown) => {
    for (const item of self.items) call1(fn, item);
    return null;
  },
  'toList/0': (self: Stream) => [...self.items],
  'toSet/0': (self: Stream) => setOf(self.items, 'HashSet'),
  'toArray/0-1': (self: Stream) => call(self.items, 'toArray', []),
  'iterator/0': (self: Stream) => call(self.items, 'iterator', []),
  'count/0': (self: Stream) => BigInt(self.items.length),
  'sum/0': (self: Stream) => self.items.reduce((total, item) => plus(total, item), 0),
  'average/0': (self: Stream) =>
    optional(self.items.length === 0 ? null : new Double(Number(toText(call(self.items, 'average', []))))),
  'min/0-1': (self: Stream, order?: unknown) =>
    optional(call(self.items, 'min', order === undefined ? [] : [order])),
  'max/0-1': (self: Stream, order?: unknown) =>
    optional(call(self.items, 'max', order === undefined ? [] : [order])),
  'findFirst/0': (self: Stream) => optional(firstOf(self, () => true)?.item),
  'findAny/0': (self: Stream) => optional(firstOf(self, () => true)?.item),
  'anyMatch/1': (self: Stream, fn: unknown) => firstOf(self, (item) => truth(call1(fn, item))) !== undefined,
  'allMatch/1': (self: Stream, fn: unknown) => self.items.every((item) => truth(call1(fn, item))),
  'noneMatch/1': (self: Stream, fn: unknown) => !self.items.some((item) => truth(call1(fn, item))),
  'reduce/1-3': (self: Stream, first: unknown, fn?: unknown) =>
    fn === undefined
      ? optional(
          self.items.length === 0 ? null : self.items.reduce((total, item) => call2(first, total, item)),
        )
      : self.items.reduce((total, item) => call2(fn, total, item), first),
  'collect/1': (self: Stream, collector: unknown) =>
    collector instanceof Collector ? collector.finish(self.items) : call(self.items, 'collect', [collector]),
});

defineMethods('java.util.IntSummaryStatistics', 'java.lang.Object', {
  'getMin/0': ({ items }: Statistics) => call(items, 'min', []) ?? 2_147_483_647,
  'getMax/0': ({ items }: Statistics) => call(items, 'max', []) ?? -2_147_483_648,
  'getSum/0': ({ items }: Statistics) => items.reduce(plus, 0n),
  'getCount/0': ({ items }: Statistics) => BigInt(items.length),
  'getAverage/0': ({ items }: Statistics) =>
    new Double(items.length === 0 ? 0 : Number(toText(call(items, 'average', [])))),
});

defineMethods('java.lang.CharSequence', 'java.lang.Object', {
  'chars/0': (self: unknown) =>
    new Stream(Array.from({ length: toText(self).length }, (_, at) => toText(self).charCodeAt(at))),
});
defineMethods('java.util.Collection', 'java.lang.Object', {
  'stream/0': (self: unknown) => new Stream(listOf(self).slice()),
  'parallelStream/0': (self: unknown) => new Stream(listOf(self).slice()),
});
const range = (from: number, to: number) =>
  new Stream(Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at));
const endless: Record<string, Implementation> = {
  'iterate/2-3': (seed: unknown, first: unknown, second?: unknown) =>
    new Stream(second === undefined ? iterated(seed, undefined, first) : iterated(seed, first, second)),
  'generate/1': (fn: unknown) => new Stream(generated(fn)),
};
defineStatics('java.util.stream.Stream', {
  'of/0+': (...items: unknown[]) => new Stream(items),
  'empty/0': () => new Stream([]),
  ...endless,
});
defineStatics('java.util.stream.IntStream', {
  'of/0+': (...items: unknown[]) => new Stream(items),
  'empty/0': () => new Stream([]),
  ...endless,
  'range/2': range,
  'rangeClosed/2': (from: number, to: number) => range(from, to + 1),
});

const toList = () => new Collector((items) => [...items]);

function toMap(key: unknown, value: unknown, merge?: unknown): Collector {
  return new Collector((items) => {
    const map = new JavaMap('HashMap');
    for (const item of items) {
      const name = call1(key, item);
      const next = call1(value, item);
      if (map.has(name) && merge === undefined)
        throw exception('java.lang.IllegalStateException', `Duplicate key ${toText(name)}`);
      map.put(name, map.has(name) ? call2(merge, map.get(name), next) : next);
    }
    return map;
  });
}

defineStatics('java.util.stream.Collectors', {
  'toList/0': toList,
  'toUnmodifiableList/0': toList,
  'toSet/0': () => new Collector((items) => setOf(items, 'HashSet')),
  'toMap/2-4': toMap,
  'joining/0-3': (separator: unknown = '', prefix: unknown = '', suffix: unknown = '') =>
    new Collector((items) => toText(prefix) + items.map(toText).join(toText(separator)) + toText(suffix)),
  'counting/0': () => new Collector((items) => BigInt(items.length)),
  'summingInt/1': (fn: unknown) =>
    new Collector((items) => items.reduce<unknown>((total, item) => plus(total, call1(fn, item)), 0)),
  'mapping/2': (fn: unknown, next: Collector) =>
    new Collector((items) => next.finish(items.map((item) => call1(fn, item)))),
  'groupingBy/1-2': (fn: unknown, next?: Collector) =>
    new Collector((items) => {
      const groups = groupBy(items, [fn], call1);
      const result = new JavaMap('HashMap');
      for (const { key, value } of groups.list())
        result.put(key, next === undefined ? value : next.finish(listOf(value)));
      return result;
    }),
  'partitioningBy/1': (fn: unknown) =>
    new Collector((items) => {
      const map = new JavaMap();
      map.put(
        false,
        items.filter((item) => !truth(call1(fn, item))),
      );
      map.put(
        true,
        items.filter((item) => truth(call1(fn, item))),
      );
      return map;
    }),
});
