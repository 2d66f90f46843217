import type { Pointer } from '#json/index.ts';
import type { FilterValue, QueryFilter } from './query-filter.ts';

/** Writes a filter so that `parseQueryFilter` reads the same filter again. */
export function formatQueryFilter(filter: QueryFilter): string {
  switch (filter.kind) {
    case 'literal':
      return String(filter.value);
    case 'and':
    case 'or':
      // The grammar has no empty conjunction; every or none of nothing is a literal.
      if (filter.filters.length === 0) return String(filter.kind === 'and');
      return filter.filters.map(formatOperand).join(` ${filter.kind} `);
    case 'not':
      return `!(${formatQueryFilter(filter.filter)})`;
    case 'present':
      return `${formatFilterPointer(filter.pointer)} pr`;
    case 'compare':
      return `${formatFilterPointer(filter.pointer)} ${filter.operator} ${formatValue(filter.value)}`;
    case 'in':
      return `${formatFilterPointer(filter.pointer)} in ${JSON.stringify(filter.values)}`;
  }
}

function formatOperand(filter: QueryFilter): string {
  const joined = filter.kind === 'and' || filter.kind === 'or';
  return joined ? `(${formatQueryFilter(filter)})` : formatQueryFilter(filter);
}

/**
 * With its leading slash, so that a field called `true` stays a field, and with a second trailing slash after
 * an empty name, because readers drop the first one.
 */
export function formatFilterPointer(pointer: Pointer): string {
  const path = pointer.map((token) => token.replace(/[%/ (),~]/g, percentEscape)).join('/');
  return `/${path}${pointer.at(-1) === '' ? '/' : ''}`;
}

function percentEscape(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}

function formatValue(value: FilterValue): string {
  if (typeof value === 'string') return `"${value.replace(/["\\]/g, '\\$&')}"`;
  if (typeof value === 'boolean') return String(value);
  return formatNumber(value);
}

/** Outside JSON, an exponent needs a decimal point and an integer has at most 64 bits. */
function formatNumber(value: number): string {
  const text = JSON.stringify(value);
  if (text.includes('.') || Number.isSafeInteger(value)) return text;
  const [digits, exponent] = text.split('e');
  return exponent === undefined ? `${digits}.0` : `${digits}.0e${exponent}`;
}
