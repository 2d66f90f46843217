import { call } from '../dispatch.ts';
import { compare } from '../equality.ts';
import { listOf } from '../iterate.ts';
import { JavaClass } from '../java-class.ts';
import { JavaMap } from '../java-map.ts';
import { type JavaSet, setOf } from '../java-set.ts';
import { defineMethods, defineStatics } from '../method-table.ts';
import '../methods/map-methods.ts';
import '../methods/set-methods.ts';
import { badArgument, illegalArgument } from '../throwable.ts';
import { typeOf } from '../type-of.ts';

/** Maps and sets of constants of an enum, in their order. */

defineMethods('java.util.EnumMap', 'java.util.Map', {});
defineStatics('java.util.EnumMap', {
  'new/1': (source: unknown) => {
    const map = new JavaMap('EnumMap', compare);
    if (source instanceof JavaMap) for (const { key, value } of source.list()) map.put(key, value);
    else if (!(source instanceof JavaClass)) throw badArgument();
    return map;
  },
});

function setOfConstants(items: Iterable<unknown>): JavaSet {
  return setOf(items, 'RegularEnumSet', compare);
}

function constants(type: unknown): readonly unknown[] {
  if (!(type instanceof JavaClass)) throw badArgument();
  return listOf(call(type, 'values', []));
}

function complement(set: JavaSet): JavaSet {
  const [first] = set.list();
  if (first === undefined)
    throw illegalArgument('The class of the constants of an empty set is not known here');
  return setOfConstants(constants(typeOf(first)).filter((each) => !set.has(each)));
}

defineStatics('java.util.EnumSet', {
  'of/1+': (...items: unknown[]) => setOfConstants(items.flat()),
  'allOf/1': (type: unknown) => setOfConstants(constants(type)),
  'noneOf/1': () => setOfConstants([]),
  'copyOf/1': (items: unknown) => setOfConstants(listOf(items)),
  'complementOf/1': complement,
  'range/2': (from: unknown, to: unknown) =>
    setOfConstants(
      constants(typeOf(from)).filter((each) => compare(each, from) >= 0 && compare(each, to) <= 0),
    ),
});
