import type { UnitOfWork } from '#database/index.ts';
import { BadRequestError, ConflictError, NotFoundError } from '#errors/index.ts';
import type { Context } from '#resource/index.ts';
import { causeOf } from '#sync/index.ts';
import { endRun } from './end-run.ts';
import { hasPlanned, skipPlanned } from './entry-repository.ts';
import { leadApproved, mappingChanged } from './lead-run.ts';
import { mappingInForce, type ReconPlatform } from './recon-platform.ts';
import type { ReconRun } from './recon-run.ts';
import { findActive, findRun, lockRun, reopenRun } from './run-repository.ts';
import { underWay } from './start-recon.ts';

/** Cancels a run: every lane ends after the entry that it is at. @returns false when it has ended already */
export async function cancelRun(
  platform: ReconPlatform,
  unitOfWork: UnitOfWork,
  id: string,
): Promise<boolean> {
  const run = await locked(unitOfWork, id);
  if (run.state !== 'ACTIVE') return run.state === 'CANCELED';
  await endRun(platform, unitOfWork, run, 'CANCELED', null);
  note(unitOfWork, run, 'CANCELED');
  return true;
}

/**
 * Begins what a run has planned or holds back, in the name of whoever asks.
 *
 * @param except numbers of entries that are left out
 * @throws ConflictError `RECON_NOTHING_PLANNED`, `RECON_MAPPING_CHANGED`, `RECON_UNDER_WAY`
 */
export async function approveRun(
  platform: ReconPlatform,
  unitOfWork: UnitOfWork,
  context: Context,
  { id, except }: { readonly id: string; readonly except: readonly number[] },
): Promise<void> {
  const db = await unitOfWork.db();
  const run = await locked(unitOfWork, id);
  const mapping = mappingInForce(platform, run);
  if (run.state === 'ACTIVE' || !(await hasPlanned(db, id))) throw nothingPlanned(run);
  if (mapping === undefined) throw mappingChanged(run);
  const skipped = await skipPlanned(db, id, except);
  if (skipped < new Set(except).size) {
    throw new BadRequestError(`Not all of the entries ${except.join(', ')} are planned`, {
      id: 'RECON_UNKNOWN_ENTRY',
      field: 'except',
      hint: `recon/${id}/entry?_queryFilter=state eq "planned" shows those that are`,
    });
  }
  if (!(await reopenRun(db, id, causeOf(context)))) {
    throw underWay(run.mapping, await findActive(db, run.mapping));
  }
  note(unitOfWork, run, 'ACTIVE');
  const reopened = await findRun(db, id);
  if (reopened !== undefined) await leadApproved({ platform, unitOfWork, db, run: reopened, mapping });
}

async function locked(unitOfWork: UnitOfWork, id: string): Promise<ReconRun> {
  const run = await lockRun(await unitOfWork.db(), id);
  if (run === undefined) throw new NotFoundError(`Reconciliation '${id}' not found`);
  return run;
}

function note(unitOfWork: UnitOfWork, { id, state }: ReconRun, after: ReconRun['state']): void {
  const resource = `recon/${id}`;
  unitOfWork.record({ resource, operation: 'update', before: { state }, after: { state: after } });
}

function nothingPlanned({ id, state, mode }: ReconRun): ConflictError {
  const why =
    state === 'ACTIVE'
      ? 'it is under way'
      : mode === 'plan'
        ? 'there is nothing to be done'
        : 'it holds nothing';
  return new ConflictError(`There is nothing to approve of the reconciliation '${id}': ${why}`, {
    id: 'RECON_NOTHING_PLANNED',
  });
}
