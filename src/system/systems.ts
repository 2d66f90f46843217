import { resolve } from 'node:path';
import { type ConfigStore, isBelow, type ProvisionerConfig, provisionerConfig } from '#config/index.ts';
import type { Crypto } from '#crypto/index.ts';
import {
  didYouMean,
  InternalServerError,
  NotFoundError,
  NotSupportedError,
  ServiceUnavailableError,
} from '#errors/index.ts';
import { isObject } from '#json/index.ts';
import type { Observe } from '#observability/index.ts';
import { parsePath } from '#resource/index.ts';
import { answerOf } from './connector-answer.ts';
import { type FoundKind, findKind, isScripted } from './connector-kinds.ts';
import { ConnectorError, type ConnectorHost, type ConnectorKind } from './contract.ts';
import { readConfiguration } from './read-configuration.ts';
import { System, type SystemState } from './system.ts';

export interface SystemsPlatform {
  readonly config: ConfigStore;
  readonly crypto: Crypto;
  readonly observe: Observe;
  readonly connect: ConnectorHost['connect'];
  readonly request: ConnectorHost['request'];
  readonly runScript: ConnectorHost['runScript'];
  readonly kinds: readonly ConnectorKind[];
}

/** Folder of the project in which systems have their files. */
export const DATA_FOLDER = 'data';

/** The other systems of the configuration in force; each is opened when it is asked for the first time, in each thread. */
export class Systems implements AsyncDisposable {
  readonly #platform: SystemsPlatform;
  readonly #open = new Map<string, Promise<System>>();
  /** Why those could not be opened that could not. */
  readonly #failures = new Map<ProvisionerConfig, string>();

