import { BadRequestError, ConflictError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import { parsePath, type WriteContext } from '#resource/index.ts';
import type { FoundObject } from '../claimable.ts';
import { listFailed } from '../scan-failure-repository.ts';
import type { TaskScannerPlatform } from '../scan-platform.ts';
import { findRetryOf, lockRun } from '../scan-run-repository.ts';
import { storeOperation } from './create-operation.ts';
import { makerOf } from './operation-caller.ts';

const SAMPLE = 20;

/**
 * Does again what failed in an operation that has ended, as an operation of its own. An operation is retried once: what fails
 * again is retried with the operation that retried it.
 *
 * @throws ConflictError `OPERATION_UNDER_WAY`, `OPERATION_RETRIED`, `OPERATION_NO_RETRY`, BadRequestError `OPERATION_NOTHING_FAILED`
 */
export async function retryOperation(
  platform: TaskScannerPlatform,
  context: WriteContext,
  id: string,
): Promise<JsonObject> {
  const db = await context.unitOfWork.db();
  const run = await lockRun(db, id);
  const { operation, stored, state } = run ?? {};
  if (operation === undefined || operation === null || stored === undefined) throw underWay(id);
  if (state !== 'COMPLETED' && state !== 'CANCELLED' && state !== 'ERROR') throw underWay(id);
  const { act } = operation;
  if (act === 'import' || act === 'export') {
    throw new ConflictError(`What failed in an ${act} is not tried again by itself`, {
      id: 'OPERATION_NO_RETRY',
      hint: 'Make it again: what an import has created is left alone, and an export changes nothing',
    });
  }
  const retriedBy = await findRetryOf(db, id);
  if (retriedBy !== undefined) {
    throw new ConflictError(`What failed in the operation '${id}' is tried again by '${retriedBy}'`, {
      id: 'OPERATION_RETRIED',
      hint: 'Retry what fails in that',
    });
  }
  const failed = (await listFailed(db, id)).flatMap(({ _id }) => parsePath(_id).at(-1) ?? []);
  if (failed.length === 0) {
    throw new BadRequestError(`Nothing failed in the operation '${id}'`, { id: 'OPERATION_NOTHING_FAILED' });
  }
  const maker = await makerOf(platform, context);
  const retry = await storeOperation(platform, context, {
    stored,
    operation: { ...operation, client: maker.client, sample: failed.slice(0, SAMPLE), more: false },
    security: maker.security,
    objects: failed.map((object, n): FoundObject => [object, null, null, null, { n: n + 1 }]),
    starts: true,
    retryOf: id,
  });
  return { _id: retry, retryOf: id, objects: failed.length };
}

function underWay(id: string): ConflictError {
  return new ConflictError(`The operation '${id}' has not ended`, {
    id: 'OPERATION_UNDER_WAY',
    hint: 'Wait for its end, or cancel it',
  });
}
