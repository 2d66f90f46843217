import { sql } from 'kysely';
import type { Db } from '#database/index.ts';
import { oneRow } from '#database/index.ts';
import { MAX_SUSPICIONS } from '#lifecycle/index.ts';
import {
  firstLifeOf,
  type Holder,
  heldBy,
  heldByLivesOf,
  isOver,
  MAX_INTERRUPTIONS,
  ownedBy,
  ownedByLivesOf,
  suspectedAfter,
} from '#work/index.ts';
import type { Run, RunKey } from '../run/run.ts';
import { COMPETITION, competition, isFinished, KEPT_SLOT } from './run-row-repository.ts';

export interface Release {
  /** Just this run. Default: all that the holder has. */
  readonly only?: RunKey;
  /**
   * Whether a run that had started may be why its node or thread ended. It is not when the node hung, was cut off or
   * drained, or when another's script ended the thread. Default true.
   */
  readonly isSuspect?: boolean;
  /** What had nothing beside it, as `subjectOf` calls it. Default: nothing. */
  readonly alone?: string | null;
}

export interface Released {
  readonly released: number;
  readonly parked: readonly { readonly jobId: string; readonly attempts: number }[];
}

/**
 * Gives back what a life of a node had claimed and not started (misfire counts from now) or had started (it was
 * rolled back, so it runs again). A run outside a unit of work may have left effects: unless its schedule is
 * recoverable it is only recorded as lost. A run that took down its node or thread while it was alone there, after it had
 * been there twice before, is parked.
 */
export async function releaseRuns(
  db: Db,
  holder: Holder,
  by: string,
  { only, isSuspect = true, alone = null }: Release = {},
): Promise<Released> {
  const isMeant = sql`${heldByLivesOf(holder)} ${only === undefined ? sql`` : isRun(only)}`;
  const { rows } = await sql<{ job_id: string; attempt: number; parked: boolean }>`
    with held as (
      select trigger_id, id, generation, definition, paused, parked, owner_id, owner_epoch from scheduler_job
      where trigger_id = any(array(select trigger_id from scheduler_run where ${isMeant}))
      order by trigger_id for update
    ), gone as (
      delete from scheduler_run
      where ${isMeant} and (select count(*) from held) >= 0
      returning *, case when started_at is null then attempt else attempt + 1 end as next_attempt,
                coalesce((cause->>'suspected')::int, 0) as before
    ), counted as (
      select *, case when not ${isSuspect} or started_at is null then before
                     else ${suspectedAfter(sql`before`, sql`${SUBJECT} = ${alone}`)} end as suspected
      from gone
    ), judged as (
      select g.*, coalesce(o.id, d.id) as job_id, j.definition, n.name as node, j.id is null as is_removed, d.with_node as is_gone,
             j.owner_id, j.owner_epoch,
             case when j.id is null or j.generation <> g.generation then 'outdated'
                  when g.started_at is not null and (j.definition->>'transactional')::boolean is false
                       and (j.definition->>'recoverable')::boolean is not true then 'lost'
                  when g.suspected >= ${MAX_SUSPICIONS} or g.next_attempt > ${MAX_INTERRUPTIONS} then 'parked'
                  else 'again' end as fate
      -- As it is now that nobody edits it; one that has been deleted just before still has its name here.
      from counted g left join held j using (trigger_id) left join scheduler_job o using (trigger_id)
      left join scheduler_removed d using (trigger_id) join cluster_node n on n.id = g.node_id
    ), due as (
      insert into scheduler_due (due_at, fire_at, trigger_id, generation, attempt, late_from, next_planned, kind, cause,
                                 slot, ${COMPETITION})
      select clock_timestamp(), fire_at, trigger_id, generation, next_attempt, greatest(clock_timestamp(), fire_at), next_planned,
             case fate when 'lost' then 'lost' else kind end,
             jsonb_strip_nulls(jsonb_build_object('kind', 'released', 'node', node, 'at', clock_timestamp(),
                                                  'suspected', suspected, 'transaction', cause->>'transaction')),
             ${KEPT_SLOT}, ${competition}
      from judged j where fate in ('again', 'lost')
      on conflict do nothing
    ), parked as (
      update scheduler_job j
      set parked = jsonb_build_object('plannedAt', g.fire_at, 'attempts', g.attempt, 'parkedBy', ${by}::text, 'suspected', suspected,
                                      'reason', ${PARKED_BECAUSE}),
          state_changed_at = clock_timestamp(), state_before = case when ${WAS_BLOCKED} then 4
            when j.paused or (select paused from scheduler_setting) then 1 else 0 end
      from judged g where j.trigger_id = g.trigger_id and g.fate = 'parked'
    ), unblocked as (
      -- The ledger has no entry of a run that goes on elsewhere.
      update scheduler_job j set state_changed_at = clock_timestamp(), state_before = 4
      from judged g where j.trigger_id = g.trigger_id and g.fate <> 'parked' and j.parked is null and ${WAS_BLOCKED}
    ), ledger as (
      insert into scheduler_firing
        (planned_at, trigger_id, generation, job_id, outcome, node, attempt, claimed_at, started_at, why)
      select fire_at, trigger_id, generation, job_id, 'lost', node, attempt, claimed_at, started_at,
             case fate when 'parked' then 'parked: ' || ${PARKED_BECAUSE}
                       else 'node ' || node || ' was lost while it ran, and the schedule '
                            || case when is_gone then 'was in its memory' when is_removed then 'had been deleted meanwhile'
                                    else 'had been edited meanwhile' end end
      from judged where fate = 'parked' or (fate = 'outdated' and started_at is not null and job_id is not null)
      on conflict do nothing
    )
    select job_id, attempt, fate = 'parked' as parked from judged`.execute(db);
  return {
    released: rows.filter((row) => !row.parked).length,
    parked: rows.filter((row) => row.parked).map((row) => ({ jobId: row.job_id, attempts: row.attempt })),
  };
}

