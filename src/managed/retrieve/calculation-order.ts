import type { ManagedProperty } from '../managed-property.ts';

/**
 * Properties in the order in which their `onRetrieve` scripts run: each after those that its text mentions, so that it
 * sees them as they are now; otherwise, and where they mention each other, as they are declared. Of a script in a file
 * nothing is known ahead.
 */
export function calculationOrder<P extends ManagedProperty>(properties: readonly P[]): readonly P[] {
  const ordered = new Set<P>();
  const visited = new Set<P>();
  const visit = (property: P) => {
    if (visited.has(property)) return;
    visited.add(property);
    for (const other of properties) if (other !== property && mentions(property, other.name)) visit(other);
    ordered.add(property);
  };
  for (const property of properties) visit(property);
  return [...ordered];
}

function mentions({ scripts }: ManagedProperty, name: string): boolean {
  const source = scripts.onRetrieve?.source;
  return typeof source === 'string' && source.split(/[^\w$]+/).includes(name);
}
