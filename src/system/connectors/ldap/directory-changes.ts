import { NotFilter, PresenceFilter } from 'ldapts';
import { type ChangeBatch, type ChangesRequest, ConnectorError, LATEST, type Token } from '../../contract.ts';
import { type DirectoryParts, readDomain, toldChanges, toldOf } from './directory-objects.ts';
import { DirSyncControl } from './dirsync-control.ts';
import type { ChangesType } from './ldap-changes.ts';

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
    const filter = token === LATEST ? NOTHING : type.filter;
    let cookie = token === LATEST ? Buffer.alloc(0) : cookieOf(token);
    for (;;) {
      const { told, control } = await this.#ask(root, filter, cookie, request.signal);
      const changes = token === LATEST ? [] : await toldChanges(this.#parts, type, told, request);
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
    return { told: searchEntries.flatMap(toldOf), control };
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
      "The account of the system lacks the right 'Replicating Directory Changes', which dirSync needs; 'changes' uSNChanged does without",
      { cause: error },
    );
  }
  const isOfCookie = ['protocol', 'denied', 'invalid'].includes(error.kind) && cookie.length > 0;
  return isOfCookie
    ? new ConnectorError('tokenExpired', 'The directory does not take the cookie any more', { cause: error })
    : error;
}
