/** The first of a list that has one. */
export function firstOf<T extends object | string | number>(list: readonly T[]): T {
  const [first] = list;
  if (first === undefined) throw new RangeError('An empty list has no first element');
  return first;
}

/** The last of a list that has one. */
export function lastOf<T extends object | string | number>(list: readonly T[]): T {
  const last = list.at(-1);
  if (last === undefined) throw new RangeError('An empty list has no last element');
  return last;
}
