import { isStandIn, secretMembers } from '#crypto/index.ts';
import { BadRequestError, factsOf, NotFoundError, ResourceError } from '#errors/index.ts';
import { formatPointer, isObject, type JsonObject, type JsonValue, partAt } from '#json/index.ts';
import {
  type ActionRequest,
  ActionTable,
  actionResult,
  answerFromMemory,
  bodyOf,
  type Context,
  collection,
  NO_BODY,
  notFound,
  type RouteHandler,
  resource,
  unsupported,
  type WriteContext,
} from '#resource/index.ts';
import { cancelScan } from './cancel-scan.ts';
import { rehearseScan } from './rehearse-scan.ts';
import { retryScan } from './retry-scan.ts';
import { flag, parseScanDefinition, type ScanDefinition } from './scan-definition.ts';
import { kindOfError, UUID } from './scan-failure-resource.ts';
import { connectionOf, type TaskScannerPlatform } from './scan-platform.ts';
import type { ScanView } from './scan-run.ts';
import { findView, listViews } from './scan-run-repository.ts';
import { performScan, startScan } from './start-scan.ts';

const SERVICE = /(?:^|\.)taskscanner$/;

/** `/taskscanner`: runs of the task scanner; `execute` starts one, `cancel` ends one. */
export function taskscannerResource(platform: TaskScannerPlatform): RouteHandler {
  const { database } = platform;
  const get = async (id: string) => {
    const view = UUID.test(id) ? await findView(database.db, id) : undefined;
    if (view === undefined) throw new NotFoundError(`Scan run '${id}' not found`);
    return view;
  };
  const shownAll = async (context: Context) => {
    const seesWords = await platform.resources.maySeeScripts(context);
    return (await listViews(database.db)).map((view) => toJson(view, seesWords));
  };
  const runs = collection({
    description: { title: 'scan runs' },
    query: async (context, request) => answerFromMemory(request, await shownAll(context), FIELDS),
    async read(context, _request, id) {
      const { _id, ...content } = toJson(await get(id), await platform.resources.maySeeScripts(context));
      return resource(String(_id), null, content);
    },
    collectionActions: new ActionTable({
      execute: {
        does: 'Starts a scan: the task of a file, by its `name`, or one that is sent',
        takes: { type: ['object', 'null'], description: 'A task, unless a file is named' },
        answers: { type: 'object' },
        // A rehearsal runs it here; a scan has its own threads.
        runsScripts: ({ dryRun }) => dryRun === true,
        run: async (context, request) => actionResult(await execute(platform, context, request)),
      },
    }),
    instanceActions: new ActionTable<[id: string]>({
      cancel: {
        does: 'Ends a scan that is under way',
        takes: NO_BODY,
        answers: bodyOf({ _id: { type: 'string' }, status: { enum: ['SUCCESS', 'FAILURE'] } }, 'status'),
        async run(context, _request, id) {
          await get(id);
          const cancelled = await cancelScan(platform, context.unitOfWork, id);
          return actionResult({
            status: cancelled === true ? 'SUCCESS' : 'FAILURE',
            _id: id,
            action: 'cancel',
          });
        },
      },
      retry: {
        does: 'Tries again what failed in a scan that has ended, once, as a scan of its own',
        takes: NO_BODY,
        answers: { type: 'object' },
        runsScripts: ({ dryRun }) => dryRun === true,
        async run(context, _request, id) {
          await get(id);
          return actionResult(
            await retryScan(platform, context, id, (name) => scanOf(platform, context, name)),
          );
        },
      },
    }),
  });
  return {
    ...runs,
    /** A read of the collection itself answers all runs; everything else is as in any collection. */
    async handle(context, request, match) {
      if (match.remaining.length > 1) throw notFound(request);
      if (match.remaining.length > 0 || request.method === 'query' || request.method === 'action') {
        return runs.handle(context, request, match);
      }
      if (request.method !== 'read') return unsupported(request);
      return resource('', null, { tasks: await shownAll(context) });
    },
    describe: (path) =>
      (runs.describe?.(path) ?? []).map((each) =>
        each.path === path ? { ...each, methods: ['read', ...each.methods] } : each,
      ),
  };
}

async function execute(
  platform: TaskScannerPlatform,
  context: WriteContext,
  { content, parameters }: ActionRequest,
): Promise<JsonObject> {
  const name = parameters['name'] ?? null;
  const definition = withWait(await definitionOf(platform, context, name, content), parameters);
  if (context.rehearsed === true) return rehearseScan(platform, context, definition);
  const order = { definition, name, firing: null };
  const id = definition.wait
    ? await performScan(platform, context, order)
    : await startScan(platform, context.unitOfWork, context, order);
  return { _id: id };
}

