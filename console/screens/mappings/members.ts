import type { JsonObject } from '#client/index.ts';

type Json = JsonObject[string];

export function listOf(value: Json): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** With a member that is another one; without it where there is nothing to say. */
export function withMember(mapping: JsonObject, name: string, value: Json): JsonObject {
  const { [name]: _, ...others } = mapping;
  return value === undefined ? others : { ...mapping, [name]: value };
}
