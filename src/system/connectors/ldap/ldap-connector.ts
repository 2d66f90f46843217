import { EqualityFilter, type Entry as LdapEntry } from 'ldapts';
import {
  ACCOUNT,
  type AttributeDelta,
  type Attributes,
  type Capabilities,
  type ChangeBatch,
  type ChangesRequest,
  type Connector,
  ConnectorError,
  type ConnectorHost,
  ENABLE,
  type Entry,
  GROUP,
  type LATEST,
  NAME,
  type ObjectClass,
  PASSWORD,
  type Page,
  type ReadRequest,
  type SearchQuery,
  type Secret,
  type Token,
  type WriteRequest,
  type WriteResult,
} from '../../contract.ts';
import {
  AUXILIARY,
  askedNames,
  CONTROL,
  idValue,
  isActiveDirectory,
  isGuid,
  OF_ONE_ENTRY,
} from './active-directory.ts';
import { DirectoryChanges } from './directory-changes.ts';
import { isBelowName, nameAbove, outermost } from './distinguished-name.ts';
import { classesOf, filterOfType } from './kind-of-entry.ts';
import { LdapChanges } from './ldap-changes.ts';
import { changesOfKind, type LdapConfiguration, loginOf } from './ldap-configuration.ts';
import { LdapConnections } from './ldap-connections.ts';
import { entryOf } from './ldap-entry.ts';
import { allOf, EVERYTHING, filterIn, ldapFilter, type TranslatedFilter } from './ldap-filter.ts';
import { LdapWrites } from './ldap-writes.ts';
import { logIn } from './log-in.ts';
import { pagedSearch } from './paged-search.ts';
import { withAllValues } from './range-retrieval.ts';
import { SubschemaReader } from './subschema-reader.ts';
import { UpdateSequence } from './update-sequence.ts';

/** Entries of a directory. */
export class LdapConnector implements Connector {
  readonly capabilities: Capabilities;
  readonly #configuration: LdapConfiguration;
  readonly #connections: LdapConnections;
  readonly #bases: readonly string[];
  readonly #subschema: SubschemaReader;
  readonly #writes: LdapWrites;
  readonly #changes: LdapChanges | DirectoryChanges | UpdateSequence | undefined;

