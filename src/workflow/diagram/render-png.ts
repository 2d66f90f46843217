import { renderAsync } from '@resvg/resvg-js';
import type { Drawing } from './draw-diagram.ts';
import { BOLD_FONT_FILE, FONT_FILE } from './font.ts';
import { encodePng } from './png-image.ts';
import { FONT_FAMILY } from './style.ts';

/** Twice as fine as the drawing, for sharp screens, as far as the picture stays below these limits. */
const MAX_SCALE = 2;
const MAX_PIXELS = 3_000_000;
const MAX_SIDE = 8000;

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
  const image = await renderAsync(svg, { font, fitTo: { mode: 'width', value: wide } });
  return await encodePng(image.width, image.height, image.pixels);
}
