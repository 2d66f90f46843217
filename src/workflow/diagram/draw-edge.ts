import { firstOf, lastOf } from '#json/index.ts';
import type { Edge, Point } from '../engine/index.ts';
import { across, along, direction, distance } from './geometry.ts';
import { PAPER } from './style.ts';
import { path, type Svg, tag } from './svg.ts';

const BEND = 7;

/** A connection without its label. */
export function drawEdge(edge: Edge, colour: string): Svg {
  const { points } = edge;
  const line = { fill: 'none', stroke: colour, 'stroke-width': 1.5, 'stroke-linejoin': 'round' };
  const first = firstOf(points);
  const last = lastOf(points);
  const backwards = direction(last, lastOf(points.slice(0, -1)));
  const forwards = direction(first, firstOf(points.slice(1)));
  switch (edge.tag) {
    case 'sequenceFlow': {
      // The line ends inside the arrow head, so that its tip stays sharp.
      const shortened = [...points.slice(0, -1), along(last, backwards, 4)];
      return [
        tag('path', { d: smooth(shortened), ...line }),
        arrow(last, backwards, { fill: colour, stroke: colour }),
        edge.isDefault === true ? slash(first, forwards, colour) : '',
        edge.isConditional === true ? diamond(first, forwards, colour) : '',
      ].join('');
    }
    case 'messageFlow':
      return [
        tag('path', { d: smooth(points), ...line, 'stroke-dasharray': '8 5' }),
        tag('circle', {
          cx: first.x + forwards.x * 3,
          cy: first.y + forwards.y * 3,
          r: 3.5,
          fill: PAPER,
          stroke: colour,
          'stroke-width': 1.3,
        }),
        arrow(last, backwards, { fill: PAPER, stroke: colour }),
      ].join('');
    default: {
      const isDirected = edge.isDirected === true || edge.tag.startsWith('data');
      return (
        tag('path', { d: smooth(points), ...line, 'stroke-dasharray': '1.5 4', 'stroke-linecap': 'round' }) +
        (isDirected ? openArrow(last, backwards, colour) : '')
      );
    }
  }
}

/** A line through points, with round bends. */
function smooth(points: readonly Point[]): string {
  let before = firstOf(points);
  const others = points.slice(1);
  const pieces: (string | number)[] = ['M', before.x, before.y];
  for (const [index, point] of others.entries()) {
    const after = others[index + 1];
    if (after === undefined) {
      pieces.push('L', point.x, point.y);
      continue;
    }
    const radius = Math.min(BEND, distance(before, point) / 2, distance(point, after) / 2);
    const from = along(point, direction(point, before), radius);
    const to = along(point, direction(point, after), radius);
    pieces.push('L', from.x, from.y, 'Q', point.x, point.y, to.x, to.y);
    before = point;
  }
  return path(...pieces);
}

function arrow(tip: Point, back: Point, style: { readonly fill: string; readonly stroke: string }): Svg {
  const base = along(tip, back, 10);
  const [left, right] = across(base, back, 4.2);
  return tag('path', {
    d: path('M', tip.x, tip.y, 'L', left.x, left.y, 'L', right.x, right.y, 'Z'),
    ...style,
    'stroke-width': 1,
    'stroke-linejoin': 'round',
  });
}

function openArrow(tip: Point, back: Point, colour: string): Svg {
  const [left, right] = across(along(tip, back, 7), back, 4.5);
  return tag('path', {
    d: path('M', left.x, left.y, 'L', tip.x, tip.y, 'L', right.x, right.y),
    fill: 'none',
    stroke: colour,
    'stroke-width': 1.4,
  });
}

/** The flow that is taken when no other is. */
function slash(start: Point, forwards: Point, colour: string): Svg {
  const low = along(start, forwards, 7);
  const high = along(start, forwards, 13);
  const [from] = across(low, forwards, 5.5);
  const [, to] = across(high, forwards, 5.5);
  return tag('path', {
    d: path('M', from.x, from.y, 'L', to.x, to.y),
    fill: 'none',
    stroke: colour,
    'stroke-width': 1.7,
    'stroke-linecap': 'round',
  });
}

function diamond(start: Point, forwards: Point, colour: string): Svg {
  const [left, right] = across(along(start, forwards, 8), forwards, 4.6);
  const end = along(start, forwards, 16);
  return tag('path', {
    d: path('M', start.x, start.y, 'L', left.x, left.y, 'L', end.x, end.y, 'L', right.x, right.y, 'Z'),
    fill: PAPER,
    stroke: colour,
    'stroke-width': 1.3,
    'stroke-linejoin': 'round',
  });
}
