import { NotFoundError } from '#errors/index.ts';
import { pageResult } from '#repo/index.ts';
import {
  type Context,
  collection,
  questionReaderOf,
  type Resource,
  type RouteHandler,
  readerOf,
  resource,
} from '#resource/index.ts';
import {
  type DeadLetterRow,
  deleteDeadLetter,
  findDeadLetter,
  queryDeadLetters,
  seesWords,
  withoutWords,
} from '#sync/index.ts';
import { type LiveSyncPlatform, pathOf } from './livesync-platform.ts';

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
      const known = new Map<string, Promise<boolean>>();
      const shownRows = new Map<DeadLetterRow, Resource>();
      for (const row of page.rows) {
        const of = row.mapping ?? row.object_type;
        const sees = known.get(of) ?? seesRow(platform, context, row);
        known.set(of, sees);
        shownRows.set(row, shown(row, await sees));
      }
      return pageResult(
        page,
        ({ id }) => id,
        (row) => shownRows.get(row)!,
      );
    },
    async read(context, _request, id) {
      const row = await findDeadLetter(await readerOf(platform, context), system, id);
      if (row === undefined) throw named(id);
      return shown(row, await seesRow(platform, context, row));
    },
    async delete(context, _request, id) {
      const { unitOfWork } = context;
      const db = await unitOfWork.db();
      const row = await findDeadLetter(db, system, id);
      if (row === undefined) throw named(id);
      await deleteDeadLetter(db, system, id);
      const place = `repo/synchronisation/deadLetterQueue/${system}/${id}`;
      unitOfWork.record({ resource: place, operation: 'delete', before: contentOf(row), after: null });
      return shown(row, await seesRow(platform, context, row));
    },
  });
}

/** A dead letter with the names of the field. What it was about is read where it is: no values are kept here. */
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

function shown(row: DeadLetterRow, seesAll: boolean): Resource {
  const error = seesAll ? row.error : withoutWords(row.error);
  return resource(row.id, null, { ...contentOf(row), failureCause: error });
}

/** Errors quote what stands in objects of both sides; what has come to no mapping, those of the system. */
function seesRow(
  platform: LiveSyncPlatform,
  context: Context,
  { system, object_type: type, mapping }: DeadLetterRow,
): Promise<boolean> {
  if (mapping !== null) return seesWords(platform, context, platform.mappings.named(mapping));
  const place = pathOf({ system, type });
  return seesWords(platform, context, { source: place, target: place });
}
