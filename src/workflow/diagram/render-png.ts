import type { Drawing } from './draw-diagram.ts';
import { BOLD_FONT_FILE, FONT_FILE } from './font.ts';
import { encodePng } from './png-image.ts';
import { FONT_FAMILY } from './style.ts';

/** Twice as fine as the drawing, for sharp screens, as far as the picture stays below these limits. */
const MAX_SCALE = 2;
const MAX_PIXELS = 3_000_000;
const MAX_SIDE = 8000;
/** Text is what takes long: none is drawn where nobody could read it, or where there is a book of it. */
const READABLE_SCALE = 0.35;
const MAX_TEXT_SVG = 300_000;

const font = {
  loadSystemFonts: false,
  fontFiles: [FONT_FILE, BOLD_FONT_FILE],
  defaultFontFamily: FONT_FAMILY,
};

/** Renders a drawing as PNG, in the thread pool; a large drawing gets smaller, never the picture larger. */
export async function renderPng({ svg, width, height }: Drawing): Promise<Buffer> {
  const scale = Math.min(
    MAX_SCALE,
    Math.sqrt(MAX_PIXELS / (width * height)),
    MAX_SIDE / Math.max(width, height),
  );
  const wide = Math.max(1, Math.floor(width * scale));
  // Native code: only threads that draw need it.
  const { renderAsync } = await import('@resvg/resvg-js');
  const image = await renderAsync(readableIn(svg, scale), { font, fitTo: { mode: 'width', value: wide } });
  return await encodePng(image.width, image.height, image.pixels);
}

function readableIn(svg: string, scale: number): string {
  const texts = /<text [\s\S]*?<\/text>/g;
  const length = svg.match(texts)?.reduce((sum, text) => sum + text.length, 0) ?? 0;
  return scale < READABLE_SCALE || length > MAX_TEXT_SVG ? svg.replace(texts, '') : svg;
}
