/** What of an address's search a page reads: the named texts, and nothing that is empty. */
export function textsOf<K extends string>(
  search: Record<string, unknown>,
  names: readonly K[],
): Partial<Record<K, string>> {
  const kept: Partial<Record<K, string>> = {};
  for (const name of names) {
    const value = search[name];
    if (value !== undefined && value !== '') kept[name] = String(value);
  }
  return kept;
}
