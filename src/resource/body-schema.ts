import type { JsonObject } from '#json/index.ts';

/**
 * What an action takes or answers: a JSON Schema, or what the schema of its resource says, `object` as it is shown,
 * `operations` those of a patch on it.
 */
export type ActionBody = JsonObject | 'object' | 'operations';

/** An action that takes no body. */
export const NO_BODY: JsonObject = { type: 'object', maxProperties: 0 };

/** An object with these members, of which some must be there. Whoever reads it can take its names from here: `namesOf`. */
export function bodyOf(members: JsonObject, ...required: readonly string[]): JsonObject {
  return {
    type: 'object',
    properties: members,
    ...(required.length === 0 ? {} : { required: [...required] }),
  };
}

/** Names of the members of a body. */
export function namesOf({ properties }: JsonObject): readonly string[] {
  return Object.keys(Object(properties));
}

/** A member that is a text. */
export function textMember(description: string, further: JsonObject = {}): JsonObject {
  return { type: 'string', description, ...further };
}

/** A list of values that are alike. */
export function listMember(items: JsonObject, description?: string): JsonObject {
  return { type: 'array', items, ...(description === undefined ? {} : { description }) };
}
