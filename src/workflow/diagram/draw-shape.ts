import type { Box, Shape } from '../engine/index.ts';
import { drawEventMark } from './event-mark.ts';
import { drawLabel, drawUpwardLabel, measureText } from './label.ts';
import { FONT_SIZE, LABEL_SIZE, PAPER, POOL_BAND, type Style } from './style.ts';
import { path, type Svg, tag } from './svg.ts';
import { drawActivityMark, drawTaskMark } from './task-mark.ts';

const BAND = 30;
const CORNER = 8;

/** A shape without its outer label, in its place. */
export function drawShape(shape: Shape, style: Style): Svg {
  const { tag: kind, box } = shape;
  if (shape.event !== undefined) return drawEvent(shape, style);
  if (kind.endsWith('Gateway')) return drawGateway(kind, box, style);
  switch (kind) {
    case 'participant':
    case 'lane':
      return drawPool(shape, style);
    case 'textAnnotation':
      return drawAnnotation(shape, style);
    case 'group':
      return tag('rect', {
        ...box,
        rx: CORNER,
        fill: 'none',
        stroke: style.stroke,
        'stroke-width': 1.4,
        'stroke-dasharray': '9 4 2 4',
      });
    case 'dataObjectReference':
    case 'dataObject':
    case 'dataInput':
    case 'dataOutput':
      return drawData(shape, style);
    case 'dataStoreReference':
    case 'dataStore':
      return drawStore(box, style);
    default:
      return drawActivity(shape, style);
  }
}

function drawActivity(shape: Shape, style: Style): Svg {
  const { box, tag: kind } = shape;
  const frame = {
    ...box,
    rx: Math.min(CORNER, box.width / 4, box.height / 4),
    fill: style.fill,
    stroke: style.stroke,
    'stroke-width': kind === 'callActivity' ? 3.6 : 1.6,
    ...(shape.isEventSubProcess === true ? { 'stroke-dasharray': '2 3' } : {}),
  };
  const inset = 3.5;
  const inner =
    shape.isTransaction === true
      ? tag('rect', {
          x: box.x + inset,
          y: box.y + inset,
          width: Math.max(1, box.width - 2 * inset),
          height: Math.max(1, box.height - 2 * inset),
          rx: CORNER - 3,
          fill: 'none',
          stroke: style.stroke,
          'stroke-width': 1.2,
        })
      : undefined;
  const mark = drawTaskMark(kind, style.stroke);
  return [
    tag('rect', frame),
    inner,
    mark === '' ? undefined : tag('g', { transform: `translate(${box.x + 6} ${box.y + 6})` }, mark),
    drawActivityName(shape, mark !== ''),
    drawMarks(shape, style),
  ].join('');
}

/** Draws the name in the middle of a task, or at the top of an open sub-process. */
function drawActivityName(shape: Shape, hasMark: boolean): Svg {
  const { box, name } = shape;
  if (name === undefined) return '';
  if (shape.isExpanded === true) {
    const top = { x: box.x + 12, y: box.y + 7, width: box.width - 24, height: 32 };
    return drawLabel(name, top, { size: FONT_SIZE, vertical: 'top', isBold: true });
  }
  const width = box.width - 14;
  const top = hasMark ? 22 : 6;
  const bottom = marksOf(shape).length > 0 ? 20 : 6;
  const spare = Math.max(top, bottom);
  // In the middle of the task, unless the text needs the room beside the signs, or is still too long.
  const rooms = [
    { above: spare, below: spare, size: FONT_SIZE },
    { above: top, below: bottom, size: FONT_SIZE },
  ];
  const smallest = { above: top, below: bottom, size: FONT_SIZE - 2 };
  const fits = ({ above, below, size }: typeof smallest) =>
    measureText(name, width, size, 20).height <= box.height - above - below;
  const { above, below, size } = rooms.find(fits) ?? smallest;
  const room = { x: box.x + 7, y: box.y + above, width, height: box.height - above - below };
  return drawLabel(name, room, { size });
}