  constructor(configuration: LdapConfiguration, host: ConnectorHost) {
    this.#configuration = configuration;
    const { baseContexts, caFile, accessLogContext } = configuration;
    const ca = caFile === undefined ? undefined : host.resolveFile(caFile);
    this.#connections = new LdapConnections(loginOf(configuration, ca), host.connect);
    this.#subschema = new SubschemaReader(this.#connections);
    this.#bases = outermost(baseContexts);
    const [mode, told] = changesOfKind(configuration);
    this.capabilities = {
      create: true,
      update: true,
      delete: true,
      filter: ['eq', 'co', 'sw', 'ew', 'pr', 'in'],
      stableListing: false,
      changes: told,
      maxConcurrency: 50,
    };
    const parts = { connections: this.#connections, bases: this.#bases, rules: configuration };
    this.#writes = new LdapWrites({ ...parts, configuration });
    if (mode === 'dirSync' || mode === 'uSNChanged') {
      const Changes = mode === 'dirSync' ? DirectoryChanges : UpdateSequence;
      this.#changes = new Changes({
        ...parts,
        shown: (found, request) => this.#whole(found, request),
        asked: (request) => this.#asked(request),
      });
    } else if (mode !== 'none') {
      this.#changes = new LdapChanges({ ...parts, mode, logContext: accessLogContext });
    }
  }

  async test(signal: AbortSignal): Promise<void> {
    for (const base of this.#bases) {
      const found = await this.#connections
        .read(signal, (client) => client.search(base, { scope: 'base', attributes: ['1.1'], timeLimit: 0 }))
        .catch((error: unknown) => {
          const isGone = error instanceof ConnectorError && error.kind === 'notFound';
          throw isGone ? new ConnectorError('misconfigured', `There is no entry '${base}'`) : error;
        });
      if (found.searchEntries.length === 0) {
        throw new ConnectorError('misconfigured', `'${base}' cannot be read by this login`);
      }
    }
  }

  async schema(signal: AbortSignal): Promise<readonly ObjectClass[]> {
    const subschema = await this.#subschema.read(signal);
    const password = this.#configuration.passwordAttribute.toLowerCase();
    return [ACCOUNT, GROUP].map((name) => {
      const isOfDirectory = isActiveDirectory(this.#configuration);
      const own = subschema.attributesOf([...this.#classesOf(name), ...(isOfDirectory ? AUXILIARY : [])]);
      const others = own.filter(
        (one) => one.name.toLowerCase() !== password && !(isOfDirectory && OF_ONE_ENTRY.test(one.name)),
      );
      return {
        name,
        attributes: [
          { name: NAME, type: 'string', isRequired: true },
          ...(own.length > others.length ? [{ name: PASSWORD, type: 'secret' } as const] : []),
          ...(isOfDirectory && name === ACCOUNT ? [{ name: ENABLE, type: 'boolean' } as const] : []),
          ...others,
        ],
      };
    });
  }

  async get(type: string, id: string, request: ReadRequest): Promise<Entry | undefined> {
    if (id === '') return undefined;
    const asked = this.#asked(request);
    if (this.#configuration.uidAttribute === 'dn')
      return this.#readAt(id, asked, request, this.#ofType(type));
    const named = this.#withId(id);
    if (named === undefined) return undefined;
    const filter = allOf([this.#ofType(type), named]);
    for (const base of this.#bases) {
      const { searchEntries } = await this.#connections.read(request.signal, (client) =>
        client.search(base, { ...asked, scope: 'sub', sizeLimit: 2, ...filterIn(filter) }),
      );
      const [found] = searchEntries;
      if (searchEntries.length > 1) {
        throw new ConnectorError(
          'misconfigured',
          `'${this.#configuration.uidAttribute}' is not unique: '${id}'`,
        );
      }
      if (found !== undefined) return this.#whole(found, request);
    }
    return undefined;
  }

  async *search(
    type: string,
    { filter, comparison, pageSize }: SearchQuery,
    request: ReadRequest,
  ): AsyncGenerator<Page> {
    const { uidAttribute, readSchema } = this.#configuration;
    const { signal } = request;
    const subschema = filter === undefined || !readSchema ? undefined : await this.#subschema.read(signal);
    const translated = filter && ldapFilter(filter, { subschema, uidAttribute });
    const isSuperset = translated !== undefined && (comparison === 'exact' || !translated.isExact);
    const asked = this.#asked(request);
    const name = filter?.kind === 'compare' && filter.operator === 'eq' && filter.attribute === NAME;
    if (name) {
      const found = await this.#readAt(String(filter.value), asked, request, this.#ofType(type));
      if (found !== undefined) yield { entries: [found], isSuperset: false };
      return;
    }
    const whole = allOf([this.#ofType(type), ...(translated === undefined ? [] : [translated])]);
    for (const base of this.#bases) {
      const options = { ...asked, pageSize, ...filterIn(whole) };
      for await (const found of pagedSearch(this.#connections, signal, base, options)) {
        const entries: Entry[] = [];
        for (const one of found) entries.push(await this.#whole(one, request));
        yield { entries, isSuperset };
      }
    }
  }

  async *changes(
    type: string,
    token: Token | typeof LATEST,
    request: ChangesRequest,
  ): AsyncGenerator<ChangeBatch> {
    if (this.#changes === undefined) {
      throw new ConnectorError('notSupported', "'changes' of this system is none");
    }
    const { filter } = this.#ofType(type);
    yield* this.#changes.since({ filter, classes: this.#classesOf(type) }, token, request);
  }

  async create(type: string, attributes: Attributes, { signal }: WriteRequest): Promise<WriteResult> {
    const name = String(attributes.get(NAME)?.[0] ?? '');
    this.#requireReach(name);
    const given = attributes.get('objectClass') ?? [];
    const classes = given.length === 0 ? this.#classesOf(type) : given.map(String);
    await this.#writes.add(name, attributes, classes, signal).catch(async (error: unknown) => {
      const kind = error instanceof ConnectorError ? error.kind : undefined;
      if (kind === 'notFound')
        throw new ConnectorError('dependencyMissing', `There is nothing above '${name}'`, {
          missing: nameAbove(name),
        });
      if (kind !== 'alreadyExists') throw error;
      const existingId = await this.#idAt(name, signal);
      throw new ConnectorError(kind, `There is an entry '${name}' already`, { existingId });
    });
    return { id: await this.#idAt(name, signal) };
  }

  async update(
    type: string,
    id: string,
    deltas: readonly AttributeDelta[],
    request: WriteRequest,
  ): Promise<WriteResult> {
    const { signal } = request;
    const attributes = isActiveDirectory(this.#configuration) ? [CONTROL] : [];
    const before = await this.get(type, id, { signal, attributes, binary: [] });
    if (before?.name === undefined) throw new ConnectorError('notFound', `There is no entry '${id}'`);
    const renaming = deltas.find(({ name }) => name === NAME);
    const wanted = renaming !== undefined && 'replace' in renaming ? String(renaming.replace[0] ?? '') : '';
    if (renaming !== undefined) this.#requireReach(wanted);
    const from = before.name;
    const name = wanted === '' ? from : wanted;
    await this.#writes.change(from, name, deltas, before.attributes, signal);
    return { id: this.#configuration.uidAttribute === 'dn' ? name : id };
  }

  async delete(type: string, id: string, { signal }: WriteRequest): Promise<void> {
    const found = await this.get(type, id, { signal, attributes: [], binary: [] });
    if (found?.name !== undefined) await this.#writes.remove(found.name, signal);
  }

  authenticate(type: string, name: string, password: Secret, signal: AbortSignal): Promise<string> {
    const place = { connections: this.#connections, bases: this.#bases, configuration: this.#configuration };
    return logIn(place, type, name, password, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#connections.close();
  }

  #asked({ attributes, binary }: ReadRequest) {
    const { uidAttribute } = this.#configuration;
    return {
      attributes: [
        ...askedNames(this.#configuration, attributes ?? ['*']),
        uidAttribute === 'dn' ? '1.1' : uidAttribute,
      ].filter((name, _, all) => name !== '1.1' || all.length === 1),
      explicitBufferAttributes: [...binary, ...(isGuid(uidAttribute) ? [uidAttribute] : [])],
      // Else it is ten seconds, whatever it is about.
      timeLimit: 0,
    };
  }

  /** Undefined for what cannot be an id. */
  #withId(id: string): TranslatedFilter | undefined {
    const { uidAttribute: attribute } = this.#configuration;
    const value = idValue(attribute, id);
    return value === undefined
      ? undefined
      : { filter: new EqualityFilter({ attribute, value }), isExact: true };
  }

  async #whole(found: LdapEntry, { signal, attributes }: ReadRequest): Promise<Entry> {
    return entryOf(await withAllValues(this.#connections, signal, found), this.#configuration, attributes);
  }

  #classesOf(type: string): readonly string[] {
    return classesOf(this.#configuration, type);
  }

  #ofType(type: string): TranslatedFilter {
    return filterOfType(this.#configuration, type);
  }

  #reaches(name: string): boolean {
    return name.includes('=') && this.#bases.some((base) => isBelowName(name, base));
  }

  /** Whoever names an entry may do so within what the configuration opens, however much the account of the system may. */
  #requireReach(name: string): void {
    if (this.#reaches(name)) return;
    throw new ConnectorError('invalid', `'${name}' is no name below baseContexts`, { attribute: NAME });
  }

  async #readAt(
    name: string,
    asked: {
      readonly attributes: string[];
      readonly explicitBufferAttributes: string[];
      readonly timeLimit: number;
    },
    request: ReadRequest,
    filter: TranslatedFilter,
  ): Promise<Entry | undefined> {
    if (!this.#reaches(name)) return undefined;
    try {
      const { searchEntries } = await this.#connections.read(request.signal, (client) =>
        client.search(name, { ...asked, scope: 'base', ...filterIn(filter) }),
      );
      return searchEntries[0] && (await this.#whole(searchEntries[0], request));
    } catch (error) {
      const isNone = error instanceof ConnectorError && ['32', '34'].includes(error.nativeCode ?? '');
      if (isNone) return undefined;
      throw error;
    }
  }

  async #idAt(name: string, signal: AbortSignal): Promise<string> {
    const { uidAttribute } = this.#configuration;
    if (uidAttribute === 'dn') return name;
    const request = { signal, attributes: [], binary: [] };
    const found = await this.#readAt(name, this.#asked(request), request, EVERYTHING);
    if (found !== undefined) return found.id;
    throw new ConnectorError('misconfigured', `'${name}' was made, and cannot be read back`);
  }
}
