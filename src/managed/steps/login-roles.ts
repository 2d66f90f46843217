import { isObject, type JsonValue } from '#json/index.ts';
import { waysOf } from '../derive/derivation.ts';
import type { ManagedPlatform } from '../managed-platform.ts';
import type { ManagedType } from '../managed-type.ts';

/** Relationships by which objects of a type have the roles that they log in with, also where these are read off them. */
export function loginRoles(
  { roleGrants }: Pick<ManagedPlatform, 'roleGrants'>,
  type: ManagedType,
  collection: string,
): ReadonlySet<string> {
  const properties = roleGrants.propertiesAt(collection);
  return new Set(
    properties.flatMap((property) => {
      const derivation = type.compiled.get(property)?.derivation ?? null;
      return derivation === null
        ? [property]
        : waysOf(derivation).flatMap(({ path }) => (path.length === 1 ? path : []));
    }),
  );
}

/** As those are read who log in: a list, or a text with commas. */
export function namesIn(value: JsonValue | undefined): readonly string[] {
  if (typeof value === 'string')
    return value
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '');
  if (!Array.isArray(value)) return [];
  return value.flatMap((role) => {
    const name = isObject(role) ? role['_ref'] : role;
    return typeof name === 'string' ? [name] : [];
  });
}
