import { BadRequestError } from '#errors/index.ts';
import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import { memberIgnoringCase, memberOf } from './content.ts';
import { valuesOf } from './parts.ts';
import { type Attribute, type Characteristics, type ResourceType, schemasOf } from './resource-type.ts';

type IsNeeded = (one: Characteristics) => boolean;

/**
 * What `scim.json` itself demands of a resource that is sent as a whole: what `managed.json` does is told by its policies, once hooks have
 * had their say.
 *
 * @throws BadRequestError `SCIM_BAD_SYNTAX` for a resource of another type, `SCIM_BAD_VALUE`
 */
export function requireWhole(type: ResourceType, resource: JsonObject): void {
  const schemas = memberIgnoringCase(resource, 'schemas') ?? null;
  const own = schemasOf(type).map((schema) => schema.toLowerCase());
  const isOwn = (one: JsonValue) => typeof one === 'string' && own.includes(one.toLowerCase());
  if (Array.isArray(schemas) && schemas.length > 0 && !schemas.some(isOwn)) {
    throw new BadRequestError(`'schemas' has none of a ${type.name}`, {
      id: 'SCIM_BAD_SYNTAX',
      hint: `Such as ${type.schema}`,
    });
  }
  const extensions = type.extensions.filter(
    ({ schema, required }) => required && !isObject(memberIgnoringCase(resource, schema)),
  );
  const lacking = [
    ...extensions.map(({ schema }) => schema),
    ...type.attributes.flatMap((one) => lackingOf(type, one, resource, isDemanded)),
  ];
  if (lacking.length > 0) throw required(lacking);
}

export function required(paths: readonly string[]): Error {
  const [first, ...others] = paths.map((path) => `'${path}'`);
  const names = others.length === 0 ? `${first} is` : `${first} and ${others.join(' and ')} are`;
  return new BadRequestError(`${names} required`, { id: 'SCIM_BAD_VALUE' });
}

export const isDemanded: IsNeeded = ({ demanded }) => demanded;

/** Paths of what is needed of an attribute and has no value in a resource: of its parts, or of elements that have none in any. */
export function lackingOf(
  type: ResourceType,
  attribute: Attribute,
  resource: JsonObject,
  isNeeded: IsNeeded,
): readonly string[] {
  const { name, binding, mutability, subAttributes } = attribute;
  if (mutability === 'readOnly') return [];
  const values = valuesOf(memberOf(type, attribute, resource) ?? null);
  if (binding.kind !== 'parts' && binding.kind !== 'elements') {
    return isNeeded(attribute) && values.length === 0 ? [name] : [];
  }
  const has = (part: string) => values.some((one) => isObject(one) && isSome(memberIgnoringCase(one, part)));
  return subAttributes
    .filter((part) => isNeeded(part) && !has(part.name))
    .map((part) => `${name}.${part.name}`);
}

function isSome(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null && value !== '';
}
