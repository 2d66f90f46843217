import {
  type AttributeDelta,
  type AttributeInfo,
  type Attributes,
  type Capabilities,
  type ChangeBatch,
  type ChangesRequest,
  type Connector,
  ConnectorError,
  type ConnectorHost,
  type ConnectorKind,
  type Entry,
  type Json,
  LATEST,
  type ObjectClass,
  type Page,
  type ReadRequest,
  type SearchQuery,
  type Secret,
  type Token,
  type WriteRequest,
  type WriteResult,
} from '../../contract.ts';
import {
  isTold,
  type ScriptedConfiguration,
  scriptedProblems,
  scriptedProperties,
} from './scripted-configuration.ts';
import { ScriptedHttp } from './scripted-http.ts';
import {
  attributesJson,
  batchOf,
  deltasJson,
  entryOf,
  filterJson,
  idOf,
  isJsonObject,
  type JsonObject,
  SecretWords,
  shownJson,
  wrong,
} from './scripted-values.ts';

/** A service that is asked by a script of the project. */
export const scriptedKind: ConnectorKind<typeof scriptedProperties> = {
  id: 'scripted',
  displayName: 'Script of the project',
  names: ['svc.scripted'],
  properties: scriptedProperties,
  runsScripts: true,
  check: scriptedProblems,
  open: (configuration, host) => new ScriptedConnector(configuration, host),
};

const MOST_PAGES = 1_000_000;
/** The most entries that a script may answer at once, whatever it was asked for. */
const MOST_ENTRIES = 10_000;
const TYPES: ReadonlySet<string> = new Set(['string', 'integer', 'number', 'boolean', 'binary', 'secret']);

class ScriptedConnector implements Connector {
  readonly capabilities: Capabilities;
  readonly #configuration: ScriptedConfiguration;
  readonly #host: ConnectorHost;
  readonly #http: ScriptedHttp;
  readonly #parameters: JsonObject;

