import { firstOf, lastOf } from '#json/index.ts';
import type { Box, Diagram, Edge, Point, Shape } from '../engine/index.ts';
import { along, direction, distance } from './geometry.ts';
import { measureText } from './label.ts';
import { LABEL_SIZE } from './style.ts';

/** A text outside of shapes, and where it goes. */
export interface PlacedLabel {
  readonly text: string;
  readonly box: Box;
}

const WIDTH = 100;
const GAP = 4;

/** The labels of connections, events, gateways and data: where their author put them, else near by. */
export function placeLabels({ shapes, edges }: Diagram): PlacedLabel[] {
  return [
    ...edges.flatMap((edge) => placeEdgeLabel(edge) ?? []),
    ...shapes.flatMap((shape) => placeShapeLabel(shape, edges) ?? []),
  ];
}

/** A label without a place of its own stands over the middle of the connection. */
function placeEdgeLabel({ name, label, points }: Edge): PlacedLabel | undefined {
  if (name === undefined) return undefined;
  if (label !== undefined) return placed(name, around(name, label));
  const { at, from, to } = middleOf(points);
  const isLevel = Math.abs(to.y - from.y) < 1;
  const room = isLevel ? Math.min(WIDTH, Math.max(40, distance(from, to) - 16)) : WIDTH;
  const size = measureText(name, room, LABEL_SIZE);
  const y = isLevel ? at.y - size.height - 3 : at.y - size.height / 2;
  return placed(name, { x: at.x - size.width / 2, y, ...size });
}

/** A label without a place of its own stands below, or above when a connection is in the way, or beside. */
function placeShapeLabel({ tag, name, box, label }: Shape, edges: readonly Edge[]): PlacedLabel | undefined {
  const isOutside = tag.endsWith('Event') || tag.endsWith('Gateway') || tag.startsWith('data');
  if (name === undefined || (!isOutside && tag !== 'group')) return undefined;
  if (label !== undefined) return placed(name, around(name, label));
  const size = measureText(name, WIDTH, LABEL_SIZE);
  const middle = box.x + box.width / 2;
  const left = middle - size.width / 2;
  if (tag === 'group') return placed(name, { x: left, y: box.y + GAP, ...size });
  const isTaken = (y: number) =>
    edges.some(({ points }) =>
      [firstOf(points), lastOf(points)].some(
        (end) => Math.abs(end.x - middle) < box.width / 4 && Math.abs(end.y - y) < GAP,
      ),
    );
  const bottom = box.y + box.height;
  const above = box.y - size.height - GAP;
  if (!isTaken(bottom)) return placed(name, { x: left, y: bottom + GAP, ...size });
  if (!isTaken(box.y)) return placed(name, { x: left, y: above, ...size });
  return placed(name, { x: middle + box.width / 4 + 2, y: above + box.height / 4, ...size });
}

/** Label boxes of editors are made for their fonts: ours keeps the middle and takes the room it needs. */
function around(text: string, box: Box): Box {
  const size = measureText(text, Math.max(box.width * 1.15, 60), LABEL_SIZE);
  return { x: box.x + box.width / 2 - size.width / 2, y: box.y, ...size };
}

function placed(text: string, box: Box): PlacedLabel {
  // Measured sizes are exact; a hair more keeps rounding from breaking a line.
  return { text, box: { x: box.x - 1, y: box.y, width: box.width + 2, height: box.height + 1 } };
}

function middleOf(points: readonly Point[]): {
  readonly at: Point;
  readonly from: Point;
  readonly to: Point;
} {
  let from = firstOf(points);
  const parts = points.slice(1).map((to) => {
    const part = { from, to, length: distance(from, to) };
    from = to;
    return part;
  });
  let left = parts.reduce((sum, { length }) => sum + length, 0) / 2;
  for (const { from, to, length } of parts) {
    if (left <= length) return { at: along(from, direction(from, to), left), from, to };
    left -= length;
  }
  return { at: firstOf(points), from: firstOf(points), to: firstOf(points) };
}
