import { BadRequestError } from '#errors/index.ts';
import type { JsonValue } from '#json/index.ts';
import { refsOf } from './content.ts';
import type { ScimFilter } from './filter.ts';
import { idsMeant, namesOne } from './members-meant.ts';
import type { Attribute, Reference } from './resource-type.ts';

/** What becomes of the other ends of a relationship that is a list. */
export interface EdgeChanges {
  /** What they become as a whole, before the others; null: what they are. */
  all: readonly string[] | null;
  readonly added: Set<string>;
  readonly removed: Set<string>;
}

export type Op = 'add' | 'replace' | 'remove';

export function noChanges(): EdgeChanges {
  return { all: null, added: new Set(), removed: new Set() };
}

interface Ends {
  readonly attribute: Attribute;
  readonly reference: Reference;
  readonly sub: string | null;
  readonly filter: ScimFilter | null;
}

/** What an operation of a PATCH makes of the other ends. @throws BadRequestError `SCIM_NOT_MUTABLE`, `SCIM_BAD_FILTER`, `SCIM_BAD_VALUE` */
export function changeEnds(
  edges: EdgeChanges,
  op: Op,
  { attribute, reference, sub, filter }: Ends,
  value: JsonValue,
): void {
  if (sub !== null && sub.toLowerCase() !== 'value') {
    throw new BadRequestError(`'${attribute.name}.${sub}' is read-only`, { id: 'SCIM_NOT_MUTABLE' });
  }
  const meant = filter === null ? undefined : idsMeant(attribute, reference, filter);
  const given = meant ?? (value === null && op === 'remove' ? undefined : value);
  const refs = given === undefined ? undefined : refsOf(attribute, reference, given);
  if (op === 'remove' && refs !== undefined) move(refs, edges.added, edges.removed);
  else if (op === 'replace' && meant !== undefined && refs !== undefined && namesOne(value)) {
    move(refs, edges.added, edges.removed);
    move(refsOf(attribute, reference, value), edges.removed, edges.added);
  } else if (op === 'add' || filter !== null) move(refs ?? [], edges.removed, edges.added);
  else {
    edges.all = refs ?? [];
    edges.added.clear();
    edges.removed.clear();
  }
}

function move(refs: readonly string[], from: Set<string>, to: Set<string>): void {
  for (const ref of refs) {
    from.delete(ref);
    to.add(ref);
  }
}
