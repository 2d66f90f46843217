import type { Entry as LdapEntry, SearchOptions } from 'ldapts';
import type { LdapConnections } from './ldap-connections.ts';

const MOST_A_PAGE = 1_000;

/** All that a search finds, a page at a time. */
export async function* pagedSearch(
  connections: LdapConnections,
  signal: AbortSignal,
  base: string,
  { pageSize, ...options }: SearchOptions & { readonly pageSize: number },
): AsyncGenerator<readonly LdapEntry[], void, undefined> {
  // The server keeps the place of a listing with its connection, so that it is nobody else's meanwhile.
  const connection = await connections.take(signal);
  signal.addEventListener('abort', connection.discard, { once: true });
  let isWhole = false;
  try {
    const pages = connection.client.searchPaginated(base, {
      scope: 'sub',
      // Else it is ten seconds, whatever it is about.
      timeLimit: 0,
      ...options,
      paged: { pageSize: Math.min(pageSize, MOST_A_PAGE) },
    });
    for (;;) {
      const { value, done } = await connections.told(signal, pages.next());
      if (done === true) break;
      if (value.searchEntries.length > 0) yield value.searchEntries;
    }
    isWhole = true;
  } finally {
    signal.removeEventListener('abort', connection.discard);
    if (isWhole) connections.giveBack(connection);
    else connection.discard();
  }
}
