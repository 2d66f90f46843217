import type { ProvisionerConfig, SystemOperation } from '#config/index.ts';
import type { Crypto } from '#crypto/index.ts';
import { ForbiddenError, NotFoundError } from '#errors/index.ts';
import type { Observe } from '#observability/index.ts';
import { Circuit } from './circuit.ts';
import { answerOf, kindOfError } from './connector-answer.ts';
import {
  type AttributeDelta,
  type Attributes,
  type Capabilities,
  type ChangeBatch,
  type ChangesRequest,
  type Connector,
  ConnectorError,
  type Entry,
  type Filter,
  type LATEST,
  type ObjectClass,
  Secret,
  type Token,
} from './contract.ts';
import { endedBy, hasLeft } from './ended-by.ts';
import { Gate } from './gate.ts';
import { HeldListings } from './held-listings.ts';
import { binaryNames, compileObjectTypes, type SystemObjectType } from './object-type.ts';
import { secretsIn, withoutSecrets } from './without-secrets.ts';

/** Where its file says nothing. A listing has it for each page. */
const DEFAULT_TIMEOUT_MS = 30_000;
const PAGE_SIZE = 500;

/** Whether another system answers, by what was asked of it last. */
export type SystemState =
  | { readonly state: 'disabled' | 'unknown' | 'up' }
  | { readonly state: 'failing'; readonly why: string }
  | {
      readonly state: 'away';
      readonly since: string;
      /** When one call is let through to it again. */
      readonly retryAt: string;
      readonly why: string;
    };

export interface SystemParts {
  readonly config: ProvisionerConfig;
  readonly connector: Connector;
  readonly crypto: Crypto;
  readonly observe: Observe;
}

/**
 * Another system as this server asks it: one call has so long, so many are made at once, and one that does not answer is not asked for
 * a while.
 */
export class System implements AsyncDisposable {
  readonly name: string;
  readonly config: ProvisionerConfig;
  readonly crypto: Crypto;
  readonly types: ReadonlyMap<string, SystemObjectType>;
  readonly listings: HeldListings;
  readonly circuit = new Circuit();
  readonly #connector: Connector;
  readonly #observe: Observe;
  readonly #gate: Gate;
  readonly #ended = new AbortController();
  #last: SystemState = { state: 'unknown' };

  constructor({ config, connector, crypto, observe }: SystemParts) {
    this.name = config.name;
    this.config = config;
    this.crypto = crypto;
    this.types = compileObjectTypes(config);
    this.#connector = connector;
    this.#observe = observe;
    const { maxObjects, maxWait } = config.poolConfigOption;
    this.#gate = new Gate(Math.min(maxObjects, connector.capabilities.maxConcurrency), maxWait);
    this.listings = new HeldListings(() => connector.capabilities.stableListing);
  }

  get state(): SystemState {
    const { broken } = this.circuit;
    if (broken === undefined) return this.#last;
    const { sinceMs, retryAtMs, why } = broken;
    return { state: 'away', since: wallTime(sinceMs), retryAt: wallTime(retryAtMs), why };
  }

  get capabilities(): Capabilities {
    return this.#connector.capabilities;
  }

