import { ServiceUnavailableError, wordsOf } from '#errors/index.ts';
import { backOff } from '#lifecycle/index.ts';
import { COMMIT_MS, RETRY_MS } from '../patience.ts';
import type { Asker } from '../pool/connection-turns.ts';
import type { Database } from '../pool/database.ts';
import { isOfConnect, troubled } from '../pool/database-error.ts';
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
  /** Somebody waits for an answer: that a commit takes long is told them, and not waited for. */
  readonly answersInTime?: boolean;
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
  let mayGroup = true;
  for (let attempt = 1; ; attempt++) {
    const unitOfWork = new UnitOfWork(database, {
      dryRun,
      mayGroup,
      callers,
      asker: options.asker,
      ...(options.onStatement === undefined ? {} : { onStatement: options.onStatement }),
    });
    let committing = false;
    let told: unknown;
    try {
      const result = await work(unitOfWork);
      if (unitOfWork.dryRun) {
        await unitOfWork.rollback();
        return result;
      }
      if (unitOfWork.changes.length > 0) {
        for (const witness of beforeCommitOf(database)) await witness(unitOfWork);
      }
      committing = true;
      await committed(unitOfWork, options);
      told = await runEffects(unitOfWork.effects, options);
      if (told === undefined) return result;
    } catch (error) {
      if (error instanceof LateCommit) throw unknownOutcome(error);
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
      if (!again || attempt >= attempts) throw translateDatabaseError(root);
      mayGroup = false;
      options.onRetry?.(wordsOf(error), attempt);
      await backOff(attempt, 10, 250);
    }
    if (told !== undefined) throw translateDatabaseError(told);
  }
}

/** Who asked is told in time; what is sent then takes as long as it takes. */
async function committed(unitOfWork: UnitOfWork, options: UnitOfWorkOptions): Promise<void> {
  const commit = unitOfWork.commit();
  if (options.answersInTime !== true) return commit;
  const { promise: late, reject } = Promise.withResolvers<never>();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    reject(new LateCommit(`The commit takes longer than ${COMMIT_MS / 1_000} s`));
  }, COMMIT_MS);
  commit
    .then(() => (isLate ? runEffects(unitOfWork.effects, options) : undefined))
    .catch(() => (isLate ? unitOfWork.rollback() : undefined))
    .finally(() => clearTimeout(timer));
  await Promise.race([commit, late]);
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
