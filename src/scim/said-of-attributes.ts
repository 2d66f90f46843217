import { ResourceError } from '#errors/index.ts';
import { isObject } from '#json/index.ts';
import type { Attribute, Element, Property, ResourceType } from './resource-type.ts';

/** A refusal by policies in the words of clients, who know attributes, and not the properties that these are kept in. */
export function saidOfAttributes(type: ResourceType, error: unknown): unknown {
  if (!(error instanceof ResourceError) || !isObject(error.detail)) return error;
  const { failedPolicyRequirements, hint } = error.detail;
  if (failedPolicyRequirements === undefined || typeof hint !== 'string') return error;
  const names = namesOf(type);
  const said = hint.split('; ').map((sentence) => {
    const [property = ''] = sentence.split(' ', 1);
    return (names.get(property) ?? property) + sentence.slice(property.length);
  });
  const detail = { ...error.detail, hint: said.join('; ') };
  return new ResourceError(error.code, error.message, { detail, cause: error });
}

const known = new WeakMap<ResourceType, ReadonlyMap<string, string>>();

/** The path of the attribute of each property. */
function namesOf(type: ResourceType): ReadonlyMap<string, string> {
  const names = known.get(type) ?? new Map(type.attributes.flatMap((one) => pathsOf(type, one)));
  known.set(type, names);
  return names;
}

function pathsOf(type: ResourceType, attribute: Attribute): (readonly [string, string])[] {
  const { binding, name, schema, subAttributes } = attribute;
  const path = schema === type.schema ? name : `${schema}:${name}`;
  switch (binding.kind) {
    case 'property':
      return [[nameOf(binding), path]];
    case 'reference':
      return [[binding.property, path]];
    case 'parts':
      return subAttributes.flatMap((part) =>
        part.property === undefined ? [] : [[nameOf(part.property), `${path}.${part.name}`] as const],
      );
    case 'elements':
      return binding.elements.flatMap((element) =>
        [...element.parts].map(
          ([part, property]) => [nameOf(property), `${path}[${marksOf(element)}].${part}`] as const,
        ),
      );
    case 'externalId':
      return [];
  }
}

function nameOf({ pointer }: Property): string {
  return pointer[0] ?? '';
}

/** Such as `type eq "work"`. */
export function marksOf({ marks }: Element): string {
  return Object.entries(marks)
    .map(([mark, value]) => `${mark} eq ${JSON.stringify(value)}`)
    .join(' and ');
}
