import type { Db } from '#database/index.ts';
import { NotFoundError } from '#errors/index.ts';
import { isObject, type JsonObject } from '#json/index.ts';
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

/**
 * `/taskscanner/<id>/failure`: the objects that failed in a run, and why. The script of a scan sees all of an object, and what it throws
 * may quote any of it: its words are for those who may evaluate scripts, to whom everything is open.
 */
export function scanFailureResource({ database, resources }: TaskScannerPlatform): RouteHandler {
  const failuresOf = (run: string) =>
    collection({
      description: { title: 'failures of a scan' },
      async query(context, request) {
        if (!UUID.test(run) || (await findView(database.db, run)) === undefined)
          throw new NotFoundError(`Scan run '${run}' not found`);
        const seesWords = await resources.maySeeScripts(context);
        return failurePage(await questionReaderOf({ database }, context), run, request, seesWords);
      },
    });
  return {
    ...failuresOf(''),
    handle: (context, request, match) =>
      failuresOf(match.variables['run'] ?? '').handle(context, request, match),
  };
}

/** @param seesWords whether the caller is told what was thrown, and not only what kind of error it was */
export async function failurePage(
  db: Db,
  run: string,
  request: QueryRequest,
  seesWords: boolean,
): Promise<QueryResult> {
  return pageResult(await queryFailures(db, run, request, seesWords), ({ _id }) => _id, failureOf);
}

/** What kind of error it was, as `queryFailures` has it. */
export function kindOfError({ code = null, reason = null, detail }: JsonObject): JsonObject {
  const id = isObject(detail) ? detail['id'] : undefined;
  return { code, reason, ...(id === undefined ? {} : { detail: { id } }) };
}

function failureOf({ _id, message, error, failedAt }: ScanFailure) {
  return resource(_id, null, { message, error, failedAt });
}