function marksOf(shape: Shape): string[] {
  const marks: string[] = [];
  if (shape.isForCompensation === true) marks.push('compensation');
  if (shape.loop !== undefined) marks.push(shape.loop);
  if (shape.isExpanded === false) marks.push('subProcess');
  if (shape.tag === 'adHocSubProcess') marks.push('adHoc');
  return marks;
}

function drawMarks(shape: Shape, style: Style): Svg {
  const marks = marksOf(shape);
  const { box } = shape;
  const step = 18;
  const left = box.x + box.width / 2 - ((marks.length - 1) * step) / 2;
  return marks
    .map((mark, index) =>
      tag(
        'g',
        { transform: `translate(${left + index * step} ${box.y + box.height - 11})` },
        drawActivityMark(mark, style.stroke),
      ),
    )
    .join('');
}

function drawEvent(shape: Shape, style: Style): Svg {
  const { box, event, tag: kind } = shape;
  const radius = Math.min(box.width, box.height) / 2;
  const dashes = event?.isInterrupting === true ? {} : { 'stroke-dasharray': '4 2.6' };
  const isBetween = kind === 'boundaryEvent' || kind.startsWith('intermediate');
  const width = kind === 'endEvent' ? 3.4 : 1.6;
  const mark = event?.kind === undefined ? '' : drawEventMark(event.kind, event.isThrowing, style.stroke);
  return tag(
    'g',
    { transform: `translate(${box.x + box.width / 2} ${box.y + box.height / 2})` },
    tag('circle', { r: radius, fill: style.fill, stroke: style.stroke, 'stroke-width': width, ...dashes }),
    isBetween
      ? tag('circle', {
          r: Math.max(1, radius - 3),
          fill: 'none',
          stroke: style.stroke,
          'stroke-width': 1.2,
          ...dashes,
        })
      : undefined,
    mark === '' ? undefined : tag('g', { transform: `scale(${radius / (isBetween ? 20 : 18)})` }, mark),
  );
}

function drawGateway(kind: string, box: Box, style: Style): Svg {
  const x = box.x + box.width / 2;
  const y = box.y + box.height / 2;
  const line = {
    fill: 'none',
    stroke: style.stroke,
    'stroke-width': 3,
    'stroke-linecap': 'round',
    'stroke-linejoin': 'round',
  };
  const signs: Readonly<Record<string, Svg>> = {
    exclusiveGateway: tag('path', { d: 'M -6.5 -7.5 L 6.5 7.5 M 6.5 -7.5 L -6.5 7.5', ...line }),
    parallelGateway: tag('path', { d: 'M 0 -10 V 10 M -10 0 H 10', ...line }),
    inclusiveGateway: tag('circle', { r: 9.5, ...line, 'stroke-width': 2.6 }),
    complexGateway: tag('path', {
      d: 'M 0 -10.5 V 10.5 M -10.5 0 H 10.5 M -7.4 -7.4 L 7.4 7.4 M 7.4 -7.4 L -7.4 7.4',
      ...line,
      'stroke-width': 2.6,
    }),
    eventBasedGateway:
      tag('circle', { r: 13, ...line, 'stroke-width': 1.2 }) +
      tag('circle', { r: 10.4, ...line, 'stroke-width': 1.2 }) +
      tag('path', { d: 'M 0 -6.6 L 6.3 -2 L 3.9 5.4 L -3.9 5.4 L -6.3 -2 Z', ...line, 'stroke-width': 1.3 }),
  };
  const scale = Math.min(box.width, box.height) / 50;
  const sign = signs[kind];
  return (
    tag('path', {
      d: path('M', x, box.y, 'L', box.x + box.width, y, 'L', x, box.y + box.height, 'L', box.x, y, 'Z'),
      fill: style.fill,
      stroke: style.stroke,
      'stroke-width': 1.6,
      'stroke-linejoin': 'round',
    }) + (sign === undefined ? '' : tag('g', { transform: `translate(${x} ${y}) scale(${scale})` }, sign))
  );
}

