import { sql } from 'kysely';
import type { Db } from '#database/index.ts';
import type { JsonObject, JsonValue } from '#json/index.ts';
import type { ScheduleDefinition } from './schedule.ts';

/** Names a run; unique for all time, because a schedule fires at most once per planned time and generation. */
export interface RunKey {
  readonly triggerId: number;
  readonly generation: number;
  /** Epoch ms. */
  readonly fireAt: number;
}

/** A claimed firing. */
export interface Run extends RunKey {
  readonly attempt: number;
  /** Epoch ms; set when it was released by a dead node. */
  readonly lateFrom: number | null;
  readonly nextPlanned: boolean;
}

/** After this many runs that each took their node down, a firing is parked. */
const MAX_ATTEMPTS = 3;

/** The fence: which life of which node holds the run. */
export interface Holder {
  readonly nodeId: number;
  readonly epoch: number;
}

export function formatRunKey(key: RunKey): string {
  return `${key.triggerId}.${key.generation}.${key.fireAt}`;
}

const MS = (column: string) => sql.raw(`(extract(epoch from ${column}) * 1000)::float8`);

export interface ClaimOptions {
  readonly holder: Holder;
  readonly limit: number;
  /** How far ahead of their time firings are claimed. */
  readonly lookAheadMs: number;
  /** Epoch ms; nothing claimable lies before it, apart from what a sweep finds. */
  readonly watermark: number;
}

export interface Claim {
  readonly runs: readonly (Run & { readonly dueAt: number })[];
  /** When the earliest firing that still waits may be claimed, epoch ms; not looked for after a full batch. */
  readonly nextDueAt: number | null;
}

/**
 * Claims what is due: one statement. Rows locked by other claimers are skipped, a paused cluster and a node that
 * was fenced out claim nothing. The lower bound keeps the scan from walking the dead index entries of earlier
 * claims, which a long transaction elsewhere would keep from being cleaned up.
 */
export async function claimDue(db: Db, options: ClaimOptions): Promise<Claim> {
  const { holder, limit, lookAheadMs, watermark } = options;
  const { rows } = await sql<{
    trigger_id: number | null;
    generation: number;
    fire_at: number;
    due_at: number;
    attempt: number;
    late_from: number | null;
    next_planned: boolean;
    next_due: number | null;
  }>`
    with candidates as (
      select ctid from scheduler_due
      where due_at <= clock_timestamp() + ${lookAheadMs}::float8 * interval '1 millisecond'
        and due_at >= to_timestamp(${watermark}::float8 / 1000)
        and not (select paused from scheduler_setting)
        and exists (select 1 from cluster_node
                    where id = ${holder.nodeId} and epoch = ${holder.epoch} and state = 'running')
      order by due_at
      limit ${limit}
      for update skip locked
    ), due as (
      delete from scheduler_due where ctid = any(array(select ctid from candidates))
      returning due_at, fire_at, trigger_id, generation, attempt, late_from, next_planned
    ), run as (
      insert into scheduler_run
        (trigger_id, generation, fire_at, attempt, late_from, next_planned, node_id, node_epoch)
      select trigger_id, generation, fire_at, attempt, late_from, next_planned, ${holder.nodeId}, ${holder.epoch}
      from due
      on conflict do nothing
    )
    select trigger_id, generation, ${MS('fire_at')} as fire_at, ${MS('due_at')} as due_at, attempt,
           ${MS('late_from')} as late_from, next_planned, null::float8 as next_due
    from due
    union all
    select null, 0, 0, 0, 0, null, false,
           case when (select count(*) from candidates) < ${limit} then (
             select ${MS('due_at')} from scheduler_due
             where due_at >= to_timestamp(${watermark}::float8 / 1000)
               and ctid <> all(array(select ctid from candidates))
             order by due_at limit 1) end`.execute(db);
  const runs = rows.flatMap((row) =>
    row.trigger_id === null
      ? []
      : {
          triggerId: row.trigger_id,
          generation: row.generation,
          fireAt: Math.round(row.fire_at),
          dueAt: row.due_at,
          attempt: row.attempt,
          lateFrom: row.late_from,
          nextPlanned: row.next_planned,
        },
  );
  return { runs, nextDueAt: rows.find((row) => row.trigger_id === null)?.next_due ?? null };
}

export interface StartedRun extends Run {
  readonly jobId: string;
  readonly definition: ScheduleDefinition;
}

/**
 * Marks claimed runs as started and returns those that may start: still ours, and of the schedule as it is now.
 * A run of an edited or deleted schedule is dropped here.
 */
