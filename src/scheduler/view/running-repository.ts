import { sql } from 'kysely';
import type { Db } from '#database/index.ts';
import { oneRow } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import { carryTransitions } from '../store/transition-repository.ts';

/**
 * The runs under way in the whole cluster: the schedule's fields, and where and since when it runs. Of a schedule that was
 * deleted meanwhile only its name is left.
 */
export async function listRunning(db: Db): Promise<JsonObject[]> {
  const { rows } = await sql<{ entry: JsonObject }>`
    select jsonb_build_object('_id', coalesce(j.id, d.id)) || coalesce(j.definition - 'firstAt', '{}') || jsonb_build_object(
             'nodeId', n.name,
             'fireInstanceId', r.trigger_id || '.' || r.generation || '.' ||
                               (extract(epoch from r.fire_at) * 1000)::bigint,
             'scheduledFireTime', to_char(r.fire_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
             'fireTime', to_char(r.started_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) as entry
    from scheduler_run r
    left join scheduler_job j using (trigger_id)
    left join scheduler_removed d using (trigger_id)
    join cluster_node n on n.id = r.node_id
    where r.started_at is not null and coalesce(j.id, d.id) is not null
    order by r.started_at`.execute(db);
  return rows.map((row) => row.entry);
}

export async function isPaused(db: Db): Promise<boolean> {
  const { rows } = await sql<{ paused: boolean }>`select paused from scheduler_setting`.execute(db);
  return oneRow(rows).paused;
}

/**
 * Stops or resumes all claims in the cluster. Runs under way are not touched.
 *
 * @returns whether that was another state than before
 */
export async function setPaused(db: Db, paused: boolean, by: string): Promise<boolean> {
  // Nothing to change, so nothing to wait for: the next statement waits for nodes that are about to start a run.
  if ((await isPaused(db)) === paused) return false;
  await carryTransitions(db);
  const { numAffectedRows } = await sql`
    update scheduler_setting
    set paused = ${paused}, pauses = pauses + case when ${paused} then 1 else 0 end, changed_at = clock_timestamp(),
        changed_by = ${by}
    where paused <> ${paused}`.execute(db);
  return Number(numAffectedRows ?? 0) > 0;
}
