import type { Database } from '#database/index.ts';
import { BadRequestError, didYouMean, NotFoundError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import { pageResult } from '#repo/index.ts';
import {
  collection,
  questionReaderOf,
  type Resource,
  type RouteHandler,
  resource,
  singleton,
} from '#resource/index.ts';
import { listIds } from '../store/job-repository.ts';
import { validatingCron } from './scheduler-resource.ts';
import {
  findTrigger,
  listAcquired,
  listWaiting,
  queryTriggers,
  type TriggerRecord,
} from './trigger-repository.ts';

const GROUP = 'scheduler-service-group';
/** What stands between group and name in the id of a trigger. */
const SEPARATOR = '_$x$x$_';

/** `/scheduler/trigger` and `/repo/scheduler/triggers`: triggers of persisted schedules, read only. */
export function triggerResource(database: Database): RouteHandler {
  return validatingCron(
    collection({
      description: { title: 'triggers' },

      async read(_context, _request, id) {
        const name = id.startsWith(GROUP + SEPARATOR) ? id.slice(GROUP.length + SEPARATOR.length) : id;
        if (name === '') throw new BadRequestError('The trigger has no name');
        const trigger = await findTrigger(database.db, name);
        if (trigger === undefined) {
          const hint = didYouMean(name, await listIds(database.db));
          throw new NotFoundError(`Trigger '${id}' not found`, hint === undefined ? {} : { hint });
        }
        return toResource(trigger);
      },

      query: async (context, request) =>
        pageResult(
          await queryTriggers(await questionReaderOf({ database }, context), request),
          ({ _id }) => _id,
          toResource,
        ),
    }),
  );
}

/** `/scheduler/waitingTriggers` and `/scheduler/acquiredTriggers`, which older clients read. */
export function triggerListResource(
  database: Database,
  list: 'waitingTriggers' | 'acquiredTriggers',
): RouteHandler {
  return validatingCron(
    singleton({
      description: { title: list },

      async read() {
        const content: JsonObject =
          list === 'waitingTriggers'
            ? { names: await listWaiting(database.db) }
            : await listAcquired(database.db);
        return resource(list, null, content);
      },
    }),
  );
}

function toResource(row: TriggerRecord): Resource {
  const { _id, _rev, name, group, state, previous_state, acquired, nodeId, serialized } = row;
  return resource(_id, _rev, { name, group, state, previous_state, acquired, nodeId, serialized });
}
