import { decodedSegment, internalRole } from '#config/index.ts';
import { isObject, type JsonValue } from '#json/index.ts';

/** Roles whose names the server itself gives a meaning, or may be told to; no object that somebody has made may take one. */
const OWN_PREFIX = /^(?:svc|openidm|wrenidm)-/;

/** Names as the rules of `access.js` compare them, and a little more alike than that. */
export function foldRole(name: string): string {
  return name.normalize('NFKC').trim().toLowerCase();
}

export function isBuiltIn(name: string, internal: ReadonlySet<string>): boolean {
  const folded = foldRole(name);
  return OWN_PREFIX.test(folded) || internal.has(folded);
}

/**
 * The names of roles by which rules and processes know them. A plain name, and the id of an internal role, are names
 * as they stand. Any other role goes by its id as well, unless that is the name of an internal role: then only its
 * whole reference is left, for otherwise whoever may create a role could make administrators.
 *
 * @param value references, plain names, or a list of names with commas
 * @param internal the folded names that belong to internal roles
 */
export function roleNames(value: JsonValue | undefined, internal: ReadonlySet<string>): string[] {
  if (typeof value === 'string') return value === '' ? [] : value.split(',').map((role) => role.trim());
  if (!Array.isArray(value)) return [];
  return value.flatMap((role) => {
    const reference = isObject(role) ? role['_ref'] : role;
    return typeof reference === 'string' ? [nameOf(reference, internal)] : [];
  });
}

function nameOf(reference: string, internal: ReadonlySet<string>): string {
  if (!reference.includes('/')) return reference;
  const own = internalRole(reference);
  if (own !== undefined) return own;
  const id = decodedSegment(reference.slice(reference.lastIndexOf('/') + 1));
  // Where roles are joined to a list, a comma would make two of one; with a slash, a name would be a reference to another.
  const isTaken = isBuiltIn(id, internal) || /[,/]/.test(id);
  return isTaken ? reference.replaceAll(',', '%2C') : id;
}
