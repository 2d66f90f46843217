import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';

const NAMED = /^bulkId:(.+)$/;

/** What `bulkId:x` names; undefined of any other text. */
export function bulkIdIn(text: string): string | undefined {
  return NAMED.exec(text)?.[1];
}

/** What operations a value names, in whatever depth. */
export function bulkIdsIn(value: JsonValue): readonly string[] {
  if (typeof value === 'string') return [bulkIdIn(value) ?? []].flat();
  if (Array.isArray(value)) return value.flatMap(bulkIdsIn);
  return isObject(value) ? Object.values(value).flatMap(bulkIdsIn) : [];
}

/** An operation that has been met: as which, and the first of those that it leads back to. */
interface Met {
  readonly at: number;
  lowest: number;
  isOpen: boolean;
}

/**
 * Operations in groups: each comes behind all that it names, and those that name each other in a circle are one group.
 *
 * @param named by operation, those that it names
 */
export function inGroups(named: readonly (readonly number[])[]): readonly (readonly number[])[] {
  const groups: number[][] = [];
  const met = new Map<number, Met>();
  const open: number[] = [];
  const visit = (operation: number): Met => {
    const own = { at: met.size, lowest: met.size, isOpen: true };
    met.set(operation, own);
    open.push(operation);
    for (const other of named[operation] ?? []) {
      const before = met.get(other);
      const seen = before ?? visit(other);
      if (seen.isOpen) own.lowest = Math.min(own.lowest, before === undefined ? seen.lowest : seen.at);
    }
    if (own.lowest === own.at) {
      const group = open.splice(open.indexOf(operation));
      for (const each of group) {
        const one = met.get(each);
        if (one !== undefined) one.isOpen = false;
      }
      groups.push(group.sort((left, right) => left - right));
    }
    return own;
  };
  for (const operation of named.keys()) if (!met.has(operation)) visit(operation);
  return groups;
}

/** A new resource without what cannot be said before others are made, and that. */
export interface Parted {
  readonly resource: JsonObject;
  /** Operations of a PATCH. */
  readonly later: JsonObject[];
}

/** @param isLater whether a bulkId names what is not there yet */
export function partResource(resource: JsonObject, isLater: (bulkId: string) => boolean): Parted {
  const isOpen = (value: JsonValue) => bulkIdsIn(value).some(isLater);
  const later: JsonObject[] = [];
  const part = (object: JsonObject, pathOf: (name: string) => string): JsonObject => {
    const kept = Object.entries(object).flatMap(([name, value]): [string, JsonValue][] => {
      if (!isOpen(value)) return [[name, value]];
      // The attributes of an extension have an object of their own.
      if (/^urn:/i.test(name) && isObject(value)) return [[name, part(value, (inner) => `${name}:${inner}`)]];
      const [now, then] = Array.isArray(value)
        ? [value.filter((one) => !isOpen(one)), value.filter(isOpen)]
        : [[], value];
      later.push({ op: 'add', path: pathOf(name), value: then });
      return now.length === 0 ? [] : [[name, now]];
    });
    return Object.fromEntries(kept);
  };
  return { resource: part(resource, (name) => name), later };
}
