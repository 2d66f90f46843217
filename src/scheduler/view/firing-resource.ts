import type { Database } from '#database/index.ts';
import { NotFoundError } from '#errors/index.ts';
import { pageResult } from '#repo/index.ts';
import { collection, type Resource, type RouteHandler, resource } from '#resource/index.ts';
import { parseRunKey } from '../run/run.ts';
import { type FiringView, findFiring, queryFirings } from '../store/firing-repository.ts';
import { NO_OTHER_ACTIONS, validatingCron } from './scheduler-resource.ts';

/** `/scheduler/firing`: the ledger, read only. */
export function firingResource(database: Database): RouteHandler {
  return validatingCron(
    collection({
      description: { title: 'firings' },
      ...NO_OTHER_ACTIONS,

      async read(_context, _request, id) {
        const key = parseRunKey(id);
        const firing = key === undefined ? undefined : await findFiring(database.db, key);
        if (firing === undefined) throw new NotFoundError(`Firing '${id}' not found`);
        return toResource(firing);
      },

      query: async (_context, request) =>
        pageResult(await queryFirings(database.db, request), ({ _id }) => _id, toResource),
    }),
  );
}

function toResource({ _id, ...content }: FiringView): Resource {
  // The row holds what the page was sorted by, too.
  const { sort_tuple: _, page_segment: __, page_position: ___, ...fields } = content;
  return resource(_id, null, fields);
}
