import { sql } from 'kysely';
import type { Db } from '#database/index.ts';
import { type FiringView, listFirings } from './firing-repository.ts';
import type { Cause, RunKind } from './run.ts';
import type { ScheduleDefinition } from './schedule.ts';

/** Looked at before and after the time that is asked about. */
const SPAN_MS = 1_000;

/** All that the database knows about what became of a schedule at a time. */
export interface FiringFacts {
  readonly now: Date;
  readonly allPaused: boolean;
  readonly job: {
    readonly definition: ScheduleDefinition;
    readonly createdAt: Date;
    readonly updatedAt: Date;
    readonly paused: boolean;
    readonly parked: { readonly plannedAt: string; readonly reason: string } | null;
  } | null;
  /** Within a second of the time: a schedule that fires each second has no more than some. */
  readonly firings: readonly FiringView[];
  /** The last entry before the time and the first after it, however far away. */
  readonly neighbours: readonly FiringView[];
  readonly waiting: readonly { fireAt: Date; dueAt: Date | number; kind: RunKind; cause: Cause | null }[];
  readonly running: readonly {
    fireAt: Date;
    node: string;
    nodeState: string;
    claimedAt: Date;
    startedAt: Date | null;
    attempt: number;
  }[];
}

export async function gatherFacts(db: Db, id: string, at: number): Promise<FiringFacts> {
  const { rows } = await sql<Pick<FiringFacts, 'now' | 'allPaused' | 'job'>>`
    select clock_timestamp() as now, s.paused as "allPaused",
           (select jsonb_build_object('definition', definition, 'paused', j.paused, 'parked', parked)
            from scheduler_job j where id = ${id}) as job
    from scheduler_setting s`.execute(db);
  const times = await sql<{ createdAt: Date; updatedAt: Date }>`
    select created_at as "createdAt", updated_at as "updatedAt" from scheduler_job where id = ${id}`.execute(
    db,
  );
  const waiting = await sql<FiringFacts['waiting'][number]>`
    select fire_at as "fireAt", due_at as "dueAt", kind, cause from scheduler_due join scheduler_job j using (trigger_id)
    where j.id = ${id} order by fire_at limit 20`.execute(db);
  const running = await sql<FiringFacts['running'][number]>`
    select r.fire_at as "fireAt", n.name as node, svc_node_state(n.state, n.seen_at) as "nodeState",
           r.claimed_at as "claimedAt", r.started_at as "startedAt", r.attempt
    from scheduler_run r join scheduler_job j using (trigger_id) join cluster_node n on n.id = r.node_id
    where j.id = ${id} order by r.fire_at limit 20`.execute(db);
  const neighbours = await sql<{ planned: Date }>`
    (select planned_at as planned from scheduler_firing where job_id = ${id} and planned_at < ${new Date(at)}
     order by planned_at desc limit 1)
    union all
    (select planned_at from scheduler_firing where job_id = ${id} and planned_at > ${new Date(at)}
     order by planned_at limit 1)`.execute(db);
  const near = neighbours.rows.map(({ planned }) => listFirings(db, id, planned, planned));
  const { now, allPaused, job } = rows[0]!;
  const [time] = times.rows;
  return {
    now,
    allPaused,
    job: job === null || time === undefined ? null : { ...job, ...time },
    firings: await listFirings(db, id, new Date(at - SPAN_MS), new Date(at + SPAN_MS)),
    neighbours: (await Promise.all(near)).flat(),
    waiting: waiting.rows,
    running: running.rows,
  };
}
