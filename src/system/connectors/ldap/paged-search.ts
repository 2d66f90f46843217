import type { Control, Entry as LdapEntry, SearchOptions } from 'ldapts';
import { ConnectorError } from '../../contract.ts';
import type { LdapConnection, LdapConnections } from './ldap-connections.ts';

const MOST_A_PAGE = 1_000;

type PagedOptions = SearchOptions & { readonly pageSize: number };

/**
 * All that a search finds, a page at a time. Where an old connection turns out to be gone before the first page, it is asked over a new
 * one.
 */
export async function* pagedSearch(
  connections: LdapConnections,
  signal: AbortSignal,
  base: string,
  options: PagedOptions,
  controls: Control[] = [],
): AsyncGenerator<readonly LdapEntry[], void, undefined> {
  const connection = await connections.take(signal);
  let isAnswered = false;
  try {
    for await (const page of pagesOver(connection, connections, signal, base, options, controls)) {
      isAnswered = true;
      yield page;
    }
  } catch (error) {
    const isGone = error instanceof ConnectorError && error.kind === 'unavailable';
    if (!connection.isReused || isAnswered || !isGone || signal.aborted) throw error;
    connections.closeIdle();
    yield* pagesOver(await connections.take(signal), connections, signal, base, options, controls);
  }
}

/** The server keeps the place of a listing with its connection, so that it is nobody else's meanwhile. */
async function* pagesOver(
  connection: LdapConnection,
  connections: LdapConnections,
  signal: AbortSignal,
  base: string,
  { pageSize, ...options }: PagedOptions,
  controls: Control[],
): AsyncGenerator<readonly LdapEntry[], void, undefined> {
  signal.addEventListener('abort', connection.discard, { once: true });
  let isWhole = false;
  try {
    const asked: SearchOptions = {
      scope: 'sub',
      // Else it is ten seconds, whatever it is about.
      timeLimit: 0,
      ...options,
      paged: { pageSize: Math.min(pageSize, MOST_A_PAGE) },
    };
    const pages = connection.client.searchPaginated(base, asked, controls);
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
