import type { Entry as LdapEntry } from 'ldapts';
import type { LdapConnections } from './ldap-connections.ts';

/** `member;range=0-1499`: Active Directory shows no more values at once. */
const RANGE = /^(.+);range=(\d+)-(\d+|\*)$/i;

/** The entry with all values of attributes that have more of them than are shown at once. */
export async function withAllValues(
  connections: LdapConnections,
  signal: AbortSignal,
  entry: LdapEntry,
): Promise<LdapEntry> {
  const parts = Object.keys(entry).filter((name) => RANGE.test(name));
  if (parts.length === 0) return entry;
  const whole: LdapEntry = { ...entry };
  for (const part of parts) {
    const [, name = '', start = '0', end = '*'] = RANGE.exec(part) ?? [];
    const values = textsOf(entry[part]);
    const step = Number(end) - Number(start);
    for (let next = end; next !== '*'; ) {
      const from = Number(next) + 1;
      const asked = `${name};range=${from}-${from + step}`;
      const { searchEntries } = await connections.read(signal, (client) =>
        client.search(entry.dn, { scope: 'base', attributes: [asked], timeLimit: 0 }),
      );
      const [found] = searchEntries;
      const more = Object.keys(found ?? {}).find((one) => RANGE.exec(one)?.[1] === name);
      values.push(...textsOf(more === undefined ? undefined : found?.[more]));
      next = (more === undefined ? undefined : RANGE.exec(more)?.[3]) ?? '*';
    }
    delete whole[part];
    whole[name] = values;
  }
  return whole;
}

function textsOf(given: LdapEntry[string] | undefined): string[] {
  return given === undefined ? [] : [given].flat().map(String);
}
