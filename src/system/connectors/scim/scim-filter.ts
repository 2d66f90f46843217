import { type Filter, NAME, type Scalar, UID } from '../../contract.ts';
import type { ScimType } from './scim-directory.ts';
import { readPath } from './scim-path.ts';

/** A filter that leaves nothing out that is meant; undefined is all. Services mostly compare without regard to capitals. */
export interface ScimCondition {
  readonly text: string | undefined;
  readonly isExact: boolean;
}

const ALL: ScimCondition = { text: undefined, isExact: false };
const EVERYTHING: ScimCondition = { text: undefined, isExact: true };
const OPERATORS: ReadonlySet<string> = new Set(['eq', 'co', 'sw', 'ew']);

export function scimFilter(filter: Filter, type: ScimType): ScimCondition {
  switch (filter.kind) {
    case 'literal':
      return filter.value ? EVERYTHING : ALL;
    case 'and':
      return allOf(filter.filters.map((one) => scimFilter(one, type)));
    case 'or':
      return anyOf(filter.filters.map((one) => scimFilter(one, type)));
    case 'not':
      return ALL;
    case 'present':
      return filter.attribute === UID || filter.attribute === NAME ? EVERYTHING : ALL;
    case 'in':
      return filter.values.length === 0
        ? ALL
        : anyOf(filter.values.map((value) => compared(filter.attribute, 'eq', value, type)));
    case 'compare':
      return compared(filter.attribute, filter.operator, filter.value, type);
  }
}

/** Texts alone: what else there is, services store and compare in ways of their own. */
function compared(attribute: string, operator: string, value: Scalar, type: ScimType): ScimCondition {
  if (typeof value !== 'string' || value === '' || !OPERATORS.has(operator)) return ALL;
  const name = attribute === UID ? 'id' : attribute === NAME ? type.naming : attribute;
  const text = JSON.stringify(value);
  if (name === 'id') return operator === 'eq' ? { text: `id eq ${text}`, isExact: true } : ALL;
  const path = readPath(name);
  if (path === undefined) return ALL;
  const prefix = path.schema === undefined ? '' : `${path.schema}:`;
  const own = type.attributes.get(`${prefix}${path.name}`);
  const rule = own?.type === 'complex' ? own.parts.get(path.part ?? 'value') : own;
  if (own === undefined || rule?.type !== 'string' || own.isReturned === 'never') return ALL;
  if (path.mark !== undefined) {
    const { name: mark, value: marked } = path.mark;
    const where = `${mark} eq ${JSON.stringify(marked)} and ${path.part ?? 'value'} ${operator} ${text}`;
    return { text: `${prefix}${path.name}[${where}]`, isExact: true };
  }
  const part = own.type === 'complex' ? `.${path.part ?? 'value'}` : '';
  return { text: `${prefix}${path.name}${part} ${operator} ${text}`, isExact: true };
}

function allOf(parts: readonly ScimCondition[]): ScimCondition {
  const texts = parts.flatMap(({ text }) => text ?? []);
  return {
    text: texts.length === 0 ? undefined : texts.map((text) => `(${text})`).join(' and '),
    isExact: parts.every((part) => part.isExact),
  };
}

function anyOf(parts: readonly ScimCondition[]): ScimCondition {
  if (parts.some((part) => part === EVERYTHING)) return EVERYTHING;
  const texts = parts.flatMap(({ text }) => text ?? []);
  if (texts.length < parts.length || texts.length === 0) return ALL;
  return {
    text: texts.map((text) => `(${text})`).join(' or '),
    isExact: parts.every((part) => part.isExact),
  };
}
