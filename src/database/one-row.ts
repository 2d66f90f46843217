/** The row of a statement that always answers with one. */
export function oneRow<T>(rows: readonly T[]): T {
  const [row] = rows;
  if (row === undefined) throw new Error('A statement that answers with a row has answered without one');
  return row;
}
