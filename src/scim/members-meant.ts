import { BadRequestError } from '#errors/index.ts';
import { isObject, type JsonValue } from '#json/index.ts';
import { memberIgnoringCase } from './content.ts';
import type { ScimFilter } from './filter.ts';
import { meetsFilter } from './filter-match.ts';
import type { Attribute, Reference } from './resource-type.ts';

/**
 * The ids of the members that a filter means, such as `value eq "42" or value eq "43"`. A group may have more of them than one
 * would want to look at, so that the filter has to name them.
 *
 * @throws BadRequestError `SCIM_BAD_FILTER`
 */
export function idsMeant({ name }: Attribute, { typeName }: Reference, filter: ScimFilter): string[] {
  const named = new Set<string>();
  const read = (one: ScimFilter): void => {
    if (one.kind === 'and' || one.kind === 'or') one.filters.forEach(read);
    else if (one.kind === 'not') read(one.filter);
    else if (one.kind === 'compare' && one.operator === 'eq' && typeof one.value === 'string') {
      const part = one.path.name.toLowerCase();
      if (part === 'value') named.add(one.value);
      else if (part !== 'type') throw tooVague(name);
    } else throw tooVague(name);
  };
  read(filter);
  const isMeant = (value: string) =>
    meetsFilter(filter, { value, ...(typeName === null ? {} : { type: typeName }) }, isExact);
  // An id that nobody can have named stands for all others.
  if (isMeant('\u0000')) throw tooVague(name);
  return [...named].filter(isMeant);
}

/** Whether a value says who is to be a member instead, and not only more of those who are meant. */
export function namesOne(value: JsonValue): boolean {
  if (!isObject(value)) return typeof value === 'string';
  return ['value', '$ref'].some((name) => typeof memberIgnoringCase(value, name) === 'string');
}

function isExact(path: { readonly name: string }): boolean {
  return path.name.toLowerCase() === 'value';
}

function tooVague(name: string): Error {
  return new BadRequestError(`Elements of '${name}' are looked for by their value alone`, {
    id: 'SCIM_BAD_FILTER',
    hint: `Such as ${name}[value eq "42"]`,
  });
}
