/** Filled in by `hash-code.ts`, which knows all kinds of values. */
export const hashing = { of: (_value: unknown): number => 0 };

/** How many places the table of an empty HashMap has. */
export const LEAST_PLACES = 16;

/** How many places a table of Java's has that once held so many items. */
export function placesFor(items: number, least: number): number {
  let places = 1;
  while (places < least) places *= 2;
  while (items > Math.floor(places * 0.75)) places *= 2;
  return places;
}

/**
 * The items in the order of the places that the hashes of Java choose; those of one place in the order in which they
 * came.
 */
export function inHashOrder<T>(items: Iterable<T>, keyOf: (item: T) => unknown, places: number): T[] {
  return [...items]
    .map((item) => {
      const hash = hashing.of(keyOf(item));
      return [(hash ^ (hash >>> 16)) & (places - 1), item] as const;
    })
    .sort(([left], [right]) => left - right)
    .map(([, item]) => item);
}
