import type { Database } from '#database/index.ts';
import { NotFoundError } from '#errors/index.ts';
import { pageResult } from '#repo/index.ts';
import { collection, questionReaderOf, type Resource, type RouteHandler, resource } from '#resource/index.ts';
import { type ClusterEvent, findClusterEvent, queryClusterEvents } from './cluster-event-repository.ts';

/** `/cluster/event`: who joined, left, was lost and recovered, drained and resumed, and by whom; read only. */
export function clusterEventResource(database: Database): RouteHandler {
  return collection({
    description: { title: 'events of nodes' },

    async read(_context, _request, id) {
      const event = await findClusterEvent(database.db, id);
      if (event === undefined) throw new NotFoundError(`Event '${id}' not found`);
      return toResource(event);
    },

    query: async (context, request) =>
      pageResult(
        await queryClusterEvents(await questionReaderOf({ database }, context), request),
        ({ id }) => id,
        toResource,
      ),
  });
}

function toResource({ id, at, node, kind, epoch, by, detail }: ClusterEvent): Resource {
  return resource(id, null, {
    at: at.toISOString(),
    node,
    kind,
    epoch,
    ...(by === null ? {} : { by }),
    ...detail,
  });
}
