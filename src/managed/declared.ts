import type { JsonObject } from '#json/index.ts';

/** What a definition says under a name; null when it is no text, or an empty one. */
export function textOf(definition: JsonObject, name: string): string | null {
  const value = definition[name];
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Editors of configurations write truth values as text as well. */
export function isTrue(value: unknown): boolean {
  return value === true || value === 'true';
}
