import { createHash } from 'node:crypto';
import type { JsonObject, JsonValue } from '#json/index.ts';
import type { SystemObjectType } from './object-type.ts';

/** Two objects of one revision show the same, in whatever order their values come. What is encrypted anew each time is left out. */
export function revisionOf({ properties }: SystemObjectType, object: JsonObject): string {
  const shown = [...properties.values()]
    .filter(({ isReturnedByDefault, key }) => isReturnedByDefault && key === undefined)
    .map(({ name }): [string, JsonValue] => {
      const value = object[name] ?? null;
      return [name, Array.isArray(value) ? value.map((one) => JSON.stringify(one)).sort() : value];
    })
    .filter(([, value]) => value !== null)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(shown)).digest('base64url').slice(0, 16);
}
