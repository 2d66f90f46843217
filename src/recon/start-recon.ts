import { randomUUID } from 'node:crypto';
import type { Db, UnitOfWork } from '#database/index.ts';
import { BadRequestError, ConflictError, InternalServerError } from '#errors/index.ts';
import { lookUntil } from '#lifecycle/index.ts';
import type { Context } from '#resource/index.ts';
import { causeOf, type Mapping } from '#sync/index.ts';
import { apart } from '#work/index.ts';
import type { ReconOrder } from './recon-order.ts';
import { printOf, type ReconPlatform, STEP_QUEUE } from './recon-platform.ts';
import type { ReconParameters, ReconRun } from './recon-run.ts';
import {
  findActive,
  findRun,
  findRunOfFiring,
  findSystemsBefore,
  insertRun,
  pruneRuns,
} from './run-repository.ts';

/**
 * Starts a run in the name of the context: there, and under way, exactly if the unit of work is committed.
 *
 * @param firing names the firing that asks for it; asked again in its name, it is not started again
 * @returns its id
 * @throws ConflictError `RECON_UNDER_WAY` while there is another one of the mapping
 */
export async function startRecon(
  platform: ReconPlatform,
  unitOfWork: UnitOfWork,
  context: Context,
  mapping: Mapping,
  order: ReconOrder,
  firing: string | null = null,
): Promise<string> {
  const db = await unitOfWork.db();
  const known = firing === null ? undefined : await findRunOfFiring(db, firing);
  if (known !== undefined) return known;
  await pruneRuns(db, platform.keepRuns());
  const { name } = mapping;
  const [id, print, cause] = [randomUUID(), printOf(mapping), causeOf(context)];
  const { mode } = order;
  const parameters = await withSystems(platform, db, mapping, order);
  if (!(await insertRun(db, { id, mapping: name, print, mode, parameters, firing, ...cause }))) {
    throw underWay(name, await findActive(db, name));
  }
  await platform.queue.enqueue(unitOfWork, { queue: STEP_QUEUE, data: { run: id } });
  unitOfWork.record({
    resource: `recon/${id}`,
    operation: 'create',
    before: null,
    after: { mapping: name, mode },
  });
  return id;
}

/** One word in the file of a system, and other objects are there, or none: what a run over all of them finds then is looked at first. */
async function withSystems(
  { mappings }: ReconPlatform,
  db: Db,
  mapping: Mapping,
  { mode, parameters, isForced }: ReconOrder,
): Promise<ReconParameters> {
  const systems = mappings.systemsOf(mapping);
  if (systems === undefined || parameters.sourceIds !== undefined) return parameters;
  const before = mode === 'apply' && !isForced ? await findSystemsBefore(db, mapping.name) : undefined;
  const systemsChanged = before !== undefined && before !== systems;
  return { ...parameters, systems, ...(systemsChanged ? { systemsChanged, plansFirst: true } : {}) };
}

/**
 * The same by itself, and waited for: it has to be committed for others to see it, so this cannot be part of what a caller has begun to
 * store.
 */
export async function performRecon(
  platform: ReconPlatform,
  context: Context,
  mapping: Mapping,
  order: ReconOrder,
): Promise<ReconRun> {
  const id = await startApart(platform, context, mapping, order);
  const look = async () => {
    const run = await findRun(platform.database.db, id);
    if (run === undefined) throw new InternalServerError(`The record of reconciliation '${id}' is gone`);
    return run;
  };
  return lookUntil(look, ({ state }) => state !== 'ACTIVE', context.awaited);
}

/** @throws BadRequestError `RECON_INSIDE` */
export async function startApart(
  platform: ReconPlatform,
  context: Context,
  mapping: Mapping,
  order: ReconOrder,
): Promise<string> {
  if (context.unitOfWork?.isOpen === true) {
    throw new BadRequestError(
      'What has begun to store something can neither plan nor wait for a reconciliation',
      {
        id: 'RECON_INSIDE',
        hint: 'Leave out waitForCompletion and mode, or ask for it first',
      },
    );
  }
  return apart(platform, (own) => startRecon(platform, own, context, mapping, order));
}

export function underWay(mapping: string, id: string | undefined): ConflictError {
  return new ConflictError(`'${mapping}' is being reconciled already`, {
    id: 'RECON_UNDER_WAY',
    hint: id === undefined ? 'Wait for its end' : `Wait for the end of recon/${id}, or cancel it`,
    ...(id === undefined ? {} : { detail: { run: id } }),
  });
}