/** The definition in the body, or that of the schedule with the name. */
async function definitionOf(
  platform: TaskScannerPlatform,
  context: Context,
  name: string | null,
  body: JsonValue,
): Promise<ScanDefinition> {
  const isGiven = isObject(body) && Object.keys(body).length > 0;
  if (name === null) {
    if (isGiven) {
      await platform.resources.requireScriptRight(context, '/task/script');
      return parseScanDefinition(body);
    }
    throw new BadRequestError('Nothing says what to scan', {
      id: 'SCAN_NO_NAME',
      hint: "Add name=schedule/<name>, or send the schedule's invokeContext as the body",
    });
  }
  if (isGiven) {
    throw new BadRequestError(`There are both the name '${name}' and a body`, {
      id: 'SCAN_NAME_AND_BODY',
      hint: 'Give one of them',
    });
  }
  return scanOf(platform, context, name);
}

async function scanOf(
  platform: TaskScannerPlatform,
  context: Context,
  name: string,
): Promise<ScanDefinition> {
  const schedule = await readSchedule(platform, context, name);
  if (!SERVICE.test(String(schedule['invokeService']))) {
    throw new BadRequestError(
      `'${name}' invokes '${String(schedule['invokeService'])}' and not the taskscanner`,
      {
        id: 'SCAN_OTHER_SERVICE',
      },
    );
  }
  requireReadable(platform, schedule['invokeContext'] ?? null, name);
  return parseScanDefinition(schedule['invokeContext']);
}

/** Refuses what holds a stand-in for a secret: the script would be given that as if it were the secret. */
function requireReadable(platform: TaskScannerPlatform, invokeContext: JsonValue, name: string): void {
  const [hidden] = [
    ...secretMembers(invokeContext).filter((pointer) => isStandIn(partAt(invokeContext, pointer))),
    ...platform.secretReferences(invokeContext),
  ];
  if (hidden === undefined) return;
  const field = formatPointer(['invokeContext', ...hidden]);
  throw new BadRequestError(`The secret at ${field} of '${name}' is shown to nobody, so not to this scan`, {
    id: 'SCAN_SECRET',
    field,
    hint: 'Fire the schedule: POST scheduler/job/<id>?_action=trigger',
  });
}

/** A schedule, or else a configuration; only in the former stands what its references stand for. */
async function readSchedule(
  platform: TaskScannerPlatform,
  context: Context,
  name: string,
): Promise<JsonObject> {
  // Read outside of the unit of work, which a scan that is waited for must not have begun.
  const connection = connectionOf(platform, { ...context, unitOfWork: null });
  const paths = [
    ...(name.startsWith('schedule/') ? [`scheduler/job/${name.slice(9)}`] : []),
    `config/${name}`,
  ];
  const hints: string[] = [];
  for (const path of paths) {
    try {
      const { content } = await connection.read(path);
      return isObject(content) ? content : {};
    } catch (error) {
      if (!(error instanceof ResourceError) || (error.code !== 404 && error.code !== 400)) throw error;
      const { hint } = factsOf(error);
      if (hint !== undefined) hints.unshift(hint);
    }
  }
  throw new BadRequestError(`The configuration '${name}' cannot be read`, {
    id: 'SCAN_UNKNOWN_NAME',
    field: 'name',
    hint: hints[0] ?? 'Name it by its path below config/, such as schedule/nightly-clean-up',
  });
}

function withWait(definition: ScanDefinition, parameters: Readonly<Record<string, string>>): ScanDefinition {
  const { waitForCompletion } = parameters;
  if (waitForCompletion === undefined) return definition;
  return { ...definition, wait: flag('/waitForCompletion', waitForCompletion) };
}

const FIELDS = [
  '_id',
  'progress',
  'started',
  'ended',
  'cancelled',
  'estimate',
  'name',
  'object',
  'nodes',
  'error',
  'errors',
  'retryOf',
  'retriedBy',
] as const;

/** @param seesWords whether the caller is told what scripts have thrown (`scanFailureResource`) */
function toJson(view: ScanView, seesWords: boolean): JsonObject {
  const { run_id: id, state, processed, total, successes, failures, skipped } = view;
  const iso = (at: Date | null) => at?.toISOString() ?? '';
  return {
    _id: id,
    progress: { state, processed, total, successes, failures, skipped },
    started: iso(view.started_at),
    // A cancelled run has no end of its own.
    ended: state === 'CANCELLED' ? '' : iso(view.ended_at),
    ...(state === 'CANCELLED' ? { cancelled: iso(view.ended_at) } : {}),
    estimate: iso(view.estimate),
    name: view.schedule,
    object: view.object,
    nodes: [...(view.nodes ?? [])],
    error: view.error === null || seesWords ? view.error : kindOfError(view.error),
    errors: (view.errors ?? []).map((failure) => (seesWords ? failure : withoutWords(failure))),
    ...(view.retry_of === null ? {} : { retryOf: view.retry_of }),
    ...(view.retried_by === null ? {} : { retriedBy: view.retried_by }),
  };
}

function withoutWords({ error, ...failure }: JsonObject): JsonObject {
  return { ...failure, error: isObject(error) ? kindOfError(error) : null };
}
