import { AndFilter, EqualityFilter, type Entry as LdapEntry, OrFilter } from 'ldapts';
import { type Change, type ChangesRequest, ConnectorError, type Entry } from '../../contract.ts';
import { guidBytes, guidText } from './active-directory.ts';
import { isBelowName } from './distinguished-name.ts';
import type { ChangesParts, ChangesType } from './ldap-changes.ts';
import type { LdapConnections } from './ldap-connections.ts';
import { textIn } from './log-entry.ts';
import { pagedSearch } from './paged-search.ts';
import { readRoot } from './root-entry.ts';

export interface DirectoryParts extends Pick<ChangesParts, 'connections' | 'bases'> {
  /** The entry as a listing shows it. */
  readonly shown: (found: LdapEntry, request: ChangesRequest) => Promise<Entry>;
  readonly asked: (request: ChangesRequest) => {
    readonly attributes: string[];
    readonly explicitBufferAttributes: string[];
  };
}

/** An object of which Active Directory tells that something has become of it. */
export interface Told {
  readonly id: string;
  readonly name: string;
  readonly isDeleted: boolean;
}

/** The number that each write gives an object, at the controller that is asked. */
export const VERSION = 'uSNChanged';

const MOST_ASKED = 100;

export function toldOf(entry: LdapEntry): Told[] {
  const [guid] = [entry['objectGUID'] ?? []].flat();
  if (!(guid instanceof Buffer)) return [];
  const isDeleted = textIn(entry, 'isDeleted').toUpperCase() === 'TRUE';
  return [{ id: guidText(guid), name: entry.dn, isDeleted }];
}

/** What is there is read as it is now; what was moved to where nobody looks is gone. */
export async function toldChanges(
  parts: DirectoryParts,
  type: ChangesType,
  told: readonly Told[],
  request: ChangesRequest,
): Promise<Change[]> {
  const last = new Map(told.map((one) => [one.id, one]));
  const there = [...last.values()].filter(({ isDeleted }) => !isDeleted).map(({ id }) => id);
  const found = await entriesOf(parts, type, there, request);
  return [...last.values()].flatMap(({ id, name, isDeleted }): Change[] => {
    const entry = found.get(id);
    if (entry !== undefined) return [{ kind: 'upsert', entry }];
    const isElsewhere = !parts.bases.some((base) => isBelowName(name, base));
    return isDeleted || isElsewhere ? [{ kind: 'delete', id }] : [];
  });
}

/** The domain of a directory, and what else its root says of itself. @throws ConnectorError `notSupported` */
export async function readDomain(
  connections: LdapConnections,
  more: readonly string[],
  signal: AbortSignal,
): Promise<{ readonly name: string; readonly root: LdapEntry }> {
  const root = await readRoot(connections, ['defaultNamingContext', ...more], signal);
  const name = root === undefined ? '' : textIn(root, 'defaultNamingContext');
  if (root !== undefined && name !== '') return { name, root };
  throw new ConnectorError(
    'notSupported',
    'This directory does not say what its domain is, as Active Directory does',
  );
}

async function entriesOf(
  { connections, bases, shown, asked }: DirectoryParts,
  { filter }: ChangesType,
  ids: readonly string[],
  request: ChangesRequest,
): Promise<ReadonlyMap<string, Entry>> {
  const all = new Map<string, Entry>();
  const { attributes, explicitBufferAttributes } = asked(request);
  for (let at = 0; at < ids.length; at += MOST_ASKED) {
    const filters = ids
      .slice(at, at + MOST_ASKED)
      .flatMap((id) => guidBytes(id) ?? [])
      .map((value) => new EqualityFilter({ attribute: 'objectGUID', value }));
    for (const base of bases) {
      const pages = pagedSearch(connections, request.signal, base, {
        attributes: [...attributes, VERSION],
        explicitBufferAttributes,
        pageSize: MOST_ASKED,
        filter: new AndFilter({
          filters: [new OrFilter({ filters }), ...(filter === undefined ? [] : [filter])],
        }),
      });
      for await (const entries of pages) {
        for (const one of entries) {
          const entry = await shown(one, request);
          all.set(entry.id, entry);
        }
      }
    }
  }
  return all;
}
