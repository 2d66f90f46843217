import { type Database, type Db, runUnitOfWork } from '#database/index.ts';
import { type Service, Ticker } from '#lifecycle/index.ts';
import type { Observe } from '#observability/index.ts';
import type { AuditKeys } from './audit-keys.ts';
import { makeSeal, type Seal } from './seal.ts';
import {
  findFreePart,
  findNow,
  hasUnsealed,
  insertSeals,
  type SealChain,
  takeUnsealed,
  trySealing,
  type UnsealedEntry,
  unsealedSeconds,
} from './seal-repository.ts';
import { MOST_SEALED } from './sound-row-repository.ts';
import { findHead, findLastSeal } from './trusted-seal.ts';

const INTERVAL_MS = 1_000;
/** Somebody keeps all nodes from sealing: what waits for its seal can still be taken away unseen. */
const HELD_UP_AFTER_SECONDS = 30;
/** What makes rounds long, such as a snapshot that somebody holds, is not made worse by more of them. */
const REST = 5;

export interface AuditSealerOptions {
  readonly database: Database;
  readonly keys: AuditKeys;
  readonly observe: Observe;
}

/**
 * Seals what was written to the trail, a moment after its commit. Any node does, for all of them, so that what a killed
 * node has left is sealed like the rest; entries wait in a table of their own, and commits know nothing of it.
 */
export class AuditSealer implements Service {
  readonly name = 'audit sealer';
  readonly #options: AuditSealerOptions;
  readonly #ticker: Ticker;
  /** The highest number that this node has seen. */
  #seen = 0;
  #isHeldUp = false;

  constructor(options: AuditSealerOptions) {
    this.#options = options;
    this.#ticker = new Ticker({
      name: this.name,
      intervalMs: INTERVAL_MS,
      runOnce: () => this.#round(),
      observe: options.observe,
    });
  }

  start(): Promise<void> {
    return this.#ticker.start();
  }

  async stop(): Promise<void> {
    await this.#ticker.stop();
    await this.runOnce().catch(() => undefined);
  }

  async #round(): Promise<number> {
    const startedAt = performance.now();
    await this.runOnce();
    return Math.max(INTERVAL_MS, REST * (performance.now() - startedAt));
  }

  /** Seals all that waits, unless another node is about it. */
  async runOnce(): Promise<void> {
    while ((await hasUnsealed(this.#options.database.db)) && (await this.#sealSome()) === MOST_SEALED);
  }

  /** @returns how many entries */
  #sealSome(): Promise<number> {
    const { database, keys } = this.#options;
    return runUnitOfWork(database, {}, async (unitOfWork) => {
      const db = await unitOfWork.db();
      if (!(await trySealing(db))) return this.#stepBack(db);
      this.#isHeldUp = false;
      const entries = await takeUnsealed(db, MOST_SEALED);
      const chains = [...Map.groupBy(entries, chainName).values()] as Chain[];
      const highest = this.#highest((await findLastSeal(db, keys)).number);
      const sealedAt = await findNow(db);
      const seals: Seal[] = [];
      for (const chain of chains) {
        const place = {
          ...(await nextPlace(db, keys, chain[0])),
          number: highest + seals.length + 1,
          sealedAt,
        };
        seals.push(makeSeal(keys, place, chain));
      }
      if (seals.length > 0) await insertSeals(db, seals);
      unitOfWork.afterCommit('highest seal', () => {
        this.#seen = highest + seals.length;
      });
      return entries.length;
    });
  }

  async #stepBack(db: Db): Promise<number> {
    const seconds = await unsealedSeconds(db);
    const isHeldUp = seconds > HELD_UP_AFTER_SECONDS;
    if (isHeldUp && !this.#isHeldUp) this.#options.observe({ kind: 'audit.sealingHeldUp', seconds });
    this.#isHeldUp = isHeldUp;
    return 0;
  }

  /** If the last seals were taken away, the gap shall stay: their numbers are not given again. */
  #highest(number: number): number {
    if (number < this.#seen)
      this.#options.observe({ kind: 'audit.sealsMissing', expected: this.#seen, found: number });
    return Math.max(number, this.#seen);
  }
}

type Chain = [UnsealedEntry, ...UnsealedEntry[]];

function chainName({ month, node }: { readonly month: string; readonly node: string }): string {
  return `${month} ${node}`;
}

async function nextPlace(db: Db, keys: AuditKeys, { month, node }: SealChain) {
  const head = await findHead(db, keys, { month, node });
  const part = await findFreePart(db, { month, node }, head?.part ?? 0);
  return { month, node, part, previous: head?.signature ?? '' };
}
