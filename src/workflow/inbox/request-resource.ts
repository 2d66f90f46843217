import { getMember, type JsonObject } from '#json/index.ts';
import {
  type CollectionProvider,
  formatPageCookie,
  invalidPageCookie,
  type PagedQuery,
  parsePageCookie,
  readerOf,
  resource,
} from '#resource/index.ts';
import { isInstant, parseInstant } from '#time/index.ts';
import type { FormProperty } from '../engine/index.ts';
import { noneStart } from '../form/index.ts';
import { ownName } from '../identity/own-name.ts';
import { isId } from '../instance/instance-id.ts';
import type { WorkflowPlatform } from '../workflow-platform.ts';
import { refuseOffset, refuseSortKeys } from './inbox.ts';
import { listStarted, type StartedRow } from './request-repository.ts';

const MOST_ROWS = 100;
const PAGED: PagedQuery = {
  scope: 'endpoint/myrequests',
  filter: { kind: 'literal', value: true },
  order: [
    { pointer: ['startTime'], descending: true },
    { pointer: ['_id'], descending: true },
  ],
};

/**
 * `/endpoint/myrequests`: what the caller has asked for by starting processes, the latest first, and where each stands. Of
 * the variables it shows those that the form of the start declares readable and a caller has written.
 */
export function requestResource(platform: WorkflowPlatform): CollectionProvider {
  return {
    description: { title: 'Request of the caller', query: '_queryFilter=true' },
    runsScripts: () => true,
    async query(context, request) {
      refuseSortKeys(request, 'endpoint/myrequests', 'by when they began, the latest first');
      const { paging } = request;
      refuseOffset(paging);
      const pageSize = Math.min(paging.pageSize === 0 ? MOST_ROWS : paging.pageSize, MOST_ROWS);
      const name = await ownName(platform, context);
      const db = await readerOf(platform, context);
      const after = readCookie(paging.cookie);
      const rows = name === undefined ? [] : await listStarted(db, { name, after, limit: pageSize + 1 });
      const page = rows.slice(0, pageSize);
      const last = rows.length > pageSize ? page.at(-1) : undefined;
      return {
        kind: 'query',
        result: await Promise.all(
          page.map(async (row) => {
            // History outlives its definition.
            const definition = await platform.definitions.get(db, row.definition_id).catch(() => undefined);
            const start = definition && noneStart(definition.process);
            return resource(row.id, null, view(row, start?.formProperties ?? []));
          }),
        ),
        pagedResultsCookie:
          last === undefined ? null : formatPageCookie(PAGED, [last.started_at.toISOString(), last.id]),
        totalPagedResultsPolicy: 'NONE',
        totalPagedResults: -1,
      };
    },
  };
}

function view(row: StartedRow, properties: readonly FormProperty[]): JsonObject {
  const asked = properties.flatMap((property) => {
    const value = getMember(row.submitted, property.variable ?? property.id);
    return property.isReadable && value !== undefined
      ? [{ id: property.id, title: property.name ?? property.id, value }]
      : [];
  });
  return {
    processDefinitionKey: row.definition_key,
    processName: row.definition_name,
    businessKey: row.business_key,
    businessStatus: row.business_status,
    startTime: row.started_at.toISOString(),
    endTime: row.ended_at?.toISOString() ?? null,
    state: stateOf(row),
    asked,
    waitsFor: row.tasks.map(({ name, since, due }) => ({
      name,
      since: new Date(since).toISOString(),
      dueDate: due === null ? null : new Date(due).toISOString(),
    })),
  };
}

function stateOf({ ended_at, delete_reason, has_failed }: StartedRow): string {
  if (ended_at !== null) return delete_reason === null ? 'ended' : 'cancelled';
  return has_failed ? 'failed' : 'running';
}

function readCookie(cookie: string | undefined) {
  if (cookie === undefined) return undefined;
  const start = parsePageCookie(PAGED, cookie);
  const [startedAt, id] = start.kind === 'after' ? start.tuple : [];
  const isTime = typeof startedAt === 'string' && isInstant(parseInstant(startedAt));
  if (!isTime || typeof id !== 'string' || !isId(id)) throw invalidPageCookie('it is damaged');
  return { startedAt: new Date(startedAt).toISOString(), id };
}
