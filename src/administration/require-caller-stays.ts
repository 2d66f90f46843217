import { ConflictError } from '#errors/index.ts';
import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import type { Context } from '#resource/index.ts';

/** What says whom a module lets in: with another one it is another door. */
const DOOR = ['queryOnResource', 'username'];

/**
 * Refuses a configuration that has no module any more by which whoever writes it has come in: it would lock them out, and
 * perhaps everybody who could put it right. The parameter `force=true` has it all the same.
 *
 * @throws ConflictError `AUTH_LOCKS_OUT`
 */
export function requireCallerStays(
  { client, security: { authorization } }: Context,
  { force }: Readonly<Record<string, string>>,
  before: JsonObject,
  after: JsonObject,
): void {
  const name = authorization['loginModuleId'] ?? authorization['moduleId'];
  if (!client.isExternal || force === 'true' || typeof name !== 'string') return;
  const doors = new Set(doorsOf(before, name));
  if (doors.size === 0 || doorsOf(after, name).some((door) => doors.has(door))) return;
  throw new ConflictError(`Without the ${name} that you came in by, you could not come in again`, {
    id: 'AUTH_LOCKS_OUT',
    hint: 'Keep it enabled, come in by another module first, or send force=true',
  });
}

/** The modules of that name that are enabled, each as what makes it another than the others. */
function doorsOf(config: JsonObject, name: string): string[] {
  return modulesOf(config).flatMap((module) => {
    if (module['name'] !== name || String(module['enabled'] ?? true) === 'false') return [];
    const properties = isObject(module['properties']) ? module['properties'] : {};
    return [JSON.stringify(DOOR.map((property) => properties[property] ?? null))];
  });
}

function modulesOf({ serverAuthContext }: JsonObject): JsonObject[] {
  const modules: JsonValue | undefined = isObject(serverAuthContext)
    ? serverAuthContext['authModules']
    : undefined;
  return Array.isArray(modules) ? modules.filter(isObject) : [];
}
