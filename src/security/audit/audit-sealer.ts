import { type Database, runUnitOfWork } from '#database/index.ts';
import { type Service, Ticker } from '#lifecycle/index.ts';
import type { Observe } from '#observability/index.ts';
import type { AuditKeys } from './audit-keys.ts';
import { makeSeal, type Seal } from './seal.ts';
import {
  type ChainHead,
  findHeads,
  findLastSeal,
  hasUnsealed,
  insertSeals,
  takeUnsealed,
  trySealing,
  type UnsealedEntry,
} from './seal-repository.ts';

const INTERVAL_MS = 1_000;
/** A seal covers no more entries, so that whoever checks it holds no more of them at once. */
const MOST_ENTRIES = 1_000;
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
    while ((await hasUnsealed(this.#options.database.db)) && (await this.#sealSome()) === MOST_ENTRIES);
  }

  /** @returns how many entries */
  #sealSome(): Promise<number> {
    const { database, keys } = this.#options;
    return runUnitOfWork(database, {}, async (unitOfWork) => {
      const db = await unitOfWork.db();
      if (!(await trySealing(db))) return 0;
      const entries = await takeUnsealed(db, MOST_ENTRIES);
      const chains = [...Map.groupBy(entries, chainName).values()] as Chain[];
      const heads = await findHeads(
        db,
        chains.map(([{ month, node }]) => ({ month, node })),
      );
      const last = await findLastSeal(db);
      const highest = this.#highest(last.number);
      const seals = chains.map((chain, index) => {
        const head = heads.find((one) => chainName(one) === chainName(chain[0]));
        return sealChain(keys, chain, { head, number: highest + index + 1, sealedAt: last.now });
      });
      if (seals.length > 0) await insertSeals(db, seals);
      unitOfWork.afterCommit('highest seal', () => {
        this.#seen = highest + seals.length;
      });
      return entries.length;
    });
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

function sealChain(
  keys: AuditKeys,
  chain: Chain,
  at: { readonly head: ChainHead | undefined; readonly number: number; readonly sealedAt: string },
): Seal {
  const { month, node } = chain[0];
  const { head, number, sealedAt } = at;
  const place = {
    number,
    month,
    node,
    part: (head?.part ?? 0) + 1,
    sealedAt,
    previous: head?.signature ?? '',
  };
  return makeSeal(keys, place, chain);
}
