import { BadRequestError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import {
  type Context,
  formatPageCookie,
  invalidPageCookie,
  type PagedQuery,
  parsePageCookie,
  type QueryRequest,
  type QueryResult,
  questionReaderOf,
  resource,
} from '#resource/index.ts';
import { isInstant, parseInstant } from '#time/index.ts';
import type { FlowNode } from '../engine/index.ts';
import { formSchema } from '../form/index.ts';
import { ownName } from '../identity/own-name.ts';
import { isId } from '../instance/instance-id.ts';
import { readInstant, refuseUnknownParameters } from '../query/parameter.ts';
import { viewTask } from '../task/task-view.ts';
import type { WorkflowPlatform } from '../workflow-platform.ts';
import {
  countInbox,
  findInbox,
  type InboxKind,
  type InboxRow,
  MOST_TASKS,
  type Taker,
} from './inbox-repository.ts';

const KINDS: readonly InboxKind[] = ['mine', 'claimable', 'team'];
const MOST_ROWS = 100;

/** The query of `/workflow/taskinstance` that asks for tasks of the caller; undefined for any other. */
export function inboxKind({ queryId }: QueryRequest): InboxKind | undefined {
  return KINDS.find((kind) => kind === queryId);
}

/**
 * A page of the caller's tasks, due ones first, each with its process and its form without values; reading the task shows
 * these. One statement, however many tasks there are.
 *
 * @throws BadRequestError `WORKFLOW_UNKNOWN_PARAMETER`, `WORKFLOW_BAD_PARAMETER`, `WORKFLOW_BAD_SORT_KEY`, `PAGING_BAD_COOKIE`
 */
export async function queryInbox(
  platform: WorkflowPlatform,
  context: Context,
  request: QueryRequest,
  kind: InboxKind,
): Promise<QueryResult> {
  const { parameters, paging } = request;
  refuseUnknownParameters(parameters, ['processDefinitionKey', 'dueBefore', 'dueAfter']);
  refuseSortKeys(request, kind, 'by when tasks are due');
  refuseOffset(paging);
  const { processDefinitionKey: processKey, dueBefore, dueAfter } = parameters;
  const dues = {
    dueBefore: dueBefore === undefined ? undefined : readInstant('dueBefore', dueBefore),
    dueAfter: dueAfter === undefined ? undefined : readInstant('dueAfter', dueAfter),
  };
  const paged: PagedQuery = {
    scope: JSON.stringify([kind, processKey, dues]),
    filter: { kind: 'literal', value: true },
    order: [
      { pointer: ['dueDate'], descending: false },
      { pointer: ['_id'], descending: false },
    ],
  };
  const pageSize = Math.min(paging.pageSize === 0 ? MOST_ROWS : paging.pageSize, MOST_ROWS);
  const db = await questionReaderOf(platform, context);
  const rows = await findInbox(db, {
    kind,
    taker: await takerOf(platform, context),
    processKey,
    ...dues,
    after: readCookie(paged, paging.cookie),
    limit: pageSize + 1,
  });
  const page = rows.slice(0, pageSize);
  const last = rows.length > pageSize ? page.at(-1) : undefined;
  const isCounted = paging.totalPolicy !== 'NONE';
  return {
    kind: 'query',
    result: await Promise.all(
      page.map(async (row) => {
        const { process } = await platform.definitions.get(db, row.definition_id);
        return resource(row.id, String(row.revision), viewRow(row, process.nodes.get(row.element)));
      }),
    ),
    pagedResultsCookie:
      last === undefined ? null : formatPageCookie(paged, [last.due_at?.toISOString() ?? null, last.id]),
    totalPagedResultsPolicy: isCounted ? 'EXACT' : 'NONE',
    totalPagedResults: isCounted ? (rows[0]?.total ?? 0) : -1,
    ...(rows[0]?.is_cut === true ? { warnings: [tooMany(kind)] } : {}),
  };
}

/** How many tasks the caller has, could take, and has missed: the answer of the action `count`. */
export async function countTasks(platform: WorkflowPlatform, context: Context): Promise<JsonObject> {
  const taker = await takerOf(platform, context);
  const counts = await countInbox(await questionReaderOf(platform, context), taker);
  const bounded = Object.entries(counts).map(([name, count]) => [name, Math.min(count, MOST_TASKS)]);
  const isCut = counts.mine > MOST_TASKS || counts.claimable > MOST_TASKS;
  return { ...Object.fromEntries(bounded), ...(isCut ? { truncated: true } : {}) };
}

async function takerOf(platform: WorkflowPlatform, context: Context): Promise<Taker> {
  return { name: await ownName(platform, context), groups: context.security.authorization.roles };
}

function viewRow(row: InboxRow, node: FlowNode | undefined): JsonObject {
  return {
    ...viewTask(row),
    processName: row.process_name,
    processDefinitionKey: row.definition_key,
    businessKey: row.business_key,
    startUserId: row.start_user_id,
    startTime: row.started_at.toISOString(),
    form: formSchema(node?.kind === 'userTask' ? node.formProperties : [], []),
  };
}

function readCookie(paged: PagedQuery, cookie: string | undefined) {
  if (cookie === undefined) return undefined;
  const start = parsePageCookie(paged, cookie);
  const [due, id] = start.kind === 'after' ? start.tuple : [];
  const isDue = due === null || (typeof due === 'string' && isInstant(parseInstant(due)));
  if (!isDue || typeof id !== 'string' || !isId(id)) throw invalidPageCookie('it is damaged');
  return { due: due === null ? null : new Date(due).toISOString(), id };
}

/** @throws BadRequestError `WORKFLOW_BAD_SORT_KEY` */
export function refuseSortKeys({ sortKeys }: QueryRequest, query: string, order: string): void {
  if (sortKeys.length === 0) return;
  throw new BadRequestError(`'${query}' has its own order, ${order}`, {
    id: 'WORKFLOW_BAD_SORT_KEY',
    field: '_sortKeys',
  });
}

/** @throws BadRequestError `WORKFLOW_BAD_PARAMETER` */
export function refuseOffset({ offset }: QueryRequest['paging']): void {
  if (offset === 0) return;
  throw new BadRequestError('Pages of this query are asked for by their cookie, not by an offset', {
    id: 'WORKFLOW_BAD_PARAMETER',
    field: '_pagedResultsOffset',
  });
}

function tooMany(kind: InboxKind): string {
  const which = kind === 'team' ? 'last' : 'oldest';
  return `There are more than ${MOST_TASKS} such tasks; only the ${which} ${MOST_TASKS} of them are looked at`;
}
