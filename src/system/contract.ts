import type { Socket } from 'node:net';

export { shownAddress } from '#json/index.ts';
export { ConnectorError, type ConnectorErrorKind, unasked } from './connector-error.ts';
export { Frames } from './frames.ts';

/**
 * What a connector is to the server: all that one of them may import of it. A connector speaks one protocol, with the names and the
 * values of the other side; everything that is the same for all of them (names and types of the project, timeouts, bounds, retries,
 * what is secret) is done in front of it.
 *
 * Rules: what a signal has ended rejects with `timeout`, and its connection is not used again. Writes may be repeated: deleting
 * what is gone, adding a value that is there and removing one that is not succeed. Ids are opaque, and stay where the other side has
 * such ids. An attribute without a value is absent. Binary values pass through no text. Nothing is kept outside of what `open` gives.
 */

/** Attributes that all connectors name alike. */
export const UID = '__UID__';
export const NAME = '__NAME__';
export const PASSWORD = '__PASSWORD__';
export const ENABLE = '__ENABLE__';

/** The most that another system may send for one question: what comes is kept until it is whole. */
export const MOST_ANSWER_BYTES = 134_217_728;

/** Kinds of objects that all connectors name alike. */
export const ACCOUNT = '__ACCOUNT__';
export const GROUP = '__GROUP__';

/** A text that is shown nowhere: neither in a log nor in JSON. */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return '***';
  }

  toJSON(): string {
    return '***';
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return '***';
  }
}

export type Scalar = string | number | boolean | bigint | Uint8Array | Secret;
export type Attributes = ReadonlyMap<string, readonly Scalar[]>;
export type ObjectClassName = string;

/** What a configuration property holds; a list of one is also written as a text. */
interface PropertyTypes {
  readonly text: string;
  readonly number: number;
  readonly flag: boolean;
  readonly list: readonly string[];
  readonly secret: Secret;
}

export interface ConfigurationProperty {
  readonly type: keyof PropertyTypes;
  /** What it is, in a few words. */
  readonly does: string;
  readonly isRequired?: true;
  readonly default?: string | number | boolean | readonly string[];
}

export type ConfigurationProperties = Readonly<Record<string, ConfigurationProperty>>;

/** The properties as they are read: what is required or has a default is there. */
export type ConfigurationOf<P extends ConfigurationProperties> = {
  readonly [Name in keyof P]: P[Name] extends { readonly isRequired: true } | { readonly default: unknown }
    ? PropertyTypes[P[Name]['type']]
    : PropertyTypes[P[Name]['type']] | undefined;
};

/** What is wrong with a configuration, by the name of its property. */
export interface ConfigurationProblem {
  readonly property: string;
  readonly message: string;
  readonly hint?: string;
}

/** What a connector has of the server. */
export interface ConnectorHost {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /**
   * A file of the project's folder `data`.
   *
   * @throws ConnectorError `misconfigured` for one that lies elsewhere
   */
  readonly resolveFile: (path: string) => string;
  /** A connection, where the network rules of the operator allow it; refused ones end with an error of the socket. */
  readonly connect: (place: { readonly host: string; readonly port: number }) => Socket;
  /**
   * Asks over HTTP, where the network rules of the operator allow it; certificates are verified, and no redirect is followed.
   *
   * @throws ConnectorError `unavailable`, `timeout`, `misconfigured`
   */
  readonly request: (request: HttpRequest) => Promise<HttpResponse>;
  /**
   * Calls a function of a script of the project, which reaches nothing but `request`.
   *
   * @returns what it returned, or what is known when it has no such function
   * @throws ConnectorError by what it throws; what `request` throws passes through it
   */
  readonly runScript: (call: ScriptCall) => Promise<{ readonly value: Json } | 'none'>;
}

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

export interface ScriptCall {
  /** Among the sources of scripts. */
  readonly file: string;
  readonly name: string;
  readonly argument: Json;
  readonly request: (request: Json) => Promise<Json>;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly signal: AbortSignal;
  /** Certificates that are trusted, PEM; undefined: those of Node. */
  readonly ca: string | undefined;
}

export interface HttpResponse {
  readonly status: number;
  /** The headers by names in small letters. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

export interface ConnectorKind<P extends ConfigurationProperties = ConfigurationProperties> {
  /** Such as `ldap`. */
  readonly id: string;
  readonly displayName: string;
  /** Values of `connectorName` that mean it; the first is what a new configuration gets. */
  readonly names: readonly string[];
  readonly properties: P;
  /** Names of properties that others know and this one does without. */
  readonly ignored?: readonly string[];
  /** Whether its work is done where scripts run. */
  readonly runsScripts?: true;
  /** Whether many objects are found by their ids with one question, and nothing else is looked at for it. */
  readonly findsByIds?: true;
  /** What is wrong with properties that are right by themselves. */
  check?(configuration: ConfigurationOf<P>): readonly ConfigurationProblem[];
  /** What somebody runs there so that it can tell what has changed: statements in the language of the other side. */
  preparation?(configuration: ConfigurationOf<P>): string;
  /** Does not connect yet. */
  open(configuration: ConfigurationOf<P>, host: ConnectorHost): Connector;
}

