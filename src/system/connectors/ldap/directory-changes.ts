import {
  AndFilter,
  EqualityFilter,
  type Entry as LdapEntry,
  NotFilter,
  OrFilter,
  PresenceFilter,
} from 'ldapts';
import {
  type Change,
  type ChangeBatch,
  type ChangesRequest,
  ConnectorError,
  type Entry,
  LATEST,
  type Token,
} from '../../contract.ts';
import { guidBytes, guidText } from './active-directory.ts';
import { DirSyncControl } from './dirsync-control.ts';
import { isBelowName } from './distinguished-name.ts';
import type { ChangesParts, ChangesType } from './ldap-changes.ts';
import { textIn } from './log-entry.ts';
import { pagedSearch } from './paged-search.ts';

interface Parts extends Pick<ChangesParts, 'connections' | 'bases'> {
  /** As a listing shows it. */
  readonly shown: (found: LdapEntry, request: ChangesRequest) => Entry;
  readonly asked: (request: ChangesRequest) => {
    readonly attributes: string[];
    readonly explicitBufferAttributes: string[];
  };
}

interface Told {
  readonly id: string;
  readonly name: string;
  readonly isDeleted: boolean;
}

const MOST_ASKED = 100;
const NOTHING = new NotFilter({ filter: new PresenceFilter({ attribute: 'objectClass' }) });

/** What Active Directory tells of changes by DirSync, for which the account of the system has the right to replicate. */
export class DirectoryChanges {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async *since(
    type: ChangesType,
    token: Token | typeof LATEST,
    request: ChangesRequest,
  ): AsyncGenerator<ChangeBatch, void, undefined> {
    const root = await this.#root(request.signal);
    const filter = token === LATEST ? NOTHING : type.filter;
    let cookie = token === LATEST ? Buffer.alloc(0) : cookieOf(token);
    for (;;) {
      const { told, control } = await this.#ask(root, filter, cookie, request.signal);
      const changes = token === LATEST ? [] : await this.#changes(type, told, request);
      const isLast = !control.isMore;
      for (let at = 0; at < changes.length - request.mostAtOnce; at += request.mostAtOnce) {
        // Until all of the answer is told, what comes next is the same answer.
        yield { changes: changes.slice(at, at + request.mostAtOnce), token: tokenOf(cookie), isLast: false };
      }
      const rest = changes.length % request.mostAtOnce || request.mostAtOnce;
      cookie = control.cookie;
      if (token !== LATEST || isLast) {
        yield { changes: changes.slice(-rest), token: tokenOf(cookie), isLast };
      }
      if (isLast) return;
    }
  }

  async #ask(root: string, filter: ChangesType['filter'], cookie: Buffer, signal: AbortSignal) {
    const control = new DirSyncControl(cookie);
    const { searchEntries } = await this.#parts.connections
      .read(signal, (client) =>
        client.search(
          root,
          {
            scope: 'sub',
            timeLimit: 0,
            explicitBufferAttributes: ['objectGUID'],
            ...(filter === undefined ? {} : { filter }),
          },
          [control],
        ),
      )
      .catch((error: unknown) => {
        throw refusalOf(error, cookie);
      });
    const told = searchEntries.flatMap((entry): Told[] => {
      const [guid] = [entry['objectGUID'] ?? []].flat();
      if (!(guid instanceof Buffer)) return [];
      const isDeleted = textIn(entry, 'isDeleted').toUpperCase() === 'TRUE';
      return [{ id: guidText(guid), name: entry.dn, isDeleted }];
    });
    return { told, control };
  }

  /** What is there is read as it is now; what was moved to where nobody looks is gone. */
  async #changes(type: ChangesType, told: readonly Told[], request: ChangesRequest): Promise<Change[]> {
    const last = new Map(told.map((one) => [one.id, one]));
    const there = [...last.values()].filter(({ isDeleted }) => !isDeleted).map(({ id }) => id);
    const found = await this.#entriesOf(type, there, request);
    return [...last.values()].flatMap(({ id, name, isDeleted }): Change[] => {
      const entry = found.get(id);
      if (entry !== undefined) return [{ kind: 'upsert', entry }];
      const isElsewhere = !this.#parts.bases.some((base) => isBelowName(name, base));
      return isDeleted || isElsewhere ? [{ kind: 'delete', id }] : [];
    });
  }

  async #entriesOf(
    { filter }: ChangesType,
    ids: readonly string[],
    request: ChangesRequest,
  ): Promise<ReadonlyMap<string, Entry>> {
    const { connections, bases, shown, asked } = this.#parts;
    const all = new Map<string, Entry>();
    for (let at = 0; at < ids.length; at += MOST_ASKED) {
      const filters = ids
        .slice(at, at + MOST_ASKED)
        .flatMap((id) => guidBytes(id) ?? [])
        .map((value) => new EqualityFilter({ attribute: 'objectGUID', value }));
      for (const base of bases) {
        const pages = pagedSearch(connections, request.signal, base, {
          ...asked(request),
          pageSize: MOST_ASKED,
          filter: new AndFilter({
            filters: [new OrFilter({ filters }), ...(filter === undefined ? [] : [filter])],
          }),
        });
        for await (const entries of pages) {
          for (const one of entries) {
            const entry = shown(one, request);
            all.set(entry.id, entry);
          }
        }
      }
    }
    return all;
  }

  async #root(signal: AbortSignal): Promise<string> {
    const { searchEntries } = await this.#parts.connections.read(signal, (client) =>
      client.search('', { scope: 'base', attributes: ['defaultNamingContext'], timeLimit: 0 }),
    );
    const name = searchEntries[0] === undefined ? '' : textIn(searchEntries[0], 'defaultNamingContext');
    if (name !== '') return name;
    throw new ConnectorError(
      'notSupported',
      'This directory does not say what its domain is, as Active Directory does',
    );
  }
}

function tokenOf(cookie: Buffer): Token {
  return JSON.stringify({ mode: 'dirSync', cookie: cookie.toString('base64') });
}

/** @throws ConnectorError `tokenExpired` */
function cookieOf(token: Token): Buffer {
  const [, cookie] = /^\{"mode":"dirSync","cookie":"([\w+/=]+)"\}$/.exec(token) ?? [];
  if (cookie !== undefined) return Buffer.from(cookie, 'base64');
  throw new ConnectorError('tokenExpired', `'${token.slice(0, 100)}' is no token of dirSync`);
}

/** A cookie of another domain, or of another time, is refused by the directory in various words. */
function refusalOf(error: unknown, cookie: Buffer): unknown {
  if (!(error instanceof ConnectorError)) return error;
  if (error.nativeCode === '50') {
    return new ConnectorError(
      'denied',
      "The account of the system lacks the right 'Replicating Directory Changes', which dirSync needs",
      { cause: error },
    );
  }
  const isOfCookie = ['protocol', 'denied', 'invalid'].includes(error.kind) && cookie.length > 0;
  return isOfCookie
    ? new ConnectorError('tokenExpired', 'The directory does not take the cookie any more', { cause: error })
    : error;
}
