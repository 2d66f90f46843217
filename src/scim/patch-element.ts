import { BadRequestError } from '#errors/index.ts';
import { isObject, type JsonObject, type JsonValue, sizeOf } from '#json/index.ts';
import { isElement } from './content.ts';
import type { ScimFilter } from './filter.ts';
import { type Attribute, subAttributeAt } from './resource-type.ts';
import { marksOf } from './said-of-attributes.ts';

/** What a condition looks at of an element, at most; and so many bytes of its texts take as long as one look. */
const LOOKS = 20;
const BYTES_OF_A_LOOK = 8;
/** What an element of any list may have (RFC 7643, 2.4). */
export const COMMON_PARTS: ReadonlySet<string> = new Set(['value', 'type', 'primary', 'display', '$ref']);

/** What it takes to look for elements. */
export function costOf(filter: ScimFilter, elements: readonly JsonValue[]): number {
  const texts = Math.ceil(sizeOf([...elements]).bytes / BYTES_OF_A_LOOK);
  return conditionsIn(filter).length * (elements.length * LOOKS + texts);
}

export function exactness(attribute: Attribute): (path: { readonly name: string }) => boolean {
  if (attribute.subAttributes.length === 0) return () => attribute.caseExact;
  return ({ name }) => subAttributeAt(attribute, name)?.caseExact ?? false;
}

/** @throws BadRequestError `SCIM_BAD_FILTER` for a part that no element has */
export function requireParts(attribute: Attribute, filter: ScimFilter): void {
  const isPlain = attribute.subAttributes.length === 0;
  for (const condition of conditionsIn(filter)) {
    const { name } = condition.path;
    if (isPlain && name.toLowerCase() === 'value') continue;
    if (isPlain) {
      const message = `'${attribute.name}' has plain values, and no '${name}'`;
      throw new BadRequestError(message, {
        id: 'SCIM_BAD_FILTER',
        hint: `Write ${attribute.name}[value eq …]`,
      });
    }
    if (COMMON_PARTS.has(name.toLowerCase()) || subAttributeAt(attribute, name) !== undefined) continue;
    throw new BadRequestError(`'${attribute.name}' has no '${name}'`, { id: 'SCIM_BAD_FILTER' });
  }
}

/** An element that a filter means which no element meets. */
export interface NewElement {
  /** What stands in its place; undefined: nothing. */
  readonly is: JsonValue | undefined;
  readonly as: JsonObject;
}

/**
 * Some clients set a part of `emails[type eq "work"]` where there is none yet, and of `emails[primary eq true]`.
 *
 * @returns undefined where the filter takes more than to be that element, or there is no place for it
 */
export function newElement(
  attribute: Attribute,
  filter: ScimFilter,
  before: readonly JsonValue[],
): NewElement | undefined {
  const as = equalities(filter);
  const { binding } = attribute;
  if (as === undefined || binding.kind !== 'elements')
    return as === undefined ? undefined : { is: undefined, as };
  const at = binding.elements.findIndex((one, index) => isElement(one, as, index === 0));
  const place = binding.elements[at];
  // What is stored of another element is no part of this one.
  const isStored = (name: string) =>
    [...(place?.parts.keys() ?? [])].some((part) => part.toLowerCase() === name.toLowerCase());
  if (place === undefined || Object.keys(as).some(isStored)) return undefined;
  const is = before.find((one) => isObject(one) && isElement(place, one, at === 0));
  return isObject(is) ? { is, as: is } : { is: undefined, as };
}

/** Whether a filter says of an element which one it is, and there is none such, whatever is stored. */
export function hasNoPlace({ binding }: Attribute, filter: ScimFilter): boolean {
  const as = equalities(filter);
  if (as === undefined || binding.kind !== 'elements') return false;
  return !binding.elements.some((one, at) => isElement(one, as, at === 0));
}

/** A hint that names the elements there may be, for whoever has meant another one. */
export function placesOf({ name, binding }: Attribute): { readonly hint?: string } {
  if (binding.kind !== 'elements') return {};
  const places = binding.elements.map((element) => `${name}[${marksOf(element)}]`);
  return { hint: `There is a place for ${places.join(', ')}` };
}

type Condition = Extract<ScimFilter, { kind: 'compare' }> | Extract<ScimFilter, { kind: 'present' }>;

function conditionsIn(filter: ScimFilter): readonly Condition[] {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.filters.flatMap(conditionsIn);
    case 'not':
    case 'element':
      return conditionsIn(filter.filter);
    default:
      return [filter];
  }
}

/** An element that meets `type eq "work"`; undefined where that takes more than equalities. */
function equalities(filter: ScimFilter): JsonObject | undefined {
  const conditions = filter.kind === 'and' ? filter.filters : [filter];
  const made: JsonObject = {};
  for (const condition of conditions) {
    if (condition.kind !== 'compare' || condition.operator !== 'eq' || condition.path.sub !== null)
      return undefined;
    made[condition.path.name] = condition.value;
  }
  return made;
}
