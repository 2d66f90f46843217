/** A value as a filter has it. */
export function literal(value: unknown): string {
  return JSON.stringify(value);
}

/** All that fits a filter, and this besides. */
export function and(filter: string, further: string): string {
  if (filter === '' || filter === 'true') return further;
  return /\b(?:or|and)\b|[()!]/i.test(filter) ? `(${filter}) and ${further}` : `${filter} and ${further}`;
}

/** Just these objects. */
export function oneOf(ids: readonly string[]): string {
  return ids.map((id) => `_id eq ${literal(id)}`).join(' or ');
}
