import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#database/index.ts';
import { oneRow } from '#database/index.ts';
import type { Condition, PageOrder } from '../query/list-repository.ts';

/** The people whose tasks are asked for: those that a user or one of the groups could take, or that a user has. */
export interface Candidates {
  readonly user?: string | undefined;
  readonly groups: readonly string[];
  /** Has them already. */
  readonly assignee?: string | undefined;
}

/** Where so many links or fewer lead to the tasks, they are all looked at, whatever order is asked for. */
const FEW = 20_000;

/** Orders in which the links of a group lie in an index. */
const LINK_ORDERS: Readonly<Record<string, RawBuilder<unknown>>> = {
  id: sql`l.task_id`,
  createTime: sql`l.task_created_at`,
};

/** The same of tasks. */
const TASK_ORDERS: Readonly<Record<string, RawBuilder<unknown>>> = {
  id: sql`t.id`,
  createTime: sql`t.created_at`,
};

/** Holds for the tasks `t` of these people, as one set of ids: an alternative would look at every open task. */
export function isOfCandidates({ user, groups, assignee }: Candidates, isOpen: boolean): Condition {
  const open = isOpen ? sql`and l.is_open` : sql``;
  const ways: Condition[] = [];
  if (assignee !== undefined) {
    ways.push(sql`select a.id from workflow_task a where a.assignee = ${assignee} and a.ended_at is null`);
  }
  if (groups.length > 0) {
    ways.push(sql`select l.task_id from workflow_identity_link l
                  where l.type = 'candidate' and l.group_id = any(${groups}::text[]) ${open}`);
  }
  if (user !== undefined) {
    ways.push(sql`select l.task_id from workflow_identity_link l
                  where l.type = 'candidate' and l.user_id = ${user} ${open}`);
  }
  return ways.length === 0 ? sql`false` : sql`t.id in (${sql.join(ways, sql` union all `)})`;
}

/**
 * The open tasks of these people for which the conditions hold, as a table `t` that has at least the first `limit` of
 * them: each group gives its first ones in the order of its index. Left to the planner, a page was searched among all
 * open tasks in the order asked for, which took ten seconds where the group's own came late in it.
 *
 * @returns undefined where it is as well to look at all open tasks
 */
export async function tasksOfCandidates(
  db: Db,
  candidates: Candidates,
  conditions: readonly Condition[],
  { keys, limit }: PageOrder,
): Promise<RawBuilder<unknown> | undefined> {
  if (limit === undefined || limit > FEW) return undefined;
  const [key, ...others] = keys;
  const column = others.length === 0 ? LINK_ORDERS[key?.name ?? 'id'] : undefined;
  if (column === undefined && !(await areFew(db, candidates.groups))) return undefined;
  const direction = key?.isDescending === true ? sql`desc` : sql`asc`;
  const firstBy = (ordered: RawBuilder<unknown> | undefined, id: RawBuilder<unknown>) =>
    ordered === undefined ? sql`` : sql`order by ${ordered} ${direction}, ${id} ${direction} limit ${limit}`;
  const first = firstBy(column, sql`l.task_id`);
  // The fence keeps the planner from going the other way round.
  const task = sql`lateral (select t.* from workflow_task t
                            where t.id = l.task_id and ${sql.join(conditions, sql` and `)} offset 0) t`;
  const { user, groups, assignee } = candidates;
  const ways = [
    sql`select k.* from unnest(${groups}::text[]) as g(group_id) cross join lateral (
          select t.* from workflow_identity_link l cross join ${task}
          where l.type = 'candidate' and l.is_open and l.group_id = g.group_id ${first}) k`,
  ];
  if (user !== undefined) {
    ways.push(sql`(select t.* from workflow_identity_link l cross join ${task}
                   where l.type = 'candidate' and l.is_open and l.user_id = ${user} ${first})`);
  }
  if (assignee !== undefined) {
    const own = column && TASK_ORDERS[key?.name ?? 'id'];
    ways.push(sql`(select t.* from workflow_task t
                   where t.assignee = ${assignee} and ${sql.join(conditions, sql` and `)} ${firstBy(own, sql`t.id`)})`);
  }
  return sql`(select distinct on (w.id) w.* from (${sql.join(ways, sql` union all `)}) w order by w.id) t`;
}

async function areFew(db: Db, groups: readonly string[]): Promise<boolean> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (
      select from workflow_identity_link l
      where l.type = 'candidate' and l.is_open and l.group_id = any(${groups}::text[]) limit ${FEW + 1}) l`.execute(
    db,
  );
  return oneRow(rows).count <= FEW;
}
