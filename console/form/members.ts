import type { JsonObject } from '#client/index.ts';

/** Whether it is an object, and no list. */
export function isMembers(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What a text says, as somebody writes it; undefined as long as it is no JSON object. */
export function parsedMembers(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isMembers(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
