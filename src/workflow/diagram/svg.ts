/** A piece of SVG. All text of process files gets into it through `attributes` and `text`, which escape it. */
export type Svg = string;

type Attributes = Readonly<Record<string, string | number | undefined>>;

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** The text, escaped, without the characters that XML cannot hold at all. */
export function escapeText(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}

export function tag(name: string, attributes: Attributes, ...content: readonly (Svg | undefined)[]): Svg {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${typeof value === 'number' ? round(value) : escapeText(value!)}"`)
    .join('');
  const inner = content.filter((piece) => piece !== undefined).join('');
  return inner === '' ? `<${name}${written}/>` : `<${name}${written}>${inner}</${name}>`;
}

/** Coordinates to a hundredth, so that the files stay small. */
export function round(value: number): string {
  return String(Math.round(value * 100) / 100);
}

/** A path from pieces: numbers are coordinates, texts are commands. */
export function path(...pieces: readonly (string | number)[]): string {
  return pieces.map((piece) => (typeof piece === 'number' ? round(piece) : piece)).join(' ');
}
