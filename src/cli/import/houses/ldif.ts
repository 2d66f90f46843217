import { ForeignSourceError } from '../repository/foreign-source-error.ts';

/** An entry of LDIF (RFC 2849). */
export interface LdifEntry {
  readonly dn: string;
  /** The values by names in lower case, without options. */
  readonly values: ReadonlyMap<string, readonly string[]>;
}

/** @throws ForeignSourceError for changes, which are no entries, and for what is no LDIF */
export function entriesOf(text: string): readonly LdifEntry[] {
  // A line that begins with a space goes on with the one before.
  const lines = text
    .replace(/^\uFEFF/, '')
    .replaceAll('\r\n', '\n')
    .replaceAll('\n ', '')
    .split('\n');
  const entries: LdifEntry[] = [];
  let current: { dn: string; values: Map<string, string[]> } | undefined;
  for (const [at, line] of lines.entries()) {
    if (line === '') current = undefined;
    if (line === '' || line.startsWith('#')) continue;
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon)).split(';')[0]?.toLowerCase() ?? '';
    if (name === '') throw new ForeignSourceError(`line ${at + 1} of the file is no LDIF`);
    const value = textAt(line.slice(colon + 1));
    if (name === 'changetype') throw new ForeignSourceError('the file has changes, and no entries');
    if (name === 'dn') {
      current = { dn: value, values: new Map() };
      entries.push(current);
    } else if (current !== undefined) {
      const values = current.values.get(name);
      if (values === undefined) current.values.set(name, [value]);
      else values.push(value);
    }
  }
  return entries;
}

/** The value behind the first colon: a text, Base64 behind another colon, or an address behind `<`, which is not followed. */
function textAt(rest: string): string {
  return rest.startsWith(':') ? Buffer.from(rest.slice(1).trim(), 'base64').toString('utf8') : rest.trim();
}

/** A name as it is compared: whatever the case, and the spaces between its parts. */
export function normalDn(dn: string): string {
  return dn
    .split(',')
    .map((part) => part.trim().replace(/ *= */, '='))
    .join(',')
    .toLowerCase();
}
