import type { Database } from '../pool/database.ts';
import { isConflict, isUnavailable } from '../pool/sql-state.ts';
import { commitInGroup, type GroupWrite } from './group-commit.ts';
import { beforeCommitOf, runEffects, type UnitOfWorkOptions } from './run-unit-of-work.ts';
import { UnitOfWork } from './unit-of-work.ts';
import { rootOf } from './work-failure.ts';

/** Work that has been done and is not stored: nobody else sees anything of it yet. */
export interface PreparedUnit<T> {
  readonly result: T;
  readonly unitOfWork: UnitOfWork;
}

/**
 * Does the work of a unit and keeps all that it writes, to be stored together with others.
 *
 * @returns why it has to be run by itself, and nothing of it is left: it cannot go without a transaction, or the database
 *   or somebody else came between
 * @throws what the work throws; nothing of it is left either
 */
export async function prepareUnit<T>(
  database: Database,
  work: (unitOfWork: UnitOfWork) => Promise<T>,
): Promise<PreparedUnit<T> | 'needsTransaction' | 'disturbed'> {
  const unitOfWork = new UnitOfWork(database, { mayOpen: false });
  try {
    const result = await work(unitOfWork);
    if (unitOfWork.changes.length > 0) {
      for (const witness of beforeCommitOf(database)) await witness(unitOfWork);
    }
    return unitOfWork.stopped ?? { result, unitOfWork };
  } catch (error) {
    if (unitOfWork.stopped !== undefined) return unitOfWork.stopped;
    const root = unitOfWork.failure ?? rootOf(error);
    if (isConflict(root) || isUnavailable(root)) return 'disturbed';
    throw error;
  }
}

/**
 * Stores prepared units of work, and a row that goes with them: all or nothing.
 *
 * @returns false when something of it is not as it was when it was read
 * @throws when the database could not be asked; it may have stored everything then
 */
export async function storeTogether<Row>(
  database: Database,
  options: Pick<UnitOfWorkOptions, 'onEffectError'>,
  units: readonly PreparedUnit<unknown>[],
  write: GroupWrite<Row>,
  row: Row,
): Promise<boolean> {
  const rows = units.flatMap(({ unitOfWork }) => unitOfWork.pendingRows);
  if (!(await commitInGroup(database, [...rows, { write, row }]))) return false;
  for (const { unitOfWork } of units) await runEffects(unitOfWork.effects, options);
  return true;
}
