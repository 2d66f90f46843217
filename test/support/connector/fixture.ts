import { provisionerConfig } from '#config/index.ts';
import { openCrypto } from '#crypto/index.ts';
import type { JsonObject } from '#json/index.ts';
import type { QueryFilter, QueryRequest } from '#resource/index.ts';
import { parsePatch, parseQueryFilter } from '#resource/index.ts';
import type { ChangeBatch, ConnectorHost, ConnectorKind, LATEST, Token } from '#system/contract.ts';
import { attributesOf, deltasOfPatch } from '#system/deltas.ts';
import type { SystemObjectType } from '#system/object-type.ts';
import { objectOf } from '#system/property-value.ts';
import { attributesFor, matching, queryObjects, wantedBy } from '#system/query-objects.ts';
import { readConfiguration } from '#system/read-configuration.ts';
import { System } from '#system/system.ts';
import type { TcpProxy } from '../tcp-proxy.ts';

/**
 * What the suite of connectors needs of one of them. Its objects are of the type `account`, with the properties `login` (which says
 * who it is), `title`, `age` (an integer), `mails` (several) and `password`.
 */
export interface ConnectorFixture extends AsyncDisposable {
  readonly kind: ConnectorKind;
  readonly host: Partial<ConnectorHost>;
  /** As it is written in a file. */
  readonly config: JsonObject;
  /** What a new object needs besides. */
  readonly draft: (object: JsonObject) => JsonObject;
  /** What the other side cannot hold. */
  readonly lacks?: { readonly severalValues?: true; readonly passwords?: true; readonly emptyAnswers?: true };
  /** Properties of its configuration by which nobody is let in. */
  readonly wrongLogin?: JsonObject;
  /** Its name for what nobody may write. */
  readonly readOnly?: string;
  /** Its name for what holds bytes. */
  readonly bytes?: string;
  /** How many filters are compared with what memory finds; default 80. */
  readonly manyFilters?: number;
  /** How many objects its listing is tried with. */
  readonly many: number;
  /** How many values of a property its other side takes at once; default 10,000. */
  readonly mostValues?: number;
  /** Puts objects there without the connector. */
  readonly seed: (objects: readonly JsonObject[]) => Promise<void>;
  /** Takes everything away. */
  readonly empty: () => Promise<void>;
  /** Whether the other side answers. */
  readonly weather?: (weather: 'calm' | 'refused' | 'silent') => void;
  /** Has the other side forget what has changed until now, as one does whose log is cut off. */
  readonly forgetChanges?: () => Promise<void>;
  /** What lies between. */
  readonly proxy?: TcpProxy;
  /** How many others may be written to while they are listed; default 5,000. */
  readonly crowd?: number;
  /** How many objects its memory is tried with. */
  readonly multitude: number;
}

/** Of a fixture behind a network that can fail. */
export function behind(proxy: TcpProxy): Required<Pick<ConnectorFixture, 'weather' | 'proxy'>> {
  return {
    proxy,
    weather: (weather) =>
      proxy.setWeather(
        weather === 'refused' ? { closed: true } : weather === 'silent' ? { hole: 'both' } : {},
      ),
  };
}

/** A system of the fixture, as requests use it. */
export class ConnectorSite implements AsyncDisposable {
  readonly system: System;
  readonly type: SystemObjectType;
  /** What it has told of itself. */
  readonly told: unknown[] = [];
  readonly fixture: ConnectorFixture;

  constructor(fixture: ConnectorFixture, changes: JsonObject = {}, clock = Date.now) {
    this.fixture = fixture;
    const written = { ...fixture.config, ...changes };
    const read = provisionerConfig.schema.safeParse(written);
    if (!read.success) throw new Error(JSON.stringify(read.error.issues));
    const { values, problems } = readConfiguration(fixture.kind, read.data.configurationProperties);
    if (problems.length > 0) throw new Error(JSON.stringify(problems));
    const unreachable = () => {
      throw new Error('The fixture has no network');
    };
    const host = {
      now: clock,
      connect: unreachable,
      request: unreachable,
      runScript: unreachable,
      resolveFile: (path: string) => path,
      ...fixture.host,
    };
    const connector = fixture.kind.open(values, host);
    this.system = new System({
      config: read.data,
      connector,
      crypto: openCrypto({ keyRing: {} }),
      observe: (observation) => this.told.push(observation),
    });
    const type = this.system.types.get('account');
    if (type === undefined) throw new Error('The fixture has no accounts');
    this.type = type;
  }

  async create(object: JsonObject): Promise<string> {
    return this.system.create(this.type, await attributesOf(this.system.crypto, this.type, object));
  }

  async createIsBlind(object: JsonObject): Promise<boolean> {
    return this.system.createIsBlind(this.type, await attributesOf(this.system.crypto, this.type, object));
  }

  async patch(id: string, operations: JsonObject[]): Promise<string> {
    const deltas = await deltasOfPatch(this.system.crypto, this.type, parsePatch(operations));
    return this.system.update(this.type, id, deltas);
  }

  delete(id: string): Promise<void> {
    return this.system.delete(this.type, id);
  }

  async read(id: string): Promise<JsonObject | undefined> {
    const isWanted = wantedBy([]);
    const entry = await this.system.find(this.type, id, attributesFor(this.type, isWanted));
    return entry && objectOf(this.system.crypto, this.type, entry, isWanted);
  }

  async list(filter: string | QueryFilter = 'true'): Promise<JsonObject[]> {
    const parsed = typeof filter === 'string' ? parseQueryFilter(filter) : filter;
    const all: JsonObject[] = [];
    for await (const object of matching(this.system, this.type, { isWanted: wantedBy([]), filter: parsed })) {
      all.push(object);
    }
    return all;
  }

  /** The changes since a token. */
  async *changes(token: Token | typeof LATEST, mostAtOnce = 500): AsyncGenerator<ChangeBatch> {
    const attributes = attributesFor(this.type, wantedBy([]));
    yield* this.system.changes(this.type, token, { attributes, mostAtOnce });
  }

  query(request: Partial<QueryRequest>) {
    return queryObjects(this.system, this.type, {
      method: 'query',
      path: ['system', this.system.name, 'account'],
      fields: [],
      parameters: {},
      queryId: null,
      queryExpression: null,
      queryFilter: { kind: 'literal', value: true },
      sortKeys: [],
      paging: { pageSize: 0, offset: 0, totalPolicy: 'NONE' },
      ...request,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.system[Symbol.asyncDispose]();
  }
}

/** The id of an error as callers see it. */
export async function errorId(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
    return 'none';
  } catch (error) {
    const detail = error instanceof Error && 'detail' in error ? error.detail : undefined;
    return typeof detail === 'object' && detail !== null && 'id' in detail ? detail.id : error;
  }
}
