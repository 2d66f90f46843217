import { sql } from 'kysely';
import { type Db, numbers } from '#database/index.ts';
import { type Holder, heldBy } from '#work/index.ts';
import type { LedgerEntry, Run, RunKey, StartedRun } from '../run/run.ts';
import { withdrawnBecause } from '../run/withdrawn-firing.ts';
import { readDefinition } from '../schedule/schedule.ts';
import { LEDGER, LEDGER_ENTRY, ledgerEntries } from './ledger-repository.ts';
import {
  ANEW,
  at,
  COMPETITION,
  competition,
  IS_TRANSACTIONAL,
  KEPT_SLOT,
  MS,
  ownRun,
  type RunRow,
  schedule,
  toRun,
} from './run-row-repository.ts';
import { PASS_GATE, throughGate } from './start-gate-repository.ts';

/**
 * Marks claimed runs as started and returns those that may start: still ours, and of the schedule as it is now.
 * A run of an edited, deleted or parked schedule is dropped here, one of a paused schedule waits again. What an edit
 * has seen it has recorded itself; a claim that was under way meanwhile is recorded here.
 *
 * @param mayForget leaves those runs as they are whose start must not be forgotten, however the database ends
 */
export async function startRuns(
  db: Db,
  holder: Holder,
  keys: readonly (RunKey & Pick<Run, 'slot'>)[],
  { mayForget = false } = {},
): Promise<StartedRun[]> {
  const start = sql<RunRow & { job_id: string; definition: string }>`${ANEW}
    with gate as materialized (
      select ${PASS_GATE} as passed
    ), key as (
      select trigger_id, generation, ${at('fire_ms')} as fire_at, slot
      from unnest(
        ${numbers(keys, 'bigint', ({ triggerId }) => triggerId)},
        ${numbers(keys, 'int', ({ generation }) => generation)},
        ${numbers(keys, 'float8', ({ fireAt }) => fireAt)},
        ${numbers(keys, 'bigint', ({ slot }) => slot)}
      ) as k(trigger_id, generation, fire_ms, slot)
    ), mine as (
      select r.ctid as at, r.trigger_id, r.generation, r.fire_at, j.id as job_id, j.definition,
             case when j.id is null or (j.parked is not null and r.kind <> 'manual') then 'dropped'
                  when (j.paused or (select paused from scheduler_setting)) and r.kind = 'planned' then 'paused'
                  else 'started' end as fate, j.paused, j.owner_id, j.owner_epoch
      from key k cross join ${ownRun(sql`${holder.nodeId}`, sql`${holder.epoch}`, sql`true`)} r left join ${schedule('r')} j on true
      where (select passed from gate)${mayForget ? sql` and ${IS_TRANSACTIONAL}` : sql``}
    ), gone as (
      delete from scheduler_run where ctid = any(array(select at from mine where fate <> 'started'))
      returning fire_at, trigger_id, generation, attempt, late_from, next_planned, kind, cause, slot, claimed_at
    ), waiting as (
      insert into scheduler_due (due_at, fire_at, trigger_id, generation, attempt, late_from, next_planned,
                                 ${COMPETITION}, cause, slot)
      select case when paused then 'infinity' else greatest(fire_at, clock_timestamp()) end, fire_at, trigger_id, generation,
             attempt, late_from, next_planned,
             ${competition}, cause, ${KEPT_SLOT}
      from gone join mine j using (trigger_id, generation, fire_at) where fate = 'paused'
      on conflict do nothing
    ), ledger as (
      insert into scheduler_firing (planned_at, trigger_id, generation, job_id, outcome, node, attempt, claimed_at, why)
      select g.fire_at, g.trigger_id, g.generation, j.id, case g.kind when 'lost' then 'lost' else 'skipped' end,
             (select name from cluster_node where id = ${holder.nodeId}), g.attempt, g.claimed_at,
             case when j.parked is null then ${withdrawnBecause('edited')} else ${withdrawnBecause('parked')} end
      from gone g join mine m using (trigger_id, generation, fire_at)
      cross join lateral (select id, parked, updated_at from scheduler_job where trigger_id = g.trigger_id limit 1) j
      -- A firing that an edit took back before its time is no entry of the ledger.
      where m.fate = 'dropped' and (j.parked is not null or g.fire_at <= j.updated_at)
      on conflict do nothing
    ), started as (
      update scheduler_run set started_at = clock_timestamp()
      where ctid = any(array(select at from mine where fate = 'started'))
      returning trigger_id, generation, fire_at, attempt, late_from, next_planned, kind, cause, slot
    )
    select trigger_id, generation, ${MS('fire_at')} as fire_at, s.attempt, ${MS('s.late_from')} as late_from,
           s.next_planned, s.kind, s.cause, s.slot, m.job_id, m.definition::text as definition
    from started s join mine m using (trigger_id, generation, fire_at)`;
  const { rows } = await throughGate(() => start.execute(db));
  return rows.map((row) => ({
    ...toRun(row),
    jobId: row.job_id,
    definition: readDefinition(row.definition),
  }));
}

/**
 * Lets the next firing of a concurrent schedule wait while this run goes on. The entries of what is let pass by that are
 * written with it: nobody else would know of those times if this node died before its run has ended.
 */
export async function planNext(
  db: Db,
  holder: Holder,
  run: Run,
  next: number,
  passed: readonly LedgerEntry[],
): Promise<void> {
  await sql`
    with marked as (
      update scheduler_run set next_planned = true
      where lap = scheduler_lap_of(${run.slot}) and trigger_id = ${run.triggerId} and slot = ${run.slot} and generation = ${run.generation}
        and fire_at = ${new Date(run.fireAt)} and ${heldBy(holder)} and not next_planned
      returning trigger_id, generation, attempt, claimed_at
    ), ledger as (
      insert into scheduler_firing (${LEDGER})
      select ${LEDGER_ENTRY('marked')} from marked cross join ${ledgerEntries(passed.map((entry) => ({ ...entry, n: 1 })))}
      on conflict do nothing
    )
    insert into scheduler_due (due_at, fire_at, trigger_id, generation, ${COMPETITION})
    select case when j.paused then 'infinity' else greatest(${new Date(next)}::timestamptz, clock_timestamp()) end,
           ${new Date(next)}, trigger_id, generation, ${competition}
    from marked cross join ${schedule('marked')} j
    on conflict do nothing`.execute(db);
}
