import type { LdapConnections } from './ldap-connections.ts';
import { Subschema } from './subschema.ts';

/** Asks a directory for its schema, once. */
export class SubschemaReader {
  readonly #connections: LdapConnections;
  #reading: Promise<Subschema> | undefined;

  constructor(connections: LdapConnections) {
    this.#connections = connections;
  }

  read(signal: AbortSignal): Promise<Subschema> {
    const reading = this.#reading ?? this.#ask(signal);
    this.#reading = reading;
    reading.catch(() => {
      if (this.#reading === reading) this.#reading = undefined;
    });
    return reading;
  }

  #ask(signal: AbortSignal): Promise<Subschema> {
    return this.#connections.read(signal, async (client) => {
      const root = await client.search('', {
        scope: 'base',
        attributes: ['subschemaSubentry'],
        timeLimit: 0,
      });
      const place = listOf(root.searchEntries[0]?.['subschemaSubentry'])[0] ?? 'cn=Subschema';
      const attributes = ['attributeTypes', 'objectClasses'];
      const { searchEntries } = await client.search(place, { scope: 'base', attributes, timeLimit: 0 });
      const [found] = searchEntries;
      return new Subschema(listOf(found?.['attributeTypes']), listOf(found?.['objectClasses']));
    });
  }
}

function listOf(given: string | string[] | Buffer | Buffer[] | undefined): readonly string[] {
  if (given === undefined) return [];
  return (Array.isArray(given) ? given : [given]).map(String);
}
