import type { Database } from '#database/index.ts';
import { NotFoundError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import { answerFromMemory, collection, type RouteHandler, resource } from '#resource/index.ts';
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
] as const;

/**
 * `/key`: the keys of the ring by their names, which nodes have them, and under which of them something may be stored.
 * A key itself never leaves its node.
 */
export function keyResource({ db }: Database): RouteHandler {
  return collection({
    description: { title: 'keys' },

    query: async (_context, request) =>
      answerFromMemory(request, (await listRingKeys(db)).map(keyView), FIELDS),

    async read(_context, _request, id) {
      const found = (await listRingKeys(db)).map(keyView).find(({ _id }) => _id === id);
      if (found === undefined) {
        throw new NotFoundError(`Key '${id}' not found`, {
          hint: "Keys are named '<alias>:<key>', as svc keys list and the view svc_key write them",
        });
      }
      const { _id, ...content } = found;
      return resource(id, null, content);
    },
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
