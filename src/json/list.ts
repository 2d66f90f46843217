/** The first of a list that has one. */
export function firstOf<T extends object | string | number>(list: readonly T[]): T {
  const [first] = list;
  if (first === undefined) throw new RangeError('An empty list has no first element');
  return first;
}

/** The one at a place that the list has. */
export function itemAt<T extends object | string | number>(list: readonly T[], index: number): T {
  const item = list[index];
  if (item === undefined) throw new RangeError(`A list of ${list.length} has no element at ${index}`);
  return item;
}

/** The last of a list that has one. */
export function lastOf<T extends object | string | number>(list: readonly T[]): T {
  const last = list.at(-1);
  if (last === undefined) throw new RangeError('An empty list has no last element');
  return last;
}
