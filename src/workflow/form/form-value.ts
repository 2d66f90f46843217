import { didYouMean } from '#errors/index.ts';
import type { JsonValue } from '#json/index.ts';
import { isInstant, parseInstant } from '#time/index.ts';
import type { FormProperty } from '../engine/index.ts';
import { dateOf, dateValue, toText } from '../expression/index.ts';
import { formatDate, parseDate } from './date-pattern.ts';

/** How a date is written when its form property does not say. */
export const DATE_PATTERN = 'dd/MM/yyyy';

const ISO_DATE = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?$/;

/** The text that a form shows for a value; null for none. What does not fit the type is shown as it is. */
export function toFormText(property: FormProperty, value: JsonValue): string | null {
  if (value === null) return null;
  if (property.type === 'date') {
    const instant = instantOf(value);
    if (instant !== undefined) return formatDate(instant, property.datePattern ?? DATE_PATTERN);
  }
  return toText(value);
}

/** A value as its type wants it, or what is wrong with it. */
export type Conversion =
  | { readonly value: JsonValue }
  | { readonly problem: string; readonly hint?: string | undefined };

/**
 * The variable that a submitted value becomes. Numbers and truth values may come as JSON or as text; a date
 * as an instant in milliseconds, as ISO text or in the pattern of the property, and it becomes a date.
 */
export function fromForm(property: FormProperty, value: JsonValue): Conversion {
  switch (property.type) {
    case undefined:
      return { value };
    case 'string':
      return typeof value === 'string' ? { value } : { problem: 'is not a text' };
    case 'boolean':
      if (typeof value === 'boolean') return { value };
      return value === 'true' || value === 'false'
        ? { value: value === 'true' }
        : { problem: 'is neither true nor false' };
    case 'long': {
      const number = numberOf(value, /^[-+]?\d+$/);
      return Number.isSafeInteger(number) ? { value: number! } : { problem: 'is not a whole number' };
    }
    case 'double': {
      const number = numberOf(value, /^[-+]?(\d+(?:\.\d*)?|\.\d+)(e[-+]?\d+)?$/i);
      return number !== undefined && Number.isFinite(number)
        ? { value: number }
        : { problem: 'is not a number' };
    }
    case 'enum': {
      const ids = property.values.map(({ id }) => id);
      if (typeof value === 'string' && ids.includes(value)) return { value };
      const hint = typeof value === 'string' ? didYouMean(value, ids) : undefined;
      return { problem: `is not one of ${ids.join(', ')}`, hint };
    }
    case 'date': {
      const pattern = property.datePattern ?? DATE_PATTERN;
      const instant = (typeof value === 'string' ? parseDate(value, pattern) : undefined) ?? instantOf(value);
      return instant === undefined
        ? { problem: `is not a date such as ${formatDate(0, pattern)}` }
        : { value: dateValue(instant) };
    }
    default:
      return { value };
  }
}

function numberOf(value: JsonValue, shape: RegExp): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && shape.test(value.trim()) ? Number(value) : undefined;
}

/** Dates are dates, instants or ISO text. */
function instantOf(value: JsonValue): number | undefined {
  const ms = dateOf(value);
  if (ms !== undefined) return isInstant(ms) ? ms : undefined;
  if (typeof value !== 'number' && (typeof value !== 'string' || !ISO_DATE.test(value))) return undefined;
  // A date-time without an offset is one in UTC.
  const isLocal = typeof value === 'string' && value.includes('T') && !/(?:Z|[+-]\d\d:?\d\d)$/.test(value);
  const text = isLocal ? `${value}Z` : value;
  const instant = typeof text === 'string' ? parseInstant(text) : text;
  return isInstant(instant) ? instant : undefined;
}
