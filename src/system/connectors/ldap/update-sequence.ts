import { AndFilter, Control, GreaterThanEqualsFilter } from 'ldapts';
import { type ChangeBatch, type ChangesRequest, ConnectorError, LATEST, type Token } from '../../contract.ts';
import { guidText } from './active-directory.ts';
import {
  type DirectoryParts,
  readDomain,
  type Told,
  toldChanges,
  toldOf,
  VERSION,
} from './directory-objects.ts';
import type { ChangesType } from './ldap-changes.ts';
import { textIn } from './log-entry.ts';
import { pagedSearch } from './paged-search.ts';

interface Write extends Told {
  readonly number: number;
}

/** Shows what was deleted, to those who may see it. */
const SHOW_DELETED = '1.2.840.113556.1.4.417';
const PAGE_SIZE = 1_000;
/** The most writes that are put in order at once. */
const MOST_IN_ORDER = 100_000;

/**
 * What Active Directory tells of changes to those who may not replicate: each object bears the number of its last write at the controller
 * that is asked. Another controller, or one that was restored, has other numbers.
 */
export class UpdateSequence {
  readonly #parts: DirectoryParts;

  constructor(parts: DirectoryParts) {
    this.#parts = parts;
  }

  async *since(
    type: ChangesType,
    token: Token | typeof LATEST,
    request: ChangesRequest,
  ): AsyncGenerator<ChangeBatch, void, undefined> {
    const { domain, controller, highest } = await this.#controller(request.signal);
    if (token === LATEST) {
      yield { changes: [], token: tokenOf(controller, highest), isLast: true };
      return;
    }
    let number = numberIn(token, controller);
    for (;;) {
      const { writes, isAll } = await this.#writesAfter(domain, type, number, request.signal);
      let at = 0;
      do {
        const some = writes.slice(at, at + request.mostAtOnce);
        at += request.mostAtOnce;
        number = some.at(-1)?.number ?? number;
        const isLast = isAll && at >= writes.length;
        const changes = await toldChanges(this.#parts, type, some, request);
        yield { changes, token: tokenOf(controller, number), isLast };
        if (isLast) return;
      } while (at < writes.length);
    }
  }

  /** The writes in their order; the first of them where there are too many. */
  async #writesAfter(
    domain: string,
    type: ChangesType,
    number: number,
    signal: AbortSignal,
  ): Promise<{ readonly writes: readonly Write[]; readonly isAll: boolean }> {
    const later = new GreaterThanEqualsFilter({ attribute: VERSION, value: String(number + 1) });
    const pages = pagedSearch(
      this.#parts.connections,
      signal,
      domain,
      {
        attributes: ['objectGUID', 'isDeleted', VERSION],
        explicitBufferAttributes: ['objectGUID'],
        pageSize: PAGE_SIZE,
        filter: new AndFilter({ filters: [later, ...(type.filter === undefined ? [] : [type.filter])] }),
      },
      [new Control(SHOW_DELETED)],
    );
    let writes: Write[] = [];
    let isAll = true;
    const cut = () => {
      writes.sort((one, other) => one.number - other.number);
      if (writes.length <= MOST_IN_ORDER) return;
      writes = writes.slice(0, MOST_IN_ORDER);
      isAll = false;
    };
    for await (const entries of pages) {
      for (const entry of entries) {
        const own = Number(textIn(entry, VERSION));
        writes.push(...toldOf(entry).map((told) => ({ ...told, number: own })));
      }
      if (writes.length > 2 * MOST_IN_ORDER) cut();
    }
    cut();
    return { writes, isAll };
  }

  async #controller(signal: AbortSignal) {
    const { connections } = this.#parts;
    const { name: domain, root } = await readDomain(
      connections,
      ['dsServiceName', 'highestCommittedUSN'],
      signal,
    );
    const { searchEntries } = await connections.read(signal, (client) =>
      client.search(textIn(root, 'dsServiceName'), {
        scope: 'base',
        attributes: ['invocationId'],
        explicitBufferAttributes: ['invocationId'],
        timeLimit: 0,
      }),
    );
    const [id] = [searchEntries[0]?.['invocationId'] ?? []].flat();
    const highest = Number(textIn(root, 'highestCommittedUSN'));
    if (id instanceof Buffer && highest > 0) return { domain, controller: guidText(id), highest };
    throw new ConnectorError('notSupported', 'The directory does not say which of its controllers answers');
  }
}

function tokenOf(controller: string, number: number): Token {
  return JSON.stringify({ mode: 'uSNChanged', controller, number });
}

/** @throws ConnectorError `tokenExpired` */
function numberIn(token: Token, controller: string): number {
  const [, of, number] = /^\{"mode":"uSNChanged","controller":"([\w-]+)","number":(\d+)\}$/.exec(token) ?? [];
  if (of === controller) return Number(number);
  const words =
    of === undefined
      ? `'${token.slice(0, 100)}' is no token of uSNChanged`
      : `Another controller answers now, whose numbers are others`;
  throw new ConnectorError('tokenExpired', words);
}
