import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#database/index.ts';
import { oneRow } from '#database/index.ts';
import type { TaskRow } from '../task/task-listing-repository.ts';

/** The due ones are found among so many tasks at most: nobody has a longer list. */
export const MOST_TASKS = 10_000;

/** Who takes tasks; a caller whose name means somebody else has none of its own. */
export interface Taker {
  readonly name: string | undefined;
  readonly groups: readonly string[];
}

/** What the caller has; could take; may read since it was offered to one of the caller's roles, and somebody else has it. */
export type InboxKind = 'mine' | 'claimable' | 'team';

export interface InboxQuestion {
  readonly kind: InboxKind;
  readonly taker: Taker;
  readonly processKey: string | undefined;
  /** ISO instants. */
  readonly dueBefore: string | undefined;
  readonly dueAfter: string | undefined;
  /** The last task of the page before: its due date, an ISO instant, and its id. */
  readonly after: { readonly due: string | null; readonly id: string } | undefined;
  readonly limit: number;
}

export interface InboxRow extends TaskRow {
  readonly process_name: string | null;
  readonly business_key: string | null;
  readonly start_user_id: string | null;
  readonly started_at: Date;
  /** How many tasks the question finds, wherever the page begins. */
  readonly total: number;
  /** There are more than are looked at. */
  readonly is_cut: boolean;
}

/**
 * A page of tasks, those first that are due first, and those last that are never due. Of what is looked at only when it is due
 * is read, row by row: left to the planner (`offset 0` keeps it away), whoever has many tasks had all tasks read.
 */
export async function findInbox(db: Db, question: InboxQuestion): Promise<InboxRow[]> {
  const { kind, taker, processKey, dueBefore, dueAfter, after, limit } = question;
  const conditions = [sql`t.ended_at is null`, holderIs(kind, taker)];
  if (processKey !== undefined) conditions.push(sql`t.definition_key = ${processKey}`);
  if (dueBefore !== undefined) conditions.push(sql`t.due_at < ${dueBefore}::timestamptz`);
  if (dueAfter !== undefined) conditions.push(sql`t.due_at >= ${dueAfter}::timestamptz`);
  const { rows } = await sql<InboxRow>`
    with looked_at as materialized (${idsOf(kind, taker)}),
    found as materialized (
      select t.id, t.due_at from looked_at l cross join lateral (
        select t.id, t.due_at from workflow_task t
        where t.id = l.task_id and ${sql.join(conditions, sql` and `)} offset 0) t),
    page as materialized (
      select t.id from found t where ${isBehind(after)} order by t.due_at nulls last, t.id limit ${limit})
    select t.*, i.definition_name as process_name, i.business_key, i.start_user_id, i.started_at,
           (select count(*) from found) as total, (select count(*) from looked_at) > ${MOST_TASKS} as is_cut
    from page p
    cross join lateral (select t.* from workflow_task t where t.id = p.id offset 0) t
    cross join lateral (
      select definition_name, business_key, start_user_id, started_at from workflow_instance
      where id = t.instance_id offset 0) i
    order by t.due_at nulls last, t.id`.execute(db);
  return rows;
}

export interface InboxCounts {
  readonly mine: number;
  readonly claimable: number;
  /** How many of the caller's own are overdue. */
  readonly overdue: number;
}

/** How many there are, each counted up to one more than are looked at. */
export async function countInbox(db: Db, taker: Taker): Promise<InboxCounts> {
  const { rows } = await sql<InboxCounts>`
    with mine as materialized (${idsOf('mine', taker)})
    select (select count(*) from mine) as mine,
           (select count(*) from (${idsOf('claimable', taker)}) c) as claimable,
           (select count(*) from mine m cross join lateral (
              select from workflow_task t where t.id = m.task_id and t.due_at < now() offset 0) t) as overdue`.execute(
    db,
  );
  return oneRow(rows);
}

function holderIs(kind: InboxKind, { name }: Taker): RawBuilder<unknown> {
  if (kind === 'mine') return sql`t.assignee = ${name ?? null}`;
  if (kind === 'claimable') return sql`t.assignee is null`;
  return sql`t.assignee is not null and t.assignee is distinct from ${name ?? null}::text`;
}

/** Ids of tasks are in the order of their instances: the oldest of what waits, the newest of what somebody works on. */
function idsOf(kind: InboxKind, { name, groups }: Taker): RawBuilder<unknown> {
  const most = MOST_TASKS + 1;
  if (kind === 'mine') {
    return sql`select id as task_id from workflow_task
               where assignee = ${name ?? null} and ended_at is null order by id limit ${most}`;
  }
  const isOpen = kind === 'claimable';
  const direction = isOpen ? sql`asc` : sql`desc`;
  const links = (who: RawBuilder<unknown>) => sql`
    select l.task_id from workflow_identity_link l
    where l.type = 'candidate' and ${isOpen ? sql`l.is_open` : sql`not l.is_open`} and ${who}
    order by l.task_id ${direction} limit ${most}`;
  const ofGroups = sql`select k.task_id from unnest(${groups}::text[]) as g(id)
                       cross join lateral (${links(sql`l.group_id = g.id`)}) k`;
  const ofUser = sql`select k.task_id from (${links(sql`l.user_id = ${name ?? null}`)}) k`;
  return sql`select w.task_id from (${isOpen ? sql`${ofGroups} union ${ofUser}` : sql`select distinct task_id from (${ofGroups}) d`}) w
             order by w.task_id ${direction} limit ${most}`;
}

function isBehind(after: InboxQuestion['after']): RawBuilder<unknown> {
  if (after === undefined) return sql`true`;
  const { due, id } = after;
  if (due === null) return sql`(t.due_at is null and t.id > ${id}::uuid)`;
  const at = sql`${due}::timestamptz`;
  return sql`(t.due_at > ${at} or t.due_at is null or (t.due_at = ${at} and t.id > ${id}::uuid))`;
}
