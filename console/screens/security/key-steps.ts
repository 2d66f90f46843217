export interface Key {
  readonly _id: string;
  readonly alias: string;
  readonly key: string;
  /** The nodes that encrypt with it. */
  readonly encrypting: readonly string[];
  readonly nodes: readonly string[];
  readonly lacking: readonly string[];
  readonly isStoredUnder: boolean;
  readonly firstUsedAt?: string;
  /** How much is stored under it; absent until it is counted. */
  readonly values?: number;
}

/** What is to be done next with a key, so that all that is stored comes under the one in use. */
export type Step =
  | { readonly act: 'spread'; readonly key: Key }
  | { readonly act: 'restart'; readonly key: Key; readonly nodes: readonly string[] }
  | { readonly act: 'use'; readonly key: Key }
  | { readonly act: 'encrypt'; readonly key: Key };

/** The next step of each key that has one. */
export function stepsOf(keys: readonly Key[]): readonly Step[] {
  return keys.flatMap((key): readonly Step[] => {
    if (key.lacking.length > 0) return [{ act: 'spread', key }];
    const others = keys.filter(({ alias, _id }) => alias === key.alias && _id !== key._id);
    const behind = others.flatMap(({ encrypting }) => encrypting);
    if (key.encrypting.length > 0) {
      // Some nodes encrypt with each of two keys: whoever has the one that was used first is behind.
      const isNewest = others.every(
        ({ encrypting, firstUsedAt }) =>
          encrypting.length === 0 || (firstUsedAt ?? '~') < (key.firstUsedAt ?? '~'),
      );
      return behind.length > 0 && isNewest ? [{ act: 'restart', key, nodes: behind }] : [];
    }
    if (!key.isStoredUnder) return [{ act: 'use', key }];
    return key.values === 0 ? [] : [{ act: 'encrypt', key }];
  });
}
