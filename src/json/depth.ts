import { isObject, type JsonValue } from './value.ts';

/** Levels that a value may have. What is deeper overflows the stack of whoever walks, copies or writes it. */
export const MOST_LEVELS = 256;

export function isTooDeep(value: JsonValue, levelsLeft = MOST_LEVELS): boolean {
  const members = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];
  for (const member of members) {
    if (levelsLeft === 0) return true;
    if (typeof member === 'object' && isTooDeep(member, levelsLeft - 1)) return true;
  }
  return false;
}