function drawPool(shape: Shape, style: Style): Svg {
  const { box, name } = shape;
  const isUpright = shape.isHorizontal !== false;
  const isPool = shape.tag === 'participant';
  const outline = { stroke: style.stroke, 'stroke-width': isPool ? 1.4 : 1 };
  const band = isUpright
    ? { ...box, width: Math.min(BAND, box.width) }
    : { ...box, height: Math.min(BAND, box.height) };
  // A pool that hides its process has its name in the middle.
  const isFlat = isUpright ? box.height <= 2 * BAND : box.width <= 2 * BAND;
  const title = name ?? '';
  return (
    tag('rect', { ...box, fill: style.fill, ...outline }) +
    (isPool && !isFlat ? tag('rect', { ...band, fill: POOL_BAND, ...outline }) : '') +
    (title === ''
      ? ''
      : isUpright && !isFlat
        ? drawUpwardLabel(title, band, FONT_SIZE)
        : drawLabel(title, isFlat ? box : band, { size: FONT_SIZE }))
  );
}

function drawAnnotation({ box, name }: Shape, style: Style): Svg {
  const { x, y, width, height } = box;
  const text = { x: x + 8, y: y + 4, width: width - 12, height: height - 8 };
  return (
    tag('rect', { ...box, fill: PAPER, 'fill-opacity': 0.7 }) +
    tag('path', {
      d: path('M', x + 10, y, 'H', x, 'V', y + height, 'H', x + 10),
      fill: 'none',
      stroke: style.stroke,
      'stroke-width': 1.4,
    }) +
    (name === undefined ? '' : drawLabel(name, text, { size: LABEL_SIZE, align: 'start' }))
  );
}

function drawData({ box, tag: kind, isCollection }: Shape, style: Style): Svg {
  const { x, y, width, height } = box;
  const fold = Math.min(10, width / 3);
  const line = { stroke: style.stroke, 'stroke-width': 1.3, 'stroke-linejoin': 'round' };
  const right = x + width;
  return [
    tag('path', {
      d: path('M', x, y, 'H', right - fold, 'L', right, y + fold, 'V', y + height, 'H', x, 'Z'),
      fill: style.fill,
      ...line,
    }),
    tag('path', {
      d: path('M', right - fold, y, 'V', y + fold, 'H', right),
      fill: 'none',
      ...line,
    }),
    kind === 'dataInput' || kind === 'dataOutput'
      ? tag(
          'g',
          { transform: `translate(${x + 11} ${y + 11}) scale(0.7)` },
          drawEventMark('link', kind === 'dataOutput', style.stroke),
        )
      : '',
    isCollection === true
      ? tag(
          'g',
          { transform: `translate(${x + width / 2} ${y + height - 9})` },
          drawActivityMark('parallel', style.stroke),
        )
      : '',
  ].join('');
}

function drawStore(box: Box, style: Style): Svg {
  const { x, y, width, height } = box;
  const rim = Math.min(9, height / 4);
  const right = x + width;
  const arc = (from: number) =>
    path('M', x, from, 'C', x, from + rim * 1.4, right, from + rim * 1.4, right, from);
  const line = { stroke: style.stroke, 'stroke-width': 1.3, fill: 'none' };
  return (
    tag('path', {
      ...line,
      fill: style.fill,
      d: path(
        ...['M', x, y + rim, 'C', x, y - rim * 0.4, right, y - rim * 0.4, right, y + rim],
        ...['V', y + height - rim, 'C', right, y + height + rim * 0.4, x, y + height + rim * 0.4, x],
        ...[y + height - rim, 'Z'],
      ),
    }) + [rim, rim * 1.8, rim * 2.6].map((offset) => tag('path', { d: arc(y + offset), ...line })).join('')
  );
}
