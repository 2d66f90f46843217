/** What is to be put on paper: the flow nodes of a process, in their order, and the flows between them. */
export interface ToPlace {
  readonly nodes: readonly {
    readonly id: string;
    readonly size: Size;
    /** The activity that it stands on the edge of. */
    readonly on?: string;
  }[];
  readonly flows: readonly { readonly id: string; readonly from: string; readonly to: string }[];
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Place extends Size {
  readonly x: number;
  readonly y: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

const GAP = { x: 60, y: 50 };
const LEFT = 60;
const TOP = 60;

/**
 * Places for a process that nobody has drawn: from left to right as it goes, what is next to each other below each other.
 * Somebody will move it; it only has to be seen.
 */
export function layOut({ nodes, flows }: ToPlace): {
  readonly places: ReadonlyMap<string, Place>;
  readonly ways: ReadonlyMap<string, readonly Point[]>;
} {
  const columns = columnsOf(nodes, flows);
  const places = new Map<string, Place>();
  let x = LEFT;
  for (let column = 0; column <= Math.max(0, ...columns.values()); column++) {
    const inColumn = nodes.filter(({ id, on }) => on === undefined && columns.get(id) === column);
    const width = Math.max(0, ...inColumn.map(({ size }) => size.width));
    let y = TOP;
    for (const { id, size } of inColumn) {
      places.set(id, {
        ...size,
        x: x + (width - size.width) / 2,
        y: y + (80 - Math.min(80, size.height)) / 2,
      });
      y += Math.max(80, size.height) + GAP.y;
    }
    x += width + GAP.x;
  }
  for (const { id, on, size } of nodes) {
    const host = on === undefined ? undefined : places.get(on);
    if (host === undefined) continue;
    const before = [...nodes].filter((other) => other.on === on).findIndex((other) => other.id === id);
    places.set(id, {
      ...size,
      x: host.x + host.width - size.width - before * (size.width + 8),
      y: host.y + host.height - size.height / 2,
    });
  }
  const ways = new Map(
    flows.flatMap(({ id, from, to }) => {
      const [start, end] = [places.get(from), places.get(to)];
      const isEdge = nodes.some((node) => node.id === from && node.on !== undefined);
      return start === undefined || end === undefined ? [] : [[id, wayBetween(start, end, isEdge)] as const];
    }),
  );
  return { places, ways };
}

/** As many steps from a start as the longest way has; what leads back counts for nothing. */
function columnsOf(nodes: ToPlace['nodes'], flows: ToPlace['flows']): ReadonlyMap<string, number> {
  const hostOf = new Map(nodes.flatMap(({ id, on }) => (on === undefined ? [] : [[id, on] as const])));
  const next = new Map<string, string[]>();
  for (const { from, to } of flows) {
    const start = hostOf.get(from) ?? from;
    next.set(start, [...(next.get(start) ?? []), to]);
  }
  const columns = new Map<string, number>();
  const reached = new Set(flows.map(({ to }) => to));
  const ordered = nodes.filter(({ on }) => on === undefined).map(({ id }) => id);
  const starts = ordered.filter((id) => !reached.has(id));
  for (const first of [...starts, ...ordered]) {
    if (columns.has(first)) continue;
    columns.set(first, 0);
    const waiting = [{ id: first, way: new Set([first]) }];
    // Bounded, for a net in which everything leads everywhere has more ways than anybody could wait for.
    for (let steps = 0; waiting.length > 0 && steps < nodes.length * 10; steps++) {
      const { id, way } = waiting.shift() ?? { id: '', way: new Set<string>() };
      const column = (columns.get(id) ?? 0) + 1;
      for (const to of next.get(id) ?? []) {
        if (way.has(to) || (columns.get(to) ?? -1) >= column) continue;
        columns.set(to, column);
        waiting.push({ id: to, way: new Set([...way, to]) });
      }
    }
  }
  return columns;
}

function wayBetween(from: Place, to: Place, isEdge: boolean): readonly Point[] {
  const end = { x: to.x, y: to.y + to.height / 2 };
  if (isEdge) {
    const start = { x: from.x + from.width / 2, y: from.y + from.height };
    return [start, { x: start.x, y: Math.max(start.y + 20, end.y) }, end];
  }
  const start = { x: from.x + from.width, y: from.y + from.height / 2 };
  if (to.x < start.x) {
    const below = Math.max(from.y + from.height, to.y + to.height) + 25;
    const foot = { x: to.x + to.width / 2, y: to.y + to.height };
    const out = { x: from.x + from.width / 2, y: from.y + from.height };
    return [out, { x: out.x, y: below }, { x: foot.x, y: below }, foot];
  }
  if (start.y === end.y) return [start, end];
  const middle = start.x + (end.x - start.x) / 2;
  return [start, { x: middle, y: start.y }, { x: middle, y: end.y }, end];
}
