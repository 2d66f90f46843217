import type { Pointer } from '#json/index.ts';
import { nameOf } from './representation.ts';
import type { ResourceType } from './resource-type.ts';
import type { Selection } from './selection.ts';

export type Shown = Pick<Selection, 'shows' | 'showsPart'>;

/** All that there may be. */
export const WHOLE: Shown = { shows: () => true, showsPart: () => true };

/** What has to be read of an object for these attributes; of a reference to one, its name as well. */
export function fieldsFor(
  type: ResourceType,
  types: readonly ResourceType[],
  shown: Shown,
): readonly Pointer[] {
  const ofType = known.get(type) ?? new WeakMap<Shown, readonly Pointer[]>();
  known.set(type, ofType);
  const fields = ofType.get(shown) ?? listFields(type, types, shown);
  ofType.set(shown, fields);
  return fields;
}

/** Most requests name no attributes. Types are made anew together. */
const known = new WeakMap<ResourceType, WeakMap<Shown, readonly Pointer[]>>();

function listFields(
  { attributes }: ResourceType,
  types: readonly ResourceType[],
  { shows, showsPart }: Shown,
): readonly Pointer[] {
  const fields = new Set<string>(['_id', '_rev']);
  const deep: Pointer[] = [];
  for (const attribute of attributes.filter(shows)) {
    const { binding } = attribute;
    if (binding.kind === 'property') fields.add(binding.pointer[0] ?? '');
    if (binding.kind === 'parts') {
      for (const { property } of attribute.subAttributes)
        if (property !== undefined) fields.add(property.pointer[0] ?? '');
    }
    if (binding.kind === 'elements') {
      for (const { parts } of binding.elements)
        for (const { pointer } of parts.values()) fields.add(pointer[0] ?? '');
    }
    if (binding.kind === 'reference') {
      const isNamed = showsPart(attribute, binding.isArray ? 'display' : 'displayName');
      const target = types.find(({ collection }) => binding.collections.includes(collection));
      const name = isNamed && target !== undefined ? nameOf(target) : undefined;
      if (name === undefined) fields.add(binding.property);
      else deep.push([binding.property, ...name]);
    }
  }
  return [...[...fields].map((name) => [name]), ...deep];
}
