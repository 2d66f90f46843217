import {
  equalJson,
  formatPointer,
  getMember,
  isObject,
  type JsonObject,
  type JsonValue,
} from '#json/index.ts';

/** How many changes one plan shows. */
const MOST_CHANGES = 1_000;

/**
 * What differs in a configuration afterwards, as `{path, from, to}`; a side that is absent is left out. Lists of the same length
 * are compared element by element.
 */
export function listChanges(before: JsonObject | null, after: JsonObject | null): JsonObject[] {
  const changes: JsonObject[] = [];
  compare(before ?? undefined, after ?? undefined, []);
  return changes;

  function compare(from: JsonValue | undefined, to: JsonValue | undefined, path: readonly string[]): void {
    if (changes.length >= MOST_CHANGES || equalJson(from ?? null, to ?? null)) return;
    if (isObject(from) && isObject(to)) {
      for (const name of new Set([...Object.keys(from), ...Object.keys(to)])) {
        compare(getMember(from, name), getMember(to, name), [...path, name]);
      }
    } else if (Array.isArray(from) && Array.isArray(to) && from.length === to.length) {
      for (const [index, member] of from.entries()) compare(member, to[index], [...path, String(index)]);
    } else {
      changes.push({
        path: formatPointer(path),
        ...(from === undefined ? {} : { from }),
        ...(to === undefined ? {} : { to }),
      });
    }
  }
}
