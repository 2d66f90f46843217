import type { Entry as LdapEntry } from 'ldapts';
import type { LdapConnections } from './ldap-connections.ts';

/** What a directory says of itself, asked once. */
export class RootEntry {
  readonly #connections: LdapConnections;
  #reading: Promise<readonly string[]> | undefined;

  constructor(connections: LdapConnections) {
    this.#connections = connections;
  }

  /** Whether it knows an extended operation. */
  async knows(extension: string, signal: AbortSignal): Promise<boolean> {
    const reading = this.#reading ?? this.#extensions(signal);
    this.#reading = reading;
    reading.catch(() => {
      if (this.#reading === reading) this.#reading = undefined;
    });
    return (await reading).includes(extension);
  }

  async #extensions(signal: AbortSignal): Promise<readonly string[]> {
    const root = await readRoot(this.#connections, ['supportedExtension'], signal);
    return [root?.['supportedExtension'] ?? []].flat().map(String);
  }
}

/** @returns undefined where it cannot be read by this login */
export async function readRoot(
  connections: LdapConnections,
  attributes: string[],
  signal: AbortSignal,
): Promise<LdapEntry | undefined> {
  const { searchEntries } = await connections.read(signal, (client) =>
    client.search('', { scope: 'base', attributes, timeLimit: 0 }),
  );
  return searchEntries[0];
}
