import { type Db, LOCK, tryLockNamed, type UnitOfWork } from '#database/index.ts';
import { InternalServerError } from '#errors/index.ts';
import { isObject, type JsonObject } from '#json/index.ts';
import type { JobHandler } from '#queue/index.ts';
import { apart, type Fence, isOfPiece, TURN_MS } from '#work/index.ts';
import { countAlike } from './alike-repository.ts';
import { contextOf } from './cause.ts';
import { deliverSource } from './deliver-source.ts';
import { countHeld, refuseHeld, releaseHeld } from './held-repository.ts';
import type { Mapping } from './mapping.ts';
import { pauseAfter, tryAgain, wakeBehind } from './outbox.ts';
import {
  claimDue,
  claimNext,
  claimRow,
  hasDue,
  type OutboxRow,
  postpone,
  takeBackLeased,
} from './outbox-repository.ts';
import { isAwayId, isOutside } from './outside.ts';
import type { StoringPlatform, SyncPlatform } from './stage.ts';
import { keptError, LONGEST_WORDS, type SyncRecord } from './sync-record.ts';
import { overThreshold } from './thresholds.ts';
import { wake } from './wake.ts';

/** Deliveries of one job. */
const MOST_ROWS = 200;
/** Jobs over all nodes that deliver what is due of a mapping, once one of them has had its turn and there is more. */
const MOST_LANES = 6;
/** A helper makes room for other mappings sooner. */
const HELP_MS = 2_000;
/** What somebody else delivers at this moment is looked at again after that. */
const BUSY_MS = 1_000;
/** What is for a system that is away waits so long; one of all asks whether it is back. */
const AWAY_MS = 5_000;
/** So many that have failed alike say that the mapping is at fault: the others wait, and one of them tries, each so often. */
const MOST_ALIKE = 100;
const ALIKE_MS = 60_000;
/** After so long a job that delivers outside is taken to have died of it. */
const LEASE_MS = 120_000;

const WHAT_TO_DO =
  'Look at sync/queue, then sync/queue?_action=approve&mapping=…, or drop; or mend the mapping and deliver all again';

/**
 * Delivers what is due of a mapping, each row in a unit of work of its own: one that fails holds up no other, and whoever writes the
 * same object waits for one at most. The rows are the truth: a job that finds none does nothing. One that has had its turn, and leaves
 * more, calls helpers; these call nobody.
 */
export function outboxJobs(platform: StoringPlatform): JobHandler {
  return {
    async run(unitOfWork, { id, data, suspected }, fence) {
      const name = String(data['mapping']);
      const mapping = platform.mappings.named(name);
      // Another node may know it already, or still: what waits stays until one does.
      if (mapping === undefined) return;
      const lane = laneOf(data);
      const until = performance.now() + (lane === 0 ? TURN_MS : HELP_MS);
      const round = new Round(platform, mapping, fence, { job: id, isSuspect: suspected > 0 });
      await round.begin();
      let count = 0;
      while (count < MOST_ROWS && performance.now() < until && (await round.deliverNext())) count += 1;
      if (!(await hasDue(await unitOfWork.db(), mapping))) await settleHeld(platform, unitOfWork, mapping);
      else if (lane === 0) {
        const hasHadItsTurn = count === MOST_ROWS || performance.now() >= until;
        const lanes = hasHadItsTurn && round.pauseMs === 0 ? MOST_LANES : 1;
        // What is due besides is in other hands at this moment.
        const pauseMs = hasHadItsTurn ? round.pauseMs : Math.max(round.pauseMs, BUSY_MS);
        for (let n = 0; n < lanes; n++) await wake(platform, unitOfWork, mapping, pauseMs, n);
      }
      if (count > 0) await wakeBehind(platform, unitOfWork, [name]);
    },
    groupOf: ({ data }) => `${String(data['mapping'])} ${laneOf(data)}`,
  };
}

function laneOf({ lane }: JsonObject): number {
  return typeof lane === 'number' ? lane : 0;
}

