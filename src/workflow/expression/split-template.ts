import { lastOf } from '#json/index.ts';
import { type Expression, isLiteral, type Node } from './node.ts';

/**
 * The pieces of a template between the separators that it has itself: what its expressions give makes no further piece. One with
 * an expression alone has no blanks around it, and so the value of that.
 *
 * @param signs global; it finds separators, and may find quotes, between which there are none, and escapes
 * @param most pieces; the last one is what remains
 */
export function splitTemplate(
  { text, parts }: Expression,
  signs: RegExp,
  most = Number.POSITIVE_INFINITY,
): Expression[] {
  const pieces: (string | Node)[][] = [[]];
  const add = (part: string | Node) => part !== '' && lastOf(pieces).push(part);
  let isQuoted = false;
  for (const part of parts) {
    if (typeof part !== 'string') {
      add(part);
      continue;
    }
    let from = 0;
    for (const { 0: sign, index } of part.matchAll(signs)) {
      if (sign === '"') isQuoted = !isQuoted;
      if (isQuoted || sign === '"' || sign.startsWith('\\') || pieces.length === most) continue;
      add(part.slice(from, index));
      pieces.push([]);
      from = index + sign.length;
    }
    add(part.slice(from));
  }
  return pieces.map((piece) => {
    const said = piece.filter((part) => typeof part !== 'string' || part.trim() !== '');
    const alone = said.length === 1 && typeof said[0] !== 'string' ? said : piece;
    const isText = isLiteral({ text, parts: alone });
    return { text: isText ? alone.join('') : text, parts: alone };
  });
}

/** The expression that a template is; undefined when it says more, or less. */
export function onlyNode({ parts }: Expression): Node | undefined {
  const [first, second] = parts;
  return typeof first === 'string' || second !== undefined ? undefined : first;
}
