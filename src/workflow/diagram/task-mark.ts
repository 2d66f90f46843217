import { PAPER } from './style.ts';
import { path, type Svg, tag } from './svg.ts';

/** The sign of a task's type, in a square of 16 from the upper left corner; empty for a plain task. */
export function drawTaskMark(type: string, colour: string): Svg {
  const line = {
    fill: PAPER,
    stroke: colour,
    'stroke-width': 1.1,
    'stroke-linejoin': 'round',
    'stroke-linecap': 'round',
  };
  const drawing = (d: string) => tag('path', { d, ...line });
  const strokes = (d: string) => tag('path', { d, ...line, fill: 'none' });
  switch (type) {
    case 'userTask':
      return (
        drawing('M 1.6 15 C 1.6 10.8 4 9.2 8 9.2 C 12 9.2 14.4 10.8 14.4 15 Z') +
        tag('circle', { cx: 8, cy: 4.8, r: 3.6, ...line })
      );
    case 'serviceTask':
      return drawing(gear(8, 8, 7.4, 5.4)) + tag('circle', { cx: 8, cy: 8, r: 2.3, ...line });
    case 'scriptTask':
      return (
        drawing('M 5 1.2 H 14.4 C 10.4 4.6 15.6 9.6 11.6 14.8 H 1.8 C 5.8 9.6 0.8 4.6 5 1.2 Z') +
        strokes('M 5.4 4.2 H 10 M 5.8 6.8 H 10.6 M 6.4 9.4 H 11.2 M 5.6 12 H 10.4')
      );
    case 'sendTask':
      return (
        tag('rect', { x: 0.8, y: 2.6, width: 14.4, height: 10.6, rx: 1, ...line, fill: colour }) +
        tag('path', { d: 'M 1.2 3.2 L 8 8.8 L 14.8 3.2', ...line, fill: 'none', stroke: PAPER })
      );
    case 'receiveTask':
      return (
        tag('rect', { x: 0.8, y: 2.6, width: 14.4, height: 10.6, rx: 1, ...line }) +
        strokes('M 1.2 3.2 L 8 8.8 L 14.8 3.2')
      );
    case 'manualTask':
      return drawing(
        'M 1 8.4 C 1 6 4.2 2.6 5.6 2.6 H 8.8 A 1.1 1.1 0 0 1 8.8 4.8 H 6.8 H 14 A 1.1 1.1 0 0 1 14 7 H 8.6 H 15 A 1.1 1.1 0 0 1 15 9.2 H 8.6 H 14.2 A 1.1 1.1 0 0 1 14.2 11.4 H 8.6 H 12.4 A 1.1 1.1 0 0 1 12.4 13.6 H 5 C 2.4 13.6 1 11 1 8.4 Z',
      );
    case 'businessRuleTask':
      return (
        tag('rect', { x: 0.8, y: 2.2, width: 14.4, height: 11.6, ...line }) +
        tag('rect', { x: 0.8, y: 2.2, width: 14.4, height: 3.4, ...line, fill: colour }) +
        strokes('M 0.8 9.6 H 15.2 M 5.2 5.6 V 13.8')
      );
    default:
      return '';
  }
}

/** The signs at the lower edge of an activity, each in a square of 14 around its centre. */
export function drawActivityMark(kind: string, colour: string): Svg {
  const line = { fill: 'none', stroke: colour, 'stroke-width': 1.6, 'stroke-linecap': 'round' };
  switch (kind) {
    case 'subProcess':
      return (
        tag('rect', {
          x: -7,
          y: -7,
          width: 14,
          height: 14,
          rx: 1,
          ...line,
          fill: PAPER,
          'stroke-width': 1.2,
        }) + tag('path', { d: 'M 0 -4 V 4 M -4 0 H 4', ...line })
      );
    case 'parallel':
      return tag('path', {
        d: 'M -4.5 -5.5 V 5.5 M 0 -5.5 V 5.5 M 4.5 -5.5 V 5.5',
        ...line,
        'stroke-width': 2,
      });
    case 'sequential':
      return tag('path', {
        d: 'M -5.5 -4.5 H 5.5 M -5.5 0 H 5.5 M -5.5 4.5 H 5.5',
        ...line,
        'stroke-width': 2,
      });
    case 'loop':
      return tag('path', {
        d: 'M -2.4 5 A 5.6 5.6 0 1 1 2.8 4.9 M -5.6 6.2 L -2.2 5.2 L -3.2 1.8',
        ...line,
        'stroke-linejoin': 'round',
      });
    case 'compensation':
      return tag('path', {
        d: 'M 0 -4.6 L -6.6 0 L 0 4.6 Z M 6.6 -4.6 L 0 0 L 6.6 4.6 Z',
        ...line,
        'stroke-width': 1.2,
        'stroke-linejoin': 'round',
      });
    case 'adHoc':
      return tag('path', {
        d: 'M -6 1.6 C -3 -4 -1.2 -1.6 0 0 C 1.2 1.6 3 4 6 -1.6',
        ...line,
        'stroke-width': 2,
      });
    default:
      return '';
  }
}

function gear(x: number, y: number, outer: number, inner: number): string {
  const points: (string | number)[] = [];
  for (let tooth = 0; tooth < 8; tooth++) {
    const centre = (tooth * Math.PI) / 4;
    for (const [radius, angle] of [
      [inner, centre - 0.27],
      [outer, centre - 0.17],
      [outer, centre + 0.17],
      [inner, centre + 0.27],
    ] as const) {
      points.push(
        points.length === 0 ? 'M' : 'L',
        x + radius * Math.cos(angle),
        y + radius * Math.sin(angle),
      );
    }
  }
  return path(...points, 'Z');
}
