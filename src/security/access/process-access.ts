import type { JsonObject, JsonValue } from '#json/index.ts';

/** One entry of `conf/process-access.json`. */
export interface ProcessRule {
  readonly propertiesCheck: {
    readonly property: string;
    readonly matches: string;
    readonly requiresRole: string;
  };
}

/** Whether somebody with these roles may see and start a process. Undefined rules leave it to the process itself. */
export function isProcessFor(
  rules: readonly ProcessRule[] | undefined,
  definition: JsonObject,
  roles: readonly string[],
): boolean {
  if (rules === undefined) return true;
  return rules.some(({ propertiesCheck: { property, matches, requiresRole } }) => {
    const value = definition[property];
    return isText(value) && new RegExp(matches).test(String(value)) && roles.includes(idOfRole(requiresRole));
  });
}

function isText(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null && typeof value !== 'object';
}

/** `internal/role/x`, `repo/internal/role/x` and `managed/role/x` are the role `x`. */
export function idOfRole(role: string): string {
  return role.slice(role.lastIndexOf('/') + 1);
}