/** What a run is called while it is alone on its node. */
export function subjectOf({ triggerId, generation, fireAt, attempt }: RunKey & Pick<Run, 'attempt'>): string {
  return `run ${triggerId}.${generation}.${fireAt}.${attempt}`;
}

/** The same. */
const SUBJECT = sql.raw(
  `'run ' || trigger_id || '.' || generation || '.' || (extract(epoch from fire_at) * 1000)::bigint || '.' || attempt`,
);

const PARKED_BECAUSE = sql`
  case when suspected >= ${sql.lit(MAX_SUSPICIONS)} then 'its run brought down a node or a script thread ' || suspected || ' times'
       else 'its run was interrupted ' || attempt || ' times' end`;

/** Whether the run `g` has blocked its schedule `j`, as `scheduler_trigger_view` has it. */
const WAS_BLOCKED = sql.raw(
  `g.started_at is not null and not coalesce((j.definition->>'concurrentExecution')::boolean, false)`,
);

function isRun(key: RunKey) {
  return sql`and lap = any(scheduler_laps()) and trigger_id = ${key.triggerId} and generation = ${key.generation}
             and fire_at = ${new Date(key.fireAt)}`;
}

/** Ends what a life of a node had: what was in its memory is gone, and others go on with all else. */
export async function endLife(
  db: Db,
  life: Holder,
  by: string,
  release: Omit<Release, 'only'> = {},
): Promise<Released> {
  const isOwned = ownedByLivesOf(life);
  // First the schedules, whose runs keep their names, then what waits of them, as whoever edits one has it.
  await sql`
    with held as (select trigger_id from scheduler_job where ${isOwned} order by trigger_id for update),
         gone as (delete from scheduler_job where trigger_id = any(array(select trigger_id from held)) returning trigger_id, id)
    insert into scheduler_removed (trigger_id, id, with_node)
    select trigger_id, id, true from gone join scheduler_run using (trigger_id)
    on conflict do nothing`.execute(db);
  const released = await releaseRuns(db, life, by, release);
  await sql`delete from scheduler_due where ${isOwned}`.execute(db);
  return released;
}