  constructor(platform: SystemsPlatform) {
    this.#platform = platform;
    platform.config.watchOnly(provisionerConfig, () => this.#renew());
  }

  /** All systems in the order of their files. */
  get all(): readonly { readonly file: string; readonly config: ProvisionerConfig }[] {
    const { config } = this.#platform;
    return config.list(provisionerConfig).map(({ alias, value }) => ({
      file: `${provisionerConfig.id}-${alias}.json`,
      config: value,
    }));
  }

  get enabled(): readonly ProvisionerConfig[] {
    return this.all.map(({ config }) => config).filter(({ enabled }) => enabled);
  }

  /** Whether many objects of a collection, such as `system/ldap/account`, are found by their ids with one question. */
  findsByIds(collection: string): boolean {
    const [, name] = parsePath(collection);
    const found = this.enabled.find((config) => config.name === name);
    const { kinds } = this.#platform;
    const known = found === undefined ? undefined : findKind(found.connectorRef.connectorName, kinds);
    return known !== undefined && 'kind' in known && known.kind.findsByIds === true;
  }

  /** Whether requests to the system run a script. */
  runsScripts(name: string): boolean {
    const found = this.enabled.find((config) => config.name === name);
    return found !== undefined && isScripted(found.connectorRef.connectorName, this.#platform.kinds);
  }

  /** Whether it answers, as far as this node has asked it. */
  async stateOf(config: ProvisionerConfig): Promise<SystemState> {
    if (!config.enabled) return { state: 'disabled' };
    const system = await this.#open.get(config.name)?.catch(() => undefined);
    if (system !== undefined) return system.state;
    const why = this.#failures.get(config);
    return why === undefined ? { state: 'unknown' } : { state: 'failing', why };
  }

  /** The systems that have been asked for. */
  opened(): Promise<readonly System[]> {
    return Promise.all(this.#open.values());
  }

  /** @throws NotFoundError `SYSTEM_NOT_FOUND`, ServiceUnavailableError `SYSTEM_DISABLED` */
  async named(name: string): Promise<System> {
    const found = this.all.find(({ config }) => config.name === name)?.config;
    if (found === undefined) {
      const names = this.all.map(({ config }) => config.name);
      throw new NotFoundError(`There is no system '${name.slice(0, 100)}'`, {
        id: 'SYSTEM_NOT_FOUND',
        hint:
          didYouMean(name, names) ??
          (names.length === 0
            ? 'Declare one in provisioner.openicf-<name>.json'
            : `There are ${names.join(', ')}`),
      });
    }
    if (!found.enabled) {
      throw new ServiceUnavailableError(`The system '${name}' is disabled`, {
        id: 'SYSTEM_DISABLED',
        hint: '"enabled" in its file says so',
      });
    }
    const known = this.#open.get(name) ?? this.#keep(found);
    return known;
  }

  /** @throws NotSupportedError `SYSTEM_NO_PREPARATION` */
  async preparation(name: string): Promise<string> {
    const { config } = await this.named(name);
    const { kind } = kindOf(config, this.#platform.kinds);
    if (kind.preparation === undefined) {
      throw new NotSupportedError(`Nothing is to be done in '${name}' so that it tells what has changed`, {
        id: 'SYSTEM_NO_PREPARATION',
      });
    }
    const plain = await this.#platform.crypto.decrypt(config.configurationProperties);
    return kind.preparation(readConfiguration(kind, isObject(plain) ? plain : {}).values);
  }

  /** A system of a configuration that nobody has stored: whoever asks for it ends it. */
  async open(config: ProvisionerConfig): Promise<System> {
    const { crypto, observe } = this.#platform;
    const found = kindOf(config, this.#platform.kinds);
    const plain = await crypto.decrypt(config.configurationProperties);
    const { values, problems } = readConfiguration(found.kind, isObject(plain) ? plain : {});
    const [problem] = problems;
    if (problem !== undefined) {
      throw new InternalServerError(`The system '${config.name}' cannot be used: ${problem.message}`, {
        id: 'SYSTEM_MISCONFIGURED',
        field: `/configurationProperties/${problem.property}`,
        ...(problem.hint === undefined ? {} : { hint: problem.hint }),
      });
    }
    try {
      const connector = found.kind.open(values, this.#host());
      return new System({ config, connector, crypto, observe });
    } catch (error) {
      throw answerOf(config.name, error);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const open = [...this.#open.values()];
    this.#open.clear();
    await Promise.allSettled(open.map(async (system) => (await system)[Symbol.asyncDispose]()));
  }

  #keep(config: ProvisionerConfig): Promise<System> {
    const { name } = config;
    const opening = this.open(config);
    this.#open.set(name, opening);
    opening.then(
      () => this.#failures.delete(config),
      (error: unknown) => {
        this.#failures.set(config, error instanceof Error ? error.message : String(error));
        if (this.#open.get(name) === opening) this.#open.delete(name);
      },
    );
    return opening;
  }

  /** What is under way with the former configuration comes to its end by a signal; the next call opens it anew. */
  async #renew(): Promise<void> {
    const configs = new Set(this.enabled);
    for (const config of this.#failures.keys()) if (!configs.has(config)) this.#failures.delete(config);
    const gone: Promise<System>[] = [];
    for (const [name, opening] of this.#open) {
      const system = await opening.catch(() => undefined);
      if (system !== undefined && configs.has(system.config)) continue;
      this.#open.delete(name);
      gone.push(opening);
    }
    await Promise.allSettled(gone.map(async (system) => (await system)[Symbol.asyncDispose]()));
  }

  #host(): ConnectorHost {
    const { config, connect, request, runScript } = this.#platform;
    const folder = resolve(config.locations.projectLocation, DATA_FOLDER);
    return {
      now: Date.now,
      connect,
      request,
      runScript,
      resolveFile(path) {
        const file = resolve(folder, '..', path);
        if (file !== folder && isBelow(folder, file)) return file;
        throw new ConnectorError(
          'misconfigured',
          `'${path}' lies outside of the project's folder '${DATA_FOLDER}', of which a file is named such as '${DATA_FOLDER}/ca.pem'`,
        );
      },
    };
  }
}

/** @throws InternalServerError `SYSTEM_NO_CONNECTOR` */
export function kindOf(
  { connectorRef }: ProvisionerConfig,
  kinds: readonly ConnectorKind[],
): Extract<FoundKind, { kind: ConnectorKind }> {
  const found = findKind(connectorRef.connectorName, kinds);
  if ('kind' in found) return found;
  throw new InternalServerError(found.message, {
    id: 'SYSTEM_NO_CONNECTOR',
    field: '/connectorRef/connectorName',
    hint: found.hint,
  });
}
