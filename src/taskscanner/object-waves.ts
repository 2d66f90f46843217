import { LRUCache } from 'lru-cache';
import {
  mostRowsTogether,
  type PreparedUnit,
  prepareUnit,
  storeTogether,
  troubleOf,
  type UnitOfWork,
} from '#database/index.ts';
import { tellingEffects } from '#work/index.ts';
import type { FoundObject } from './claimable.ts';
import type { ObjectTask } from './object-task.ts';
import { RunOverError } from './operation/operation-caller.ts';
import { probe } from './probe-repository.ts';
import { ClaimLostError } from './process-object.ts';
import { scanErrors } from './scan-failure-repository.ts';
import type { TaskScannerPlatform } from './scan-platform.ts';
import type { OpenRun, TakenSlice, Verdict } from './scan-run.ts';
import { sliceAdvances } from './scan-slice-repository.ts';

/** How an object of several ended: `alone` has to be processed by itself, and nothing of it is left. */
type Outcome =
  | { readonly kind: 'prepared'; readonly unit: PreparedUnit<Verdict> }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'alone' };

/** Runs whose objects need transactions of their own: so they do, as a rule, all of them, or none. */
const unfit = new LRUCache<string, true>({ max: 1_000, ttl: 60_000 });

/** So many at a time, once they have shown to be short. */
const MOST = 25;
const FEWEST = 4;
/** A longer wave lets its objects wait for one another too long. */
const LONGEST_MS = 100;
const SHORT_MS = 25;

/**
 * Processes the objects of a slice several at a time: each as a unit of work of its own, which keeps what it wants to
 * store, and as many as follow one another are stored with one statement, which moves the slice on as well. Nothing
 * is locked until then. What fails, needs a transaction of its own, or has been changed by somebody else meanwhile,
 * is left to be processed by itself.
 */
export class ObjectWaves {
  readonly #platform: TaskScannerPlatform;
  readonly #run: OpenRun;
  readonly #slice: TakenSlice;
  readonly #task: ObjectTask;
  /** What has been done and not stored, by position. */
  readonly #outcomes = new Map<number, Outcome>();
  #size: number;

  /** @param mayBegin false where nobody could tell which of several had ended their thread */
  constructor(
    platform: TaskScannerPlatform,
    run: OpenRun,
    task: ObjectTask,
    slice: TakenSlice,
    mayBegin: boolean,
  ) {
    this.#platform = platform;
    this.#run = run;
    this.#task = task;
    this.#slice = slice;
    this.#size = mayBegin ? FEWEST : 1;
  }

  /** @returns the position of the first object that is left, or the end of the slice when that or the time is reached */
  async processFrom(first: number, until: number): Promise<number> {
    let position = first;
    while (position < this.#slice.objects.length) {
      if (!this.#outcomes.has(position)) {
        if (this.#size < 2 || unfit.has(this.#run.id) || performance.now() > until) return position;
        await this.#prepare(position);
      }
      const units = this.#preparedFrom(position);
      if (units.length === 0) return position;
      if (!(await this.#store(position, units))) {
        for (let at = position; at < position + units.length; at++) this.#outcomes.set(at, { kind: 'alone' });
        return position;
      }
      position += units.length;
    }
    return position;
  }

  /** The error with which the object has failed already; undefined when it has to be processed. */
  failureAt(position: number): { readonly error: unknown } | undefined {
    const outcome = this.#outcomes.get(position);
    return outcome?.kind === 'failed' ? outcome : undefined;
  }

  /** As many as may be stored with one statement. */
  #preparedFrom(first: number): readonly PreparedUnit<Verdict>[] {
    const units: PreparedUnit<Verdict>[] = [];
    let left = mostRowsTogether(this.#platform.database);
    for (let at = first; ; at++) {
      const outcome = this.#outcomes.get(at);
      if (outcome?.kind !== 'prepared') return units;
      left -= outcome.unit.unitOfWork.pendingRows.length;
      if (left < 0 && units.length > 0) return units;
      units.push(outcome.unit);
    }
  }

  async #prepare(position: number): Promise<void> {
    const startedAt = performance.now();
    const objects = this.#slice.objects.slice(position, position + this.#size);
    const outcomes = await Promise.all(objects.map((found) => this.#prepareOne(found)));
    this.#outcomes.clear();
    for (const [index, outcome] of outcomes.entries()) this.#outcomes.set(position + index, outcome);
    const ms = performance.now() - startedAt;
    if (ms < SHORT_MS) this.#size = Math.min(MOST, this.#size * 2);
    if (ms > LONGEST_MS) this.#size = Math.floor(this.#size / 2);
  }

  async #prepareOne(found: FoundObject): Promise<Outcome> {
    const { database } = this.#platform;
    try {
      const unit = await prepareUnit(database, (unitOfWork) => this.#process(unitOfWork, found));
      if (typeof unit === 'object') return { kind: 'prepared', unit };
      if (unit === 'needsTransaction') unfit.set(this.#run.id, true);
      return { kind: 'alone' };
    } catch (error) {
      if (error instanceof ClaimLostError || error instanceof RunOverError || troubleOf(error) !== undefined)
        return { kind: 'alone' };
      // What a script makes of a broken connection no longer says so.
      const isReachable = await probe(database.db).then(
        () => true,
        () => false,
      );
      return isReachable ? { kind: 'failed', error } : { kind: 'alone' };
    }
  }

  async #process(unitOfWork: UnitOfWork, found: FoundObject): Promise<Verdict> {
    const { verdict, error } = await this.#task.process(unitOfWork, found, { lookFirst: false });
    if (error !== undefined) {
      const object = this.#task.pathOf(found);
      await unitOfWork.write(scanErrors, { run: this.#run.id, object, error: error.toJSON() });
    }
    return verdict;
  }

  #store(position: number, units: readonly PreparedUnit<Verdict>[]): Promise<boolean> {
    const { database, observe } = this.#platform;
    const { number, taken } = this.#slice;
    const countOf = (verdict: Verdict) => units.filter(({ result }) => result === verdict).length;
    const counts = {
      successes: countOf('successes'),
      failures: countOf('failures'),
      skipped: countOf('skipped'),
    };
    const next = position + units.length;
    return storeTogether(database, tellingEffects(observe), units, sliceAdvances, {
      run: this.#run.id,
      number,
      taken,
      position,
      next,
      counts,
    });
  }
}
