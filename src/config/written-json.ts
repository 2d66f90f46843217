import type { JsonObject } from '#json/index.ts';

/** A configuration as JSON: it has been read from a file, also where its schema leaves open what it holds. */
export function writtenJson(list: readonly object[]): JsonObject[];
export function writtenJson(value: object): JsonObject;
export function writtenJson(value: object): JsonObject | JsonObject[] {
  return value as JsonObject | JsonObject[];
}
