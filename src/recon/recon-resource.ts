import { BadRequestError, ConflictError, NotFoundError } from '#errors/index.ts';
import { isObject, type JsonObject, type JsonValue } from '#json/index.ts';
import {
  type Action,
  type ActionRequest,
  ActionTable,
  actionResult,
  answerFromMemory,
  bodyOf,
  type Context,
  collection,
  listMember,
  NO_BODY,
  notFound,
  type RouteHandler,
  resource,
  unsupported,
  type WriteContext,
} from '#resource/index.ts';
import type { Mapping } from '#sync/index.ts';
import { countEntries } from './entry-repository.ts';
import { requireApproval, requireOwnQuestions, seesWordsOf } from './question-of-caller.ts';
import { readOrder } from './recon-order.ts';
import { namedMapping, type ReconPlatform } from './recon-platform.ts';
import type { EntryCount, ReconRun } from './recon-run.ts';
import { summaryOf } from './recon-view.ts';
import { findRun, listRuns } from './run-repository.ts';
import { approveRun, cancelRun } from './settle-run.ts';
import { performRecon, startApart, startRecon } from './start-recon.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** `/recon`: both sides of a mapping are compared, and what differs is planned or done. */
export function reconResource(platform: ReconPlatform): RouteHandler {
  const { database } = platform;
  const shownAll = async (context: Context) => {
    const shown: JsonObject[] = [];
    for (const run of await listRuns(database.db)) shown.push(await summaryNow(platform, context, run));
    return shown;
  };
  const runs = collection({
    description: { title: 'reconciliations' },
    query: async (context, request) => answerFromMemory(request, await shownAll(context), FIELDS),
    async read(context, _request, id) {
      const { _id, ...content } = await summaryNow(platform, context, await runNamed(platform, id));
      return resource(String(_id), null, content);
    },
    collectionActions: new ActionTable({
      recon: starts(
        platform,
        'recon',
        'Compares all of both sides of a `mapping`, and does what its policies say, or plans it',
      ),
      reconById: starts(platform, 'reconById', 'The same for the sources whose `ids` are given'),
    }),
    instanceActions: new ActionTable<[id: string]>({
      cancel: {
        does: 'Ends a reconciliation that is under way; what is done stays',
        takes: NO_BODY,
        answers: bodyOf({ _id: { type: 'string' }, status: { enum: ['SUCCESS', 'FAILURE'] } }, 'status'),
        async run(context, _request, id) {
          await runNamed(platform, id);
          const cancelled = await cancelRun(platform, context.unitOfWork, id);
          return actionResult({ _id: id, action: 'cancel', status: cancelled ? 'SUCCESS' : 'FAILURE' });
        },
      },
      approve: {
        does: 'Has done what is planned or held, but for entries whose numbers `except` names',
        takes: bodyOf({ except: listMember({ type: 'integer' }, 'Numbers of entries') }),
        answers: bodyOf({ _id: { type: 'string' }, status: { enum: ['SUCCESS'] } }, 'status'),
        async run(context, request, id) {
          await runNamed(platform, id);
          await approveRun(platform, context.unitOfWork, context, { id, except: exceptOf(request) });
          return actionResult({ _id: id, action: 'approve', status: 'SUCCESS' });
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
      return resource('', null, { reconciliations: await shownAll(context) });
    },
    describe: (path) =>
      (runs.describe?.(path) ?? []).map((each) =>
        each.path === path ? { ...each, methods: ['read', ...each.methods] } : each,
      ),
  };
}

/** @throws NotFoundError */
export async function runNamed({ database }: Pick<ReconPlatform, 'database'>, id: string): Promise<ReconRun> {
  const run = UUID.test(id) ? await findRun(database.db, id) : undefined;
  if (run === undefined) throw new NotFoundError(`Reconciliation '${id.slice(0, 100)}' not found`);
  return run;
}

function starts(platform: ReconPlatform, action: 'recon' | 'reconById', does: string): Action {
  return {
    does,
    takes: { type: ['object', 'null'], description: 'What is to be otherwise than the mapping has it' },
    answers: bodyOf({ _id: { type: 'string' }, state: { type: 'string' } }, '_id', 'state'),
    run: async (context, request) => actionResult(await start(platform, context, request, action)),
  };
}

async function start(
  platform: ReconPlatform,
  context: WriteContext,
  request: ActionRequest,
  action: 'recon' | 'reconById',
): Promise<JsonObject> {
  const { parameters, content } = request;
  const { mapping: name = '', ids, analyze, waitForCompletion } = parameters;
  if (name === '') {
    throw new BadRequestError("The parameter 'mapping' is missing", {
      id: 'RECON_BAD_ORDER',
      field: 'mapping',
    });
  }
  // The rehearsal of a reconciliation is a plan, which stays to be looked at.
  const isPlan = context.rehearsed === true || analyze === 'true';
  const mode = isPlan ? 'plan' : parameters['mode'];
  const { persistAssociations } = parameters;
  const said = persistAssociations === undefined ? {} : { persistAssociations };
  const { mapping: supposed, ...asked } = isObject(content) ? content : {};
  const given = { ...asked, ...said };
  const mapping =
    supposed === undefined
      ? namedMapping(platform, name)
      : await supposedMapping(platform, context, { name, supposed, mode });
  const read = readOrder(mapping, action, given, { ids, mode });
  if ((asked['thresholds'] !== undefined || read.isForced) && read.mode === 'apply')
    await requireApproval(platform, context);
  const ownQueries = await requireOwnQuestions(platform, context, mapping, given, read.parameters);
  const order = {
    ...read,
    parameters: {
      ...read.parameters,
      ownQueries,
      ...(isObject(supposed) ? { supposed: mapping.written } : {}),
    },
  };
  if (waitForCompletion === 'true') {
    const run = await performRecon(platform, context, mapping, order);
    if (run.state !== 'FAILED') return { _id: run.id, state: run.state };
    const error = (await seesWordsOf(platform, context, run)) ? run.error : null;
    throw new ConflictError(String(error?.['message'] ?? 'The reconciliation has failed'), {
      id: 'RECON_FAILED',
      hint: String(error?.['hint'] ?? `recon/${run.id} says more`),
      detail: { run: run.id },
    });
  }
  const id =
    context.rehearsed === true
      ? await startApart(platform, context, mapping, order)
      : await startRecon(platform, context.unitOfWork, context, mapping, order);
  return { _id: id, state: 'ACTIVE' };
}

/** A mapping that is only planned by; its scripts are run as any that somebody sends. */
async function supposedMapping(
  { mappings, router }: ReconPlatform,
  context: WriteContext,
  {
    name,
    supposed,
    mode,
  }: { readonly name: string; readonly supposed: JsonValue; readonly mode: string | undefined },
): Promise<Mapping> {
  await router.requireScriptRight(context, '/mapping');
  if (!isObject(supposed) || mode !== 'plan') {
    const what = isObject(supposed) ? 'A mapping that is sent is only planned by' : "'mapping' is no object";
    throw new BadRequestError(what, {
      id: 'RECON_BAD_ORDER',
      field: '/mapping',
      hint: 'Ask with mode=plan; put the mapping into the configuration to have it done',
    });
  }
  return mappings.supposed({ ...supposed, name });
}

function exceptOf({ parameters, content }: ActionRequest): readonly number[] {
  const given = parameters['except'] ?? (isObject(content) ? content['except'] : undefined) ?? [];
  const list = typeof given === 'string' ? given.split(',') : given;
  const numbers = Array.isArray(list) ? list.map(Number) : [Number.NaN];
  if (numbers.every(Number.isSafeInteger)) return numbers;
  throw new BadRequestError("'except' names no entries by their numbers", {
    id: 'RECON_BAD_ORDER',
    field: 'except',
    hint: 'Such as except=3,17',
  });
}

async function summaryNow(platform: ReconPlatform, context: Context, run: ReconRun): Promise<JsonObject> {
  const counts: readonly EntryCount[] = run.outcomes ?? (await countEntries(platform.database.db, run.id));
  return summaryOf(run, counts, run.error === null || (await seesWordsOf(platform, context, run)));
}

const FIELDS = [
  '_id',
  'mapping',
  'mode',
  'state',
  'stage',
  'stageDescription',
  'progress',
  'situationSummary',
  'statusSummary',
  'entrySummary',
  'durationSummary',
  'parameters',
  'started',
  'ended',
  'duration',
  'estimate',
  'error',
] as const;
