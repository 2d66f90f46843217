import { countNodesBehind, noteConfiguration, reachAllNodes } from '#cluster/index.ts';
import { counted, type Database } from '#database/index.ts';
import { ServiceUnavailableError } from '#errors/index.ts';
import { type Filter, isWrite } from '#resource/index.ts';
import type { ConfigOverrides } from './config-overrides.ts';

/**
 * Well below the time after which a silent node counts as lost, and changes are answered without it: one that wakes
 * from longer looks first, and then serves.
 */
const SURE_MS = 1_000;

/** What `config_override` holds. */
function isKeptHere([first, second]: readonly string[]): boolean {
  return first === 'config' || (first === 'script' && second === 'file');
}

/**
 * Each node tells which configuration it has in force, and whoever changes it over REST is answered when all live
 * nodes have the change: the next request may go to another node.
 */
export class ConfigAgreement {
  readonly #database: Database;
  readonly #overrides: ConfigOverrides;
  readonly #nodeId: number;
  readonly #followNode: (() => Promise<void>) | undefined;
  #told: string | undefined;
  #sureAt = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | undefined;

  /**
   * @param followNode puts it in force in all threads of the node; undefined where `overrides` are watched by whoever does that,
   *   in the main thread
   */
  constructor(
    database: Database,
    overrides: ConfigOverrides,
    nodeId: number,
    followNode?: () => Promise<void>,
  ) {
    this.#database = database;
    this.#overrides = overrides;
    this.#nodeId = nodeId;
    this.#followNode = followNode;
  }

  /** Puts in force what was changed on any node, and tells so. */
  async follow(): Promise<void> {
    const startedAt = performance.now();
    if (this.#followNode !== undefined) {
      await this.#followNode();
      this.#sureAt = startedAt;
      return;
    }
    await this.#overrides.refresh();
    const { inForce } = this.#overrides;
    if (inForce !== this.#told) {
      await noteConfiguration(this.#database.db, this.#nodeId, inForce);
      this.#told = inForce;
    }
    this.#sureAt = startedAt;
  }

  /** Resolves when nothing that was answered before is missing here. One statement a second, if anybody asks. */
  sure(): Promise<void> | undefined {
    if (performance.now() - this.#sureAt < SURE_MS) return undefined;
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    // Another request may have begun it, and does not wait any more.
    return counted(this.#looking);
  }

  async #look(): Promise<void> {
    const startedAt = performance.now();
    if (await this.#overrides.areInForce()) this.#sureAt = startedAt;
    else await this.follow();
  }

  /**
   * Answers changes of the configuration when all live nodes have them, those that scripts have made, too.
   *
   * @throws 503 when one does not take over what was asked of `/config`
   */
  readonly everywhere: Filter = async (context, request, next) => {
    if (!isWrite(request)) return next(context, request);
    const before = this.#overrides.inForce;
    const answer = await next(context, request);
    const isAsked = isKeptHere(request.path);
    if (!isAsked && this.#overrides.inForce === before) return answer;
    // The other threads of this node are no other nodes.
    await this.#followNode?.();
    const { db } = this.#database;
    const isThere = await reachAllNodes(() => countNodesBehind(db, this.#nodeId, this.#overrides.inForce));
    // It may have been the change of somebody else that was waited for.
    if (isThere || !isAsked) return answer;
    throw new ServiceUnavailableError('The change is stored, and a node has not taken it over yet', {
      id: 'CONFIG_NOT_EVERYWHERE',
      hint: 'svc_node and the logs of the nodes tell which, and why; asking again does no harm',
    });
  };
}
