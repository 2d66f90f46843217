import { randomUUID } from 'node:crypto';
import { LOCK, lockNamed, type UnitOfWork } from '#database/index.ts';
import { ConflictError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import type { Context, ResourcePath, WriteContext } from '#resource/index.ts';
import type { FoundObject } from '../claimable.ts';
import { cut, MAX_SLICE } from '../page-scan.ts';
import { sayEnded } from '../say-ended.ts';
import { SLICE_QUEUE, type TaskScannerPlatform } from '../scan-platform.ts';
import type { ScanRun } from '../scan-run.ts';
import { endRun, lockRun, recordPage } from '../scan-run-repository.ts';
import { sealOperation, sealValue } from '../scan-seals.ts';
import { insertSlices } from '../scan-slice-repository.ts';
import { type Frozen, freezeObjects } from './freeze-objects.ts';
import type { Operation } from './operation.ts';
import { makerOf } from './operation-caller.ts';
import { countOpen, insertOperation, type NewOperation, pruneOwn } from './operation-repository.ts';
import { type OperationOrder, readOperation } from './read-operation.ts';
import { rehearseOperation } from './rehearse-operation.ts';

/** How many operations one owner may have that have not ended, and how many of the ended ones are kept. */
const MOST_OPEN = 10;
const MOST_KEPT = 200;
const SAMPLE = 20;

export interface Created {
  readonly id: string;
  /** What a rehearsal has come to; null of one that has been started. */
  readonly rehearsal: JsonObject | null;
  /** What may be a mistake in the query, in sentences. */
  readonly warnings: readonly string[] | undefined;
}

/**
 * Makes an operation: freezes its objects, and starts it, or with `dryRun` rehearses it and leaves it to be started.
 *
 * @throws BadRequestError, PayloadTooLargeError `OPERATION_TOO_MANY`, ConflictError `OPERATION_TOO_MANY_OPEN`, and what the query throws
 */
export async function createOperation(
  platform: TaskScannerPlatform,
  context: WriteContext,
  body: JsonObject,
): Promise<Created> {
  const order = readOperation(body, (path) => namedPath(platform, path));
  const maker = await makerOf(platform, context);
  const { objects, more, warnings } =
    order.operation.act === 'import'
      ? await freezeLines(platform, order)
      : await freezeObjects(platform, context, order.definition);
  const sample = objects.slice(0, SAMPLE).map(([id]) => id);
  const operation: Operation = { ...order.operation, client: maker.client, sample, more };
  const rehearses = order.dryRun || context.rehearsed === true;
  const rehearsal = rehearses ? await rehearseOperation(platform, context, order, operation, objects) : null;
  const id = await storeOperation(platform, context, {
    stored: order.definition,
    operation: await sealOperation(platform.crypto, operation),
    security: maker.security,
    objects,
    starts: !order.dryRun,
  });
  return { id, rehearsal, warnings };
}

/** Stores an operation for the caller, and starts it unless it waits for that. @returns its id */
export async function storeOperation(
  platform: TaskScannerPlatform,
  context: WriteContext,
  order: Pick<NewOperation, 'stored' | 'operation' | 'security' | 'retryOf'> & {
    readonly objects: readonly FoundObject[];
    readonly starts: boolean;
  },
): Promise<string> {
  const { objects, starts, ...made } = order;
  const { stored, operation } = made;
  const { unitOfWork } = context;
  const db = await unitOfWork.db();
  const owner = ownerOf(context);
  await lockNamed(db, LOCK.operationsOf(owner));
  requireRoom(await countOpen(db, owner));
  await pruneOwn(db, owner, MOST_KEPT);
  const id = randomUUID();
  const slices = cut(objects, Math.min(MAX_SLICE, Math.max(1, Math.ceil(objects.length / stored.threads))));
  await insertOperation(db, {
    ...made,
    id,
    owner,
    transaction: context.transactionId,
    total: objects.length,
    lastSlice: slices.length,
  });
  if (slices.length > 0) await insertSlices(db, id, 1, slices);
  unitOfWork.record({
    resource: `operation/${id}`,
    operation: 'create',
    before: null,
    after: { act: operation.act, resource: stored.object, total: objects.length },
  });
  const run = starts ? await lockRun(db, id) : undefined;
  if (run !== undefined) await startLanes(platform, unitOfWork, run);
  return id;
}

function namedPath({ resources }: TaskScannerPlatform, path: ResourcePath): ResourcePath {
  return resources.named({ method: 'read', path, fields: [], parameters: {} }).path;
}

/** The owner of the operations that a caller makes, as `component/id`. */
export function ownerOf({ security }: Context): string {
  const { component, id } = security.authorization;
  return `${component}/${id}`;
}

/** Has the objects of a run processed, which have been frozen. Locks the run. */
export async function startLanes(
  platform: TaskScannerPlatform,
  unitOfWork: UnitOfWork,
  { id, total, lastSlice, stored }: ScanRun,
): Promise<void> {
  const db = await unitOfWork.db();
  const lanes = Math.min(stored.threads, lastSlice);
  for (let lane = 1; lane <= lanes; lane++) {
    await platform.queue.enqueue(unitOfWork, { queue: SLICE_QUEUE, data: { run: id, lane } });
  }
  await recordPage(db, id, { cookie: null, paged: true, total, lanes, lastLane: lanes, lastSlice });
  if (lanes > 0) return;
  await endRun(db, id, 'COMPLETED');
  unitOfWork.afterCommit('operation ended', () => sayEnded(platform, id));
}

async function freezeLines({ crypto }: TaskScannerPlatform, { lines }: OperationOrder): Promise<Frozen> {
  const objects: FoundObject[] = [];
  for (const line of lines) {
    const n = objects.length + 1;
    objects.push([String(n), null, null, null, { n, line: await sealValue(crypto, line) }]);
  }
  return { objects, more: false };
}

function requireRoom(open: number): void {
  if (open < MOST_OPEN) return;
  throw new ConflictError(`You have ${open} operations that have not ended, and no more may be open`, {
    id: 'OPERATION_TOO_MANY_OPEN',
    hint: 'Wait for one, or cancel one: POST operation/<id>?_action=cancel',
  });
}
