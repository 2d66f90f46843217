import type { UnitOfWork } from '#database/index.ts';
import { BadRequestError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import { pageResult } from '#repo/index.ts';
import {
  type ActionRequest,
  type ActionResult,
  ActionTable,
  actionResult,
  collection,
  NO_BODY,
  questionReaderOf,
  type RouteHandler,
  resource,
} from '#resource/index.ts';
import { releaseHeld } from './held-repository.ts';
import type { Mapping } from './mapping.ts';
import type { Mappings } from './mappings.ts';
import { wakeBehind } from './outbox.ts';
import { type DeadOnes, dropGivenUp, type QueueRow, queryOutbox, reviveDead } from './outbox-repository.ts';
import type { StoringPlatform } from './stage.ts';
import { wake } from './wake.ts';
import { seesWords, withoutWords } from './words.ts';

/**
 * `/sync/queue`: deliveries that are still to be done.
 *
 * @param mappingNamed throws where there is none of that name
 */
export function queueResource(
  platform: StoringPlatform,
  mappingNamed: (mappings: Mappings, name: string) => Mapping,
): RouteHandler {
  return collection({
    description: { title: 'delivery of synchronisation' },
    async query(context, request) {
      const page = await queryOutbox(await questionReaderOf(platform, context), request);
      const names = [...new Set(page.rows.map(({ mapping }) => mapping))];
      const sees = names.map((name) => seesWords(platform, context, platform.mappings.named(name)));
      const asked = await Promise.all(sees);
      const open = new Set(names.filter((_name, place) => asked[place]));
      return pageResult(page, idOf, (row) => toResource(row, open.has(row.mapping)));
    },
    collectionActions: new ActionTable({
      retry: {
        does: 'Has those tried again that were given up: all, those of one `mapping`, or of it that of one `sourceId`',
        takes: NO_BODY,
        answers: { type: 'object' },
        async run({ unitOfWork }, request) {
          const which = deadOnes(request);
          const revived = await reviveDead(await unitOfWork.db(), which);
          if (revived.size === 0) requireKnown(which);
          for (const name of revived.keys()) await wake(platform, unitOfWork, { name }, 0);
          const retried = sumOf(revived);
          return told(unitOfWork, { retried, ...which }, retried);
        },
      },
      approve: {
        does: 'Has done what a delivery of all would take away and was held: of all mappings or of one `mapping`',
        takes: NO_BODY,
        answers: { type: 'object' },
        async run({ unitOfWork }, { parameters }) {
          const mapping = parameters['mapping'] ?? null;
          const released = await releaseHeld(await unitOfWork.db(), mapping);
          if (released.size === 0) requireKnown({ mapping, sourceId: null });
          for (const name of released.keys()) await wake(platform, unitOfWork, { name }, 0);
          const approved = sumOf(released);
          return told(unitOfWork, { approved, mapping }, approved);
        },
      },
      drop: {
        does: 'Gives up what is dead or held, and forgets it: all, that of one `mapping`, or of it that of one `sourceId`',
        takes: NO_BODY,
        answers: { type: 'object' },
        async run({ unitOfWork }, request) {
          const which = deadOnes(request);
          const dropped = await dropGivenUp(await unitOfWork.db(), which);
          if (dropped === 0) requireKnown(which);
          const names = which.mapping === null ? platform.mappings.names : [which.mapping];
          if (dropped > 0) await wakeBehind(platform, unitOfWork, names);
          return told(unitOfWork, { dropped, ...which }, dropped);
        },
      },
    }),
  });

  /** There may be some of a mapping that is gone. */
  function requireKnown({ mapping }: DeadOnes): void {
    if (mapping !== null) mappingNamed(platform.mappings, mapping);
  }
}

/** @throws BadRequestError `SYNC_BAD_QUESTION` for an object of whatever mapping */
function deadOnes({ parameters }: ActionRequest): DeadOnes {
  const mapping = parameters['mapping'] ?? null;
  const sourceId = parameters['sourceId'] ?? null;
  if (mapping !== null || sourceId === null) return { mapping, sourceId };
  throw new BadRequestError("'sourceId' is an object of a mapping, which is not named", {
    id: 'SYNC_BAD_QUESTION',
    field: 'mapping',
    hint: 'Add mapping=…',
  });
}

function sumOf(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

function told(unitOfWork: UnitOfWork, what: JsonObject, count: number): ActionResult {
  if (count > 0) {
    unitOfWork.record({ resource: 'sync/queue', operation: 'update', before: null, after: what });
  }
  return actionResult({ status: 'OK', ...what });
}

function idOf({ mapping, source_id }: QueueRow): string {
  return `${mapping}:${source_id}`;
}

function toResource(row: QueueRow, seesAll: boolean) {
  const { mapping, source_id, state, attempt, due_at, first_at, error, user_id, transaction_id } = row;
  return resource(idOf(row), null, {
    mapping,
    sourceId: source_id,
    state,
    attempt,
    dueAt: due_at.toISOString(),
    firstAt: first_at.toISOString(),
    error: seesAll ? error : withoutWords(error),
    userId: user_id,
    transactionId: transaction_id,
  });
}
