import type { Database } from '#database/index.ts';
import { NotFoundError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import { answerFromMemory, collection, type Resource, type RouteHandler, resource } from '#resource/index.ts';
import { findTrigger, listTriggers } from './trigger-repository.ts';

const GROUP = 'scheduler-service-group';
/** What stands between group and name in the id of a trigger. */
const SEPARATOR = '_$x$x$_';

/** `/scheduler/trigger` and `/repo/scheduler/triggers`: triggers, read only. */
export function triggerResource(database: Database): RouteHandler {
  return collection({
    async read(_context, _request, id) {
      const name = id.startsWith(GROUP + SEPARATOR) ? id.slice(GROUP.length + SEPARATOR.length) : id;
      const trigger = await findTrigger(database.db, name);
      if (trigger === undefined) throw new NotFoundError(`Trigger '${id}' not found`);
      return toResource(trigger);
    },

    query: async (_context, request) => answerFromMemory(request, await listTriggers(database.db)),
  });
}

function toResource({ _id, ...content }: JsonObject): Resource {
  return resource(String(_id), null, content);
}
