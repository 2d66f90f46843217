import { hasText, isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import { lowerCaseOf } from '#resource/index.ts';
import type { AttributePath } from './attribute-path.ts';
import { memberIgnoringCase } from './content.ts';
import type { ScimFilter, ScimOperator, ScimValue } from './filter.ts';

/** Whether texts of an attribute are compared letter by letter. */
export type IsCaseExact = (path: AttributePath) => boolean;

/** Whether a resource, or an element of a list in it, meets a filter: what SQL answers of those that are stored. */
export function meetsFilter(filter: ScimFilter, value: JsonObject, isCaseExact: IsCaseExact): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.filters.every((one) => meetsFilter(one, value, isCaseExact));
    case 'or':
      return filter.filters.some((one) => meetsFilter(one, value, isCaseExact));
    case 'not':
      return !meetsFilter(filter.filter, value, isCaseExact);
    case 'present':
      return valuesAt(value, filter.path).some(isPresent);
    case 'element':
      // An element of a plain list is its value and nothing else.
      return valuesAt(value, filter.path).some((one) =>
        meetsFilter(filter.filter, isObject(one) ? one : { value: one }, isCaseExact),
      );
    case 'compare': {
      const { path, operator, value: wanted } = filter;
      const exact = isCaseExact(path);
      const values = valuesAt(value, path).map((one) =>
        isObject(one) ? (memberIgnoringCase(one, 'value') ?? null) : one,
      );
      if (wanted === null) return (operator === 'ne') === values.some((one) => one !== null);
      const meets = (one: JsonValue) => compares(one, operator === 'ne' ? 'eq' : operator, wanted, exact);
      return operator === 'ne' ? !values.some(meets) : values.some(meets);
    }
  }
}

function isPresent(value: JsonValue): boolean {
  return value !== null && !(Array.isArray(value) && value.length === 0);
}

/** All that stands at a path: lists count by their elements. */
function valuesAt(object: JsonObject, { schema, name, sub }: AttributePath): JsonValue[] {
  const extension = schema === null ? undefined : memberIgnoringCase(object, schema);
  const holder = isObject(extension) ? extension : object;
  const found = memberIgnoringCase(holder, name) ?? null;
  const values = Array.isArray(found) ? found : found === null ? [] : [found];
  if (sub === null) return values;
  return values.flatMap((value) => {
    const part = isObject(value) ? (memberIgnoringCase(value, sub) ?? null) : null;
    return Array.isArray(part) ? part : part === null ? [] : [part];
  });
}

function compares(
  value: JsonValue,
  operator: Exclude<ScimOperator, 'ne'>,
  wanted: ScimValue,
  exact: boolean,
): boolean {
  if (typeof value === 'string' && typeof wanted === 'string') {
    const [text, other] = exact ? [value, wanted] : [lowerCaseOf(value), lowerCaseOf(wanted)];
    return TEXTS[operator](text, other);
  }
  if (typeof value !== typeof wanted || value === null || wanted === null) return false;
  const difference = Number(value) - Number(wanted);
  return NUMBERS[operator](difference);
}

const TEXTS: Readonly<Record<Exclude<ScimOperator, 'ne'>, (text: string, other: string) => boolean>> = {
  eq: (text, other) => text === other,
  co: hasText,
  sw: (text, other) => text.startsWith(other),
  ew: (text, other) => text.endsWith(other),
  gt: (text, other) => text > other,
  ge: (text, other) => text >= other,
  lt: (text, other) => text < other,
  le: (text, other) => text <= other,
};

const NUMBERS: Readonly<Record<Exclude<ScimOperator, 'ne'>, (difference: number) => boolean>> = {
  eq: (difference) => difference === 0,
  co: (difference) => difference === 0,
  sw: (difference) => difference === 0,
  ew: (difference) => difference === 0,
  gt: (difference) => difference > 0,
  ge: (difference) => difference >= 0,
  lt: (difference) => difference < 0,
  le: (difference) => difference <= 0,
};
