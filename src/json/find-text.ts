/** So many steps take no time worth mentioning, whatever they are. */
const FEW_STEPS = 1_000_000;

/**
 * Where a part begins in a text, from a place on; -1: nowhere.
 *
 * As `indexOf`, whose worst case is the product of both lengths: texts can be made with which it takes a minute for a megabyte.
 * This takes their sum (Knuth, Morris and Pratt).
 */
export function findText(text: string, part: string, from = 0): number {
  if (text.length * part.length <= FEW_STEPS) return text.indexOf(part, from);
  const borders = bordersOf(part);
  let matched = 0;
  for (let at = from; at < text.length; at++) {
    matched = grown(part, borders, matched, text.charCodeAt(at));
    if (matched === part.length) return at + 1 - part.length;
  }
  return -1;
}

export function hasText(text: string, part: string): boolean {
  return findText(text, part) !== -1;
}

/** As `split` by a text that is not empty. */
export function splitText(text: string, separator: string): string[] {
  const pieces: string[] = [];
  let from = 0;
  for (let at = findText(text, separator); at !== -1; at = findText(text, separator, from)) {
    pieces.push(text.slice(from, at));
    from = at + separator.length;
  }
  return [...pieces, text.slice(from)];
}

/** For each beginning of the part: the length of the longest shorter beginning with which it ends. */
function bordersOf(part: string): Int32Array {
  const borders = new Int32Array(part.length);
  for (let at = 1; at < part.length; at++) {
    borders[at] = grown(part, borders, borders[at - 1] ?? 0, part.charCodeAt(at));
  }
  return borders;
}

/** How much of the part stands before a place when one character more does. */
function grown(part: string, borders: Int32Array, matched: number, character: number): number {
  let length = matched;
  while (length > 0 && part.charCodeAt(length) !== character) length = borders[length - 1] ?? 0;
  return part.charCodeAt(length) === character ? length + 1 : length;
}
