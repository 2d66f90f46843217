import type { Database, DatabaseClock } from '#database/index.ts';
import { NotFoundError } from '#errors/index.ts';
import { pageResult } from '#repo/index.ts';
import {
  ActionTable,
  actionResult,
  collection,
  questionReaderOf,
  type Resource,
  type RouteHandler,
  resource,
} from '#resource/index.ts';
import { aggregateFirings, FIRING_COUNT } from '../count/aggregate-firings.ts';
import { parseRunKey } from '../run/run.ts';
import { type FiringView, findFiring, queryFirings } from '../store/firing-repository.ts';
import { LATEST, latestFirings } from './latest-firings.ts';
import { ALSO_VALIDATES, NO_OTHER_ACTIONS, validatingCron } from './scheduler-resource.ts';

/** `/scheduler/firing`: the ledger, read only, and what is counted of it. */
export function firingResource(database: Database, clock: Pick<DatabaseClock, 'now'>): RouteHandler {
  return validatingCron(
    collection({
      description: { title: 'firings' },
      ...NO_OTHER_ACTIONS,
      collectionActions: new ActionTable(
        {
          aggregate: {
            does: 'Counts the firings of a time, and says how late and long they were, by `bucket`, schedule, outcome and node',
            takes: FIRING_COUNT,
            answers: { type: 'object' },
            async run(context, { content }) {
              const db = await questionReaderOf({ database }, context);
              return actionResult(await aggregateFirings(db, content ?? {}, clock.now()));
            },
          },
          latest: {
            does: 'Tells what became of the latest planned times of the schedules `ids`, `count` of each',
            takes: LATEST,
            answers: { type: 'object' },
            async run(context, { content }) {
              const db = await questionReaderOf({ database }, context);
              return actionResult(await latestFirings(db, content ?? {}));
            },
          },
          ...ALSO_VALIDATES,
        },
        { anyCase: true },
      ),

      async read(_context, _request, id) {
        const key = parseRunKey(id);
        const firing = key === undefined ? undefined : await findFiring(database.db, key);
        if (firing === undefined) throw new NotFoundError(`Firing '${id}' not found`);
        return toResource(firing);
      },

      query: async (context, request) =>
        pageResult(
          await queryFirings(await questionReaderOf({ database }, context), request),
          ({ _id }) => _id,
          toResource,
        ),
    }),
  );
}

function toResource({ _id, ...content }: FiringView): Resource {
  // The row holds what the page was sorted by, too.
  const { sort_tuple: _, page_segment: __, page_position: ___, ...fields } = content;
  return resource(_id, null, fields);
}
