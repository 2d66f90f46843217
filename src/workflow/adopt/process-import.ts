import { type Database, type Db, runUnitOfWork, type Wake } from '#database/index.ts';
import { Queue } from '#queue/index.ts';
import { Definitions } from '../definition/definitions.ts';
import { armStarts } from '../deployment/arm-starts.ts';
import { listDefinitionsOf, lockDeployments, setSuspended } from '../deployment/deployment-repository.ts';
import { goOn } from '../instance/suspension.ts';
import { findSuspension, writeSuspension } from '../instance/suspension-repository.ts';
import { WORKFLOW_QUEUE } from '../job/enqueue-job.ts';
import { type AdoptedDefinition, adoptDefinitions, type ForeignDeployment } from './adopt-definitions.ts';
import { type ForeignInstance, planTree, storeTree } from './adopt-tree.ts';
import {
  deleteTree,
  deleteUnusedDeployments,
  findTreeRevision,
  listHeldDeployments,
} from './adoption-repository.ts';

/** Nobody waits here: nodes look by themselves. */
const NOBODY: Wake = { topic: '', statement: () => undefined, run: () => {} };

/** What has come of a tree: its id and its revision here; or why it does not come, by element. */
export type AdoptedTree =
  | { readonly rootId: string; readonly revision: number }
  | { readonly refusals: readonly { readonly element: string; readonly message: string }[] };

/** Brings processes of another engine, beside no node. Each call is one transaction. */
export class ProcessImport {
  readonly #database: Database;
  readonly #place: string;
  readonly #platform: {
    readonly queue: Queue;
    readonly definitions: Definitions;
    readonly now: () => number;
  };
  #isPrepared = false;

  /** @param place where they come from */
  constructor(database: Database, place: string) {
    this.#database = database;
    this.#place = place;
    const queue = new Queue({ database, wakes: { ahead: NOBODY, behind: NOBODY } });
    queue.work(WORKFLOW_QUEUE, { run: async () => {} }, { concurrency: 1, runsScripts: false });
    this.#platform = { queue, definitions: new Definitions(), now: Date.now };
  }

  adoptDefinitions(
    deployment: ForeignDeployment,
    isApplied: boolean,
  ): Promise<ReadonlyMap<string, AdoptedDefinition>> {
    return runUnitOfWork(this.#database, {}, async (unitOfWork) =>
      adoptDefinitions(await unitOfWork.db(), this.#place, deployment, isApplied),
    );
  }

  /** What keeps it from coming; nothing is written. */
  plan(
    tree: readonly ForeignInstance[],
    definitions: ReadonlyMap<string, AdoptedDefinition>,
  ): ReturnType<typeof planTree> {
    return planTree(tree, { place: this.#place, now: this.#platform.now(), definitions });
  }

  /**
   * Stores a tree, instead of what has come of it before where nobody has moved that since.
   *
   * @param before the revision that was written then
   * @param note stores in the same transaction that it has come
   * @returns undefined when it was moved here, and stays
   */
  async adopt(
    plan: Extract<ReturnType<typeof planTree>, { isAdopted: true }>,
    before: number | undefined,
    note: (db: Db, revision: number) => Promise<void>,
  ): Promise<boolean> {
    if (!this.#isPrepared) await this.#platform.queue.prepare();
    this.#isPrepared = true;
    return runUnitOfWork(this.#database, {}, async (unitOfWork) => {
      const db = await unitOfWork.db();
      if (before !== undefined && !(await deleteTree(db, plan.rootId, before))) return false;
      await storeTree(this.#platform, unitOfWork, plan);
      await note(db, (await findTreeRevision(db, plan.rootId)) ?? 0);
      return true;
    });
  }

  /** @returns the revision that it has here; undefined where it does not run here */
  revisionOf(rootId: string): Promise<number | undefined> {
    return findTreeRevision(this.#database.db, rootId);
  }

  /** Takes a tree back that nobody has moved since it came. */
  withdraw(rootId: string, revision: number): Promise<boolean> {
    return runUnitOfWork(this.#database, {}, async (unitOfWork) =>
      deleteTree(await unitOfWork.db(), rootId, revision),
    );
  }

  /** Lets a tree go on. @returns false where it does already, or is gone */
  release(rootId: string): Promise<boolean> {
    return runUnitOfWork(this.#database, {}, async (unitOfWork) => {
      const db = await unitOfWork.db();
      if ((await findSuspension(db, rootId)) === null) return false;
      await writeSuspension(db, rootId, null);
      await goOn(this.#platform, unitOfWork, { rootId });
      return true;
    });
  }

  /** Lets the processes be started that have come, where no node has deployed them itself meanwhile. */
  async releaseDefinitions(): Promise<void> {
    for (const id of await listHeldDeployments(this.#database.db)) {
      await runUnitOfWork(this.#database, {}, async (unitOfWork) => {
        const db = await unitOfWork.db();
        await lockDeployments(db);
        if (!(await setSuspended(db, id, false))) return;
        for (const { key } of await listDefinitionsOf(db, id))
          await armStarts(this.#platform, unitOfWork, key);
      });
    }
  }

  /** Takes processes back that have come and that nothing runs of. */
  withdrawDefinitions(): Promise<number> {
    return runUnitOfWork(this.#database, {}, async (unitOfWork) =>
      deleteUnusedDeployments(await unitOfWork.db()),
    );
  }
}
