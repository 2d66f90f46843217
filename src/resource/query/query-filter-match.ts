import { getAt, hasText, type JsonObject, type JsonValue, type Pointer } from '#json/index.ts';
import { type Comparison, type FilterValue, lowerCaseOf, type QueryFilter } from './query-filter.ts';
import { compareText } from './query-filter-order.ts';

type Matcher = (object: JsonObject) => boolean;
type Test = (value: JsonValue) => boolean;

/** Says whether the object matches; compile the filter once when there are many objects. */
export function matchesFilter(filter: QueryFilter, object: JsonObject): boolean {
  return compileFilter(filter)(object);
}

export function compileFilter(filter: QueryFilter): Matcher {
  switch (filter.kind) {
    case 'literal':
      return () => filter.value;
    case 'and': {
      const matchers = filter.filters.map(compileFilter);
      return (object) => matchers.every((matches) => matches(object));
    }
    case 'or': {
      const matchers = filter.filters.map(compileFilter);
      return (object) => matchers.some((matches) => matches(object));
    }
    case 'not': {
      const matches = compileFilter(filter.filter);
      return (object) => !matches(object);
    }
    case 'present':
      return (object) => (getAt(object, filter.pointer) ?? null) !== null;
    case 'compare':
      return anyElement(
        filter.pointer,
        filter.ignoresCase === true ? ignoringCase(filter) : compileComparison(filter.operator, filter.value),
      );
    case 'in': {
      const values: ReadonlySet<JsonValue> = new Set(filter.values);
      return anyElement(filter.pointer, (value) => values.has(value));
    }
  }
}

function anyElement(pointer: Pointer, test: Test): Matcher {
  return (object) => {
    const value = getAt(object, pointer);
    if (value === undefined) return false;
    return Array.isArray(value) ? value.some(test) : test(value);
  };
}

function ignoringCase({ operator, value }: Extract<QueryFilter, { kind: 'compare' }>): Test {
  const test = compileComparison(operator, typeof value === 'string' ? lowerCaseOf(value) : value);
  return (one) => test(typeof one === 'string' ? lowerCaseOf(one) : one);
}

function compileComparison(operator: Comparison, literal: FilterValue): Test {
  switch (operator) {
    case 'eq':
      return (value) => value === literal;
    case 'co':
      return textTest(literal, hasText);
    case 'sw':
      return textTest(literal, (text, part) => text.startsWith(part));
    case 'ew':
      return textTest(literal, (text, part) => text.endsWith(part));
    case 'lt':
      return orderTest(literal, (order) => order < 0);
    case 'le':
      return orderTest(literal, (order) => order <= 0);
    case 'gt':
      return orderTest(literal, (order) => order > 0);
    case 'ge':
      return orderTest(literal, (order) => order >= 0);
  }
}

function textTest(literal: FilterValue, test: (text: string, part: string) => boolean): Test {
  if (typeof literal !== 'string') return (value) => value === literal;
  return (value) => typeof value === 'string' && test(value, literal);
}

function orderTest(literal: FilterValue, test: (order: number) => boolean): Test {
  if (typeof literal === 'string') {
    return (value) => typeof value === 'string' && test(compareText(value, literal));
  }
  return (value) => typeof value === typeof literal && test(Number(value) - Number(literal));
}
