import { isObject, type JsonValue } from '#json/index.ts';

const known = new WeakMap<object, readonly string[]>();

/** The roles that policies in a configuration except from what they ask of all others (`exceptRoles`). */
export function exceptedRoles(configuration: object): readonly string[] {
  const before = known.get(configuration);
  if (before !== undefined) return before;
  const found = [...new Set(rolesIn(JSON.parse(JSON.stringify(configuration))))];
  known.set(configuration, found);
  return found;
}

function rolesIn(value: JsonValue): string[] {
  if (Array.isArray(value)) return value.flatMap(rolesIn);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    name === 'exceptRoles' && Array.isArray(member)
      ? member.filter((role) => typeof role === 'string')
      : rolesIn(member),
  );
}
