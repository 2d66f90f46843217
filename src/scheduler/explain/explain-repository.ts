import { sql } from 'kysely';
import type { Db } from '#database/index.ts';
import { oneRow } from '#database/index.ts';
import type { Cause, RunKind } from '../run/run.ts';
import type { ScheduleDefinition } from '../schedule/schedule.ts';
import { type FiringView, listFirings } from '../store/firing-repository.ts';
import { rankOf } from '../store/job-repository.ts';

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
    /** The node that has it in memory; null of a persisted one. */
    readonly owner: string | null;
  } | null;
  /** Nodes that have another schedule of that id in memory. */
  readonly others: readonly string[];
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

/** @param nodeName of the schedules of the id the one that it means there, as `rankOf` has it */
export async function gatherFacts(
  db: Db,
  { id, at, nodeName }: { readonly id: string; readonly at: number; readonly nodeName: string | undefined },
): Promise<FiringFacts> {
  const { rows } = await sql<Pick<FiringFacts, 'now' | 'allPaused'>>`
    select clock_timestamp() as now, paused as "allPaused" from scheduler_setting`.execute(db);
  const jobs = await sql<NonNullable<FiringFacts['job']> & { triggerId: number }>`
    select j.trigger_id as "triggerId", definition, paused, parked, created_at as "createdAt", updated_at as "updatedAt",
           o.name as owner
    from scheduler_job j left join cluster_node o on o.id = owner_id where j.id = ${id}
    order by ${rankOf(sql`owner_id`, nodeName ?? null)}`.execute(db);
  const [job] = jobs.rows;
  const triggerId = job?.triggerId ?? null;
  const waiting = await sql<FiringFacts['waiting'][number]>`
    select fire_at as "fireAt", due_at as "dueAt", kind, cause from scheduler_due
    where lap = any(scheduler_laps()) and trigger_id = ${triggerId} order by fire_at limit 20`.execute(db);
  const running = await sql<FiringFacts['running'][number]>`
    select r.fire_at as "fireAt", n.name as node, svc_node_state(n.state, n.seen_at) as "nodeState",
           r.claimed_at as "claimedAt", r.started_at as "startedAt", r.attempt
    from scheduler_run r join cluster_node n on n.id = r.node_id
    where lap = any(scheduler_laps()) and trigger_id = ${triggerId} order by r.fire_at limit 20`.execute(db);
  // What is in memory has another trigger in each life of its node.
  const node = job?.owner ?? null;
  const neighbours = await sql<{ planned: Date }>`
    (select planned_at as planned from scheduler_firing
     where job_id = ${id} and planned_at < ${new Date(at)} and (${node}::text is null or node = ${node})
     order by planned_at desc limit 1)
    union all
    (select planned_at from scheduler_firing
     where job_id = ${id} and planned_at > ${new Date(at)} and (${node}::text is null or node = ${node})
     order by planned_at limit 1)`.execute(db);
  const near = neighbours.rows.map(({ planned }) => listFirings(db, { jobId: id, node }, planned, planned));
  return {
    ...oneRow(rows),
    job: job ?? null,
    others: jobs.rows.slice(1).flatMap(({ owner }) => owner ?? []),
    firings: await listFirings(db, { jobId: id, node }, new Date(at - SPAN_MS), new Date(at + SPAN_MS)),
    neighbours: (await Promise.all(near)).flat(),
    waiting: waiting.rows,
    running: running.rows,
  };
}