export async function startRuns(db: Db, holder: Holder, keys: readonly RunKey[]): Promise<StartedRun[]> {
  const { rows } = await sql<{
    trigger_id: number;
    generation: number;
    fire_at: number;
    attempt: number;
    late_from: number | null;
    next_planned: boolean;
    job_id: string | null;
    definition: ScheduleDefinition;
  }>`
    with key as (
      select * from unnest(${keys.map((key) => key.triggerId)}::bigint[], ${keys.map((key) => key.generation)}::int[],
                           ${keys.map((key) => new Date(key.fireAt))}::timestamptz[]) as k(trigger_id, generation, fire_at)
    ), mine as (
      select r.trigger_id, r.generation, r.fire_at, j.id as job_id, j.definition
      from key join scheduler_run r using (trigger_id, generation, fire_at)
      left join scheduler_job j on j.trigger_id = r.trigger_id and j.generation = r.generation and j.parked is null
      where r.node_id = ${holder.nodeId} and r.node_epoch = ${holder.epoch}
      for update of r
    ), dropped as (
      delete from scheduler_run r using mine m
      where m.job_id is null and r.trigger_id = m.trigger_id and r.generation = m.generation and r.fire_at = m.fire_at
    )
    update scheduler_run r set started_at = clock_timestamp()
    from mine m
    where m.job_id is not null
      and r.trigger_id = m.trigger_id and r.generation = m.generation and r.fire_at = m.fire_at
    returning r.trigger_id, r.generation, ${MS('r.fire_at')} as fire_at, r.attempt, ${MS('r.late_from')} as late_from,
              r.next_planned, m.job_id, m.definition`.execute(db);
  return rows.map((row) => ({
    triggerId: row.trigger_id,
    generation: row.generation,
    fireAt: Math.round(row.fire_at),
    attempt: row.attempt,
    lateFrom: row.late_from,
    nextPlanned: row.next_planned,
    jobId: row.job_id!,
    definition: row.definition,
  }));
}

/** Lets the next firing of a concurrent schedule wait while this run goes on. */
export async function planNext(db: Db, holder: Holder, run: RunKey, next: number): Promise<void> {
  await sql`
    with marked as (
      update scheduler_run set next_planned = true
      where trigger_id = ${run.triggerId} and generation = ${run.generation} and fire_at = ${new Date(run.fireAt)}
        and node_id = ${holder.nodeId} and node_epoch = ${holder.epoch} and not next_planned
      returning trigger_id, generation
    )
    insert into scheduler_due (due_at, fire_at, trigger_id, generation)
    select greatest(${new Date(next)}::timestamptz, clock_timestamp()), ${new Date(next)}, trigger_id, generation
    from marked
    on conflict do nothing`.execute(db);
}

export type Outcome = 'fired' | 'late' | 'misfired' | 'skipped' | 'recovered' | 'lost' | 'manual';

/** What the ledger keeps of a run. */
export interface LedgerEntry {
  readonly jobId: string;
  readonly node: string;
  readonly outcome: Outcome;
  /** Epoch ms. */
  readonly plannedAt: number;
  readonly startedAt: number | null;
  readonly lateMs: number;
  readonly error: JsonObject | null;
  readonly log: JsonValue;
  readonly why: string | null;
}

/**
 * Ends a run: its row goes, the next firing waits, the ledger has its entries. Meant to stand in the transaction of
 * the run's effects.
 *
 * @returns false when the run is no longer this holder's; then the transaction must be rolled back
 */
export async function completeRun(
  db: Db,
  holder: Holder,
  run: Run,
  next: number | null,
  entries: readonly LedgerEntry[],
): Promise<boolean> {
  const nextAt = next === null ? null : new Date(next);
  const { rows } = await sql<{ done: number }>`
    with done as (
      delete from scheduler_run
      where trigger_id = ${run.triggerId} and generation = ${run.generation} and fire_at = ${new Date(run.fireAt)}
        and attempt = ${run.attempt} and node_id = ${holder.nodeId} and node_epoch = ${holder.epoch}
      returning trigger_id, generation, fire_at, attempt, next_planned, claimed_at
    ), next as (
      insert into scheduler_due (due_at, fire_at, trigger_id, generation)
      select greatest(${nextAt}::timestamptz, clock_timestamp()), ${nextAt}, done.trigger_id, done.generation
      from done join scheduler_job j using (trigger_id, generation)
      where not done.next_planned and ${nextAt}::timestamptz is not null
      on conflict do nothing
    ), finished as (
      delete from scheduler_job j using done
      where j.trigger_id = done.trigger_id and j.generation = done.generation and j.source = 'rest'
        and not done.next_planned and ${nextAt}::timestamptz is null
        and not exists (select 1 from scheduler_run r where r.trigger_id = j.trigger_id
                        and (r.generation, r.fire_at) is distinct from (done.generation, done.fire_at))
    ), ledger as (
      insert into scheduler_firing (planned_at, trigger_id, generation, job_id, outcome, node, attempt, claimed_at,
                                    started_at, late_ms, error, log, why)
      select e."plannedAt", done.trigger_id, done.generation, e."jobId", e.outcome, e.node, done.attempt, done.claimed_at,
             e."startedAt", e."lateMs", e.error, e.log, e.why
      from done, jsonb_to_recordset(${JSON.stringify(entries.map(toRow))}::jsonb) as e(
        "plannedAt" timestamptz, "jobId" text, outcome text, node text, "startedAt" timestamptz, "lateMs" float8,
        error jsonb, log jsonb, why text)
      on conflict do nothing
    )
    select count(*)::int as done from done`.execute(db);
  return rows[0]!.done === 1;
}

