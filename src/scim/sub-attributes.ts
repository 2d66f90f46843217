import type { ScimFilter } from './filter.ts';
import type { Characteristics, Reference, SubAttribute } from './resource-type.ts';

/** A text that clients may write. */
export const TEXT: Characteristics = {
  name: 'value',
  type: 'string',
  multiValued: false,
  description: '',
  required: false,
  demanded: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
};

/** An attribute with parts: what they have in common. */
export function complex(name: string, subs: readonly SubAttribute[]): Characteristics {
  const [first] = subs;
  const same = <K extends 'mutability' | 'returned'>(key: K) =>
    first !== undefined && subs.every((sub) => sub[key] === first[key]) ? first[key] : TEXT[key];
  return {
    ...TEXT,
    name,
    type: 'complex',
    description: name,
    caseExact: true,
    required: subs.some(({ required }) => required),
    mutability: same('mutability'),
    returned: same('returned'),
  };
}

/** What the server says of the other end of a reference that clients write is shown to those who ask for it: it takes a look there. */
export function partsOfReference(
  { mutability }: Characteristics,
  { isArray }: Reference,
): readonly SubAttribute[] {
  const returned = mutability === 'readOnly' ? 'default' : 'request';
  const readOnly = { mutability: 'readOnly', returned } as const;
  return [
    { ...TEXT, description: 'The id of the other resource', caseExact: true, mutability },
    { ...TEXT, mutability, name: '$ref', type: 'reference', description: 'Its URI', caseExact: true },
    { ...TEXT, ...readOnly, name: isArray ? 'display' : 'displayName', description: 'Its name' },
    ...(isArray ? [{ ...TEXT, ...readOnly, name: 'type', description: 'Its resource type' }] : []),
  ];
}

/** `type eq "work"`, and several of such. */
export function marksOf(filter: ScimFilter | null): Record<string, string> | undefined {
  const conditions = filter?.kind === 'and' ? filter.filters : filter === null ? [] : [filter];
  const marks: Record<string, string> = {};
  for (const condition of conditions) {
    const isMark =
      condition.kind === 'compare' && condition.operator === 'eq' && typeof condition.value === 'string';
    if (!isMark || condition.path.sub !== null) return undefined;
    marks[condition.path.name] = String(condition.value);
  }
  return Object.keys(marks).length === 0 ? undefined : marks;
}
