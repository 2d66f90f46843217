import {
  type AttributeDelta,
  type Attributes,
  type Capabilities,
  type Connector,
  ConnectorError,
  type ConnectorHost,
  type ConnectorKind,
  type Entry,
  NAME,
  type ObjectClass,
  PASSWORD,
  type Page,
  type ReadRequest,
  type Scalar,
  type SearchQuery,
  UID,
  type WriteRequest,
  type WriteResult,
} from '../../contract.ts';
import { newResource, patchesOf, pathOf, replaced } from './scim-changes.ts';
import {
  ignoredProperties,
  type ScimConfiguration,
  scimProblems,
  scimProperties,
} from './scim-configuration.ts';
import { discover, objectClassOf, type ScimService, type ScimType, typeNamed } from './scim-directory.ts';
import { type ScimCondition, scimFilter } from './scim-filter.ts';
import { isJson, type Json, ScimHttp } from './scim-http.ts';
import { valuesAt } from './scim-path.ts';

/** Resources of a service of SCIM 2.0. */
export const scimKind: ConnectorKind<typeof scimProperties> = {
  id: 'scim',
  displayName: 'SCIM 2.0 service',
  names: ['org.forgerock.openicf.connectors.scim.ScimConnector'],
  properties: scimProperties,
  ignored: ignoredProperties,
  check: scimProblems,
  open: (configuration, host) => new ScimConnector(configuration, host),
};

/** A listing without cursors is read so often, until there is nothing new in it. */
const MOST_PAGES = 1_000_000;
/** The most characters of a filter in a URL. */
const MOST_FILTER_CHARACTERS = 4_000;

class ScimConnector implements Connector {
  readonly capabilities: Capabilities = {
    create: true,
    update: true,
    delete: true,
    filter: ['eq', 'co', 'sw', 'ew', 'in'],
    stableListing: false,
    changes: 'none',
    maxConcurrency: 20,
  };
  readonly #http: ScimHttp;
  #service: Promise<ScimService> | undefined;

  constructor(configuration: ScimConfiguration, host: ConnectorHost) {
    this.#http = new ScimHttp(configuration, host);
  }

  async test(signal: AbortSignal): Promise<void> {
    this.#service = undefined;
    const { types } = await this.#known(signal);
    for (const { endpoint } of types) await this.#http.ask('GET', `${endpoint}?count=1`, { signal });
  }

