import type { Entry as LdapEntry } from 'ldapts';
import { ConnectorError, MOST_ANSWER_BYTES } from '../../contract.ts';
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
    let length = lengthOf(values);
    const step = Number(end) - Number(start);
    for (let next = end; next !== '*'; ) {
      const from = Number(next) + 1;
      const asked = `${name};range=${from}-${from + step}`;
      const { searchEntries } = await connections.read(signal, (client) =>
        client.search(entry.dn, { scope: 'base', attributes: [asked], timeLimit: 0 }),
      );
      const [found] = searchEntries;
      const more = Object.keys(found ?? {}).find((one) => RANGE.exec(one)?.[1] === name);
      const further = textsOf(more === undefined ? undefined : found?.[more]);
      for (const value of further) values.push(value);
      length += lengthOf(further);
      next = (more === undefined ? undefined : RANGE.exec(more)?.[3]) ?? '*';
      if (length > MOST_ANSWER_BYTES || (next !== '*' && Number(next) < from)) {
        throw new ConnectorError('protocol', `'${entry.dn}' does not come to an end of its '${name}'`);
      }
    }
    delete whole[part];
    whole[name] = values;
  }
  return whole;
}

function textsOf(given: LdapEntry[string] | undefined): string[] {
  return given === undefined ? [] : [given].flat().map(String);
}

function lengthOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length, 0);
}
