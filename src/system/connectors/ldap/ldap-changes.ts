import {
  AndFilter,
  EqualityFilter,
  GreaterThanEqualsFilter,
  type Entry as LdapEntry,
  type Filter as LdapFilter,
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
import {
  firstOf,
  isChangeNumber,
  isNew,
  type Place,
  placeAfter,
  placeAt,
  placeOf,
  serverOf,
  tokenOf,
} from './change-number.ts';
import { isBelowName } from './distinguished-name.ts';
import type { LdapConnections } from './ldap-connections.ts';
import { type EntryRules, entryOf } from './ldap-entry.ts';
import { deletedEntry, LOG_ATTRIBUTES, textIn, type Write, writeOfEntry, writeOfLog } from './log-entry.ts';
import { pagedSearch } from './paged-search.ts';

export interface ChangesParts {
  readonly connections: LdapConnections;
  readonly mode: Place['mode'];
  readonly logContext: string;
  readonly bases: readonly string[];
  readonly rules: EntryRules;
}

/** A kind of entries: what finds them, and what they are. */
export interface ChangesType {
  readonly filter: LdapFilter | undefined;
  readonly classes: readonly string[];
}

const PAGE_SIZE = 1_000;
/** The most writes that are put in order at once. */
const MOST_IN_ORDER = 100_000;
/** Entries that are asked for by one filter. */
const MOST_ASKED = 100;

/** What an OpenLDAP tells of changes: by its log, or by the number of the last write that each entry bears. */
export class LdapChanges {
  readonly #parts: ChangesParts;

  constructor(parts: ChangesParts) {
    this.#parts = parts;
  }

  async *since(
    type: ChangesType,
    token: Token | typeof LATEST,
    request: ChangesRequest,
  ): AsyncGenerator<ChangeBatch, void, undefined> {
    const { mode } = this.#parts;
    if (token === LATEST) {
      const place = await this.#now(type, request.signal);
      yield { changes: [], token: tokenOf(place), isLast: true };
      return;
    }
    let place = placeAt(token, mode);
    if (mode === 'accesslog') await this.#requireKept(place, request.signal);
    for (;;) {
      const { writes, isAll } = await this.#writesAfter(type, place, request.signal);
      let at = 0;
      do {
        const some = writes.slice(at, at + request.mostAtOnce);
        at += request.mostAtOnce;
        const changes = await this.#told(type, some, request);
        place = placeAfter(
          place,
          some.map(({ number }) => number),
        );
        const isLast = isAll && at >= writes.length;
        yield { changes, token: tokenOf(place), isLast };
        if (isLast) return;
      } while (at < writes.length);
    }
  }

  async #now(type: ChangesType, signal: AbortSignal): Promise<Place> {
    const { mode, logContext } = this.#parts;
    let place = placeOf(mode);
    let isKnown = mode === 'accesslog';
    let isEmpty = true;
    for await (const entries of this.#listed(type, ['entryCSN', 'entryUUID'], undefined, signal)) {
      isEmpty = false;
      const numbers = entries.map((entry) => textIn(entry, 'entryCSN')).filter(isChangeNumber);
      if (numbers.length > 0) isKnown = true;
      place = { ...placeOf(mode), last: placeAfter(place, numbers).last };
    }
    if (!isKnown && !isEmpty) {
      throw new ConnectorError(
        'notSupported',
        "Entries have no 'entryCSN' here, so that nobody can tell what has changed",
      );
    }
    if (mode === 'accesslog') place = placeAfter(place, await this.#purgedUntil(logContext, signal));
    // What is looked at again is known, so that nothing of before is told.
    const { writes } = await this.#writesAfter(type, place, signal);
    const known = writes
      .map(({ number }) => number)
      .filter((one) => one <= (place.last.get(serverOf(one)) ?? ''));
    return placeAfter(place, known);
  }

  /** @throws ConnectorError `tokenExpired` where the log does not begin before the place, or is another one */
  async #requireKept({ last }: Place, signal: AbortSignal): Promise<void> {
    const { connections, logContext } = this.#parts;
    const purged = new Map((await this.#purgedUntil(logContext, signal)).map((one) => [serverOf(one), one]));
    for (const [server, number] of last) {
      const until = purged.get(server) ?? '';
      if (until === number) continue;
      const { searchEntries } = await connections.read(signal, (client) =>
        client.search(logContext, {
          scope: 'one',
          attributes: ['entryCSN'],
          filter: new EqualityFilter({ attribute: 'entryCSN', value: number }),
          timeLimit: 0,
        }),
      );
      if (until < number && searchEntries.length > 0) continue;
      throw new ConnectorError(
        'tokenExpired',
        `'${logContext}' does not know any more what came after ${number}`,
      );
    }
  }

  /** The last writes of which the log knows nothing any more. */
  async #purgedUntil(logContext: string, signal: AbortSignal): Promise<readonly string[]> {
    const { searchEntries } = await this.#parts.connections
      .read(signal, (client) =>
        client.search(logContext, { scope: 'base', attributes: ['minCSN'], timeLimit: 0 }),
      )
      .catch((error: unknown) => {
        const isNone = error instanceof ConnectorError && error.kind === 'notFound';
        throw isNone
          ? new ConnectorError(
              'misconfigured',
              `'${logContext}' is not there, or cannot be read by this login`,
            )
          : error;
      });
    const [root] = searchEntries;
    if (root === undefined) {
      throw new ConnectorError('misconfigured', `'${logContext}' cannot be read by this login`);
    }
    return [root['minCSN'] ?? []].flat().map(String).filter(isChangeNumber);
  }

  /** The writes in their order; the first of them where there are too many. */
  async #writesAfter(
    type: ChangesType,
    place: Place,
    signal: AbortSignal,
  ): Promise<{ readonly writes: readonly Write[]; readonly isAll: boolean }> {
    const { mode, bases } = this.#parts;
    const isLog = mode === 'accesslog';
    let writes: Write[] = [];
    let isAll = true;
    const cut = () => {
      writes.sort((one, other) => (one.number < other.number ? -1 : 1));
      if (writes.length <= MOST_IN_ORDER) return;
      writes = writes.slice(0, MOST_IN_ORDER);
      isAll = false;
    };
    const attributes = isLog ? LOG_ATTRIBUTES : ['entryCSN', 'entryUUID'];
    for await (const entries of this.#listed(type, attributes, firstOf(place), signal)) {
      for (const entry of entries) {
        const write = isLog ? writeOfLog(entry) : writeOfEntry(entry);
        if (write === undefined || !isNew(place, write.number)) continue;
        const { name, newName = name } = write;
        if (bases.some((base) => isBelowName(name, base) || isBelowName(newName, base))) writes.push(write);
      }
      if (writes.length > 2 * MOST_IN_ORDER) cut();
    }
    cut();
    return { writes, isAll };
  }

  /** Entries of the log, or of the type, from a number on. */
  async *#listed(type: ChangesType, attributes: string[], from: string | undefined, signal: AbortSignal) {
    const { connections, mode, logContext, bases } = this.#parts;
    const isLog = mode === 'accesslog';
    const filters = [
      ...(isLog ? [new EqualityFilter({ attribute: 'reqResult', value: '0' })] : []),
      ...(isLog ? [new PresenceFilter({ attribute: 'reqEntryUUID' })] : []),
      ...(isLog || type.filter === undefined ? [] : [type.filter]),
      ...(from === undefined ? [] : [new GreaterThanEqualsFilter({ attribute: 'entryCSN', value: from })]),
    ];
    for (const base of isLog ? [logContext] : bases) {
      yield* pagedSearch(connections, signal, base, {
        attributes,
        pageSize: PAGE_SIZE,
        ...(filters.length === 0 ? {} : { filter: new AndFilter({ filters }) }),
      });
    }
  }

  /** The last of several writes of one entry, with the entry as it is now. */
  async #told(
    type: ChangesType,
    writes: readonly Write[],
    request: ChangesRequest,
  ): Promise<readonly Change[]> {
    const { bases, rules } = this.#parts;
    const lastOf = new Map(writes.map((write) => [write.uuid, write]));
    const found = await this.#entriesOf(type, [...lastOf.keys()], request);
    const changes: Change[] = [];
    for (const write of writes) {
      const { uuid, isDelete, name, newName = name } = write;
      if (lastOf.get(uuid) !== write) continue;
      const entry = found.get(uuid);
      if (entry !== undefined) {
        const first = writes.find((one) => one.uuid === uuid)?.name ?? name;
        const isOther = rules.uidAttribute === 'dn' && first !== entry.id;
        changes.push({ kind: 'upsert', entry, ...(isOther ? { previousId: first } : {}) });
      } else if (isDelete) changes.push(...(await this.#deleted(type, write, request)));
      else if (!bases.some((base) => isBelowName(newName, base))) {
        // It was moved to where nobody looks.
        const id = rules.uidAttribute === 'dn' ? name : uuid;
        if (rules.uidAttribute === 'dn' || isOfUuid(rules)) changes.push({ kind: 'delete', id });
      }
      // Else it is none of these, or it is deleted further down.
    }
    return changes;
  }

  async #entriesOf(
    { filter }: ChangesType,
    uuids: readonly string[],
    { signal, attributes, binary }: ChangesRequest,
  ): Promise<ReadonlyMap<string, Entry>> {
    const { connections, bases, rules } = this.#parts;
    const all = new Map<string, Entry>();
    for (let at = 0; at < uuids.length; at += MOST_ASKED) {
      const some = uuids.slice(at, at + MOST_ASKED);
      const named = new OrFilter({
        filters: some.map((value) => new EqualityFilter({ attribute: 'entryUUID', value })),
      });
      for (const base of bases) {
        const pages = pagedSearch(connections, signal, base, {
          attributes: [
            ...new Set([
              ...(attributes ?? ['*']),
              'entryUUID',
              ...(rules.uidAttribute === 'dn' ? [] : [rules.uidAttribute]),
            ]),
          ],
          explicitBufferAttributes: [...binary],
          pageSize: PAGE_SIZE,
          filter: new AndFilter({ filters: [named, ...(filter === undefined ? [] : [filter])] }),
        });
        for await (const entries of pages) {
          for (const one of entries) all.set(textIn(one, 'entryUUID'), entryOf(one, rules, attributes));
        }
      }
    }
    return all;
  }

  async #deleted(
    { classes }: ChangesType,
    { number, uuid, name }: Write,
    { signal, attributes, binary }: ChangesRequest,
  ): Promise<readonly Change[]> {
    const { connections, logContext, rules } = this.#parts;
    const { searchEntries } = await connections.read(signal, (client) =>
      client.search(logContext, {
        scope: 'one',
        attributes: ['reqOld', 'reqDN'],
        explicitBufferAttributes: ['reqOld'],
        filter: new EqualityFilter({ attribute: 'entryCSN', value: number }),
        timeLimit: 0,
      }),
    );
    const before = searchEntries[0] && deletedEntry(searchEntries[0]);
    if (before === undefined) {
      // The log keeps nothing of what was deleted; who it was is known all the same.
      if (rules.uidAttribute === 'dn') return [{ kind: 'delete', id: name }];
      return isOfUuid(rules) ? [{ kind: 'delete', id: uuid }] : [];
    }
    const own = new Set([before['objectClass'] ?? []].flat().map((one) => String(one).toLowerCase()));
    const isOfType = classes.every((one) => one.toLowerCase() === 'top' || own.has(one.toLowerCase()));
    if (!isOfType) return [];
    const last = lastEntry(before, rules, attributes, binary);
    return [{ kind: 'delete', id: last.id, last }];
  }
}

function isOfUuid({ uidAttribute }: EntryRules): boolean {
  return uidAttribute.toLowerCase() === 'entryuuid';
}

/** The entry with texts where a listing has texts, and with no more than was asked for. */
function lastEntry(
  before: LdapEntry,
  rules: EntryRules,
  attributes: readonly string[] | undefined,
  binary: readonly string[],
): Entry {
  const bytes = new Set(binary.map((one) => one.toLowerCase()));
  const texts = Object.entries(before).map(([name, values]): [string, string | string[] | Buffer[]] => {
    if (typeof values === 'string') return [name, values];
    const all = [values].flat();
    return [name, bytes.has(name.toLowerCase()) ? all.map((one) => Buffer.from(one)) : all.map(String)];
  });
  const entry = entryOf({ dn: before.dn, ...Object.fromEntries(texts) }, rules, attributes);
  if (attributes === undefined) return entry;
  const wanted = new Set(attributes);
  const kept = [...entry.attributes].filter(([name]) => wanted.has(name));
  return { ...entry, attributes: new Map(kept) };
}
