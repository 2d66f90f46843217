import { plainText } from '../words/plain-text.ts';

/** What of an address's search, or of a view that somebody keeps, a page reads: the named texts, and nothing that is empty. */
export function textsOf<K extends string>(
  search: Record<string, unknown>,
  names: readonly K[],
): Partial<Record<K, string>> {
  const kept: Partial<Record<K, string>> = {};
  for (const name of names) {
    const value = plainText(search[name]);
    if (value !== '') kept[name] = value;
  }
  return kept;
}
