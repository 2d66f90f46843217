import { SITUATIONS, type Situation, SYNC_ACTIONS, type SyncAction } from '#config/index.ts';
import { BadRequestError, didYouMean, ForbiddenError, NotFoundError } from '#errors/index.ts';
import { isObject, type JsonObject, lastOf } from '#json/index.ts';
import type { SyncNotification } from '#platform/index.ts';
import {
  type Action,
  type ActionRequest,
  ActionTable,
  actionResult,
  bodyOf,
  formatPath,
  NO_BODY,
  parsePath,
  type ReadRequest,
  type RouteHandler,
  readerOf,
  resource,
  singleton,
  type WriteContext,
} from '#resource/index.ts';
import { causeOf } from './cause.ts';
import { isAction } from './choose-action.ts';
import { deliverByDemand } from './deliver-by-demand.ts';
import { deliverSource } from './deliver-source.ts';
import { explainObject } from './explain-object.ts';
import { linkedResources } from './linked-resources.ts';
import type { Mapping } from './mapping.ts';
import type { Mappings } from './mappings.ts';
import { putAllInOutbox } from './outbox-repository.ts';
import { isOutside } from './outside.ts';
import type { StoringPlatform, SyncPlatform } from './stage.ts';
import { shownRecord } from './sync-record.ts';
import { notify } from './synchronizer.ts';
import { wake } from './wake.ts';
import { inWords, seesWords } from './words.ts';

/** Jobs that deliver all of a mapping beside one another. */
const JOBS_AT_ONCE = 4;

/** `/sync`: what operators have done by name, and ask. */
export function syncResource(platform: StoringPlatform): RouteHandler {
  const actions = new ActionTable({
    notifyCreate: notification(platform, 'notifyCreate', 'has been made'),
    notifyUpdate: notification(platform, 'notifyUpdate', 'has changed'),
    notifyDelete: notification(platform, 'notifyDelete', 'is gone'),
    performAction: {
      does: 'Has one `action` done about a source object by a `mapping`, whatever its policies say',
      takes: NO_BODY,
      runsScripts: true,
      run: async (context, request) => actionResult(await perform(platform, context, request)),
    },
    deliver: {
      does: 'Brings the targets of the source object `sourceId` by a `mapping` in line now, as its policies say; with `forceSecrets=true` what cannot be read back is written again',
      takes: NO_BODY,
      answers: { type: 'object' },
      runsScripts: true,
      run: async (context, request) => {
        const mapping = mappingNamed(platform.mappings, parameter(request, 'mapping'));
        const id = parameter(request, 'sourceId');
        const isForced = request.parameters['forceSecrets'] === 'true';
        const object = { id, oldSource: null, isAttached: isOutside(mapping.target), isForced };
        const records = await deliverSource(platform, context, mapping, object);
        const success = records.every(({ result }) => result === 'SUCCESSFUL');
        const seesAll = await seesWords(platform, context, mapping);
        return actionResult({ success, syncDetails: records.map((one) => shownRecord(one, seesAll)) });
      },
    },
    deliverAll: {
      does: 'Has the targets of all source objects of a `mapping` brought in line, soon after, and of those that are gone and linked',
      takes: NO_BODY,
      answers: { type: 'object' },
      async run(context, request) {
        const { unitOfWork } = context;
        const mapping = mappingNamed(platform.mappings, parameter(request, 'mapping'));
        if (isOutside(mapping.source)) {
          throw new BadRequestError(`The objects of '${mapping.source}' are in another system`, {
            id: 'SYNC_BAD_QUESTION',
            field: 'mapping',
            hint: `Reconcile it: recon?_action=recon&mapping=${mapping.name}`,
          });
        }
        const queued = await putAllInOutbox(await unitOfWork.db(), mapping, causeOf(context));
        for (let job = 0; job < JOBS_AT_ONCE && queued > 0; job++)
          await wake(platform, unitOfWork, mapping, 0);
        const told = { mapping: mapping.name, queued };
        unitOfWork.record({ resource: 'sync/queue', operation: 'update', before: null, after: told });
        return actionResult({ status: 'OK', ...told });
      },
    },
    getLinkedResources: {
      does: 'Shows what is linked to the object `resourceName`, as far as the caller may read it',
      takes: NO_BODY,
      runsScripts: true,
      run: async (context, request) => {
        const { collection, id } = objectNamed(platform.mappings, request, 'resourceName');
        return actionResult(await linkedResources(platform, context, collection, id));
      },
    },
  });
  return singleton({ description: { title: 'synchronisation' }, actions });
}

/** `/sync/why?resource=…`: why an object has, or has not, what mappings give it. */
export function syncWhyResource(platform: StoringPlatform): RouteHandler {
  return singleton({
    description: { title: 'why an object is synchronised as it is' },
    async read(context, request) {
      const { collection, id } = objectNamed(platform.mappings, request, 'resource');
      const db = await readerOf(platform, context);
      const { mapping } = request.parameters;
      const only = mapping === undefined ? undefined : mappingNamed(platform.mappings, mapping);
      const sees = (of: Mapping) => seesWords(platform, context, of);
      return resource(null, null, await explainObject(db, platform.mappings, { collection, id, only, sees }));
    },
  });
}

