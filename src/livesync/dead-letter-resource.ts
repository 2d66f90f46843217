import { NotFoundError } from '#errors/index.ts';
import { pageResult } from '#repo/index.ts';
import { collection, questionReaderOf, type RouteHandler, readerOf, resource } from '#resource/index.ts';
import { type DeadLetterRow, deleteDeadLetter, findDeadLetter, queryDeadLetters } from '#sync/index.ts';
import type { LiveSyncPlatform } from './livesync-platform.ts';

/** `/repo/synchronisation/deadLetterQueue/<system>`: changes that were given up. Who has dealt with one deletes it. */
export function deadLetterResource(platform: LiveSyncPlatform): RouteHandler {
  return {
    ...ofSystem(platform, ''),
    handle: (context, request, match) =>
      ofSystem(platform, String(match.variables['system'])).handle(context, request, match),
  };
}

function ofSystem(platform: LiveSyncPlatform, system: string): RouteHandler {
  const named = (id: string) =>
    new NotFoundError(`There is no dead letter '${id.slice(0, 100)}' of '${system}'`);
  return collection({
    description: { title: 'dead letter of a system' },
    async query(context, request) {
      const page = await queryDeadLetters(await questionReaderOf(platform, context), system, request);
      return pageResult(page, ({ id }) => id, shown);
    },
    async read(context, _request, id) {
      const row = await findDeadLetter(await readerOf(platform, context), system, id);
      if (row === undefined) throw named(id);
      return shown(row);
    },
    async delete({ unitOfWork }, _request, id) {
      const db = await unitOfWork.db();
      const row = await findDeadLetter(db, system, id);
      if (row === undefined) throw named(id);
      await deleteDeadLetter(db, system, id);
      const place = `repo/synchronisation/deadLetterQueue/${system}/${id}`;
      unitOfWork.record({ resource: place, operation: 'delete', before: contentOf(row), after: null });
      return shown(row);
    },
  });
}

/** With the names of the field. What it was about is read where it is: no values are kept here. */
function contentOf(row: DeadLetterRow) {
  return {
    systemIdentifier: row.system,
    objectType: row.object_type,
    uid: row.object_id,
    mapping: row.mapping,
    kind: row.kind,
    attempts: row.attempts,
    failureCause: row.error,
    transactionId: row.transaction_id,
    at: row.at.toISOString(),
  };
}

function shown(row: DeadLetterRow) {
  return resource(row.id, null, contentOf(row));
}
