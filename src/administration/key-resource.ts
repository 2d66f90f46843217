import type { Database } from '#database/index.ts';
import { NotFoundError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import {
  ActionTable,
  actionResult,
  answerFromMemory,
  collection,
  NO_BODY,
  type RouteHandler,
  resource,
  writeContext,
} from '#resource/index.ts';
import { type KeyRotation, ROTATION, rotationView } from './key-rotation.ts';
import { findRotation } from './key-rotation-repository.ts';
import { listRingKeys, type RingKey } from './ring-key-repository.ts';

const FIELDS = [
  '_id',
  'alias',
  'key',
  'encrypting',
  'nodes',
  'lacking',
  'isStoredUnder',
  'firstUsedAt',
  'firstUsedBy',
  'values',
  'countedAt',
] as const;

/**
 * `/key`: the keys of the ring by their names, which nodes have them, and how much is stored under which; the last count or
 * rotation is `/key/rotation`. A key itself never leaves its node.
 */
export function keyResource({ db }: Database, rotation: KeyRotation): RouteHandler {
  const list = async (): Promise<JsonObject[]> => {
    const counted = await findRotation(db, true);
    const { values } = counted?.progress ?? {};
    const at = counted?.ended_at?.toISOString();
    return (await listRingKeys(db)).map((key) => {
      const view = keyView(key);
      return at === undefined ? view : { ...view, values: values?.[String(view['_id'])] ?? 0, countedAt: at };
    });
  };
  return collection({
    description: { title: 'keys' },

    query: async (_context, request) => answerFromMemory(request, await list(), FIELDS),

    async read(_context, _request, id) {
      const found =
        id === ROTATION ? await lastRotation({ db }) : (await list()).find(({ _id }) => _id === id);
      if (found === undefined) {
        throw new NotFoundError(`Key '${id}' not found`, {
          hint: "Keys are named '<alias>:<key>', as svc keys list and the view svc_key write them",
        });
      }
      const { _id, ...content } = found;
      return resource(id, null, content);
    },

    collectionActions: new ActionTable({
      count: {
        does: 'Counts how many values are under each key, in the background; `key/rotation` says how far it is',
        takes: NO_BODY,
        answers: { type: 'object' },
        run: async (context) =>
          actionResult(rotationView(await rotation.begin(writeContext(context), 'count'))),
      },
      rotate: {
        does: 'Encrypts again what older keys have encrypted, in the background, while all nodes go on working',
        takes: NO_BODY,
        answers: { type: 'object' },
        run: async (context) =>
          actionResult(rotationView(await rotation.begin(writeContext(context), 'rotate'))),
      },
      cancel: {
        does: 'Ends the count or rotation that is under way; what it has encrypted again stays so',
        takes: NO_BODY,
        answers: { type: 'object' },
        run: async (context) => actionResult(rotationView(await rotation.cancel(writeContext(context)))),
      },
    }),
  });
}

async function lastRotation({ db }: Pick<Database, 'db'>): Promise<JsonObject> {
  const last = await findRotation(db);
  if (last !== undefined) return rotationView(last);
  throw new NotFoundError('Keys have been neither counted nor rotated from here', {
    id: 'CRYPTO_NO_ROTATION',
    hint: 'POST key?_action=count counts what is under each key',
  });
}

function keyView({
  alias,
  key,
  encrypting,
  nodes,
  lacking,
  first_used_at,
  first_used_by,
}: RingKey): JsonObject {
  return {
    _id: `${alias}:${key}`,
    alias,
    key,
    encrypting: [...encrypting],
    nodes: [...nodes],
    lacking: [...lacking],
    isStoredUnder: first_used_at !== null,
    ...(first_used_at === null
      ? {}
      : { firstUsedAt: first_used_at.toISOString(), firstUsedBy: first_used_by }),
  };
}
