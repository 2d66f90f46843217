import { revisionOf } from '#config/index.ts';
import { ConflictError } from '#errors/index.ts';
import { equalJson, isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import type { Context, SecurityContext } from '#resource/index.ts';

/** What a module says of those whom it lets in; the rest decides who they are. A password is known to who writes it. */
const NOT_DECIDING = new Set([
  'defaultUserRoles',
  'acceptedRoles',
  'rolesClaim',
  'reauthentication',
  'password',
]);

/**
 * Refuses a configuration that has no module any more by which whoever writes it has come in: it would lock them out, and
 * perhaps everybody who could put it right. The parameter `force=true` has it all the same.
 *
 * @throws ConflictError `AUTH_LOCKS_OUT`; `CONFIG_CHANGED` when the modules are not those any more by which they have come in
 */
export function requireCallerStays(
  { client, security }: Context,
  { force }: Readonly<Record<string, string>>,
  before: JsonObject,
  after: JsonObject,
): void {
  const { cameBy } = security;
  if (!client.isExternal || force === 'true' || cameBy === undefined) return;
  if (cameBy.revision !== revisionOf(before)) throw changedMeanwhile('authentication');
  const module = modulesOf(before)[cameBy.at];
  if (!isObject(module)) return;
  const own = doorOf(module, security);
  const stays = modulesOf(after).some(
    (other) =>
      isObject(other) &&
      other['name'] === module['name'] &&
      String(other['enabled'] ?? true) !== 'false' &&
      letsIn(doorOf(other, security), own),
  );
  if (stays) return;
  throw new ConflictError(
    `Without the ${String(module['name'])} that you came in by, you could not come in again`,
    {
      id: 'AUTH_LOCKS_OUT',
      hint: 'Keep it enabled and as it is, come in by another module first, or send force=true',
    },
  );
}

/** What somebody else has changed meanwhile is not what the caller has seen. */
export function changedMeanwhile(id: string): ConflictError {
  return new ConflictError(`'config/${id}' was changed by somebody else at the same moment`, {
    id: 'CONFIG_CHANGED',
    hint: 'Read it again, and repeat the change',
  });
}

/** What decides whom a module lets in; of many keys, only that of the caller. */
function doorOf(
  { properties }: JsonObject,
  { authenticationId, authorization }: SecurityContext,
): JsonObject {
  const name = authorization['loginName'] ?? authenticationId;
  const deciding = Object.entries(isObject(properties) ? properties : {}).flatMap(
    ([property, value]): [string, JsonValue][] => {
      if (NOT_DECIDING.has(property)) return [];
      if (property === 'keys' && Array.isArray(value)) return [[property, keysOf(value, name)]];
      if (property !== 'propertyMapping' || !isObject(value)) return [[property, value]];
      return Object.entries(value).filter(([mapped]) => mapped !== 'userRoles');
    },
  );
  return Object.fromEntries(deciding);
}

function keysOf(keys: readonly JsonValue[], name: unknown): JsonValue[] {
  return keys.flatMap((key) => {
    if (!isObject(key) || key['id'] !== name) return [];
    const { roles: _, ...rest } = key;
    return [rest];
  });
}

/** Whether one door is as wide as another: where one of a list will do, there may be more of them. */
function letsIn(wide: JsonObject, own: JsonObject): boolean {
  return [...new Set([...Object.keys(wide), ...Object.keys(own)])].every((property) => {
    const [now, was] = [wide[property], own[property]];
    if (now === undefined || was === undefined) return false;
    if (!Array.isArray(now) && !Array.isArray(was)) return equalJson(now, was);
    return listOf(was).every((one) => listOf(now).some((other) => equalJson(one, other)));
  });
}

function listOf(value: JsonValue): readonly JsonValue[] {
  return Array.isArray(value) ? value : [value];
}

function modulesOf({ serverAuthContext }: JsonObject): readonly JsonValue[] {
  const modules = isObject(serverAuthContext) ? serverAuthContext['authModules'] : undefined;
  return Array.isArray(modules) ? modules : [];
}
