import {
  BadRequestError,
  type ConflictError,
  didYouMean,
  NotFoundError,
  PreconditionFailedError,
} from '#errors/index.ts';
import { isObject, type JsonObject } from '#json/index.ts';
import {
  answerFromMemory,
  applyPatch,
  type Context,
  collection,
  type Resource,
  type RouteHandler,
  requireSameId,
  resource,
  type WriteContext,
} from '#resource/index.ts';
import { type LiveSyncPlatform, type Place, pathOf } from './livesync-platform.ts';
import { seesWordsAt, stageIdOf, stageOf } from './stage-view.ts';
import { underWay } from './start-round.ts';
import { deleteToken, findToken, listTokens, type TokenRow, writeToken } from './token-repository.ts';

const FIELDS = [
  '_id',
  '_rev',
  'connectorData',
  'system',
  'type',
  'changes',
  'failed',
  'isUnderWay',
  'node',
  'takenAt',
  'beganAt',
  'endedAt',
];
const LONGEST_TOKEN = 60_000;

/** `/repo/synchronisation/pooledSyncStage`: how far the changes of other systems were followed. Operators say here from where on. */
export function stageResource(platform: LiveSyncPlatform): RouteHandler {
  const { database } = platform;
  const rowNamed = async (id: string): Promise<TokenRow> => {
    const found = (await listTokens(database.db)).find((row) => stageIdOf(placeIn(row)) === id);
    if (found === undefined) throw new NotFoundError(`There is no stage '${id.slice(0, 100)}'`);
    return found;
  };
  const placeNamed = async (id: string): Promise<Place> => {
    const rows = await listTokens(database.db);
    const known = [...platform.systems.places, ...rows.map(placeIn)];
    const place = known.find((one) => stageIdOf(one) === id);
    if (place !== undefined) return place;
    const ids = known.map(stageIdOf);
    throw new NotFoundError(`No type of a system has the stage '${id.slice(0, 100)}'`, {
      id: 'LIVESYNC_NO_STAGE',
      hint: didYouMean(id.toUpperCase(), ids) ?? `There are ${ids.join(', ') || 'none'}`,
    });
  };
  const write = async (
    context: WriteContext,
    id: string,
    content: JsonObject,
    revision: string | null,
  ): Promise<Resource> => {
    requireSameId(content, id);
    const place = await placeNamed(id);
    const token = tokenIn(content);
    const db = await context.unitOfWork.db();
    const before = await findToken(db, place);
    const after = await writeToken(db, place, token, revisionIn(revision));
    if (after === undefined) throw refusal(place, before, revision);
    const told = (row: TokenRow | undefined) => (row === undefined ? null : stageOf(platform, row, false));
    const operation = before === undefined ? 'create' : 'update';
    context.unitOfWork.record({
      resource: `repo/synchronisation/pooledSyncStage/${id}`,
      operation,
      before: told(before),
      after: told(after),
    });
    return {
      ...(await shown(platform, context, after)),
      ...(before === undefined ? { created: true as const } : {}),
    };
  };
  return collection({
    description: { title: 'live synchronisation of a type' },
    read: async (context, _request, id) => shown(platform, context, await rowNamed(id)),
    async query(context, request) {
      const rows = await listTokens(database.db);
      const stages = rows.map(async (row) =>
        stageOf(platform, row, await seesWordsAt(platform, context, placeIn(row))),
      );
      return answerFromMemory(request, await Promise.all(stages), FIELDS);
    },
    create: (context, { newResourceId, content }) => {
      const given = content['_id'];
      const id = newResourceId ?? (typeof given === 'string' ? given : '');
      return write(context, id, content, null);
    },
    update: (context, { content, revision }, id) => write(context, id, content, revision),
    async patch(context, { operations, revision }, id) {
      const { _id, _rev, ...before } = stageOf(platform, await rowNamed(id), false);
      const after = await applyPatch(before, operations, { budget: context.budget });
      return write(context, id, after, revision);
    },
    async delete(context, { revision }, id) {
      const row = await rowNamed(id);
      const place = placeIn(row);
      const isGone = await deleteToken(await context.unitOfWork.db(), place, revisionIn(revision));
      if (!isGone) throw refusal(place, row, revision);
      context.unitOfWork.record({
        resource: `repo/synchronisation/pooledSyncStage/${id}`,
        operation: 'delete',
        before: stageOf(platform, row, false),
        after: null,
      });
      return shown(platform, context, row);
    },
    exists: async (_context, id) =>
      (await listTokens(database.db)).some((row) => stageIdOf(placeIn(row)) === id),
  });
}

function placeIn({ system, object_type: type }: TokenRow): Place {
  return { system, type };
}

async function shown(platform: LiveSyncPlatform, context: Context, row: TokenRow): Promise<Resource> {
  const seesAll = await seesWordsAt(platform, context, placeIn(row));
  const { _id, _rev, ...content } = stageOf(platform, row, seesAll);
  return resource(String(_id), String(_rev), content);
}

/** @throws BadRequestError `LIVESYNC_BAD_TOKEN` */
function tokenIn({ connectorData = null }: JsonObject): string | null {
  const token = isObject(connectorData) ? (connectorData['syncToken'] ?? null) : null;
  if (token === null) return null;
  const text = typeof token === 'number' ? String(token) : token;
  if (typeof text === 'string' && text !== '' && text.length <= LONGEST_TOKEN) return text;
  throw new BadRequestError("'syncToken' is no text, and no number", {
    id: 'LIVESYNC_BAD_TOKEN',
    field: '/connectorData/syncToken',
    hint: 'Null forgets it: the next round begins from then on',
  });
}

function revisionIn(revision: string | null): number | null {
  return revision === null || !/^\d{1,15}$/.test(revision) ? null : Number(revision);
}

function refusal(
  place: Place,
  row: TokenRow | undefined,
  revision: string | null,
): ConflictError | PreconditionFailedError {
  if (row === undefined || row.round !== null) return underWay(place, row);
  return new PreconditionFailedError(
    `Revision '${revision}' of the stage of '${pathOf(place)}' is not the current one`,
    {
      id: 'OBJECT_REVISION',
      hint: `Read it again: it is at revision '${row.rev}' now`,
    },
  );
}
