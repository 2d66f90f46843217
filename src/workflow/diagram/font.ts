import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** The one font of all diagrams, from a package: pictures do not depend on what a machine has installed. */
export const FONT_FILE = createRequire(import.meta.url).resolve(
  'dejavu-fonts-ttf/ttf/DejaVuSansCondensed.ttf',
);
export const BOLD_FONT_FILE = FONT_FILE.replace(/\.ttf$/, '-Bold.ttf');

/** Width of a text in the bundled font. */
export function textWidth(text: string, size: number): number {
  metrics ??= readMetrics(readFileSync(FONT_FILE));
  let width = 0;
  for (let at = 0; at < text.length; at++) width += metrics.advances[text.charCodeAt(at)] ?? 0;
  return (width * size) / metrics.unitsPerEm;
}

interface Metrics {
  readonly unitsPerEm: number;
  /** The advance widths of the characters of the basic plane, by their code. */
  readonly advances: Uint16Array;
}

let metrics: Metrics | undefined;

/** The three tables of a TrueType file that say how wide its characters are. */
function readMetrics(file: Buffer): Metrics {
  const tables = new Map<string, number>();
  for (let index = 0; index < file.readUInt16BE(4); index++) {
    const entry = 12 + index * 16;
    tables.set(file.toString('latin1', entry, entry + 4), file.readUInt32BE(entry + 8));
  }
  const placeOf = (name: string) => {
    const place = tables.get(name);
    if (place === undefined) throw new Error(`The font has no table '${name}'`);
    return place;
  };
  const widths = placeOf('hmtx');
  const lastWidth = file.readUInt16BE(placeOf('hhea') + 34) - 1;
  const advanceOf = (glyph: number) => file.readUInt16BE(widths + Math.min(glyph, lastWidth) * 4);
  const advances = new Uint16Array(65_536).fill(advanceOf(0));
  for (const [code, glyph] of readGlyphs(file, placeOf('cmap'))) advances[code] = advanceOf(glyph);
  return { unitsPerEm: file.readUInt16BE(placeOf('head') + 18), advances };
}

/** Glyphs by character, from the table that covers the basic plane. */
function readGlyphs(file: Buffer, cmap: number): Map<number, number> {
  const glyphs = new Map<number, number>();
  const count = file.readUInt16BE(cmap + 2);
  for (let index = 0; index < count; index++) {
    const table = cmap + file.readUInt32BE(cmap + 8 + index * 8);
    if (file.readUInt16BE(table) !== 4) continue;
    const segments = file.readUInt16BE(table + 6);
    for (let at = 0; at < segments; at += 2) {
      const end = file.readUInt16BE(table + 14 + at);
      const start = file.readUInt16BE(table + 16 + segments + at);
      const delta = file.readUInt16BE(table + 16 + 2 * segments + at);
      const offsetAt = table + 16 + 3 * segments + at;
      const offset = file.readUInt16BE(offsetAt);
      for (let code = start; code <= end && code < 0xffff; code++) {
        const glyph = offset === 0 ? code : file.readUInt16BE(offsetAt + offset + (code - start) * 2);
        if (glyph !== 0) glyphs.set(code, (glyph + delta) & 0xffff);
      }
    }
    return glyphs;
  }
  return glyphs;
}
