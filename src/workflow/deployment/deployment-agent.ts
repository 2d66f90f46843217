import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { runUnitOfWork } from '#database/index.ts';
import { ResourceError } from '#errors/index.ts';
import { type Service, Ticker } from '#lifecycle/index.ts';
import type { Connection } from '#resource/index.ts';
import type { Finding } from '../engine/index.ts';
import type { WorkflowPlatform } from '../workflow-platform.ts';
import { isDeployable, passedOver, readResources } from './deployment-file.ts';
import { findLatestDeployment, listDeploymentsFrom } from './deployment-repository.ts';
import { retire } from './undeploy.ts';

/** Fixed: clients wait that long. */
const INTERVAL_MS = 2_000;

export interface DeploymentAgentOptions {
  readonly platform: WorkflowPlatform;
  /** The connection to the router, and to a thread where scripts can be compiled. */
  readonly connection: Connection;
  /** The watched directory; undefined while workflow is inactive. */
  readonly directory: () => string | undefined;
  /** Default 2 s. */
  readonly intervalMs?: number;
}

/** What the action `deploy` answers. */
interface DeployAnswer {
  readonly unchanged: boolean;
  readonly definitions: readonly { readonly _id: string; readonly findings: readonly Finding[] }[];
}

/** What a file was like at the last look. */
type Stamp = string;

/**
 * Follows the directory of process files: deploys what is new or changed, undeploys what is gone. Every node looks
 * at its own directory; the first that sees a change deploys it, the others find it done. A node that starts with
 * an older copy of a file does not bring that back.
 */
export class DeploymentAgent implements Service {
  readonly name = 'workflow deployments';
  readonly #options: DeploymentAgentOptions;
  readonly #ticker: Ticker;
  /** By directory, so that another `workflowDirectory` starts anew. */
  #directory: string | undefined;
  #origin = '';
  #seen = new Map<string, Stamp>();

  constructor(options: DeploymentAgentOptions) {
    this.#options = options;
    this.#ticker = new Ticker({
      name: this.name,
      intervalMs: options.intervalMs ?? INTERVAL_MS,
      jitter: 0,
      runOnce: () => this.runOnce(),
      observe: options.platform.observe,
    });
  }

  /** The files that are there are deployed before the node takes requests, unless they cannot be read yet. */
  async start(): Promise<void> {
    const directory = this.#options.directory();
    const isReadable = directory === undefined || (await canLook(directory));
    if (isReadable) await this.runOnce();
    await this.#ticker.start();
  }

  stop(): Promise<void> {
    return this.#ticker.stop();
  }

  async runOnce(): Promise<void> {
    const directory = this.#options.directory();
    if (directory === undefined) return;
    const present = await stamps(directory);
    const isFirst = directory !== this.#directory;
    if (isFirst) {
      this.#directory = directory;
      this.#origin = `${hostname()}:${await realpath(directory).catch(() => directory)}`;
      this.#seen = new Map();
    }
    for (const [name, stamp] of present) {
      if (this.#seen.get(name) === stamp) continue;
      const isNews = this.#seen.has(name) || !isFirst;
      if (await this.#deploy(join(directory, name), name, isNews)) this.#seen.set(name, stamp);
    }
    const gone = [...this.#seen.keys()].filter((name) => !present.has(name));
    if (isFirst) gone.push(...(await this.#goneMeanwhile(present)));
    for (const name of gone) {
      await this.#retire(name);
      this.#seen.delete(name);
    }
  }

  /** @returns false when it is to be tried again at the next look */
  async #deploy(path: string, name: string, isNews: boolean): Promise<boolean> {
    const { platform } = this.#options;
    try {
      const bytes = await readFile(path);
      if ((await readResources(name, bytes)) === undefined) {
        const finding = passedOver(name, bytes);
        if (finding !== undefined) platform.observe({ kind: 'workflow.passedOver', file: name, ...finding });
        return true;
      }
      const isArchive = name.toLowerCase().endsWith('.bar');
      const deployed = (await this.#options.connection.action('workflow/deployment', 'deploy', {
        name,
        content: bytes.toString(isArchive ? 'base64' : 'utf8'),
        origin: this.#origin,
        isNews,
      })) as unknown as DeployAnswer;
      if (!deployed.unchanged) {
        platform.observe({
          kind: 'workflow.deployed',
          file: name,
          definitions: deployed.definitions.map(({ _id }) => _id),
          findings: deployed.definitions.flatMap(({ findings }) =>
            findings.map(({ element, message }) => `'${element}' ${message}`),
          ),
        });
      }
      return true;
    } catch (error) {
      platform.observe({ kind: 'workflow.deployFailed', file: name, error });
      // A bad file stays bad until it changes; anything else may pass.
      return error instanceof ResourceError && error.code < 500;
    }
  }

  async #goneMeanwhile(present: ReadonlyMap<string, Stamp>): Promise<string[]> {
    const { database } = this.#options.platform;
    const deployments = await listDeploymentsFrom(database.db, this.#origin);
    return deployments.flatMap(({ name }) => (present.has(name) ? [] : [name]));
  }

  async #retire(name: string): Promise<void> {
    const { platform } = this.#options;
    const outcome = await runUnitOfWork(platform.database, {}, async (unitOfWork) => {
      const latest = await findLatestDeployment(await unitOfWork.db(), name);
      if (latest === undefined || latest.origin !== this.#origin) return undefined;
      return retire(platform, unitOfWork, latest.id);
    });
    if (outcome !== undefined) platform.observe({ kind: 'workflow.undeployed', file: name, outcome });
  }
}

/**
 * What is there. Files that cannot be looked at are not files that are gone: they would be undeployed.
 *
 * @throws what the machine says when it cannot look (no file handles left, a disk or share that does not answer)
 */
async function stamps(directory: string): Promise<Map<string, Stamp>> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(noneIfAbsent);
  const found = new Map<string, Stamp>();
  for (const entry of (entries ?? []).sort((left, right) => (left.name < right.name ? -1 : 1))) {
    if (!isDeployable(entry.name)) continue;
    const facts = await stat(join(directory, entry.name)).catch(noneIfAbsent);
    if (facts?.isFile()) found.set(entry.name, `${facts.mtimeMs} ${facts.size} ${facts.ino}`);
  }
  return found;
}

function noneIfAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
  throw error;
}

async function canLook(directory: string): Promise<boolean> {
  return stamps(directory).then(
    () => true,
    () => false,
  );
}
