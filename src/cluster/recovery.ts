import type { Database } from '#database/index.ts';
import type { Observe } from '#observability/index.ts';
import {
  endSessions,
  finishRecovery,
  isLocked,
  type NodeRow,
  resumeRecovery,
  takeOver,
} from './node-repository.ts';
import { sessionName } from './session-name.ts';

/**
 * `ended`: its process is gone, which something that it ran may have caused. `silent`: it hung or could not be reached,
 * and its process is still there.
 */
export type LossKind = 'ended' | 'silent';

export interface Loss {
  readonly kind: LossKind;
  /** The work that was in quarantine there when it was last seen (`noteAlone`); null if there was none. */
  readonly alone: string | null;
}

/** Releases what a dead node had claimed; gets the epoch it was claimed under. @returns how many runs */
export type ReleaseClaims = (nodeId: number, epoch: number, loss: Loss) => Promise<number>;

export interface RecoveryOptions {
  readonly database: Database;
  /** Undefined where nodes hold no locks. */
  readonly sessionUrl: string | undefined;
  readonly nodeName: string;
  readonly observe: Observe;
}

/** Takes over from nodes that died. What a node had claimed is given back by those who know what that is. */
export class Recovery {
  readonly #options: RecoveryOptions;
  readonly #releases: ReleaseClaims[] = [];

  constructor(options: RecoveryOptions) {
    this.#options = options;
  }

  onNodeLost(release: ReleaseClaims): void {
    this.#releases.push(release);
  }

  async release(nodeId: number, epoch: number, loss: Loss): Promise<number> {
    let runs = 0;
    for (const release of this.#releases) runs += await release(nodeId, epoch, loss);
    return runs;
  }

  /** Raise the epoch, end its sessions, give its claims back: in this order, so that no lock of it blocks us. */
  async recover(node: NodeRow, how: 'session' | 'heartbeat'): Promise<void> {
    const { database, nodeName, observe } = this.#options;
    const startedAt = performance.now();
    if (!(await takeOver(database.db, node, nodeName, how))) return;
    const kind = how === 'session' ? 'ended' : await this.#lossOf(node);
    const runs = await this.#giveBack(node, kind);
    observe({
      kind: 'node.lost',
      node: node.name,
      epoch: node.epoch,
      how,
      runs,
      ms: performance.now() - startedAt,
    });
  }

  /** The node that began this recovery has not finished it: all of it is done again, which does no harm. */
  async finishOther(node: NodeRow): Promise<void> {
    const { database, nodeName } = this.#options;
    if (!isHalfRecovered(node) || !(await resumeRecovery(database.db, node, nodeName))) return;
    await this.#giveBack(node, 'ended');
  }

  async #giveBack(node: NodeRow, kind: LossKind): Promise<number> {
    const { database, nodeName } = this.#options;
    await endSessions(database.db, sessionName(node.id));
    const runs = await this.release(node.id, node.epoch, { kind, alone: node.alone });
    await finishRecovery(database.db, node.id, nodeName, runs);
    return runs;
  }

  /** The session that holds the lock of a node, and does nothing else, ends with the process. A pooler tells nothing. */
  async #lossOf(node: NodeRow): Promise<LossKind> {
    const { database, sessionUrl } = this.#options;
    if (sessionUrl === undefined) return 'ended';
    return (await isLocked(database.db, node.id)) ? 'silent' : 'ended';
  }
}

function isHalfRecovered({ state, recovery }: NodeRow): boolean {
  return state === 'down' && recovery !== null && recovery['recoveryFinished'] === undefined;
}
