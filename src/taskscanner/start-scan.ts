import { randomUUID } from 'node:crypto';
import { type Db, runUnitOfWork, type UnitOfWork } from '#database/index.ts';
import { BadRequestError, fromErrorBody, InternalServerError } from '#errors/index.ts';
import { lookUntil } from '#lifecycle/index.ts';
import type { Context } from '#resource/index.ts';
import { expandQuery, type ScanDefinition } from './scan-definition.ts';
import { PAGE_QUEUE, type TaskScannerPlatform } from './scan-platform.ts';
import { STATES_UNDER_WAY } from './scan-run.ts';
import { findRunOfFiring, findView, insertRun, type NewScanRun, pruneRuns } from './scan-run-repository.ts';
import { sealDefinition } from './scan-seals.ts';

export interface ScanOrder {
  readonly definition: ScanDefinition;
  readonly name: string | null;
  /** Names the firing that asks for it; asked again in its name, the scan is not started again. */
  readonly firing: string | null;
}

/**
 * Starts a run in the name of the context: there, and under way, exactly if the unit of work is committed.
 *
 * @returns its id
 */
export async function startScan(
  platform: TaskScannerPlatform,
  unitOfWork: UnitOfWork,
  context: Context,
  { definition, name, firing }: ScanOrder,
): Promise<string> {
  const db = await unitOfWork.db();
  const known = firing === null ? undefined : await findRunOfFiring(db, firing);
  if (known !== undefined) return known;
  const id = randomUUID();
  const query = expandQuery(definition.query, platform.clock.now());
  await storeRun(platform, db, context, { id, name, firing, definition: { ...definition, query } });
  await platform.queue.enqueue(unitOfWork, { queue: PAGE_QUEUE, data: { run: id } });
  unitOfWork.record({
    resource: `taskscanner/${id}`,
    operation: 'create',
    before: null,
    after: { name, object: definition.object },
  });
  return id;
}

/** Stores a run in the place of the oldest. It does everything in the name of the context. */
export async function storeRun(
  { crypto, keepRuns }: TaskScannerPlatform,
  db: Db,
  { security, transactionId: transaction }: Context,
  { definition, ...run }: Pick<NewScanRun, 'id' | 'retryOf'> & ScanOrder,
): Promise<void> {
  await pruneRuns(db, keepRuns());
  const stored = await sealDefinition(crypto, definition);
  await insertRun(db, { ...run, stored, security, transaction });
}

/**
 * Starts a run and waits for its end. It has to be committed for others to see it, so this cannot be part of what a
 * caller has begun to store.
 *
 * @throws ResourceError what made the run fail
 */
export async function performScan(
  platform: TaskScannerPlatform,
  context: Context,
  order: ScanOrder,
): Promise<string> {
  if (context.unitOfWork?.isOpen === true) {
    throw new BadRequestError('A scan cannot be waited for by what has begun to store something', {
      id: 'SCAN_WAIT_INSIDE',
      hint: 'Leave out waitForCompletion, or start the scan first',
    });
  }
  const id = await runUnitOfWork(platform.database, {}, (unitOfWork) =>
    startScan(platform, unitOfWork, context, order),
  );
  const look = async () => {
    const view = await findView(platform.database.db, id);
    if (view === undefined) throw new InternalServerError(`The record of scan '${id}' is gone`);
    return view;
  };
  const { state, error } = await lookUntil(
    look,
    ({ state }) => !STATES_UNDER_WAY.includes(state),
    context.awaited,
  );
  if (state !== 'ERROR') return id;
  const { code, message = '', detail } = error ?? {};
  throw fromErrorBody({
    code: Number(code ?? 500),
    message: String(message),
    ...(detail === undefined ? {} : { detail }),
  });
}
