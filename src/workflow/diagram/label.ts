import type { Box } from '../engine/index.ts';
import { textWidth } from './font.ts';
import { INK, PAPER } from './style.ts';
import { escapeText, type Svg, tag } from './svg.ts';

export interface LabelOptions {
  readonly size: number;
  /** What lies behind shines through less: for labels on lines. */
  readonly hasHalo?: boolean;
  readonly align?: 'middle' | 'start';
  /** Where the text stands in its box. */
  readonly vertical?: 'middle' | 'top';
  readonly isBold?: boolean;
}

const LINE_HEIGHT = 1.25;

/** A text in a box: wrapped at words, cut with an ellipsis when it does not fit. */
export function drawLabel(text: string, box: Box, options: LabelOptions): Svg {
  const { size, align = 'middle', vertical = 'middle' } = options;
  const height = size * LINE_HEIGHT;
  const lines = wrapText(text, box.width, size, Math.max(1, Math.floor(box.height / height)));
  const x = align === 'middle' ? box.x + box.width / 2 : box.x;
  const top = vertical === 'top' ? box.y : box.y + (box.height - lines.length * height) / 2;
  return tag(
    'text',
    {
      'text-anchor': align,
      'font-size': size,
      fill: INK,
      ...(options.isBold === true ? { 'font-weight': 'bold' } : {}),
      ...(options.hasHalo === true
        ? { stroke: PAPER, 'stroke-width': 3, 'stroke-linejoin': 'round', 'paint-order': 'stroke' }
        : {}),
    },
    ...lines.map((line, index) =>
      tag('tspan', { x, y: top + height * index + size * 0.95 }, escapeText(line)),
    ),
  );
}

/** A text that runs upwards along the left edge of a box: the name of a pool or lane. */
export function drawUpwardLabel(text: string, box: Box, size: number): Svg {
  const centre = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  const lying = {
    x: -box.height / 2 + 4,
    y: -box.width / 2,
    width: box.height - 8,
    height: box.width,
  };
  const transform = `translate(${centre.x} ${centre.y}) rotate(-90)`;
  return tag('g', { transform }, drawLabel(text, lying, { size }));
}

/** Lines no wider than that; words that are wider themselves are broken. */
function wrapText(text: string, width: number, size: number, maxLines: number): string[] {
  const fits = (line: string) => textWidth(line, size) <= width;
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/).filter((piece) => piece !== '')) {
    const joined = line === '' ? word : `${line} ${word}`;
    if (fits(joined)) {
      line = joined;
      continue;
    }
    if (line !== '') lines.push(line);
    line = '';
    for (const character of word) {
      if (line !== '' && !fits(line + character)) {
        lines.push(line);
        line = '';
      }
      line += character;
    }
    if (lines.length > maxLines) break;
  }
  if (line !== '') lines.push(line);
  if (lines.length <= maxLines) return lines;
  const kept = lines.slice(0, maxLines);
  let last = [...kept[maxLines - 1]!];
  while (last.length > 0 && !fits(`${last.join('').trimEnd()}…`)) last = last.slice(0, -1);
  kept[maxLines - 1] = `${last.join('').trimEnd()}…`;
  return kept;
}

/** How much room a text takes when it is wrapped to that width. */
export function measureText(
  text: string,
  width: number,
  size: number,
  maxLines = 6,
): { width: number; height: number } {
  const lines = wrapText(text, width, size, maxLines);
  return {
    width: Math.max(0, ...lines.map((line) => textWidth(line, size))),
    height: lines.length * size * LINE_HEIGHT,
  };
}
