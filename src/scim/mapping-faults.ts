import type { ScimResourceTypeConfig } from '#config/index.ts';
import type { JsonObject } from '#json/index.ts';
import type { AttributePath } from './attribute-path.ts';
import type { ScimFilter } from './filter.ts';
import { firstType, listOf } from './managed-property.ts';
import { DISCOVERY } from './schema-answer.ts';

/** What keeps an attribute from being one. */
export interface Fault {
  readonly field: string;
  readonly message: string;
  /** `managed.json` has no such type, property or place that it leads to, perhaps because it is another one. */
  readonly isMissing?: true;
  readonly hint?: string;
}

/** What the service has at its root besides resource types. */
const OWN_ENDPOINTS: ReadonlySet<string> = new Set([...DISCOVERY, 'Me', 'Bulk']);
/** What it says of each resource by itself. */
const OWN_ATTRIBUTES: ReadonlySet<string> = new Set(['id', 'schemas', 'meta']);

/** Whether a resource type can be found where it says: not at a place of the service, or of one before it. */
export function isHidden(types: readonly ScimResourceTypeConfig[], at: number, faults: Fault[]): boolean {
  const { name = '', endpoint = '' } = types[at] ?? {};
  const before = types.slice(0, at);
  const field = `/resourceTypes/${at}`;
  const found: Fault[] = [];
  if (OWN_ENDPOINTS.has(endpoint.slice(1))) {
    found.push({ field: `${field}/endpoint`, message: `'${endpoint}' is a place of the service itself` });
  } else if (before.some((one) => one.endpoint === endpoint)) {
    found.push({ field: `${field}/endpoint`, message: `'${endpoint}' is that of another resource type` });
  }
  if (before.some((one) => one.name.toLowerCase() === name.toLowerCase())) {
    found.push({ field: `${field}/name`, message: `'${name}' is that of another resource type` });
  }
  faults.push(...found);
  return found.length > 0;
}

/** Why no property can be shown there; undefined: it can. */
export function refusalOf(
  scim: string,
  { name }: AttributePath,
  pointer: readonly string[],
  property: JsonObject,
): string | undefined {
  if (OWN_ATTRIBUTES.has(name.toLowerCase())) return `'${scim}' is what the service says of each resource`;
  const isRelationship = [property['type'], ...itemTypes(property)].some(
    (type) => firstType(type ?? null) === 'relationship',
  );
  if (isRelationship && pointer.length > 1) return `'/${pointer.join('/')}' is a part of a relationship`;
  return undefined;
}

/** A place that more than one mapping of an attribute is about, or that is one of its parts: what the others are about is not. */
export function overlapping<
  Mapping extends { readonly path: AttributePath; readonly filter: ScimFilter | null },
>(mappings: readonly Mapping[]): Mapping | undefined {
  const places = new Set<string>();
  const isWhole = mappings.some(({ path, filter }) => path.sub === null && filter === null);
  return mappings.find(({ path, filter }, at) => {
    const place = JSON.stringify([path.sub?.toLowerCase() ?? null, filter]);
    const isTaken = places.has(place) || (isWhole && at > 0);
    places.add(place);
    return isTaken;
  });
}

function itemTypes({ items }: JsonObject) {
  return listOf(items ?? null).flatMap((item) =>
    typeof item === 'object' && item !== null && !Array.isArray(item) ? [item['type']] : [],
  );
}
