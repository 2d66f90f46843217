import { NotFilter, PresenceFilter } from 'ldapts';
import {
  type Change,
  type ChangeBatch,
  type ChangesRequest,
  ConnectorError,
  LATEST,
  type Token,
} from '../../contract.ts';
import { type DirectoryParts, readDomain, toldChanges, toldOf, VERSION } from './directory-objects.ts';
import { DirSyncControl } from './dirsync-control.ts';
import type { ChangesType } from './ldap-changes.ts';

/** An answer, and what of it was told. */
interface Place {
  readonly cookie: Buffer;
  readonly told: ReadonlyMap<string, string>;
}

/** More would make the token too long; those before them are told again. */
const MOST_TOLD = 800;
const NOTHING = new NotFilter({ filter: new PresenceFilter({ attribute: 'objectClass' }) });

/** What Active Directory tells of changes by DirSync, for which the account of the system has the right to replicate. */
export class DirectoryChanges {
  readonly #parts: DirectoryParts;

  constructor(parts: DirectoryParts) {
    this.#parts = parts;
  }

  async *since(
    type: ChangesType,
    token: Token | typeof LATEST,
    request: ChangesRequest,
  ): AsyncGenerator<ChangeBatch, void, undefined> {
    const { name: root } = await readDomain(this.#parts.connections, [], request.signal);
    if (token === LATEST) {
      let cookie: Buffer = Buffer.alloc(0);
      for (let isMore = true; isMore; )
        ({ cookie, isMore } = (await this.#ask(root, NOTHING, cookie, request.signal)).control);
      yield { changes: [], token: tokenOf({ cookie, told: new Map() }), isLast: true };
      return;
    }
    let place = placeAt(token);
    for (;;) {
      const { told, control } = await this.#ask(root, type.filter, place.cookie, request.signal);
      const all = await toldChanges(this.#parts, type, told, request);
      const changes = all.filter((one) => place.told.get(idOf(one)) !== versionOf(one));
      const { mostAtOnce } = request;
      const isLast = !control.isMore;
      let at = 0;
      for (; at < changes.length - mostAtOnce; at += mostAtOnce) {
        const some = changes.slice(at, at + mostAtOnce);
        // Until all of the answer is told, what comes next is the same answer without these.
        place = { ...place, told: withTold(place.told, some) };
        yield { changes: some, token: tokenOf(place), isLast: false };
      }
      place = { cookie: control.cookie, told: new Map() };
      yield { changes: changes.slice(at), token: tokenOf(place), isLast };
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
    return { told: searchEntries.flatMap(toldOf), control };
  }
}

function idOf(change: Change): string {
  return change.kind === 'upsert' ? change.entry.id : change.id;
}

/** Stands for the write of an object that was told. */
function versionOf(change: Change): string {
  return change.kind === 'upsert' ? String(change.entry.attributes.get(VERSION)?.[0]) : 'deleted';
}

function withTold(told: Place['told'], changes: readonly Change[]): Place['told'] {
  const now = changes.map((one): [string, string] => [idOf(one), versionOf(one)]);
  return new Map([...told, ...now].slice(-MOST_TOLD));
}

function tokenOf({ cookie, told }: Place): Token {
  return JSON.stringify({ mode: 'dirSync', cookie: cookie.toString('base64'), told: [...told] });
}

/** @throws ConnectorError `tokenExpired` */
function placeAt(token: Token): Place {
  const [, cookie, told] = /^\{"mode":"dirSync","cookie":"([\w+/=]+)","told":(.*)\}$/.exec(token) ?? [];
  if (cookie !== undefined && told !== undefined) {
    return { cookie: Buffer.from(cookie, 'base64'), told: new Map(JSON.parse(told)) };
  }
  throw new ConnectorError('tokenExpired', `'${token.slice(0, 100)}' is no token of dirSync`);
}

/** A cookie of another domain, or of another time, is refused by the directory in various words. */
function refusalOf(error: unknown, cookie: Buffer): unknown {
  if (!(error instanceof ConnectorError)) return error;
  if (error.nativeCode === '50') {
    return new ConnectorError(
      'denied',
      "The account of the system lacks the right 'Replicating Directory Changes', which dirSync needs; 'changes' uSNChanged does without",
      { cause: error },
    );
  }
  const isOfCookie = ['protocol', 'denied', 'invalid'].includes(error.kind) && cookie.length > 0;
  return isOfCookie
    ? new ConnectorError('tokenExpired', 'The directory does not take the cookie any more', { cause: error })
    : error;
}
