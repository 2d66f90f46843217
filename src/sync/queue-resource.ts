import type { Database } from '#database/index.ts';
import { pageResult } from '#repo/index.ts';
import {
  ActionTable,
  actionResult,
  collection,
  type RouteHandler,
  readerOf,
  resource,
} from '#resource/index.ts';
import type { Mapping } from './mapping.ts';
import type { Mappings } from './mappings.ts';
import { wake } from './outbox.ts';
import { type QueueRow, queryOutbox, reviveDead } from './outbox-repository.ts';
import type { SyncPlatform } from './stage.ts';

/**
 * `/sync/queue`: deliveries that are still to be done.
 *
 * @param mappingNamed throws where there is none of that name
 */
export function queueResource(
  platform: SyncPlatform & { readonly database: Database },
  mappingNamed: (mappings: Mappings, name: string) => Mapping,
): RouteHandler {
  return collection({
    description: { title: 'delivery of synchronisation' },
    async query(context, request) {
      return pageResult(await queryOutbox(await readerOf(platform, context), request), idOf, toResource);
    },
    collectionActions: new ActionTable({
      retry: {
        does: 'Has those tried again that were given up, of all mappings or of one `mapping`',
        async run({ unitOfWork }, { parameters: { mapping } }) {
          const only = mapping === undefined ? null : mappingNamed(platform.mappings, mapping).name;
          const revived = await reviveDead(await unitOfWork.db(), only);
          for (const name of new Set(revived)) await wake(platform, unitOfWork, { name }, 0);
          const told = { retried: revived.length, mapping: only };
          if (revived.length > 0) {
            unitOfWork.record({ resource: 'sync/queue', operation: 'update', before: null, after: told });
          }
          return actionResult({ status: 'OK', ...told });
        },
      },
    }),
  });
}

function idOf({ mapping, source_id }: QueueRow): string {
  return `${mapping}:${source_id}`;
}

function toResource(row: QueueRow) {
  const { mapping, source_id, state, attempt, due_at, first_at, error } = row;
  return resource(idOf(row), null, {
    mapping,
    sourceId: source_id,
    state,
    attempt,
    dueAt: due_at.toISOString(),
    firstAt: first_at.toISOString(),
    error,
  });
}
