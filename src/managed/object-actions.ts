import { LostRace } from '#database/index.ts';
import { BadRequestError, NotFoundError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import { objectStore, queryObjects as queryStore } from '#repo/index.ts';
import {
  type Action,
  type ActionBody,
  type ActionRequest,
  type ActionResult,
  ActionTable,
  actionResult,
  bodyOf,
  type Context,
  formatPath,
  NO_BODY,
  parsePatch,
  parseQueryParameters,
  plainQuery,
  type QueryRequest,
  questionReaderOf,
  type ReadRequest,
  type Response,
  resource,
  resourceBody,
  type WriteContext,
} from '#resource/index.ts';
import { type BindingsOf, requestView, type ScriptReference } from '#script/index.ts';
import { aside } from './aside.ts';
import { checkObject, findStale } from './check-objects.ts';
import { newExchange } from './exchange.ts';
import { explainDerived, isExplained, parseQuestion, QUESTION } from './explain/explain-derived.ts';
import { inquire } from './explain/inquire.ts';
import type { ManagedPlatform } from './managed-platform.ts';
import type { ManagedType } from './managed-type.ts';
import { requireNameOnly } from './name-by-query.ts';
import { lockObject } from './relationship/target-repository.ts';
import { queryOfCaller } from './retrieve/query-of-caller.ts';
import { runLifecycle } from './run-lifecycle.ts';
import type { ACTION_USE } from './script-uses.ts';

const PAGE_SIZE = 500;

/** An action on an object of a type. */
interface ObjectAction {
  readonly does: string;
  readonly takes?: ActionBody;
  readonly answers?: ActionBody;
  run(
    platform: ManagedPlatform,
    type: ManagedType,
    context: WriteContext,
    request: ActionRequest,
    id: string,
  ): Promise<ActionResult>;
}

const OF_EVERY_TYPE: Readonly<Record<string, ObjectAction>> = {
  patch: {
    does: 'Changes parts of the object: the body is a list of patch operations',
    takes: 'operations',
    answers: 'object',
    run: async (platform, type, context, request, id) =>
      shownAs(type, id, await patchObject(platform, type, context, request, id)),
  },
  triggerSyncCheck: {
    does: 'Calculates what is stored of virtual properties anew, updates the object if that changed, and has its targets follow it',
    takes: NO_BODY,
    answers: 'object',
    run: async (platform, type, context, request, id) =>
      shownAs(type, id, await checkObject(platform, type, context, request, id)),
  },
};

/** The action `explain`, for types that have something to explain. */
const EXPLAIN: ObjectAction = {
  does: 'Tells of each role or assignment in effect where it comes from, or of one `role` why it is not there',
  takes: QUESTION,
  answers: { type: 'object' },
  run: async (platform, type, context, request, id) =>
    actionResult(await explainObject(platform, type, context, request, id)),
};

/** All actions of the type, by name. A scripted one may stand in for `explain`, but for none that every type has. */
function actionsOf(type: ManagedType): Readonly<Record<string, ObjectAction>> {
  const own = [...type.actions].filter(([name]) => !Object.hasOwn(OF_EVERY_TYPE, name));
  const scripted = own.map(([name, reference]): [string, ObjectAction] => [
    name,
    {
      does: `Runs the script that managed/${type.name} declares for it, and answers with the object`,
      answers: 'object',
      run: (platform, type, context, request, id) =>
        runScript(platform, type, context, request, id, reference),
    },
  ]);
  const explain = isExplained(type) ? { explain: EXPLAIN } : {};
  return { ...OF_EVERY_TYPE, ...explain, ...Object.fromEntries(scripted) };
}

export function objectActionNames(type: ManagedType): readonly string[] {
  return Object.keys(actionsOf(type));
}

export function objectActions(platform: ManagedPlatform, type: ManagedType): ActionTable<[id: string]> {
  const rows = Object.entries(actionsOf(type)).map(
    ([name, { run, ...said }]): [string, Action<[id: string]>] => [
      name,
      { ...said, run: (context, request, id) => run(platform, type, context, request, id) },
    ],
  );
  return new ActionTable(Object.fromEntries(rows));
}

async function explainObject(
  platform: ManagedPlatform,
  type: ManagedType,
  context: WriteContext,
  { content }: ActionRequest,
  id: string,
): Promise<JsonObject> {
  const question = parseQuestion(type, content);
  return aside(context, async (asking) => {
    const inquiry = await inquire(platform, asking, type, id);
    if (inquiry !== undefined) return explainDerived(inquiry, question);
    throw new NotFoundError(`Object '${formatPath(['managed', type.name, id])}' not found`);
  });
}

/** `patch` of the one object that a query finds, and `triggerSyncCheck` of all that it finds. */
export function collectionActions(platform: ManagedPlatform, type: ManagedType): ActionTable {
  return new ActionTable({
    patch: {
      does: 'Changes parts of the one object that a query finds: the body is a list of patch operations',
      takes: 'operations',
      answers: 'object',
      run: (context, request) => patchFound(platform, type, context, request),
    },
    triggerSyncCheck: {
      does: 'Calculates what is stored of virtual properties anew for all that a query finds, by default all',
      takes: NO_BODY,
      answers: bodyOf({ status: { const: 'OK' }, countTriggered: { type: 'integer' } }, 'countTriggered'),
      run: (context, request) => checkFound(platform, type, context, request),
    },
  });
}

async function patchFound(
  platform: ManagedPlatform,
  type: ManagedType,
  context: WriteContext,
  request: ActionRequest,
): Promise<ActionResult> {
  const query = queryOf(request);
  await requireNameOnly(platform, type, context, query);
  const [first, second] = await findIds(platform, type, context, query, 2);
  if (first === undefined) throw new NotFoundError('The query finds no object to patch');
  if (second !== undefined) {
    throw new BadRequestError('The query finds more than one object to patch', {
      id: 'PATCH_BY_QUERY_AMBIGUOUS',
    });
  }
  const answer = await patchObject(platform, type, context, request, first);
  // The access rules were asked about the collection only, so they are asked about this object before it is shown.
  const read: ReadRequest = {
    method: 'read',
    path: ['managed', type.name, first],
    fields: request.fields,
    parameters: {},
  };
  const shown = await shownWithin(platform, context, read, resource(first, null, answer));
  return actionResult(
    shown?.kind === 'resource' ? resourceBody(shown) : { _id: first, _rev: answer['_rev'] ?? null },
  );
}

/** What the filters leave of it. Their scripts change nothing by being asked, as little as with a read. */
function shownWithin(
  { resources }: ManagedPlatform,
  context: WriteContext,
  read: ReadRequest,
  answer: Response,
): Promise<Response | undefined> {
  if (!resources.judgesByScript([read])) return resources.shown(context, read, answer);
  return aside(context, (asking) => resources.shown(asking, read, answer));
}

async function checkFound(
  platform: ManagedPlatform,
  type: ManagedType,
  context: WriteContext,
  request: ActionRequest,
): Promise<ActionResult> {
  let countTriggered = 0;
  const query = queryOf(request, 'true');
  await requireNameOnly(platform, type, context, query);
  for (let ids = await findIds(platform, type, context, query, PAGE_SIZE); ids.length > 0; ) {
    for (const id of await findStale(platform, type, context, request, ids)) {
      await checkObject(platform, type, context, request, id);
    }
    countTriggered += ids.length;
    ids = await findIds(platform, type, context, query, PAGE_SIZE, ids.at(-1));
  }
  return actionResult({ status: 'OK', countTriggered });
}

async function patchObject(
  platform: ManagedPlatform,
  type: ManagedType,
  context: WriteContext,
  request: ActionRequest,
  id: string,
): Promise<JsonObject> {
  const { path, fields, parameters, content, judgedAt } = request;
  const patch = {
    method: 'patch',
    path,
    fields,
    parameters,
    revision: null,
    operations: parsePatch(content),
    ...(judgedAt === undefined ? {} : { judgedAt }),
  } as const;
  const answer = await runLifecycle(newExchange(platform, context, type, patch, id, { cause: request }));
  return resourceBody(answer) as JsonObject;
}

async function runScript(
  platform: ManagedPlatform,
  type: ManagedType,
  context: WriteContext,
  request: ActionRequest,
  id: string,
  reference: ScriptReference,
): Promise<ActionResult> {
  const { path, fields, parameters, judgedAt } = request;
  if (judgedAt !== undefined) await holdAsJudged(context, type, id, judgedAt);
  const read = async (isForScript: boolean) => {
    const exchange = newExchange(platform, context, type, { method: 'read', path, fields, parameters }, id, {
      cause: request,
      isForScript,
    });
    return resourceBody(await runLifecycle(exchange)) as JsonObject;
  };
  const resourcePath = `managed/${type.name}/${id}`;
  await platform.scripts.evaluate(context, {
    reference,
    label: `${type.name} ${request.action}`,
    bindings: {
      request: requestView(request),
      resourcePath,
      resourceName: resourcePath,
      object: await read(true),
    } satisfies BindingsOf<typeof ACTION_USE>,
  });
  return shownAs(type, id, await read(false));
}

/** What a rule has looked at stays so until the script has done its work. @throws LostRace when it has changed meanwhile */
async function holdAsJudged(
  { unitOfWork }: WriteContext,
  { name }: ManagedType,
  id: string,
  judgedAt: string | null,
): Promise<void> {
  const stored = await lockObject(await unitOfWork.db(), name, id, 'no key update');
  const current = stored === undefined ? null : String(stored.rev);
  if (current === judgedAt) return;
  const place = formatPath(['managed', name, id]);
  throw new LostRace(`'${place}' was changed by another request at the same time`);
}

/** An answer that is the object itself. */
function shownAs({ name }: ManagedType, id: string, object: JsonObject): ActionResult {
  return { ...actionResult(object), shows: ['managed', name, id] };
}

/** The query that an action's parameters mean. */
function queryOf(request: ActionRequest, byDefault?: string): QueryRequest {
  const { path, fields, parameters } = request;
  const { _queryFilter, _queryId } = parameters;
  const filter = _queryFilter ?? (_queryId === undefined ? byDefault : undefined);
  return {
    method: 'query',
    path,
    fields,
    parameters,
    ...parseQueryParameters({ _queryFilter: filter, _queryId }),
  };
}

async function findIds(
  platform: ManagedPlatform,
  type: ManagedType,
  context: Context,
  query: QueryRequest,
  pageSize: number,
  after?: string,
): Promise<readonly string[]> {
  const { query: plain } = queryOfCaller(context, type.privates, plainQuery(query, platform.queries()), []);
  const filter: typeof plain.filter =
    after === undefined
      ? plain.filter
      : {
          kind: 'and',
          filters: [plain.filter, { kind: 'compare', pointer: ['_id'], operator: 'gt', value: after }],
        };
  const page = await queryStore(
    await questionReaderOf(platform, context),
    objectStore(['managed', type.name]),
    { path: query.path, sortKeys: [], paging: { pageSize, offset: 0, totalPolicy: 'NONE' } },
    { filter, idsOnly: true },
    { types: type.propertyTypes, indexed: type.indexed },
  );
  return page.rows.map(({ id }) => id);
}
