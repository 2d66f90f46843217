import { BadRequestError } from '#errors/index.ts';

/** `[urn:]name[.sub]`, as clients and `scim.json` write where an attribute stands; names are met whatever their case. */
export interface AttributePath {
  /** The id of an extension or of the core schema; null where the path has none. */
  readonly schema: string | null;
  readonly name: string;
  readonly sub: string | null;
}

const NAME = /^\$?[A-Za-z][\w-]*$/;

/**
 * @param schemas of the resource: a URN has dots, digits and colons, so that only whoever knows them sees where one ends
 * @throws BadRequestError `SCIM_BAD_PATH`
 */
export function parseAttributePath(text: string, schemas: readonly string[]): AttributePath {
  const { schema, rest } = withoutSchema(text, schemas);
  const [name = '', sub, ...more] = rest.split('.');
  if (more.length > 0 || !NAME.test(name) || (sub !== undefined && !NAME.test(sub))) {
    throw new BadRequestError(`'${text}' is no path of an attribute`, {
      id: 'SCIM_BAD_PATH',
      hint: 'Such as userName or name.givenName',
    });
  }
  return { schema, name, sub: sub ?? null };
}

/** Whether a name may be that of an attribute of a resource, or lead to one. */
export function isPathOf(text: string, schemas: readonly string[]): boolean {
  const lower = text.toLowerCase();
  if (lower.startsWith('urn:')) return schemas.some((schema) => lower.startsWith(schema.toLowerCase()));
  return text.includes('[') || text.split('.').every((name) => NAME.test(name));
}

/** The schema that a path begins with, and what is left. */
export function withoutSchema(
  text: string,
  schemas: readonly string[],
): { readonly schema: string | null; readonly rest: string } {
  if (!/^urn:/i.test(text)) return { schema: null, rest: text };
  const lower = text.toLowerCase();
  const found = schemas
    .filter((schema) => lower.startsWith(`${schema.toLowerCase()}:`))
    .sort((one, other) => other.length - one.length)[0];
  if (found === undefined)
    throw new BadRequestError(`'${text}' is of no schema of this resource`, { id: 'SCIM_BAD_PATH' });
  return { schema: found, rest: text.slice(found.length + 1) };
}
