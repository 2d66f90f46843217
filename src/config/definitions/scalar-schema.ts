import { z } from 'zod';
import type { JsonObject, JsonValue } from '#json/index.ts';

/**
 * Values of boot properties are strings, so that a boolean or a number that is written as a reference arrives
 * as a string: both forms are accepted everywhere.
 */
export function flag() {
  const message = 'must be true or false';
  return z.union([z.boolean(), z.string()], message).transform((value, check) => {
    const text = String(value).trim().toLowerCase();
    if (text === 'true' || text === 'false') return text === 'true';
    check.addIssue(message);
    return z.NEVER;
  });
}

export function wholeNumber({ min = 0, max = Number.MAX_SAFE_INTEGER } = {}) {
  const message =
    max === Number.MAX_SAFE_INTEGER
      ? `must be a whole number, at least ${min}`
      : `must be a whole number from ${min} to ${max}`;
  return z.union([z.number(), z.string()], message).transform((value, check) => {
    const number =
      typeof value === 'number' ? value : Number(/^\s*[+-]?\d+\s*$/.exec(value)?.[0] ?? Number.NaN);
    if (Number.isInteger(number) && number >= min && number <= max) return number;
    check.addIssue(message);
    return z.NEVER;
  });
}

export function filledText() {
  return z.string().refine((text) => text.trim() !== '', 'must not be blank');
}

/** A string that may be absent or null, which is how a resource that was read back shows it. */
export function optionalText() {
  return z.string().nullable().default(null);
}

/** Values of a flat map of properties, as the text they stand for. */
export function propertyText() {
  return z
    .union([z.string(), z.number(), z.boolean()], 'must be a string, a number or a boolean')
    .transform(String);
}

/** Any JSON object; its keys are the user's. */
export function jsonObject(): z.ZodType<JsonObject, JsonObject> {
  return z.record(z.string(), z.json());
}

export function json(): z.ZodType<JsonValue, JsonValue> {
  return z.json();
}