  /** Connects and logs in, whatever is known of it. */
  async test(signal?: AbortSignal): Promise<void> {
    await this.#call('TEST', signal, (inner) => this.#connector.test(inner), {
      isProbe: true,
    });
  }

  schema(signal?: AbortSignal): Promise<readonly ObjectClass[]> {
    return this.#call('SCHEMA', signal, (inner) => this.#connector.schema(inner));
  }

  /** @param attributes undefined for all that is shown by default */
  find(
    type: SystemObjectType,
    id: string,
    attributes: readonly string[] | undefined,
    signal?: AbortSignal,
  ): Promise<Entry | undefined> {
    this.#requireAllowed(type, 'GET');
    return this.#call('GET', signal, (inner) =>
      this.#connector.get(type.native, id, { signal: inner, attributes, binary: binaryNames(type) }),
    );
  }

  /** All entries, in pages that are pulled. Each pull has the time of a search. */
  async *search(
    type: SystemObjectType,
    question: {
      readonly filter: Filter | undefined;
      readonly comparison: 'native' | 'exact';
      readonly attributes: readonly string[] | undefined;
      readonly pageSize?: number;
    },
    signal?: AbortSignal,
  ): AsyncGenerator<{ readonly entry: Entry; readonly isSure: boolean }, void, undefined> {
    this.#requireAllowed(type, 'SEARCH');
    const { filter, comparison, attributes, pageSize = PAGE_SIZE } = question;
    const begin = (inner: AbortSignal) => {
      const request = { signal: inner, attributes, binary: binaryNames(type) };
      return this.#connector.search(type.native, { filter, comparison, pageSize }, request);
    };
    for await (const page of this.#pulled('SEARCH', begin, signal)) {
      for (const entry of page.entries) yield { entry, isSure: !page.isSuperset };
    }
  }

  /**
   * What has changed since the token, in batches that are pulled. Each pull has the time of a synchronisation.
   *
   * @throws ConflictError `SYSTEM_TOKEN_EXPIRED`, NotSupportedError `SYSTEM_NOT_SUPPORTED`
   */
  changes(
    type: SystemObjectType,
    token: Token | typeof LATEST,
    { attributes, mostAtOnce }: Pick<ChangesRequest, 'attributes' | 'mostAtOnce'>,
    signal?: AbortSignal,
  ): AsyncGenerator<ChangeBatch, void, undefined> {
    this.#requireAllowed(type, 'SYNC');
    const begin = (inner: AbortSignal) => {
      const request = { signal: inner, attributes, binary: binaryNames(type), mostAtOnce };
      const connector = this.#connector;
      if (connector.changes !== undefined) return connector.changes(type.native, token, request);
      throw new ConnectorError('notSupported', 'This kind of system does not tell what has changed');
    };
    return this.#pulled('SYNC', begin, signal);
  }

  async create(type: SystemObjectType, attributes: Attributes, signal?: AbortSignal): Promise<string> {
    this.#requireAllowed(type, 'CREATE');
    const { id } = await this.#call(
      'CREATE',
      signal,
      (inner) => this.#connector.create(type.native, attributes, { signal: inner }),
      { secrets: secretsIn([...attributes.values()].flat()) },
    );
    return id;
  }

  /** Whether nobody can tell if such an object was made already, and a second one would be made. */
  createIsBlind(type: SystemObjectType, attributes: Attributes, signal?: AbortSignal): Promise<boolean> {
    const connector = this.#connector;
    const asked = async (inner: AbortSignal) =>
      (await connector.createIsBlind?.(type.native, attributes, inner)) ?? false;
    return this.#call('SCHEMA', signal, asked);
  }

  /** @returns the id that it has afterwards */
  async update(
    type: SystemObjectType,
    id: string,
    deltas: readonly AttributeDelta[],
    signal?: AbortSignal,
  ): Promise<string> {
    this.#requireAllowed(type, 'UPDATE');
    if (deltas.length === 0) return id;
    const result = await this.#call(
      'UPDATE',
      signal,
      (inner) => this.#connector.update(type.native, id, deltas, { signal: inner }),
      { secrets: secretsIn(deltas.flatMap((delta) => ('replace' in delta ? delta.replace : delta.add))) },
    );
    return result.id;
  }

  async delete(type: SystemObjectType, id: string, signal?: AbortSignal): Promise<void> {
    this.#requireAllowed(type, 'DELETE');
    await this.#call('DELETE', signal, (inner) => this.#connector.delete(type.native, id, { signal: inner }));
  }

  /** @returns the id of who has this password */
  async authenticate(
    type: SystemObjectType,
    name: string,
    password: string,
    signal?: AbortSignal,
  ): Promise<string> {
    this.#requireAllowed(type, 'AUTHENTICATE');
    const connector = this.#connector;
    const secret = new Secret(password);
    const work = (inner: AbortSignal) => {
      if (connector.authenticate !== undefined)
        return connector.authenticate(type.native, name, secret, inner);
      throw new ConnectorError('notSupported', 'Nobody can log in at this kind of system');
    };
    return this.#call('AUTHENTICATE', signal, work, { secrets: [secret] });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended.abort();
    await this.listings.close();
    await this.#connector[Symbol.asyncDispose]();
  }

  /** What a connector gives bit by bit: each bit is a call. */
  async *#pulled<T>(
    operation: SystemOperation,
    begin: (signal: AbortSignal) => AsyncIterable<T>,
    outer: AbortSignal | undefined,
  ): AsyncGenerator<T, void, undefined> {
    const ended = new AbortController();
    let bits: AsyncIterator<T> | undefined;
    let isStuck = false;
    try {
      for (;;) {
        isStuck = true;
        const { value, done } = await this.#call(operation, outer, async (inner) => {
          inner.addEventListener('abort', () => ended.abort(inner.reason), { once: true });
          bits ??= begin(ended.signal)[Symbol.asyncIterator]();
          return bits.next();
        });
        isStuck = false;
        if (done === true) return;
        yield value;
      }
    } finally {
      ended.abort();
      // One that does not come back from a bit may not come to its end either.
      const ending = bits?.return?.()?.then(undefined, () => {});
      if (!isStuck) await ending;
    }
  }

  async #call<T>(
    operation: SystemOperation,
    outer: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<T>,
    {
      isProbe = false,
      secrets = [],
    }: { readonly isProbe?: boolean; readonly secrets?: readonly Secret[] } = {},
  ): Promise<T> {
    const broken = isProbe ? undefined : this.circuit.refusal();
    if (broken !== undefined) {
      const seconds = Math.max(1, Math.ceil((broken.retryAtMs - performance.now()) / 1000));
      throw answerOf(
        this.name,
        new ConnectorError('unavailable', `Not asked: ${broken.why}. It is tried again in ${seconds} s`, {
          retryAfterMs: seconds * 1000,
          wasAsked: false,
        }),
        operation,
      );
    }
    const timeoutMs = this.config.operationTimeout[operation] ?? DEFAULT_TIMEOUT_MS;
    const timeout = new AbortController();
    const signals = [timeout.signal, this.#ended.signal, ...(outer === undefined ? [] : [outer])];
    const signal = AbortSignal.any(signals);
    const leave = await this.#gate.enter(signal).catch((error: unknown) => {
      throw answerOf(this.name, error, operation);
    });
    const timer = timeoutMs < 0 ? undefined : setTimeout(() => timeout.abort(), timeoutMs);
    const startedAt = performance.now();
    try {
      const result = await endedBy(signal, work(signal), () =>
        timeout.signal.aborted
          ? new ConnectorError('timeout', `${operation} took longer than ${timeoutMs} ms`)
          : new ConnectorError('timeout', `${operation} was ended`),
      );
      this.#told(operation, 'ok', startedAt);
      return result;
    } catch (thrown) {
      const error = withoutSecrets(thrown, secrets);
      this.#told(operation, kindOfError(error), startedAt, error, hasLeft(outer, startedAt));
      throw answerOf(this.name, error, operation);
    } finally {
      clearTimeout(timer);
      leave();
    }
  }

  #told(
    operation: SystemOperation,
    outcome: ReturnType<typeof kindOfError>,
    startedAt: number,
    error?: unknown,
    isGivenUp = false,
  ): void {
    const system = this.name;
    const ms = performance.now() - startedAt;
    this.#observe({ kind: 'system.called', system, operation, outcome, ms });
    const isAway = outcome === 'unavailable' || outcome === 'timeout';
    const why = error instanceof Error ? error.message : String(error);
    if (isAway || outcome === 'misconfigured' || outcome === 'protocol') {
      if (!isGivenUp) this.#last = { state: 'failing', why };
    } else if (outcome !== 'busy' && outcome !== 'failed') this.#last = { state: 'up' };
    if (isAway && !isGivenUp) {
      if (this.circuit.failed(why, ms)) this.#observe({ kind: 'system.away', system, why });
    } else if (outcome !== 'busy' && outcome !== 'failed' && !isAway) {
      // Whoever refuses is there.
      if (this.circuit.succeeded()) this.#observe({ kind: 'system.back', system });
    }
  }

  #requireAllowed({ name, denied }: SystemObjectType, operation: SystemOperation): void {
    if (!denied.has(operation)) return;
    throw new ForbiddenError(`${operation} of '${this.name}/${name}' is denied`, {
      id: 'SYSTEM_OPERATION_DENIED',
      hint: `operationOptions of its file say so`,
    });
  }
}

/** The error of an object that is not there. */
export function notFoundThere(system: string, type: string, id: string): NotFoundError {
  return new NotFoundError(`Object ${id} not found on ${system}/${type}`);
}

/** @param ms of the clock that only goes on */
function wallTime(ms: number): string {
  return new Date(performance.timeOrigin + ms).toISOString();
}