export interface Connector extends AsyncDisposable {
  readonly capabilities: Capabilities;
  /** Connects, logs in, and looks whether the objects can be read. */
  test(signal: AbortSignal): Promise<void>;
  schema(signal: AbortSignal): Promise<readonly ObjectClass[]>;
  get(type: ObjectClassName, id: string, request: ReadRequest): Promise<Entry | undefined>;
  /** Reads no more ahead of demand than one page. */
  search(type: ObjectClassName, query: SearchQuery, request: ReadRequest): AsyncIterable<Page>;
  create(type: ObjectClassName, attributes: Attributes, request: WriteRequest): Promise<WriteResult>;
  /**
   * Whether a second `create` with these would make a second object: the other side makes up the id, and refuses none that is like
   * another. Without it a second one is `alreadyExists`, and says who is there (`existingId`).
   */
  createIsBlind?(type: ObjectClassName, attributes: Attributes, signal: AbortSignal): Promise<boolean>;
  update(
    type: ObjectClassName,
    id: string,
    deltas: readonly AttributeDelta[],
    request: WriteRequest,
  ): Promise<WriteResult>;
  delete(type: ObjectClassName, id: string, request: WriteRequest): Promise<void>;
  /**
   * What has changed since the token, in batches; the last one says that there was nothing more. It does not wait for what is to come.
   * Since `latest` is nothing: one batch without changes, whose token is that of this moment.
   *
   * Every change is told at least once, and those of one object in their order: of several it may tell the last alone, with the object
   * as it is now. The token of each batch goes on after it, on another node and in another year. Tokens come from the other side and
   * never from a clock of this one.
   *
   * @throws ConnectorError `tokenExpired` where the other side does not know any more what came after the token, or has never known it;
   *   before the first batch
   */
  changes?(
    type: ObjectClassName,
    token: Token | typeof LATEST,
    request: ChangesRequest,
  ): AsyncIterable<ChangeBatch>;
  /** @returns the id of who has this password @throws ConnectorError `invalidCredentials` */
  authenticate?(type: ObjectClassName, name: string, password: Secret, signal: AbortSignal): Promise<string>;
}

export interface Capabilities {
  readonly create: boolean;
  readonly update: boolean;
  readonly delete: boolean;
  /** What it can leave out of a listing by itself. */
  readonly filter: readonly FilterOperator[];
  /** The same listing comes in the same order again. */
  readonly stableListing: boolean;
  /**
   * What `changes` tells. `full`: all. `upserts`: not what was deleted. `compared`: there is no such function, and the server compares
   * what it lists with what it listed last. `none`: nobody can tell.
   */
  readonly changes: 'none' | 'compared' | 'upserts' | 'full';
  readonly maxConcurrency: number;
}

export type AttributeType = 'string' | 'integer' | 'number' | 'boolean' | 'binary' | 'secret';

export interface AttributeInfo {
  readonly name: string;
  readonly type: AttributeType;
  readonly isMultiValued?: boolean;
  readonly isRequired?: boolean;
  readonly isReadOnly?: boolean;
  readonly isReturnedByDefault?: boolean;
}

export interface ObjectClass {
  readonly name: ObjectClassName;
  readonly attributes: readonly AttributeInfo[];
}

export interface ReadRequest {
  readonly signal: AbortSignal;
  /** Undefined for all that is shown by default. */
  readonly attributes: readonly string[] | undefined;
  /** Attributes whose values are binary, whatever their schema says. */
  readonly binary: readonly string[];
}

export interface WriteRequest {
  readonly signal: AbortSignal;
}

export interface WriteResult {
  /** The id; another one after a rename, where ids are names. */
  readonly id: string;
}

export interface Entry {
  readonly id: string;
  readonly name?: string;
  readonly attributes: Attributes;
}

export interface SearchQuery {
  readonly filter: Filter | undefined;
  /**
   * `native`: as the other side compares. `exact`: by characters; a connector whose other side does not compare so
   * yields too many rather than too few, and says so (`Page.isSuperset`).
   */
  readonly comparison: 'native' | 'exact';
  readonly pageSize: number;
}

export interface Page {
  /** No more than the page size. */
  readonly entries: readonly Entry[];
  /** There may be some among them that the filter does not mean. */
  readonly isSuperset: boolean;
}

/** Stands in place of a token: from now on. */
export const LATEST = 'latest';

/** A place in the changes of one type: a text that only its connector reads, of no more than 60,000 characters, without secrets. */
export type Token = string;

export interface ChangesRequest extends ReadRequest {
  /** The most changes in one batch. */
  readonly mostAtOnce: number;
}

export interface ChangeBatch {
  /** There may be none, where what has changed is of no concern. */
  readonly changes: readonly Change[];
  /** What comes after this batch. */
  readonly token: Token;
  /** Whether it is the last batch of what there was when it was asked. */
  readonly isLast: boolean;
}

export type Change =
  | {
      readonly kind: 'upsert';
      /** The entry as a listing shows it. */
      readonly entry: Entry;
      /** Where ids are names, and it has got another one. */
      readonly previousId?: string;
    }
  | {
      readonly kind: 'delete';
      readonly id: string;
      /** What it was at last, where that is known. */
      readonly last?: Entry;
    };

export type FilterOperator = 'eq' | 'co' | 'sw' | 'ew' | 'lt' | 'le' | 'gt' | 'ge' | 'pr' | 'in';

/** A filter by the names of attributes; what is absent compares false. */
export type Filter =
  | { readonly kind: 'literal'; readonly value: boolean }
  | { readonly kind: 'and' | 'or'; readonly filters: readonly Filter[] }
  | { readonly kind: 'not'; readonly filter: Filter }
  | { readonly kind: 'present'; readonly attribute: string }
  | {
      readonly kind: 'compare';
      readonly attribute: string;
      readonly operator: Exclude<FilterOperator, 'pr' | 'in'>;
      readonly value: Scalar;
    }
  | { readonly kind: 'in'; readonly attribute: string; readonly values: readonly Scalar[] };

/** Values as sets: `replace` with none takes the attribute away. */
export type AttributeDelta = { readonly name: string } & (
  | { readonly replace: readonly Scalar[] }
  | { readonly add: readonly Scalar[]; readonly remove: readonly Scalar[] }
);
