import { setTimeout as delay } from 'node:timers/promises';
import { ServiceUnavailableError, wordsOf } from '#errors/index.ts';
import { backOff } from '#lifecycle/index.ts';
import { GIVE_UP_MS, RETRY_MS } from '../patience.ts';
import type { Asker } from '../pool/connection-turns.ts';
import type { Database, Transaction } from '../pool/database.ts';
import { isOfConnect, troubled } from '../pool/database-error.ts';
import { counted, type DatabaseWait, databaseWait } from '../pool/database-wait.ts';
import { isConflict, isConnectionLost, isUnavailable, translateDatabaseError } from '../pool/sql-state.ts';
import type { Effect } from './effect.ts';
import { UnitOfWork } from './unit-of-work.ts';
import { rootOf } from './work-failure.ts';

export interface UnitOfWorkOptions {
  readonly dryRun?: boolean;
  /** Open units of work that wait for the end of this one. Default 0. */
  readonly callers?: number;
  /** The caller that it is for. Default the server. */
  readonly asker?: Asker | undefined;
  /** How often a unit of work may run in all when Postgres asks to try again. Default 5. */
  readonly attempts?: number;
  /** Somebody waits for an answer, and no longer than the request may (`withDatabaseWait`); a commit then goes on without them. */
  readonly answersInTime?: boolean;
  /** What has to be done before it has a transaction, each time that it runs. Must not reject. */
  readonly beforeOpen?: (() => Promise<void>) | undefined;
  /** Told of each statement before it is sent; may refuse it by throwing. */
  readonly onStatement?: () => void;
  readonly onRetry?: (reason: string, attempt: number) => void;
  readonly onEffectError?: (what: string, error: unknown) => void;
}

type Witness = (unitOfWork: UnitOfWork) => Promise<void>;
const witnesses = new WeakMap<Database, Witness[]>();

/**
 * Has each unit of work that has changed something seen before its commit, by one witness after the other; what is
 * written there goes with it.
 */
export function beforeCommit(database: Database, witness: Witness): void {
  witnesses.set(database, [...(witnesses.get(database) ?? []), witness]);
}

export function beforeCommitOf(database: Database): readonly Witness[] {
  return witnesses.get(database) ?? [];
}

/**
 * Runs `work` as one unit of work: commit when it resolves, rollback when it rejects or in a dry run. A
 * serialization failure, a deadlock or a connection lost before the commit runs it again from the start, a few
 * times with jitter, so `work` must not keep state between runs.
 *
 * @throws ResourceError 503 when the database cannot be reached or the attempts are used up; what an effect fails with
 *   that is told of
 */
export async function runUnitOfWork<T>(
  database: Database,
  options: UnitOfWorkOptions,
  work: (unitOfWork: UnitOfWork) => Promise<T>,
): Promise<T> {
  const { attempts = 5, dryRun = false, callers = 0 } = options;
  const begunAt = performance.now();
  const wait = options.answersInTime === true ? databaseWait() : undefined;
  const inTime = <R>(part: Promise<R>) => wait?.inTime(part) ?? part;
  let mayGroup = true;
  for (let attempt = 1; ; attempt++) {
    let opened: Transaction | undefined;
    const unitOfWork = new UnitOfWork(database, {
      dryRun,
      mayGroup,
      callers,
      asker: options.asker,
      beforeOpen: options.beforeOpen,
      onOpen: (transaction) => {
        opened = transaction;
      },
      ...(options.onStatement === undefined ? {} : { onStatement: options.onStatement }),
    });
    let committing = false;
    let told: unknown;
    try {
      const result = await inTime(work(unitOfWork));
      if (unitOfWork.dryRun) {
        await inTime(unitOfWork.rollback());
        return result;
      }
      if (unitOfWork.changes.length > 0) {
        for (const witness of beforeCommitOf(database)) await inTime(witness(unitOfWork));
      }
      committing = true;
      await committed(unitOfWork, options, wait);
      told = await runEffects(unitOfWork.effects, options);
      if (told === undefined) return result;
    } catch (error) {
      if (error instanceof LateCommit) throw unknownOutcome(error);
      if (wait?.failure !== undefined && !committing) {
        await giveUp(database, unitOfWork, opened);
        throw wait.failure;
      }
      await unitOfWork.rollback();
      if (unitOfWork.stopped === 'disturbed') {
        mayGroup = false;
        continue;
      }
      const root = unitOfWork.failure ?? rootOf(error);
      // A connection lost while committing may have committed: running again could double the effects.
      if (committing && isConnectionLost(root) && !isOfConnect(root)) throw unknownOutcome(error);
      const isRecent = performance.now() - begunAt < RETRY_MS;
      const again = isConflict(root) || (isUnavailable(root) && isRecent);
      if (!again || attempt >= attempts || wait?.failure !== undefined) throw translateDatabaseError(root);
      mayGroup = false;
      options.onRetry?.(wordsOf(error), attempt);
      await backOff(attempt, 10, 250);
    }
    if (told !== undefined) throw translateDatabaseError(told);
  }
}

/** Whoever asked is told in time; what has been sent by then takes as long as it takes. */
async function committed(
  unitOfWork: UnitOfWork,
  options: UnitOfWorkOptions,
  wait: DatabaseWait | undefined,
): Promise<void> {
  if (wait === undefined) return unitOfWork.commit();
  let isLate = false;
  const commit = counted(unitOfWork.commit());
  commit
    .then(() => (isLate ? runEffects(unitOfWork.effects, options) : undefined))
    .catch(() => (isLate ? unitOfWork.rollback() : undefined));
  try {
    await wait.inTime(commit);
  } catch (error) {
    if (error !== wait.failure) throw error;
    isLate = true;
    throw new LateCommit(
      `The database has kept the request waiting for ${wait.seconds} s, at last with its commit`,
    );
  }
}

/** A database that does not answer was never told to commit, so that all is undone at the latest when the connection has ended. */
async function giveUp(
  database: Database,
  unitOfWork: UnitOfWork,
  opened: Transaction | undefined,
): Promise<void> {
  let isUndone = false;
  const undone = unitOfWork.rollback().then(() => {
    isUndone = true;
  });
  await Promise.race([undone, delay(GIVE_UP_MS)]);
  if (!isUndone && opened !== undefined) database.dropTransaction(opened);
}

class LateCommit extends Error {}

function unknownOutcome(cause: unknown): ServiceUnavailableError {
  const what =
    cause instanceof LateCommit ? cause.message : 'The database connection broke during the commit';
  const answer = new ServiceUnavailableError(`${what}: the change may or may not have been stored`, {
    id: 'DB_COMMIT_UNKNOWN',
    hint: 'Read the object before trying again',
    cause,
  });
  return troubled(answer, 'unknownOutcome');
}

/** @returns the first failure that is to be told */
export async function runEffects(
  effects: readonly Effect[],
  options: Pick<UnitOfWorkOptions, 'onEffectError'>,
): Promise<unknown> {
  let told: unknown;
  for (const effect of effects) {
    try {
      await effect.run();
    } catch (error) {
      if (effect.isTold === true) told ??= error;
      else options.onEffectError?.(effect.what, error);
    }
  }
  return told;
}
