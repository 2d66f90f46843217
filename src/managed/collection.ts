const ROOT = 'managed/';

/** The name of the type whose objects stand in a collection such as `managed/user`; null for other collections. */
export function typeNameOf(collection: string): string | null {
  const name = collection.startsWith(ROOT) ? collection.slice(ROOT.length) : '';
  return name === '' || name.includes('/') ? null : name;
}
