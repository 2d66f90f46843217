/** What leads from one object to another: a relationship, by its title. */
export interface Edge {
  readonly from: string;
  readonly to: string;
  readonly title: string;
}

export interface Placed {
  readonly path: string;
  /** How many steps from where one began; the way that was found first counts. */
  readonly column: number;
  readonly row: number;
}

/**
 * Places objects in columns by their distance, each below the ones before: those of one object together, in the order of its
 * relationships.
 */
export function layOut(start: string, edges: readonly Edge[]): readonly Placed[] {
  const placed = new Map<string, Placed>([[start, { path: start, column: 0, row: 0 }]]);
  const heights: number[] = [1];
  const queue = [start];
  for (let from = queue.shift(); from !== undefined; from = queue.shift()) {
    const column = (placed.get(from)?.column ?? 0) + 1;
    for (const { to } of edges.filter((edge) => edge.from === from)) {
      if (placed.has(to)) continue;
      const row = heights[column] ?? 0;
      heights[column] = row + 1;
      placed.set(to, { path: to, column, row });
      queue.push(to);
    }
  }
  return [...placed.values()];
}

/** The same relationship is told from both of its ends, when both are shown: one line is drawn. */
export function linesOf(edges: readonly Edge[]): readonly Edge[] {
  const seen = new Set<string>();
  return edges.filter(({ from, to }) => {
    const pair = [from, to].sort().join(' ');
    if (seen.has(pair)) return false;
    seen.add(pair);
    return true;
  });
}
