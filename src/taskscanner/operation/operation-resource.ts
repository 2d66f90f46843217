import { BadRequestError, ConflictError, ForbiddenError, NotFoundError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import { pageResult } from '#repo/index.ts';
import {
  type ActionResult,
  ActionTable,
  actionResult,
  bodyOf,
  type Context,
  collection,
  dbOf,
  NO_BODY,
  type QueryRequest,
  type QueryResult,
  questionReaderOf,
  type RouteHandler,
  readerOf,
  resource,
  type WriteContext,
} from '#resource/index.ts';
import { cancelScan } from '../cancel-scan.ts';
import { failurePage, UUID } from '../scan-failure-resource.ts';
import type { TaskScannerPlatform } from '../scan-platform.ts';
import { lockRun } from '../scan-run-repository.ts';
import { createOperation, ownerOf, startLanes } from './create-operation.ts';
import { exportFile } from './export-file.ts';
import { listLines, queryLines } from './export-line-repository.ts';
import { findOperation, groupFailures, type OperationView, queryOperations } from './operation-repository.ts';
import { OPERATION_SCHEMA } from './operation-schema.ts';
import { retryOperation } from './retry-operation.ts';

/** `/operation`: one thing done with many objects, with the rights of whoever makes it. */
export function operationResource(platform: TaskScannerPlatform): RouteHandler {
  return collection({
    description: { title: 'operations over many objects', schema: OPERATION_SCHEMA },
    // Its query and its rehearsal meet hooks and filters.
    runsScripts: ({ method }) => method === 'create',
    async create(context, { newResourceId, content }) {
      if (newResourceId !== null) {
        throw new BadRequestError(`The server gives operations their ids, and takes no '${newResourceId}'`, {
          id: 'OPERATION_INVALID',
          hint: 'POST it to /operation',
        });
      }
      const { id, rehearsal, warnings } = await createOperation(platform, context, content);
      const shown: JsonObject = {
        ...toJson(await find(platform, context, id)),
        ...(rehearsal === null ? {} : { rehearsal }),
        ...(warnings === undefined ? {} : { warnings: [...warnings] }),
      };
      return { ...resource(id, null, shown), created: true };
    },
    async query(context, request) {
      const page = await queryOperations(
        await questionReaderOf(platform, context),
        await whose(platform, context),
        request,
      );
      return pageResult(
        page,
        ({ operation }) => operation,
        (view) => resource(view.operation, null, toJson(view)),
      );
    },
    async read(context, { fields }, id) {
      const view = await find(platform, context, id);
      const db = await readerOf(platform, context);
      const errors = view.failures > 0 ? await groupFailures(db, id) : [];
      const content: JsonObject = {
        ...toJson(view),
        errors: errors.map((group) => ({ ...group, objects: [...group.objects] })),
      };
      if (fields.some(([name]) => name === 'file')) {
        requireExported(view);
        content['file'] = exportFile(view.stored, await listLines(db, id));
      }
      return resource(id, null, content);
    },
    instanceActions: new ActionTable<[id: string]>({
      start: {
        does: 'Starts an operation that was made with `dryRun`, with the objects that were found then',
        takes: NO_BODY,
        answers: { type: 'object' },
        run: (context, _request, id) => start(platform, context, id),
      },
      retry: {
        does: 'Does again what failed in an operation that has ended, as an operation of its own',
        takes: NO_BODY,
        answers: { type: 'object' },
        async run(context, _request, id) {
          await requireMaker(platform, context, id);
          return actionResult(await retryOperation(platform, context, id));
        },
      },
      cancel: {
        does: 'Ends an operation that has not ended; what it has done stays done',
        takes: NO_BODY,
        answers: bodyOf({ _id: { type: 'string' }, status: { enum: ['SUCCESS', 'FAILURE'] } }, 'status'),
        async run(context, _request, id) {
          await find(platform, context, id);
          const cancelled = await cancelScan(platform, context.unitOfWork, id);
          const status = cancelled === true ? 'SUCCESS' : 'FAILURE';
          return actionResult({ status, _id: id, action: 'cancel' });
        },
      },
    }),
  });
}

/** `/operation/<id>/failure`: the objects that failed, and why. */
export function operationFailureResource(platform: TaskScannerPlatform): RouteHandler {
  return below('failures of an operation', async (context, request, id) => {
    await find(platform, context, id);
    // They are what the maker was told as its own requests failed.
    return failurePage(await questionReaderOf(platform, context), id, request, true);
  });
}

/** `/operation/<id>/line`: what an export has read, page by page. */
export function exportLineResource(platform: TaskScannerPlatform): RouteHandler {
  return below('what an operation has exported', async (context, request, id) => {
    requireExported(await find(platform, context, id));
    const page = await queryLines(await questionReaderOf(platform, context), id, request);
    return pageResult(
      page,
      ({ object }) => object,
      ({ object, content: { _id: _, _rev: __, ...members } }) => resource(object, null, members),
    );
  });
}

function below(
  title: string,
  query: (context: Context, request: QueryRequest, id: string) => Promise<QueryResult>,
): RouteHandler {
  const of = (id: string) =>
    collection({ description: { title }, query: (context, request) => query(context, request, id) });
  return {
    ...of(''),
    handle: (context, request, match) => of(match.variables['run'] ?? '').handle(context, request, match),
  };
}

async function start(
  platform: TaskScannerPlatform,
  context: WriteContext,
  id: string,
): Promise<ActionResult> {
  await requireMaker(platform, context, id);
  const run = await lockRun(await context.unitOfWork.db(), id);
  if (run?.state !== 'INITIALIZED') {
    throw new ConflictError(`The operation '${id}' has been started already, or cancelled`, {
      id: 'OPERATION_NOT_PREPARED',
      hint: 'Make another one',
    });
  }
  await startLanes(platform, context.unitOfWork, run);
  context.unitOfWork.record({
    resource: `operation/${id}`,
    operation: 'update',
    before: { state: 'PREPARED' },
    after: { state: 'ACTIVE' },
  });
  return actionResult({ status: 'SUCCESS', _id: id, action: 'start' });
}

async function requireMaker(platform: TaskScannerPlatform, context: Context, id: string): Promise<void> {
  const { owner } = await find(platform, context, id);
  if (owner === ownerOf(context)) return;
  throw new ForbiddenError('Access denied', {
    id: 'ACCESS_DENIED',
    hint: 'It would act for whoever made it, who alone starts it',
  });
}

/** Everybody has their own; whoever may evaluate scripts has all. */
async function whose({ resources }: TaskScannerPlatform, context: Context): Promise<string | null> {
  return (await resources.maySeeScripts(context)) ? null : ownerOf(context);
}

async function find(platform: TaskScannerPlatform, context: Context, id: string): Promise<OperationView> {
  const owner = await whose(platform, context);
  const view = UUID.test(id) ? await findOperation(await dbOf(platform, context), id, owner) : undefined;
  if (view === undefined) throw new NotFoundError(`There is no operation '${id}'`);
  return view;
}

function requireExported({ operation, act, state }: OperationView): void {
  if (act === 'export' && state === 'COMPLETED') return;
  throw new ConflictError(`The operation '${operation}' is no export that has been completed`, {
    id: 'OPERATION_NO_EXPORT',
    hint: act === 'export' ? `It is ${state}` : `It is of act '${act}'`,
  });
}

function toJson(view: OperationView): JsonObject {
  const { total, processed, successes, failures, skipped, percent, stored } = view;
  const iso = (at: Date | null) => at?.toISOString() ?? null;
  const { action, fields, format, mode, key, sample, more } = stored;
  return {
    act: view.act,
    resource: view.resource,
    ...(view.act === 'action' ? { action } : {}),
    ...(view.act === 'export' ? { fields: [...fields], format } : {}),
    ...(view.act === 'import' ? { mode, key } : {}),
    owner: view.owner,
    state: view.state,
    progress: {
      total,
      processed,
      successes,
      failures,
      skipped,
      percent: percent === null ? null : Number(percent),
    },
    sample: [...sample],
    more,
    created: view.created_at.toISOString(),
    started: iso(view.started_at),
    ended: iso(view.ended_at),
    estimate: iso(view.estimate),
    nodes: [...(view.nodes ?? [])],
    error: view.error,
    transactionId: view.transaction_id,
  };
}
