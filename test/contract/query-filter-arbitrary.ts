import fc from 'fast-check';
import { type JsonObject, type JsonValue, setMember } from '#json/index.ts';
import type { PropertyType } from '#repo/filter-sql-table.ts';
import {
  COMPARISONS,
  type Comparison,
  type FilterValue,
  type QueryFilter,
} from '#resource/query/query-filter.ts';
import type { SortKey } from '#resource/query/sort-key.ts';

/** Few values, close to each other, so that filters and objects meet. */
const text = fc.oneof(
  fc.constantFrom(
    '',
    'a',
    'ab',
    'abc',
    'b',
    'A',
    'é',
    '%',
    '_',
    'a%',
    "'",
    '"',
    '\\',
    '5',
    'true',
    'null',
    '0',
  ),
  fc.constantFrom('\ud7ff', '\ue000', '\uffff', '😀', '😁', 'a😀', '\u{10ffff}', '\u{10ffff}a'),
);
const number = fc.oneof(
  fc.constantFrom(0, 1, -1, 5, 9, 10, 1.5, 0.1, 1e21, 5e-324, 1.7976931348623157e308, 2 ** 53, -0.5),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
);
const scalar: fc.Arbitrary<FilterValue> = fc.oneof(text, number, fc.boolean());

const NAMES = [
  'u',
  'v',
  '0',
  '1',
  '-1',
  '01',
  "it's",
  'a"b',
  'back\\slash',
  '😀',
  '',
  '__proto__',
  'length',
  '$1',
  '?',
];
const name = fc.constantFrom(...NAMES);

const { value: anyValue } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.array(fc.tuple(name, tie('value')), { maxLength: 3 }).map(fromEntries),
  ) as fc.Arbitrary<JsonValue>,
}));

/** Properties of which the schema says the type; the objects keep to it. */
export const PROPERTY_TYPES: ReadonlyMap<string, PropertyType> = new Map([
  ['/s', 'string'],
  ['/n', 'number'],
  ['/b', 'boolean'],
  ['/l', 'array'],
  ['/deep/s', 'string'],
]);

const absent = fc.constantFrom(undefined, null);
const typed = {
  s: fc.oneof(text, text, absent),
  n: fc.oneof(number, number, absent),
  b: fc.oneof(fc.boolean(), absent),
  l: fc.oneof(fc.array(scalar, { maxLength: 3 }), absent),
  deep: fc.oneof(
    fc.oneof(text, absent).map((s) => (s === undefined ? {} : { s })),
    absent,
  ),
};

/** The members of an object without `_id` and `_rev`. */
export const data: fc.Arbitrary<JsonObject> = fc
  .tuple(fc.record(typed), fc.array(fc.tuple(name, anyValue), { maxLength: 4 }))
  .map(([members, others]) => {
    const present = Object.entries(members).filter(([, value]) => value !== undefined);
    return fromEntries([...(present as [string, JsonValue][]), ...others]);
  });

const pointer = fc.oneof(
  fc.constantFrom(['_id'], ['_rev'], ['s'], ['n'], ['b'], ['l'], ['deep', 's'], ['l', '0'], ['u'], ['v']),
  fc.constantFrom(
    ['u', '0'],
    ['u', 'u'],
    ['v', '0'],
    ['u', 'u', 'v'],
    ['_id', 'x'],
    ['s', '0'],
    ['missing'],
    [],
  ),
  fc.array(name, { minLength: 1, maxLength: 3 }),
);

export const filter: fc.Arbitrary<QueryFilter> = fc.letrec<{ filter: QueryFilter }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.record({
      kind: fc.constant('compare'),
      pointer,
      operator: fc.constantFrom(...(Object.keys(COMPARISONS) as Comparison[])),
      value: scalar,
      ignoresCase: fc.boolean(),
    }),
    fc.record({ kind: fc.constant('in'), pointer, values: fc.array(scalar, { maxLength: 4 }) }),
    fc.record({ kind: fc.constant('present'), pointer }),
    fc.record({ kind: fc.constant('literal'), value: fc.boolean() }),
    fc.record({ kind: fc.constant('not'), filter: tie('filter') }),
    fc.record({
      kind: fc.constantFrom('and', 'or'),
      filters: fc.array(tie('filter'), { minLength: 0, maxLength: 3 }),
    }),
  ) as fc.Arbitrary<QueryFilter>,
})).filter;

export const sortKeys: fc.Arbitrary<SortKey[]> = fc.array(
  fc.record({ pointer: pointer.filter((tokens) => tokens.length > 0), descending: fc.boolean() }),
  { maxLength: 3 },
);

function fromEntries(entries: readonly (readonly [string, JsonValue])[]): JsonObject {
  const object: JsonObject = {};
  for (const [key, value] of entries) setMember(object, key, value);
  return object;
}