/** Once it is known what all would take away, that is done if it is not too much, and refused else. */
async function settleHeld(
  platform: StoringPlatform,
  unitOfWork: UnitOfWork,
  mapping: Mapping,
): Promise<void> {
  const db = await unitOfWork.db();
  const counts = await countHeld(db, mapping);
  if (counts === undefined || counts.unknown > 0) return;
  const refusal = overThreshold(mapping, counts, WHAT_TO_DO);
  if (refusal === undefined) {
    await releaseHeld(db, mapping.name);
    await wake(platform, unitOfWork, mapping, 0);
  } else if (await refuseHeld(db, mapping.name, keptError(refusal))) {
    const { message } = refusal;
    const tell = () => platform.observe({ kind: 'sync.held', mapping: mapping.name, message });
    unitOfWork.afterCommit(`what '${mapping.name}' would take away is held`, tell);
  }
}

/** Deliveries of one mapping, one after the other, of a job or of a request that waits for them. */
export class Round {
  readonly #platform: StoringPlatform;
  readonly #mapping: Mapping;
  readonly #fence: Fence | undefined;
  readonly #job: string | null;
  /** Whether nodes or threads have ended over one of the rows. */
  readonly #isSuspect: boolean;
  /** The system of the targets does not answer, or nothing can come of the mapping: the others wait, too. */
  pauseMs = 0;
  /** Deliveries that have failed since one has not. */
  #failures = 0;

  constructor(
    platform: StoringPlatform,
    mapping: Mapping,
    fence?: Fence,
    { job, isSuspect }: { readonly job: string | null; readonly isSuspect: boolean } = {
      job: null,
      isSuspect: false,
    },
  ) {
    this.#platform = platform;
    this.#mapping = mapping;
    this.#fence = fence;
    this.#job = job;
    this.#isSuspect = isSuspect;
  }

  /** What the job was at on another node, or in another thread, need not wait until its time is over. */
  async begin(): Promise<void> {
    const job = this.#job;
    if (job === null || !isOutside(this.#mapping.target)) return;
    await this.#apart(async (unitOfWork) => takeBackLeased(await unitOfWork.db(), this.#mapping.name, job));
  }

  get #mostAttempts(): number {
    return this.#platform.mappings.retryPolicyOf(this.#mapping.source).mostAttempts;
  }

  /** @returns whether there was one that nobody else has */
  deliverNext(): Promise<boolean> {
    return this.#deliverClaimed((db) => claimNext(db, this.#mapping));
  }

  /**
   * @param leaseMs for how long nobody else looks at it; whoever is at it longer keeps others away all the same
   * @returns whether it was due, and nobody else has it
   */
  deliverOne(sourceId: string, leaseMs: number): Promise<boolean> {
    return this.#deliverClaimed((db) => claimDue(db, this.#mapping, sourceId), leaseMs);
  }

  async #deliverClaimed(
    claim: (db: Db) => Promise<OutboxRow | undefined>,
    leaseMs = LEASE_MS,
  ): Promise<boolean> {
    const taken: { row?: OutboxRow } = {};
    try {
      const careful = await this.#apart(async (unitOfWork) => {
        const row = await claim(await unitOfWork.db());
        if (row === undefined) return 'none';
        taken.row = row;
        // Whoever changes the object must not wait for another system: nobody holds the row meanwhile.
        if (isOutside(this.#mapping.target)) return this.#beginCarefully(unitOfWork, row, leaseMs);
        if (row.attempt > 0 || this.#isSuspect) return this.#beginCarefully(unitOfWork, row);
        await this.#deliver(unitOfWork, row, row.attempt);
        return undefined;
      });
      if (careful === 'none') return false;
      if (careful !== undefined) await this.#deliverCarefully(careful);
      if (this.pauseMs > 0) return false;
    } catch (error) {
      if (taken.row === undefined || !isOfPiece(error)) throw error;
      await this.#giveBack(taken.row, error);
    }
    return true;
  }

  /** Counts it as failed before it begins: what ends its thread each time is given up in the end like anything else. */
  async #beginCarefully(
    unitOfWork: UnitOfWork,
    row: OutboxRow,
    leaseMs?: number,
  ): Promise<OutboxRow | undefined> {
    const failures = row.attempt + 1;
    if (failures > this.#mostAttempts) {
      await this.#fail(unitOfWork, row, brokeItsThread());
      return undefined;
    }
    // Nobody is woken for it: if its thread ends, it is overdue one day.
    const job = leaseMs === undefined ? null : this.#job;
    await postpone(await unitOfWork.db(), row, leaseMs ?? pauseAfter(failures), failures, job);
    return row;
  }

