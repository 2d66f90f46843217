/** What blanks one level takes in a text that is indented. */
const INDENT = 2;

/**
 * Whether the JSON text of a value has at most so many characters, found out without writing it: parts that are shared count each
 * time, and nothing is looked at beyond the limit. Characters that are escaped count once, so that a text may turn out to be longer
 * by them.
 *
 * @param isIndented by two blanks a level, a line for each member
 */
export function fitsWritten(value: unknown, isIndented: boolean, most: number): boolean {
  try {
    return measure(value, isIndented, 1, most) >= 0;
  } catch (error) {
    // So deep that it could not be written either.
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** @returns what is left; below zero when it did not fit */
function measure(value: unknown, isIndented: boolean, level: number, given: number): number {
  let left = given;
  if (typeof value === 'string') return left - value.length - 2;
  if (typeof value !== 'object' || value === null) return left - 4;
  // The bracket, and the line on which it closes.
  const line = isIndented ? 1 + level * INDENT : 0;
  left -= 2 + line;
  if (Array.isArray(value)) {
    for (const element of value) {
      left = measure(element, isIndented, level + 1, left - 1 - line);
      if (left < 0) return left;
    }
    return left;
  }
  for (const [name, member] of Object.entries(value)) {
    left = measure(member, isIndented, level + 1, left - name.length - 4 - line);
    if (left < 0) return left;
  }
  return left;
}