  constructor(configuration: ScriptedConfiguration, host: ConnectorHost) {
    const { changes } = configuration;
    this.capabilities = {
      create: true,
      update: true,
      delete: true,
      filter: [],
      stableListing: false,
      changes: isTold(changes) ? changes : 'none',
      maxConcurrency: 10,
    };
    this.#configuration = configuration;
    this.#host = host;
    this.#http = new ScriptedHttp(configuration, host);
    this.#parameters = Object.fromEntries(
      configuration.parameters.map((one) => [
        one.slice(0, one.indexOf('=')),
        one.slice(one.indexOf('=') + 1),
      ]),
    );
  }

  async test(signal: AbortSignal): Promise<void> {
    const answered = await this.#run('test', {}, signal);
    if (answered !== 'none') return;
    // A script that cannot be tested can be read at least.
    if ((await this.#run('schema', {}, signal)) === 'none') throw missing('test');
  }

  async schema(signal: AbortSignal): Promise<readonly ObjectClass[]> {
    const { value } = required('schema', await this.#run('schema', {}, signal));
    if (!Array.isArray(value)) throw wrong(`a schema must be a list, and not ${shownJson(value)}`);
    return value.map(objectClassOf);
  }

  async get(type: string, id: string, request: ReadRequest): Promise<Entry | undefined> {
    const { signal, attributes, binary } = request;
    const question = { type, id, attributes: namesOf(attributes) };
    const answered = await this.#run('get', question, signal).catch(unlessNotFound);
    const { value } = answered === undefined ? { value: null } : required('get', answered);
    return value === null ? undefined : entryOf(value, binary);
  }

  async *search(
    type: string,
    { filter, comparison, pageSize }: SearchQuery,
    { signal, attributes, binary }: ReadRequest,
  ): AsyncGenerator<Page> {
    let cookie: Json = null;
    for (let pages = 0; pages < MOST_PAGES; pages++) {
      const words = new SecretWords();
      const question = {
        type,
        filter: filterJson(filter, words),
        comparison,
        pageSize,
        attributes: namesOf(attributes),
        cookie,
      };
      const { value } = required('search', await this.#run('search', question, signal, words));
      const page = Array.isArray(value) ? { entries: value } : value;
      if (!isJsonObject(page) || !Array.isArray(page['entries'])) {
        throw wrong(`a page must be {entries, cookie}, and not ${shownJson(value)}`);
      }
      const given: readonly Json[] = page['entries'];
      if (given.length > MOST_ENTRIES) {
        throw wrong(
          `a page has ${given.length} entries; ${MOST_ENTRIES} is the most, and ${pageSize} were asked for`,
        );
      }
      const entries = given.map((one) => entryOf(one, binary));
      const isSuperset = filter !== undefined && page['isExact'] !== true;
      for (let at = 0; at < entries.length; at += pageSize) {
        yield { entries: entries.slice(at, at + pageSize), isSuperset };
      }
      const { cookie: next = null } = page;
      if (next === null || next === '') return;
      if (JSON.stringify(next) === JSON.stringify(cookie)) {
        throw wrong(`the cookie ${shownJson(next)} leads to the same page again`);
      }
      cookie = next;
    }
  }

  async create(type: string, attributes: Attributes, { signal }: WriteRequest): Promise<WriteResult> {
    const words = new SecretWords();
    const question = { type, attributes: attributesJson(attributes, words) };
    const { value } = required('create', await this.#run('create', question, signal, words));
    return { id: idOf(value) };
  }

  async createIsBlind(): Promise<boolean> {
    return this.#configuration.createIsBlind;
  }

  async update(
    type: string,
    id: string,
    deltas: readonly AttributeDelta[],
    { signal }: WriteRequest,
  ): Promise<WriteResult> {
    const words = new SecretWords();
    const question = { type, id, deltas: deltasJson(deltas, words) };
    const { value } = required('update', await this.#run('update', question, signal, words));
    return { id: value === null ? id : idOf(value) };
  }

  async delete(type: string, id: string, { signal }: WriteRequest): Promise<void> {
    const answered = await this.#run('remove', { type, id }, signal).catch(unlessNotFound);
    if (answered !== undefined) required('remove', answered);
  }

  async *changes(
    type: string,
    token: Token | typeof LATEST,
    { signal, attributes, binary, mostAtOnce }: ChangesRequest,
  ): AsyncGenerator<ChangeBatch> {
    if (this.capabilities.changes === 'none') throw missing('changes');
    let since: Json = token === LATEST ? null : token;
    for (let batches = 0; batches < MOST_PAGES; batches++) {
      const question = { type, token: since, attributes: namesOf(attributes), mostAtOnce };
      const answered = await this.#run('changes', question, signal).catch((error: unknown) => {
        // Nobody there knows that token any more.
        const isGone = error instanceof ConnectorError && error.kind === 'notFound';
        throw isGone ? new ConnectorError('tokenExpired', error.message) : error;
      });
      const batch = batchOf(required('changes', answered).value, binary);
      yield batch;
      if (batch.isLast) return;
      if (batch.token === since) throw wrong(`the token ${shownJson(since)} leads to the same changes again`);
      since = batch.token;
    }
  }

  async authenticate(type: string, name: string, password: Secret, signal: AbortSignal): Promise<string> {
    const words = new SecretWords();
    const question = { type, name, password: words.wordFor(password) };
    const { value } = required('authenticate', await this.#run('authenticate', question, signal, words));
    if (value !== null && value !== false) return idOf(value);
    throw new ConnectorError('invalidCredentials', 'The name or the password is wrong');
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  #run(name: string, argument: JsonObject, signal: AbortSignal, words = new SecretWords()) {
    const { file, scriptTimeout } = this.#configuration;
    return this.#host.runScript({
      file,
      name,
      argument: { ...argument, parameters: this.#parameters },
      request: this.#http.requests(words, signal),
      signal,
      timeoutMs: scriptTimeout,
    });
  }
}

type Answered = Awaited<ReturnType<ConnectorHost['runScript']>>;

function required(name: string, answered: Answered): { readonly value: Json } {
  if (answered === 'none') throw missing(name);
  return answered;
}

function missing(name: string): ConnectorError {
  return new ConnectorError('notSupported', `The script of the system has no function '${name}'`);
}

/** Null for all that is shown by default. */
function namesOf(attributes: readonly string[] | undefined): Json {
  return attributes === undefined ? null : [...attributes];
}

function objectClassOf(value: Json): ObjectClass {
  const { name = null, attributes = null }: JsonObject = isJsonObject(value) ? value : {};
  if (typeof name !== 'string' || !Array.isArray(attributes)) {
    throw wrong(`a kind of objects must be {name, attributes}, and not ${shownJson(value)}`);
  }
  return { name, attributes: attributes.map(attributeOf) };
}

function attributeOf(value: Json): AttributeInfo {
  const {
    name = null,
    type = 'string',
    ...flags
  }: JsonObject = isJsonObject(value) ? value : { name: value };
  if (typeof name !== 'string' || !isType(type)) {
    throw wrong(`an attribute must be {name, type}, and not ${shownJson(value)}`);
  }
  return {
    name,
    type,
    isMultiValued: flags['isMultiValued'] === true,
    isRequired: flags['isRequired'] === true,
    isReadOnly: flags['isReadOnly'] === true,
    isReturnedByDefault: flags['isReturnedByDefault'] !== false,
  };
}

function isType(type: Json): type is AttributeInfo['type'] {
  return typeof type === 'string' && TYPES.has(type);
}

function unlessNotFound(error: unknown): undefined {
  if (error instanceof ConnectorError && error.kind === 'notFound') return undefined;
  throw error;
}
