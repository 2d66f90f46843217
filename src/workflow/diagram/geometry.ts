import type { Point } from '../engine/index.ts';

/** The direction from one point to another, of length one. */
export function direction(from: Point, to: Point): Point {
  const length = distance(from, to);
  return length === 0 ? { x: 1, y: 0 } : { x: (to.x - from.x) / length, y: (to.y - from.y) / length };
}

export function along(from: Point, way: Point, length: number): Point {
  return { x: from.x + way.x * length, y: from.y + way.y * length };
}

/** The points to the left and right of a way. */
export function across(at: Point, way: Point, length: number): readonly [Point, Point] {
  return [
    { x: at.x + way.y * length, y: at.y - way.x * length },
    { x: at.x - way.y * length, y: at.y + way.x * length },
  ];
}

export function distance(from: Point, to: Point): number {
  return Math.hypot(to.x - from.x, to.y - from.y);
}
