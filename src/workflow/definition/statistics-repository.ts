import { sql } from 'kysely';
import type { Db } from '#database/index.ts';

/** Statistics are made of so many instances of a definition at most, the last ones. */
export const MOST_INSTANCES = 20_000;

/** What goes on at an element, and what went on in a time; durations in ms. */
export interface ElementStatistics {
  readonly element: string;
  readonly running: number;
  readonly failed: number;
  readonly waiting: number;
  readonly entered: number;
  readonly left: number;
  readonly p50: number | null;
  readonly p95: number | null;
  readonly max: number | null;
  /** There are more instances than are looked at. */
  readonly is_cut: boolean;
}

/** All elements at which something goes on or went on, in one statement. @param span ISO instants; its end is not in it */
export async function listStatistics(
  db: Db,
  definitionId: string,
  span: { readonly from: string; readonly to: string },
): Promise<readonly ElementStatistics[]> {
  const within = (column: string) =>
    sql`${sql.ref(column)} >= ${span.from}::timestamptz and ${sql.ref(column)} < ${span.to}::timestamptz`;
  const took = sql`extract(epoch from a.ended_at - a.started_at) * 1000`;
  const { rows } = await sql<ElementStatistics>`
    with looked_at as materialized (
      select i.id from workflow_instance i where i.definition_id = ${definitionId}
      order by i.id desc limit ${MOST_INSTANCES + 1}),
    went_on as (
      select a.element, count(*) filter (where ${within('a.started_at')}) as entered,
             count(*) filter (where ${within('a.ended_at')}) as "left",
             percentile_cont(array[0.5, 0.95, 1]) within group (order by ${took}) filter (where ${within('a.ended_at')}) as spread
      from looked_at l join workflow_activity a on a.instance_id = l.id
      where (${within('a.started_at')}) or (${within('a.ended_at')}) group by a.element),
    goes_on as (
      select e->>'at' as element, count(*) as running, 0 as failed, 0 as waiting
      from looked_at l join workflow_state s on s.instance_id = l.id
      cross join lateral jsonb_array_elements(s.state->'executions') e
      where e->>'at' is not null and e->>'is' is distinct from 'scope' group by 1
      union all
      select j.element, 0, count(*) filter (where j.is_dead), count(*) filter (where not j.is_dead and j.kind = 'timer')
      from looked_at l join workflow_job j on j.instance_id = l.id and j.kind in ('async', 'timer') group by j.element
      union all
      select w.element, 0, 0, count(*)
      from looked_at l join workflow_subscription w on w.instance_id = l.id group by w.element),
    now_at as (
      select element, sum(running)::int as running, sum(failed)::int as failed, sum(waiting)::int as waiting
      from goes_on group by element)
    select element, coalesce(n.running, 0) as running, coalesce(n.failed, 0) as failed, coalesce(n.waiting, 0) as waiting,
           coalesce(w.entered, 0) as entered, coalesce(w."left", 0) as "left",
           round(w.spread[1])::float8 as p50, round(w.spread[2])::float8 as p95, round(w.spread[3])::float8 as max,
           (select count(*) from looked_at) > ${MOST_INSTANCES} as is_cut
    from went_on w full join now_at n using (element) order by element`.execute(db);
  return rows;
}