function notification(platform: StoringPlatform, action: SyncNotification, happened: string): Action {
  return {
    does: `Tells all mappings that the object \`resourceId\` of \`resourceContainer\` ${happened}`,
    takes: bodyOf({ oldValue: { type: ['object', 'null'], description: 'What it was before' } }),
    answers: { type: 'object' },
    runsScripts: true,
    async run(context, request) {
      const collection = parameter(request, 'resourceContainer');
      const id = parameter(request, 'resourceId');
      const { content } = request;
      const { oldValue = null }: JsonObject = isObject(content) ? content : {};
      const oldSource = isObject(oldValue) ? oldValue : null;
      if (oldSource !== null) await requireMemory(platform, context);
      const object = { collection: formatPath(parsePath(collection)), id, oldSource };
      const { success, syncDetails } = await notify(platform, context, action, object);
      const shown = syncDetails.map(async (one) => {
        const mapping = platform.mappings.named(one.mapping);
        return shownRecord(one, await seesWords(platform, context, mapping));
      });
      return actionResult({ success, action, syncDetails: await Promise.all(shown) });
    },
  };
}

/**
 * A target is found by what its source was, where that is gone: whoever says what it was would find any that they like, and have it
 * deleted.
 *
 * @throws ForbiddenError `SYNC_OLD_VALUE`
 */
async function requireMemory({ router }: Pick<SyncPlatform, 'router'>, context: WriteContext): Promise<void> {
  if (await router.maySeeScripts(context)) return;
  throw new ForbiddenError('What an object was is said by the server alone', {
    id: 'SYNC_OLD_VALUE',
    field: '/oldValue',
    hint: 'Leave it out; those who may evaluate scripts may send it',
  });
}

async function perform(
  platform: SyncPlatform,
  context: WriteContext,
  request: ActionRequest,
): Promise<JsonObject> {
  const { parameters } = request;
  const mapping = mappingNamed(platform.mappings, parameter(request, 'mapping'));
  if (parameters['target'] === 'true') {
    throw new BadRequestError(
      "'target=true' asks from the side of the target, which only a reconciliation does",
      {
        id: 'SYNC_BAD_QUESTION',
        field: 'target',
        hint: 'Name the source object in sourceId',
      },
    );
  }
  const demanded = {
    sourceId: parameter(request, 'sourceId'),
    targetId: parameters['targetId'] ?? null,
    qualifier: parameters['linkQualifier'] ?? 'default',
    demand: {
      action: actionNamed(parameter(request, 'action')),
      situation: situationNamed(parameters['situation']),
      ignoresPostAction: parameters['ignorePostAction'] === 'true',
      parameters: { ...parameters },
    },
  };
  const record = await inWords(platform, context, mapping, () =>
    deliverByDemand(platform, context, mapping, demanded),
  );
  return { status: 'OK', ...shownRecord(record, await seesWords(platform, context, mapping)) };
}

function parameter({ parameters }: ActionRequest | ReadRequest, name: string): string {
  const value = parameters[name] ?? '';
  if (value !== '') return value;
  throw new BadRequestError(`The parameter '${name}' is missing`, { id: 'SYNC_BAD_QUESTION', field: name });
}

function actionNamed(name: string): SyncAction {
  if (isAction(name)) return name;
  throw unknownWord('action', name, SYNC_ACTIONS);
}

function situationNamed(name: string | undefined): Situation | null {
  if (name === undefined) return null;
  const known = SITUATIONS.find((situation) => situation === name);
  if (known === undefined) throw unknownWord('situation', name, SITUATIONS);
  return known;
}

function unknownWord(field: string, given: string, words: readonly string[]): BadRequestError {
  return new BadRequestError(`There is no ${field} '${given.slice(0, 100)}'`, {
    id: 'SYNC_BAD_QUESTION',
    field,
    hint: didYouMean(given.toUpperCase(), words) ?? `There are ${words.join(', ')}`,
  });
}

/** @throws NotFoundError `SYNC_NO_MAPPING` */
export function mappingNamed(mappings: Mappings, name: string): Mapping {
  const mapping = mappings.named(name);
  if (mapping !== undefined) return mapping;
  const why = mappings.leftOut.get(name);
  const isOutside = mappings.names.includes(name);
  const known = mappings.active.map((one) => one.name);
  throw new NotFoundError(
    why !== undefined
      ? `The mapping '${name}' is left out: ${why}`
      : isOutside
        ? `The mapping '${name}' is passed over: it is about what no mapping reaches`
        : `There is no mapping '${name.slice(0, 100)}'`,
    {
      id: 'SYNC_NO_MAPPING',
      field: 'mapping',
      hint:
        didYouMean(name, known) ??
        (known.length === 0 ? 'Declare one in sync.json' : `There are ${known.join(', ')}`),
    },
  );
}

/** @throws BadRequestError `SYNC_BAD_QUESTION` for a path of a collection that nothing maps */
function objectNamed(mappings: Mappings, request: ActionRequest | ReadRequest, name: string) {
  const path = parsePath(parameter(request, name));
  const collection = formatPath(path.slice(0, -1));
  if (path.length > 1 && mappings.about(collection).length > 0) return { collection, id: lastOf(path) };
  const known = [...new Set(mappings.active.flatMap(({ source, target }) => [source, target]))];
  throw new BadRequestError(`No mapping is about '${formatPath(path).slice(0, 200)}'`, {
    id: 'SYNC_BAD_QUESTION',
    field: name,
    hint: known.length === 0 ? 'There are no mappings' : `Mappings are about ${known.join(', ')}`,
  });
}
