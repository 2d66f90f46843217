import type { Db } from '#database/index.ts';
import { NotFoundError } from '#errors/index.ts';
import { pageResult } from '#repo/index.ts';
import {
  collection,
  type QueryRequest,
  type QueryResult,
  questionReaderOf,
  type RouteHandler,
  resource,
} from '#resource/index.ts';
import { queryFailures, type ScanFailure } from './scan-failure-repository.ts';
import type { TaskScannerPlatform } from './scan-platform.ts';
import { findView } from './scan-run-repository.ts';

export const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** `/taskscanner/<id>/failure`: the objects that failed in a run, and why. */
export function scanFailureResource({ database }: TaskScannerPlatform): RouteHandler {
  const failuresOf = (run: string) =>
    collection({
      description: { title: 'failures of a scan' },
      async query(context, request) {
        if (!UUID.test(run) || (await findView(database.db, run)) === undefined)
          throw new NotFoundError(`Scan run '${run}' not found`);
        return failurePage(await questionReaderOf({ database }, context), run, request);
      },
    });
  return {
    ...failuresOf(''),
    handle: (context, request, match) =>
      failuresOf(match.variables['run'] ?? '').handle(context, request, match),
  };
}

export async function failurePage(db: Db, run: string, request: QueryRequest): Promise<QueryResult> {
  return pageResult(await queryFailures(db, run, request), ({ _id }) => _id, failureOf);
}

function failureOf({ _id, message, error, failedAt }: ScanFailure) {
  return resource(_id, null, { message, error, failedAt });
}