function toRow(entry: LedgerEntry): JsonObject {
  return {
    ...entry,
    plannedAt: new Date(entry.plannedAt).toISOString(),
    startedAt: entry.startedAt === null ? null : new Date(entry.startedAt).toISOString(),
  };
}

/**
 * Gives back what a life of a node had claimed and not started (misfire counts from now) or had started (it was
 * rolled back, so it runs again); a run that took down too many nodes is parked instead.
 *
 * @param only releases just this run, whose script thread died
 */
export async function releaseRuns(
  db: Db,
  nodeId: number,
  epoch: number,
  by: string,
  only?: RunKey,
): Promise<{ released: number; parked: { jobId: string; attempts: number }[] }> {
  const { rows } = await sql<{ job_id: string; attempt: number; parked: boolean }>`
    with gone as (
      delete from scheduler_run
      where node_id = ${nodeId} and node_epoch <= ${epoch} ${only === undefined ? sql`` : isRun(only)}
      returning *, case when started_at is null then attempt else attempt + 1 end as next_attempt
    ), due as (
      insert into scheduler_due (due_at, fire_at, trigger_id, generation, attempt, late_from, next_planned)
      select clock_timestamp(), g.fire_at, g.trigger_id, g.generation, g.next_attempt,
             greatest(clock_timestamp(), g.fire_at), g.next_planned
      from gone g join scheduler_job j using (trigger_id, generation)
      where g.next_attempt <= ${MAX_ATTEMPTS}
      on conflict do nothing
    ), parked as (
      update scheduler_job j
      set parked = jsonb_build_object('plannedAt', g.fire_at, 'attempts', g.attempt, 'parkedBy', ${by}::text,
                                      'reason', 'its run brought down a node each time it was tried')
      from gone g
      where j.trigger_id = g.trigger_id and j.generation = g.generation and g.next_attempt > ${MAX_ATTEMPTS}
      returning j.id, j.trigger_id, j.generation
    ), ledger as (
      insert into scheduler_firing
        (planned_at, trigger_id, generation, job_id, outcome, node, attempt, claimed_at, started_at, why)
      select g.fire_at, g.trigger_id, g.generation, p.id, 'lost', ${by}, g.attempt, g.claimed_at, g.started_at,
             'parked: its run brought down a node ' || g.attempt || ' times'
      from gone g join parked p using (trigger_id, generation)
      on conflict do nothing
    )
    select coalesce(j.id, '') as job_id, g.attempt, g.next_attempt > ${MAX_ATTEMPTS} as parked
    from gone g left join scheduler_job j using (trigger_id)`.execute(db);
  return {
    released: rows.filter((row) => !row.parked).length,
    parked: rows.filter((row) => row.parked).map((row) => ({ jobId: row.job_id, attempts: row.attempt })),
  };
}

function isRun(key: RunKey) {
  return sql`and trigger_id = ${key.triggerId} and generation = ${key.generation}
             and fire_at = ${new Date(key.fireAt)}`;
}

/** Claims of lives that are over: a node that was fenced while its claim was on the way leaves such rows. */
export async function listOrphanedLives(db: Db): Promise<Holder[]> {
  const { rows } = await sql<Holder>`
    select r.node_id as "nodeId", max(r.node_epoch) as epoch
    from scheduler_run r join cluster_node n on n.id = r.node_id
    where r.node_epoch < n.epoch or n.state = 'down'
    group by r.node_id`.execute(db);
  return rows;
}

/** Hands back what this life of the node has claimed and not started, so that others need not wait for a take-over. */
export async function handBack(db: Db, holder: Holder): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with gone as (
      delete from scheduler_run
      where node_id = ${holder.nodeId} and node_epoch = ${holder.epoch} and started_at is null
      returning *
    ), due as (
      insert into scheduler_due (due_at, fire_at, trigger_id, generation, attempt, late_from, next_planned)
      select greatest(g.fire_at, clock_timestamp()), g.fire_at, g.trigger_id, g.generation, g.attempt, g.late_from,
             g.next_planned
      from gone g join scheduler_job using (trigger_id, generation)
      on conflict do nothing
    )
    select count(*)::int as count from gone`.execute(db);
  return rows[0]!.count;
}
