/** A piece of a drawing: what it is, and what is in it. */
export interface Piece {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly pieces: readonly (Piece | string)[];
}

/** What the server draws with. Anything else of a drawing is left out, with all that is in it. */
const KNOWN = /^(?:svg|g|rect|circle|ellipse|line|path|polygon|polyline|text|tspan|title)$/;
const TOKEN = /<(\/?)([a-zA-Z]+)((?:\s+[\w:-]+="[^"]*")*)\s*(\/?)>|([^<]+)/g;
const ATTRIBUTE = /([\w:-]+)="([^"]*)"/g;
const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};

interface Open extends Piece {
  readonly pieces: (Piece | string)[];
}

/**
 * Reads a drawing of the server, as `diagramSvg` has it. The policy of the page lets no text become markup, so it becomes
 * elements one by one, of the kinds that are known.
 *
 * @returns undefined for what is no drawing
 */
export function readDrawing(svg: string): Piece | undefined {
  const top: Open = { name: '', attributes: {}, pieces: [] };
  const open = [top];
  for (const [, slash, name = '', attributes = '', end, text] of svg.matchAll(TOKEN)) {
    const around = open.at(-1) ?? top;
    if (text !== undefined) around.pieces.push(plain(text));
    else if (slash === '/') open.pop();
    else {
      const piece: Open = { name, attributes: readAttributes(attributes), pieces: [] };
      if (KNOWN.test(name)) around.pieces.push(piece);
      if (end !== '/') open.push(piece);
    }
  }
  const [first] = top.pieces;
  return typeof first === 'object' && first.name === 'svg' ? first : undefined;
}

function readAttributes(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...text.matchAll(ATTRIBUTE)].flatMap(([, name = '', value = '']) =>
      /^(?:on|xmlns|style|href|xlink)/i.test(name) ? [] : [[name, plain(value)]],
    ),
  );
}

function plain(text: string): string {
  return text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity);
}

/** Where a piece is. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

function moved(box: Box, transform = ''): Box {
  const [, x = 0, y = 0] = /translate\((-?[\d.]+)[ ,]+(-?[\d.]+)\)/.exec(transform) ?? [];
  return { ...box, x: box.x + Number(x), y: box.y + Number(y) };
}

/** The box of the first shape in a piece, which is what it is drawn as. */
export function boxOf({ pieces }: Piece): Box | undefined {
  for (const piece of pieces) {
    if (typeof piece === 'string') continue;
    const { name, attributes } = piece;
    const number = (key: string) => Number(attributes[key] ?? 0);
    if (name === 'rect') {
      return { x: number('x'), y: number('y'), width: number('width'), height: number('height') };
    }
    if (name === 'circle') {
      const r = number('r');
      return { x: number('cx') - r, y: number('cy') - r, width: 2 * r, height: 2 * r };
    }
    if (name === 'polygon' || name === 'path') {
      const numbers = (attributes['points'] ?? attributes['d'] ?? '').match(/-?[\d.]+/g)?.map(Number) ?? [];
      const xs = numbers.filter((_, at) => at % 2 === 0);
      const ys = numbers.filter((_, at) => at % 2 === 1);
      const [x, y] = [Math.min(...xs), Math.min(...ys)];
      return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
    }
    const inner = boxOf(piece);
    if (inner !== undefined) return moved(inner, attributes['transform']);
  }
  return undefined;
}
