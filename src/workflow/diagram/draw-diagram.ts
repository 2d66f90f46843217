import type { Box, Diagram, Edge, Point, Shape } from '../engine/index.ts';
import { drawEdge } from './draw-edge.ts';
import { drawShape } from './draw-shape.ts';
import { drawLabel } from './label.ts';
import { type PlacedLabel, placeLabels } from './place-labels.ts';
import { ACTIVE, FAILED, FONT_STACK, LABEL_SIZE, LINE, PAPER, type Style, styleOf } from './style.ts';
import { escapeText, type Svg, tag } from './svg.ts';

const MARGIN = 20;

export interface DiagramOptions {
  /** Elements to draw in red: where an instance stands. */
  readonly active?: Iterable<string>;
  /** Elements to draw in dark red: where it cannot go on by itself. */
  readonly failed?: Iterable<string>;
}

/** A picture of a process, in pixels. */
export interface Drawing {
  readonly svg: Svg;
  readonly width: number;
  readonly height: number;
}

/**
 * Draws a process as SVG. Every element is a group with `data-element-id`, which has the class `active` where
 * the instance stands, and `failed` where it cannot go on; what is inside a closed sub-process lights up that.
 */
export function drawDiagram(diagram: Diagram, options: DiagramOptions = {}): Drawing {
  const marks = {
    active: visible(diagram, options.active ?? []),
    failed: visible(diagram, options.failed ?? []),
  };
  const shapes = diagram.shapes.toSorted((a, b) => layerOf(a) - layerOf(b) || area(b) - area(a));
  const isBehind = (shape: Shape) => layerOf(shape) < 0;
  const labels = placeLabels(diagram);
  const layers = [
    ...shapes.filter(isBehind).map((shape) => shapeGroup(shape, marks)),
    ...diagram.edges.map(edgeGroup),
    ...shapes.filter((shape) => !isBehind(shape)).map((shape) => shapeGroup(shape, marks)),
    ...labels.map(({ text, box }) => drawLabel(text, box, { size: LABEL_SIZE, hasHalo: true })),
  ];
  const frame = frameOf(diagram, labels);
  return {
    width: frame.width,
    height: frame.height,
    svg: tag(
      'svg',
      {
        xmlns: 'http://www.w3.org/2000/svg',
        width: frame.width,
        height: frame.height,
        viewBox: `${frame.x} ${frame.y} ${frame.width} ${frame.height}`,
        'font-family': FONT_STACK,
      },
      tag('rect', { ...frame, fill: PAPER }),
      ...layers,
    ),
  };
}

/** What is not drawn itself is seen at the sub-process around it. */
function visible({ shapes, containers }: Diagram, active: Iterable<string>): Set<string> {
  const drawn = new Set(shapes.map(({ id }) => id));
  const found = new Set<string>();
  for (const id of active) {
    const seen = new Set<string>();
    let at: string | undefined = id;
    while (at !== undefined && !drawn.has(at) && !seen.has(at)) {
      seen.add(at);
      at = Object.hasOwn(containers, at) ? containers[at] : undefined;
    }
    if (at !== undefined && drawn.has(at)) found.add(at);
  }
  return found;
}

/** Negative layers lie behind the connections. */
function layerOf({ tag: kind, isExpanded }: Shape): number {
  if (kind === 'participant') return -4;
  if (kind === 'lane') return -3;
  if (isExpanded === true) return -2;
  if (kind === 'group') return -1;
  return kind === 'boundaryEvent' ? 2 : 1;
}

type Marks = Readonly<Record<'active' | 'failed', ReadonlySet<string>>>;

function shapeGroup(shape: Shape, { active, failed }: Marks): Svg {
  const isActive = active.has(shape.id);
  const mark = failed.has(shape.id) ? FAILED : isActive ? ACTIVE : undefined;
  const own = styleOf(shape.tag, shape.isExpanded === true);
  const style: Style = mark
    ? { stroke: mark.stroke, fill: shape.isExpanded === true ? own.fill : mark.fill }
    : { stroke: shape.stroke ?? own.stroke, fill: shape.fill ?? own.fill };
  return tag(
    'g',
    {
      'data-element-id': shape.id,
      class: `${shape.tag}${isActive ? ' active' : ''}${failed.has(shape.id) ? ' failed' : ''}`,
    },
    shape.name === undefined ? undefined : tag('title', {}, escapeText(shape.name)),
    mark && glow(shape, mark),
    drawShape(shape, style),
  );
}

/** A soft red border around the place where the instance stands. */
function glow({ box, event, tag: kind }: Shape, { stroke }: Style): Svg {
  const isRound = event !== undefined;
  const isSquare = !isRound && !kind.endsWith('Gateway');
  const shine = {
    fill: 'none',
    stroke,
    'stroke-width': 9,
    'stroke-opacity': 0.22,
    'stroke-linejoin': 'round',
  };
  if (isSquare) return tag('rect', { ...box, rx: 9, ...shine });
  const x = box.x + box.width / 2;
  const y = box.y + box.height / 2;
  if (isRound) return tag('circle', { cx: x, cy: y, r: Math.min(box.width, box.height) / 2, ...shine });
  const corners = [
    [x, box.y],
    [box.x + box.width, y],
    [x, box.y + box.height],
    [box.x, y],
  ];
  return tag('polygon', { points: corners.map((corner) => corner.join(' ')).join(' '), ...shine });
}

function edgeGroup(edge: Edge): Svg {
  return tag(
    'g',
    { 'data-element-id': edge.id, class: edge.tag },
    edge.name === undefined ? undefined : tag('title', {}, escapeText(edge.name)),
    drawEdge(edge, edge.stroke ?? LINE),
  );
}

function frameOf({ shapes, edges }: Diagram, labels: readonly PlacedLabel[]): Box {
  const boxes: Box[] = [
    ...shapes.map(({ box }) => box),
    ...labels.map(({ box }) => box),
    ...edges.flatMap(({ points }) => points.map((point: Point) => ({ ...point, width: 0, height: 0 }))),
  ];
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { x, y, width, height } of boxes) {
    left = Math.min(left, x);
    top = Math.min(top, y);
    right = Math.max(right, x + width);
    bottom = Math.max(bottom, y + height);
  }
  const x = Math.floor(left - MARGIN);
  const y = Math.floor(top - MARGIN);
  return { x, y, width: Math.ceil(right + MARGIN) - x, height: Math.ceil(bottom + MARGIN) - y };
}

function area({ box }: Shape): number {
  return box.width * box.height;
}
