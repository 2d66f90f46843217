import type { Entry as LdapEntry } from 'ldapts';
import { isChangeNumber } from './change-number.ts';

/** One write, as the log or the entry itself tells of it. */
export interface Write {
  readonly number: string;
  readonly uuid: string;
  /** The name before it. */
  readonly name: string;
  /** The name after a rename. */
  readonly newName: string | undefined;
  readonly isDelete: boolean;
}

export const LOG_ATTRIBUTES = ['entryCSN', 'reqEntryUUID', 'reqDN', 'reqNewDN', 'reqType'];

/** The write that an entry in the log of `slapo-accesslog` tells of. */
export function writeOfLog(entry: LdapEntry): Write | undefined {
  const [number = '', uuid = '', name = '', newName = '', type = ''] = LOG_ATTRIBUTES.map((one) =>
    textIn(entry, one),
  );
  if (!isChangeNumber(number) || uuid === '') return undefined;
  return { number, uuid, name, newName: newName === '' ? undefined : newName, isDelete: type === 'delete' };
}

/** The last write of an entry, as the entry itself tells of it. */
export function writeOfEntry(entry: LdapEntry): Write | undefined {
  const [number, uuid] = [textIn(entry, 'entryCSN'), textIn(entry, 'entryUUID')];
  if (!isChangeNumber(number) || uuid === '') return undefined;
  return { number, uuid, name: entry.dn, newName: undefined, isDelete: false };
}

/** What was deleted, as `reqOld` keeps it; undefined where the log keeps nothing of it (`logold`). */
export function deletedEntry(entry: LdapEntry): LdapEntry | undefined {
  const lines = [entry['reqOld'] ?? []].flat();
  if (lines.length === 0) return undefined;
  const values = new Map<string, Buffer[]>();
  for (const line of lines) {
    const bytes = typeof line === 'string' ? Buffer.from(line) : line;
    const at = bytes.indexOf(': ');
    if (at < 0) continue;
    const name = bytes.subarray(0, at).toString('latin1');
    values.set(name, [...(values.get(name) ?? []), bytes.subarray(at + 2)]);
  }
  return { dn: textIn(entry, 'reqDN'), ...Object.fromEntries(values) };
}

export function textIn(entry: LdapEntry, name: string): string {
  const [value = ''] = [entry[name] ?? []].flat();
  return String(value);
}
