/**
 * What a page shows of a value that somebody has stored: of an object its JSON, since one that has a member `toString` makes no text of
 * itself, and nothing of what is not there.
 */
export function plainText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