/** Lives that are over and have left something: a node that was fenced while its claim or its schedule was on the way does. */
export async function listOrphanedLives(db: Db): Promise<Holder[]> {
  const { rows } = await sql<Holder>`
    select node_id as "nodeId", max(epoch) as epoch
    from (
      select r.node_id, r.node_epoch as epoch from scheduler_run r join cluster_node n on n.id = r.node_id
      where ${isOver(sql`r.node_epoch`)}
      union all
      select n.id, j.owner_epoch from cluster_node n cross join lateral (
        select owner_epoch from scheduler_job
        where owner_id = n.id and owner_epoch < ${firstLifeOf()}
        order by owner_epoch desc limit 1) j) left_behind
    group by node_id`.execute(db);
  return rows;
}

/** Selects runs of a holder: only these, or all but these. */
export interface Unexecuted {
  readonly only?: readonly Run[];
  readonly except?: readonly Run[];
}

/**
 * Hands back what this life of the node has claimed and not executed, so that others need not wait for a take-over. It
 * knows that better than the tables, because a claim may have started what its answer never told of.
 */
export async function handBack(
  db: Db,
  holder: Holder,
  { only, except = [] }: Unexecuted = {},
): Promise<number> {
  const isOnly = only === undefined ? sql`` : sql`and ${SUBJECT} = any(${only.map(subjectOf)}::text[])`;
  const { rows } = await sql<{ count: number }>`
    with gone as (
      delete from scheduler_run
      where ${heldBy(holder)} and ${SUBJECT} <> all(${except.map(subjectOf)}::text[]) ${isOnly}
      returning *
    ), due as (
      insert into scheduler_due (due_at, fire_at, trigger_id, generation, attempt, late_from, next_planned, kind, cause,
                                 slot, ${COMPETITION})
      select greatest(g.fire_at, clock_timestamp()), g.fire_at, g.trigger_id, g.generation, g.attempt, g.late_from,
             g.next_planned, g.kind, g.cause, ${KEPT_SLOT}, ${competition}
      from gone g join scheduler_job j using (trigger_id, generation)
      on conflict do nothing
    )
    select count(*)::int as count from gone`.execute(db);
  return oneRow(rows).count;
}

/** What came to wait without end while its schedule was resumed, and nobody would wake: of all nodes, or in memory here. */
export async function wakeResumed(db: Db, holder: Holder): Promise<void> {
  await sql`
    update scheduler_due d set due_at = greatest(d.fire_at, clock_timestamp())
    from scheduler_job j
    where d.ctid = any(array(
        select ctid from scheduler_due where owner_id is null and due_at = 'infinity'
        union all
        select ctid from scheduler_due where ${ownedBy(holder)} and due_at = 'infinity'))
      and d.due_at = 'infinity' and j.trigger_id = d.trigger_id and not j.paused`.execute(db);
}

/** Names of deleted schedules of which nothing runs any more. */
export async function forgetRemoved(db: Db): Promise<void> {
  await sql`
    delete from scheduler_removed d
    where not exists (select 1 from scheduler_run r where r.lap = any(scheduler_laps()) and r.trigger_id = d.trigger_id)`.execute(
    db,
  );
}

/**
 * Schedules of the REST interface that ended while several of their runs did at once, so that none was the last. Only
 * those with concurrent execution have several; an index of them spares the look at all others.
 */
export async function removeFinished(db: Db): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from scheduler_job gone using (
      select j.trigger_id, j.generation from scheduler_job j
      where j.source = 'rest' and j.parked is null and (j.definition->>'concurrentExecution')::boolean
        and ${isFinished(sql`select 1 where false`)}
      for update skip locked) f
    -- One that was edited just now has something to wait for by then.
    where gone.trigger_id = f.trigger_id and gone.generation = f.generation`.execute(db);
  return Number(numAffectedRows ?? 0);
}
