import {
  AndFilter,
  EqualityFilter,
  type Filter as LdapFilter,
  NotFilter,
  OrFilter,
  PresenceFilter,
  SubstringFilter,
} from 'ldapts';
import { type Filter, NAME, type Scalar, Secret, UID } from '../../contract.ts';
import { idValue } from './active-directory.ts';
import type { Subschema } from './subschema.ts';

/** A filter of a directory; undefined is all of them. */
export interface TranslatedFilter {
  readonly filter: LdapFilter | undefined;
  /** There is nothing that it leaves in and should not, as the directory compares. */
  readonly isExact: boolean;
}

const ALL: TranslatedFilter = { filter: undefined, isExact: false };
export const EVERYTHING: TranslatedFilter = { filter: undefined, isExact: true };

export interface Translation {
  readonly subschema: Subschema | undefined;
  readonly uidAttribute: string;
}

/**
 * What a directory can be asked so that nothing is left out. It compares by rules of its own, mostly without regard to capitals, and finds
 * nothing at all by an attribute that it does not know or has no rule for: that it is not asked.
 */
export function ldapFilter(filter: Filter, translation: Translation): TranslatedFilter {
  switch (filter.kind) {
    case 'literal':
      return filter.value ? EVERYTHING : ALL;
    case 'and':
      return allOf(filter.filters.map((one) => ldapFilter(one, translation)));
    case 'or':
      return anyOf(filter.filters.map((one) => ldapFilter(one, translation)));
    case 'not': {
      const { filter: inner } = filter;
      // By capitals alone two may differ, of which a directory would leave out both.
      if (inner.kind !== 'present') return ALL;
      const asked = ldapFilter(inner, translation);
      return asked.filter === undefined || !asked.isExact
        ? ALL
        : { filter: new NotFilter({ filter: asked.filter }), isExact: true };
    }
    case 'present':
      return present(filter.attribute, translation);
    case 'in':
      return filter.values.length === 0
        ? ALL
        : anyOf(filter.values.map((value) => equal(filter.attribute, value, translation)));
    case 'compare':
      return compared(filter, translation);
  }
}

/** A text as a directory has it. */
export function textOf(value: Scalar): string | Buffer {
  if (value instanceof Uint8Array) return Buffer.from(value);
  if (value instanceof Secret) return value.reveal();
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  return String(value);
}

/** What all of them mean. */
export function allOf(parts: readonly TranslatedFilter[]): TranslatedFilter {
  const filters = parts.flatMap(({ filter }) => filter ?? []);
  const isExact = parts.every((part) => part.isExact);
  const [first] = filters;
  return { filter: filters.length > 1 ? new AndFilter({ filters }) : first, isExact };
}

export function anyOf(parts: readonly TranslatedFilter[]): TranslatedFilter {
  const filters = parts.flatMap(({ filter }) => filter ?? []);
  if (filters.length < parts.length) return parts.some((part) => part === EVERYTHING) ? EVERYTHING : ALL;
  return { filter: new OrFilter({ filters }), isExact: parts.every((part) => part.isExact) };
}

function present(attribute: string, { subschema }: Translation): TranslatedFilter {
  if (attribute === UID || attribute === NAME) return EVERYTHING;
  if (subschema?.attribute(attribute) === undefined) return ALL;
  return { filter: new PresenceFilter({ attribute }), isExact: true };
}

function equal(attribute: string, value: Scalar, { subschema, uidAttribute }: Translation): TranslatedFilter {
  const name = attribute === UID ? uidAttribute : attribute;
  const isKnown =
    attribute === UID ? uidAttribute !== 'dn' : subschema?.attribute(name)?.hasEquality === true;
  const text = attribute === UID ? (idValue(uidAttribute, String(value)) ?? '') : textOf(value);
  return isKnown && text.length > 0
    ? { filter: new EqualityFilter({ attribute: name, value: text }), isExact: true }
    : ALL;
}

function compared(
  { attribute, operator, value }: Extract<Filter, { kind: 'compare' }>,
  translation: Translation,
): TranslatedFilter {
  if (operator === 'eq') return equal(attribute, value, translation);
  const any = present(attribute, translation);
  const isText = typeof value === 'string' && value !== '' && !/^\s|\s$|\s\s/.test(value);
  const rule = translation.subschema?.attribute(attribute);
  // There is no order but of numbers and times, and of a part of a text only where there is a rule.
  if (!isText || rule?.hasSubstrings !== true || rule.type !== 'string') return { ...any, isExact: false };
  const parts = { co: { any: [value] }, sw: { initial: value }, ew: { final: value } } as const;
  if (operator !== 'co' && operator !== 'sw' && operator !== 'ew') return { ...any, isExact: false };
  const { any: inside, ...ends } = { any: [], ...parts[operator] };
  return { filter: new SubstringFilter({ attribute, any: [...inside], ...ends }), isExact: true };
}

export function filterIn({ filter }: TranslatedFilter): { readonly filter?: LdapFilter } {
  return filter === undefined ? {} : { filter };
}