  async #deliverCarefully(row: OutboxRow): Promise<void> {
    await this.#apart(async (unitOfWork) => {
      const isFree = isOutside(this.#mapping.target);
      const now = isFree ? row : await claimRow(await unitOfWork.db(), row);
      if (now !== undefined) await this.#deliver(unitOfWork, now, row.attempt);
    });
  }

  /** Whoever delivers the same at this moment makes this one superfluous, or leaves it for later. */
  async #deliver(unitOfWork: UnitOfWork, row: OutboxRow, failures: number): Promise<void> {
    const { source_id: id } = row;
    const db = await unitOfWork.db();
    if (!(await tryLockNamed(db, LOCK.deliveryOf(this.#mapping.name, id)))) {
      await postpone(db, row, BUSY_MS, failures);
      await wake(this.#platform, unitOfWork, this.#mapping, BUSY_MS);
      return;
    }
    const oldSource = await opened(this.#platform, row);
    const context = contextOf(row, unitOfWork);
    const object = { id, oldSource, failures, isCautious: row.is_cautious };
    const isOther = isOutside(this.#mapping.target);
    const records = await deliverSource(this.#platform, context, this.#mapping, {
      ...object,
      ...(isOther ? { generation: row.generation } : {}),
    });
    if (isOther && records.some(saysAway)) this.pauseMs = AWAY_MS;
    else await this.#look(unitOfWork, records);
  }

  /** Whether all that is tried fails alike: the first failure of a round may be one of many, and so may the last of a hundred. */
  async #look(unitOfWork: UnitOfWork, records: readonly SyncRecord[]): Promise<void> {
    const cause = records.find(({ result }) => result === 'FAILED')?.['cause'] ?? null;
    this.#failures = cause === null ? 0 : this.#failures + 1;
    if (!isObject(cause) || this.#failures % MOST_ALIKE > 1) return;
    const id = isObject(cause['detail']) ? cause['detail']['id'] : null;
    // A policy says that it is to fail: that is no fault of the mapping.
    if (id === 'SYNC_REFUSED') return;
    const { name } = this.#mapping;
    const message = String(cause['message']).slice(0, LONGEST_WORDS);
    const asked = { id: typeof id === 'string' ? id : null, message };
    const alike = await countAlike(await unitOfWork.db(), name, asked);
    if (alike < MOST_ALIKE) return;
    this.pauseMs = ALIKE_MS;
    const tell = () => this.#platform.observe({ kind: 'sync.alike', mapping: name, alike, error: message });
    unitOfWork.afterCommit(`'${name}' fails alike for all`, tell);
  }

  /** What could not even be written down in its own unit of work. */
  async #giveBack(row: OutboxRow, error: unknown): Promise<void> {
    await this.#apart(async (unitOfWork) => {
      const now = await claimRow(await unitOfWork.db(), row);
      if (now !== undefined) await this.#fail(unitOfWork, row, error);
    });
  }

  async #fail(unitOfWork: UnitOfWork, row: OutboxRow, error: unknown): Promise<void> {
    const stage = {
      platform: this.#platform,
      mapping: this.#mapping,
      context: contextOf(row, unitOfWork),
    };
    const failures = Math.min(row.attempt + 1, this.#mostAttempts);
    await tryAgain(stage, { sourceId: row.source_id, oldSource: null }, failures, error);
  }

  #apart<T>(work: (unitOfWork: UnitOfWork) => Promise<T>): Promise<T> {
    return apart(this.#platform, work, this.#fence);
  }
}

function saysAway({ cause }: SyncRecord): boolean {
  const detail = isObject(cause) ? cause['detail'] : undefined;
  return isObject(detail) && isAwayId(detail['id']);
}

function brokeItsThread(): InternalServerError {
  return new InternalServerError('The delivery ended its script thread or its node each time', {
    id: 'SYNC_POISON',
    hint: 'The logs of the nodes say how; mend it, then have it tried again: sync/queue?_action=retry',
  });
}

async function opened({ crypto }: SyncPlatform, { old_value }: OutboxRow): Promise<JsonObject | null> {
  if (old_value === null) return null;
  const plain = await crypto.decrypt(old_value);
  return isObject(plain) ? plain : null;
}
