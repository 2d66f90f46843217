import type { Database, Db, UnitOfWork } from '#database/index.ts';
import type { Observe } from '#observability/index.ts';
import type { Fence } from './claimed.ts';
import { apart } from './piece.ts';

/** What is left of the run of a lane. */
export interface RunLeft {
  readonly goesOn: boolean;
  /** This one included. */
  readonly lanes: number;
}

/** One of several jobs that share the portions of a run among them. */
export interface Lane<Portion, Left extends RunLeft = RunLeft> {
  /** The portion that the lane has begun, else the next one that nobody has. */
  take(db: Db): Promise<Portion | undefined>;
  /** Does its pieces. @returns whether nothing more is to be done with it */
  work(portion: Portion): Promise<boolean>;
  /** Locks the run and lets what was done count. @returns undefined when there is nothing more to be done for it */
  settle(db: Db, portion: Portion | undefined): Promise<Left | undefined>;
  hasMore(db: Db): Promise<boolean>;
  drop(db: Db): Promise<void>;
  /** Enqueues its next job. */
  goOn(): Promise<unknown>;
  /** All lanes have come to their end. */
  end(db: Db, run: Left): Promise<void>;
}

/**
 * The life of a lane: it takes a portion, does its pieces, each by itself, and then, in the unit of work of its job, hands itself on: to
 * the rest of the portion, to the next one, or, as the last lane of a run that has no more, to the end of that.
 */
export async function workLane<Portion, Left extends RunLeft>(
  platform: { readonly database: Database; readonly observe: Observe },
  unitOfWork: UnitOfWork,
  fence: Fence,
  lane: Lane<Portion, Left>,
): Promise<void> {
  // Two holders of a lane would take a portion each, and only one of them would come back to its own.
  const portion = await apart(platform, async (own) => lane.take(await own.db()), fence);
  if (portion !== undefined && !(await lane.work(portion))) return void (await lane.goOn());
  const db = await unitOfWork.db();
  const run = await lane.settle(db, portion);
  if (run === undefined) return;
  if (run.goesOn && (await lane.hasMore(db))) return void (await lane.goOn());
  await lane.drop(db);
  if (run.goesOn && run.lanes === 1) await lane.end(db, run);
}
