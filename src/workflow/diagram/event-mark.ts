import { PAPER } from './style.ts';
import { path, type Svg, tag } from './svg.ts';

/**
 * The sign inside an event, around its centre, for a circle of radius 18. Throwing events show it filled.
 */
export function drawEventMark(kind: string, isFilled: boolean, colour: string): Svg {
  const fill = isFilled ? colour : 'none';
  const line = { stroke: colour, 'stroke-width': 1.3, 'stroke-linejoin': 'round', 'stroke-linecap': 'round' };
  const shape = (d: string) => tag('path', { d, fill, ...line });
  switch (kind) {
    case 'message':
      return (
        tag('rect', { x: -8, y: -5.5, width: 16, height: 11, rx: 1, fill, ...line }) +
        tag('path', { d: 'M -8 -5 L 0 1.2 L 8 -5', fill: 'none', ...line, stroke: isFilled ? PAPER : colour })
      );
    case 'timer':
      return drawClock(line);
    case 'signal':
      return shape('M 0 -8.5 L 8.2 6 L -8.2 6 Z');
    case 'error':
      return shape('M -8 8 L -3.2 -6.5 L 2.2 1.6 L 8 -8.5 L 3.4 6.6 L -2.2 -0.6 Z');
    case 'escalation':
      return shape('M 0 -9 L 6.8 8 L 0 1.2 L -6.8 8 Z');
    case 'compensate':
      return shape('M -0.4 -5.6 L -9 0 L -0.4 5.6 Z M 8.2 -5.6 L -0.4 0 L 8.2 5.6 Z');
    case 'conditional':
      return (
        tag('rect', { x: -6.5, y: -8, width: 13, height: 16, rx: 1, fill: 'none', ...line }) +
        tag('path', { d: 'M -4 -4.6 H 4 M -4 -1.5 H 4 M -4 1.6 H 4 M -4 4.7 H 4', fill: 'none', ...line })
      );
    case 'link':
      return shape('M -8.5 -3 H 1 V -7 L 9 0 L 1 7 V 3 H -8.5 Z');
    case 'cancel':
      return tag('path', {
        d: 'M -6 -6 L 6 6 M 6 -6 L -6 6',
        fill: 'none',
        ...line,
        'stroke-width': isFilled ? 4 : 2.2,
      });
    case 'terminate':
      return tag('circle', { r: 9.5, fill: colour });
    case 'multiple':
      return shape('M 0 -8.5 L 8.1 -2.6 L 5 6.9 L -5 6.9 L -8.1 -2.6 Z');
    case 'parallelMultiple':
      return shape('M -2.5 -8 H 2.5 V -2.5 H 8 V 2.5 H 2.5 V 8 H -2.5 V 2.5 H -8 V -2.5 H -2.5 Z');
    default:
      return '';
  }
}

function drawClock(line: Readonly<Record<string, string | number>>): Svg {
  const ticks = Array.from({ length: 12 }, (_, hour) => {
    const angle = (hour * Math.PI) / 6;
    const [x, y] = [Math.sin(angle), Math.cos(angle)];
    return path('M', x * 8, y * 8, 'L', x * 9.6, y * 9.6);
  });
  return (
    tag('circle', { r: 10, fill: PAPER, ...line }) +
    tag('path', {
      d: `${ticks.join(' ')} M 4.5 1.6 L 0 0 L 1.6 -6.8`,
      fill: 'none',
      ...line,
      'stroke-width': 1,
    })
  );
}