  async schema(signal: AbortSignal): Promise<readonly ObjectClass[]> {
    this.#service = undefined;
    return (await this.#known(signal)).types.map(objectClassOf);
  }

  async get(name: string, id: string, { signal, attributes }: ReadRequest): Promise<Entry | undefined> {
    const type = typeNamed(await this.#known(signal), name);
    const found = await this.#read(type, id, signal, selection(type, attributes));
    return found && entryOf(type, found.body, attributes);
  }

  async *search(
    name: string,
    { filter, comparison, pageSize }: SearchQuery,
    { signal, attributes }: ReadRequest,
  ): AsyncGenerator<Page> {
    const service = await this.#known(signal);
    const type = typeNamed(service, name);
    const { text, isExact } = questionOf(service, type, filter);
    const isSuperset = filter !== undefined && (comparison === 'exact' || !isExact);
    const count = Math.min(pageSize, service.mostResults);
    const asked = new URLSearchParams({
      ...(text === undefined ? {} : { filter: text }),
      ...selection(type, attributes),
      count: String(count),
    });
    if (service.hasCursor) asked.set('cursor', '');
    // Without cursors what is made or deleted meanwhile moves the others from page to page.
    const seen = service.hasCursor ? undefined : new Set<string>();
    let start = 1;
    let former: string | undefined;
    for (let pages = 0; pages < MOST_PAGES; pages++) {
      if (!service.hasCursor) asked.set('startIndex', String(start));
      const { body } = await this.#http.ask('GET', `${type.endpoint}?${asked}`, { signal });
      const given: unknown = body['Resources'] ?? [];
      if (!Array.isArray(given))
        throw new ConnectorError('protocol', `'${type.endpoint}' answers no list of SCIM`);
      const resources = given.filter(isJson);
      const entries = resources
        .map((resource) => entryOf(type, resource, attributes))
        .filter(({ id }) => seen === undefined || (!seen.has(id) && seen.add(id) !== undefined));
      for (let at = 0; at < entries.length; at += pageSize) {
        yield { entries: entries.slice(at, at + pageSize), isSuperset };
      }
      if (service.hasCursor) {
        const next = body['nextCursor'];
        if (typeof next !== 'string' || next === '') return;
        if (next === former) throw endless(type);
        // Whatever round they go, the one that is kept comes by again.
        if (Number.isInteger(Math.log2(pages + 1))) former = next;
        asked.set('cursor', next);
        continue;
      }
      start += resources.length;
      if (resources.length === 0 || start > Number(body['totalResults'] ?? 0)) return;
    }
    // Half a listing would be taken for all that there is.
    throw endless(type);
  }

  async create(name: string, attributes: Attributes, { signal }: WriteRequest): Promise<WriteResult> {
    const type = typeNamed(await this.#known(signal), name);
    const body = newResource(type, attributes);
    const given = attributes.get(NAME) ?? attributes.get(type.naming);
    try {
      const made = await this.#http.ask('POST', type.endpoint, { signal, body });
      return { id: idOf(made.body) };
    } catch (error) {
      if (!(error instanceof ConnectorError)) throw error;
      if (error.kind !== 'alreadyExists' || given?.[0] === undefined) throw error;
      const existingId = await this.#idNamed(type, String(given[0]), signal);
      if (existingId === undefined) throw error;
      const { kind, message, nativeCode } = error;
      throw new ConnectorError(kind, message, {
        existingId,
        ...(nativeCode === undefined ? {} : { nativeCode }),
      });
    }
  }

  async createIsBlind(name: string, _attributes: Attributes, signal: AbortSignal): Promise<boolean> {
    const { attributes, naming } = typeNamed(await this.#known(signal), name);
    return attributes.get(naming)?.isUnique !== true;
  }

  async update(
    name: string,
    id: string,
    deltas: readonly AttributeDelta[],
    { signal }: WriteRequest,
  ): Promise<WriteResult> {
    const service = await this.#known(signal);
    const type = typeNamed(service, name);
    const place = placeOf(type, id);
    if (!service.canPatch) {
      const before = await this.#required(type, id, signal);
      const headers = before.etag === undefined ? {} : { 'If-Match': before.etag };
      await this.#http.ask('PUT', place, { signal, body: replaced(type, before.body, deltas), headers });
      return { id };
    }
    const needsBefore = deltas.some((delta) => !('replace' in delta) || delta.replace.length === 0);
    const before = needsBefore ? await this.#required(type, id, signal) : undefined;
    for (const { body, isOfBefore } of patchesOf(type, deltas, before?.body)) {
      const headers = isOfBefore && before?.etag !== undefined ? { 'If-Match': before.etag } : {};
      await this.#http.ask('PATCH', place, { signal, body, headers });
    }
    return { id };
  }

  async delete(name: string, id: string, { signal }: WriteRequest): Promise<void> {
    const type = typeNamed(await this.#known(signal), name);
    await this.#http.ask('DELETE', placeOf(type, id), { signal }).catch(unlessNotFound);
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  /** Asked once; a service that could not be asked is asked again. */
  #known(signal: AbortSignal): Promise<ScimService> {
    const asking = this.#service ?? discover(this.#http, signal);
    this.#service = asking;
    asking.catch(() => {
      if (this.#service === asking) this.#service = undefined;
    });
    return asking;
  }

  async #read(
    type: ScimType,
    id: string,
    signal: AbortSignal,
    selected: Readonly<Record<string, string>> = {},
  ) {
    if (!hasPlace(id)) return undefined;
    const query = Object.keys(selected).length === 0 ? '' : `?${new URLSearchParams(selected)}`;
    const path = `${placeOf(type, id)}${query}`;
    const found = await this.#http.ask('GET', path, { signal }).catch(unlessNotFound);
    return found !== undefined && found.body['id'] === id ? found : undefined;
  }

  async #required(type: ScimType, id: string, signal: AbortSignal) {
    const found = await this.#read(type, id, signal);
    if (found !== undefined) return found;
    throw new ConnectorError('notFound', `There is no ${type.name} '${id}'`);
  }

  async #idNamed(type: ScimType, name: string, signal: AbortSignal): Promise<string | undefined> {
    const asked = new URLSearchParams({ filter: `${type.naming} eq ${JSON.stringify(name)}`, count: '2' });
    const { body } = await this.#http
      .ask('GET', `${type.endpoint}?${asked}`, { signal })
      .catch((): { body: Json } => ({ body: {} }));
    const found: unknown = body['Resources'];
    const [only, other]: unknown[] = Array.isArray(found) ? found : [];
    return isJson(only) && other === undefined && typeof only['id'] === 'string' ? only['id'] : undefined;
  }
}

/** What the service is asked for; what no address holds is looked at here. */
function questionOf(
  { canFilter }: ScimService,
  type: ScimType,
  filter: SearchQuery['filter'],
): ScimCondition {
  if (filter === undefined) return { text: undefined, isExact: true };
  const condition = canFilter ? scimFilter(filter, type) : undefined;
  const isShort = encodeURIComponent(condition?.text ?? '').length < MOST_FILTER_CHARACTERS;
  return condition !== undefined && isShort ? condition : { text: undefined, isExact: false };
}

/** What is asked for; the service shows the rest of an attribute of which a part is meant. */
function selection(
  type: ScimType,
  attributes: readonly string[] | undefined,
): Readonly<Record<string, string>> {
  if (attributes === undefined) return {};
  const names = attributes
    .filter((one) => one !== PASSWORD)
    .map((one) => {
      const { schema, name } = pathOf(type, one);
      return schema === undefined ? name : `${schema}:${name}`;
    });
  return { attributes: [...new Set(['id', type.naming, ...names])].join(',') };
}

function entryOf(type: ScimType, resource: Json, attributes: readonly string[] | undefined): Entry {
  const id = idOf(resource);
  const names = attributes ?? [...type.attributes.keys()];
  const all = new Map<string, readonly Scalar[]>();
  for (const name of names) {
    if (name === UID || name === NAME || name === PASSWORD) continue;
    const values = valuesAt(resource, pathOf(type, name));
    if (values.length > 0) all.set(name, values);
  }
  const name = resource[type.naming];
  return { id, ...(typeof name === 'string' ? { name } : {}), attributes: all };
}

/** An address takes dots for the way to another resource, however they are written. */
function hasPlace(id: string): boolean {
  return !/^\.{0,2}$/.test(id) && id.isWellFormed();
}

/** @throws ConnectorError `notFound` */
function placeOf({ endpoint, name }: ScimType, id: string): string {
  if (!hasPlace(id)) throw new ConnectorError('notFound', `There is no ${name} '${id}'`);
  return `${endpoint}/${encodeURIComponent(id)}`;
}

function endless({ endpoint }: ScimType): ConnectorError {
  return new ConnectorError('protocol', `What '${endpoint}' lists has no end`);
}

function idOf({ id }: Json): string {
  if (typeof id === 'string' && id !== '') return id;
  throw new ConnectorError('protocol', 'A resource without an id was answered');
}

function unlessNotFound(error: unknown): undefined {
  if (error instanceof ConnectorError && error.kind === 'notFound') return undefined;
  throw error;
}
