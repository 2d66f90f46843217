const SURROGATE_MASK = 0xf800;
const SURROGATE = 0xd800;

/**
 * Orders text by Unicode code point, which is the order of its UTF-8 bytes and so of Postgres's `COLLATE "C"`.
 * JavaScript's own `<` goes by UTF-16 units and puts characters beyond U+FFFF before U+E000.
 */
export function compareText(left: string, right: string): number {
  if (left === right) return 0;
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index++) {
    const leftUnit = left.charCodeAt(index);
    const rightUnit = right.charCodeAt(index);
    if (leftUnit === rightUnit) continue;
    const leftIsSurrogate = (leftUnit & SURROGATE_MASK) === SURROGATE;
    const rightIsSurrogate = (rightUnit & SURROGATE_MASK) === SURROGATE;
    if (leftIsSurrogate !== rightIsSurrogate) return leftIsSurrogate ? 1 : -1;
    return leftUnit - rightUnit;
  }
  return left.length - right.length;
}
