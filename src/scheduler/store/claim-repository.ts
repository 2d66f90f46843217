import { type RawBuilder, sql } from 'kysely';
import { type Db, numbers, texts } from '#database/index.ts';
import { type Holder, isAlive, ownedBy, SUSPECT_FROM } from '#work/index.ts';
import type { Run, StartedRun } from '../run/run.ts';
import { readDefinition } from '../schedule/schedule.ts';
import { DO_NOTHING, type OnConflict } from './rare-conflict-repository.ts';
import { ANEW, IS_TRANSACTIONAL, MS, type RunRow, SLOT, toRun } from './run-row-repository.ts';
import { PASS_GATE, throughGate } from './start-gate-repository.ts';

/** A run that found the slot of its schedule taken asks again after so long. */
const BLOCKED_RETRY_MS = 250;

/** How much is claimed of one kind. */
export interface Share {
  readonly limit: number;
  /** Epoch ms; nothing claimable lies before it, apart from what a sweep finds. */
  readonly watermark: number;
  /** Up to so many of those whose time has come are started with the claim. Default none. */
  readonly startLimit?: number;
}

export const NOTHING: Share = { limit: 0, watermark: 0 };

/** The share is of what any node may claim. */
export interface ClaimOptions extends Share {
  readonly holder: Holder;
  /** The share of what the holder has in memory. Default none. */
  readonly own?: Share;
  /** How far ahead of their time firings are claimed. */
  readonly lookAheadMs: number;
  /** The most runs that are claimed for these services, by their `invokeService`. */
  readonly serviceRoom?: ReadonlyMap<string, number>;
  /** What becomes of a firing whose slot is taken. Default: it goes back to wait. */
  readonly onConflict?: OnConflict;
}

export interface ClaimedRun extends Run {
  readonly dueAt: number;
  readonly priority: number;
  /** What is known of the run, where it was started. */
  readonly started?: StartedRun;
  /** What it invokes, where there is a limit for it. */
  readonly limitedService?: string;
}

export interface Claim {
  readonly runs: readonly ClaimedRun[];
  /** When the earliest firing that still waits may be claimed, epoch ms; not looked for after a full share, nor while nothing may be claimed. */
  readonly nextDueAt: number | null;
  /** The same of what the holder has in memory. */
  readonly ownNextDueAt: number | null;
}

/** What waits; by name, because a statement that answers whatever there is would not be prepared. */
const DUE_BUT_SLOT = sql.raw(
  `due_at, fire_at, trigger_id, generation, attempt, late_from, next_planned, priority, concurrent, concurrency_key,
   kind, cause, owner_id, owner_epoch`,
);
const DUE = sql`${DUE_BUT_SLOT}, slot`;

/** What a node may claim: what any node may, and what this life of its has in memory. Each kind has an index of its own. */
interface Kind {
  /** The name of the expression that finds its candidates. */
  readonly name: RawBuilder<unknown>;
  /** The condition on rows of `scheduler_due`. */
  readonly where: RawBuilder<unknown>;
  readonly from: RawBuilder<unknown>;
  readonly limit: number;
  readonly startLimit: number;
}

/**
 * Claims what is due: one statement. Rows locked by other claimers are skipped, a paused cluster and a node that
 * was fenced out claim nothing; what others have in memory is not even looked at, nor a kind of which there is no
 * share. What is due and finds a seat is started with it, unless it is a suspect or must not be forgotten. The lower bound keeps the scan from
 * walking the dead index entries of earlier claims, which a long transaction elsewhere would keep from being cleaned up.
 * The limit is a subquery, because a planner that knows it may prefer to sort all that is due. A firing whose schedule
 * runs already and may not run twice finds its slot taken and goes back to wait.
 */
export async function claimDue(db: Db, options: ClaimOptions): Promise<Claim> {
  const { holder, lookAheadMs, own = NOTHING, serviceRoom, onConflict = DO_NOTHING } = options;
  // Stable, so that the scan of the index ends there: with `clock_timestamp()` it would read all that waits.
  const until = sql`statement_timestamp() + ${lookAheadMs}::float8 * interval '1 millisecond'`;
  const shared: Kind = { name: sql`shared`, where: sql`owner_id is null`, ...kindOf(options) };
  const owned: Kind = { name: sql`owned`, where: ownedBy(holder), ...kindOf(own) };
  const kinds = [shared, owned].filter(({ limit }) => limit > 0);
  const [first, second] = kinds;
  if (first === undefined) return { runs: [], nextDueAt: null, ownNextDueAt: null };
  const candidates = ({ name, where, from, limit }: Kind) => sql`
    ${name} as (
      select ctid from scheduler_due
      where ${where} and due_at <= ${until} and due_at >= ${from}
        ${serviceRoom === undefined ? sql`` : sql`and ctid = any(array(select ctid from roomy))`}
        and (select passed from gate)
      order by due_at, priority desc
      limit (select ${limit}::int)
      for update skip locked
    )`;
  const place = sql`row_number() over (${second === undefined ? sql`` : sql`partition by owner_id`}
                                        order by due_at, priority desc)`;
  const startLimit =
    second === undefined
      ? sql`${first.startLimit}::int`
      : sql`case when d.owner_id is null then ${shared.startLimit}::int else ${owned.startLimit}::int end`;
  const nextDue = (kind: Kind) => {
    const { name, where, from, limit } = kind;
    if (!kinds.includes(kind)) return sql`null::float8`;
    return sql`
           case when (select passed from gate) and (select count(*) from ${name}) < ${limit}::int then (
             select ${MS('due_at')} from scheduler_due
             where ${where} and due_at >= ${from} and due_at < 'infinity'
             order by due_at, priority desc offset (select count(*) from ${name}) limit 1) end`;
  };
  const claim = sql<ClaimedRow>`${ANEW}
    with gate as materialized (
      select ${PASS_GATE} and not (select paused from scheduler_setting) and ${isAlive(holder)} as passed
    ), ${serviceRoom === undefined ? sql`` : withinServiceRoom(serviceRoom, kinds, until)}
    ${sql.join(kinds.map(candidates))}, due as (
      delete from scheduler_due where ctid = any(array(
        ${sql.join(
          kinds.map(({ name }) => sql`select ctid from ${name}`),
          sql` union all `,
        )}))
      returning ${DUE}
    ), judged as (
      select ${DUE_BUT_SLOT}, ${SLOT} as slot, j.id as job_id, j.definition
      from (select ${DUE}, ${place} as place from due) d
      left join lateral (
        select id, definition from scheduler_job
        where trigger_id = d.trigger_id and generation = d.generation
          and d.place <= ${startLimit}
          and d.fire_at <= clock_timestamp()
          and (parked is null or d.kind = 'manual') and not (paused and d.kind = 'planned') and ${IS_TRANSACTIONAL}
          and coalesce((d.cause->>'suspected')::int, 0) < ${sql.lit(SUSPECT_FROM)}
        limit 1) j on true
    ), run as (
      insert into scheduler_run (trigger_id, generation, fire_at, attempt, late_from, next_planned, kind, cause,
                                 concurrency_key, node_id, node_epoch, slot, started_at)
      select trigger_id, generation, fire_at, attempt, late_from, next_planned, kind, cause,
             concurrency_key, ${holder.nodeId}, ${holder.epoch}, slot, case when job_id is not null then clock_timestamp() end
      from judged where slot is not null
      ${onConflict}
      returning lap, trigger_id, generation, fire_at, concurrency_key
    ), blocked as (
      insert into scheduler_due (due_at, fire_at, trigger_id, generation, attempt, late_from, next_planned, priority,
                                 concurrent, concurrency_key, kind, slot, owner_id, owner_epoch, cause)
      select clock_timestamp() + interval '${sql.raw(String(BLOCKED_RETRY_MS))} milliseconds', d.fire_at, d.trigger_id,
             d.generation, d.attempt, d.late_from, d.next_planned, d.priority, d.concurrent, d.concurrency_key, d.kind,
             d.slot, d.owner_id, d.owner_epoch,
             coalesce(nullif(d.cause, asked.cause), (select jsonb_build_object('kind', 'blocked', 'by', o.fire_at, 'node', n.name, 'until', null)
                                  || case when o.trigger_id <> d.trigger_id then jsonb_build_object('schedule', (
                                       select id from scheduler_job where trigger_id = o.trigger_id)) else '{}' end
                                  || case when asked.cause ? 'transaction'
                                       then jsonb_build_object('transaction', asked.cause->'transaction') else '{}' end
                                from (select lap, trigger_id, fire_at, concurrency_key, ${holder.nodeId}::int as node_id from run
                                      union all
                                      select lap, trigger_id, fire_at, concurrency_key, node_id from scheduler_run) o
                                join cluster_node n on n.id = o.node_id
                                where o.lap = any(scheduler_laps()) and o.trigger_id = d.trigger_id
                                   or o.concurrency_key = d.concurrency_key limit 1), d.cause)
      from due d
      cross join lateral (select case when d.cause->>'kind' = 'requested' then d.cause end as cause) asked
      where not exists (select 1 from run r where r.trigger_id = d.trigger_id
                                   and r.generation = d.generation and r.fire_at = d.fire_at)
    )
    select d.trigger_id, d.generation, ${MS('d.fire_at')} as fire_at, ${MS('d.due_at')} as due_at, d.attempt,
           ${MS('d.late_from')} as late_from, d.next_planned, d.kind, d.cause, d.slot, d.priority, d.owner_id is not null as own, d.job_id,
           d.definition::text as definition, ${limitedService(serviceRoom)} as service,
           null::float8 as next_due, null::float8 as next_own
    from judged d join run r using (trigger_id, generation, fire_at)
    union all
    select null, 0, 0, 0, 0, null, false, null, null, 0, 0, false, null, null, null,
           ${nextDue(shared)}, ${nextDue(owned)}`;
  const { rows } = await throughGate(() => claim.execute(db));
  const next = rows.find((row) => row.trigger_id === null);
  const runs = rows.filter((row) => row !== next).map(toClaimedRun);
  // Neither a delete nor a join keeps the order of the scan.
  runs.sort((left, right) => left.dueAt - right.dueAt || right.priority - left.priority);
  return { runs, nextDueAt: next?.next_due ?? null, ownNextDueAt: next?.next_own ?? null };
}

/** One row has no run: it tells when the next are due. */
interface ClaimedRow extends RunRow {
  readonly due_at: number;
  readonly priority: number;
  readonly next_due: number | null;
  readonly next_own: number | null;
  readonly job_id: string | null;
  readonly definition: string | null;
  readonly service: string | null;
}

function toClaimedRun(row: ClaimedRow): ClaimedRun {
  const run = toRun(row);
  const started =
    row.job_id !== null && row.definition !== null
      ? { ...run, jobId: row.job_id, definition: readDefinition(row.definition) }
      : undefined;
  return {
    ...run,
    dueAt: row.due_at,
    priority: row.priority,
    ...(row.service === null ? {} : { limitedService: row.service }),
    ...(started === undefined ? {} : { started }),
  };
}

function kindOf({ limit, watermark, startLimit = 0 }: Share) {
  return { limit, startLimit, from: sql`to_timestamp(${watermark}::float8 / 1000)` };
}

/** What is due, without that for which its service has no room. Whatever is due is looked at, so only where limits are. */
function withinServiceRoom(
  room: ReadonlyMap<string, number>,
  kinds: readonly Kind[],
  until: RawBuilder<unknown>,
) {
  const entries = [...room];
  const isDue = kinds.map(({ where, from }) => sql`(${where} and due_at <= ${until} and due_at >= ${from})`);
  return sql`room as (
      select service, free from unnest(
        ${texts(entries, 'text', ([service]) => service)}, ${numbers(entries, 'int', ([, free]) => free)}
      ) as r(service, free)
    ), roomy as (
      select ctid from (
        select d.ctid, r.free,
               row_number() over (partition by r.service order by d.due_at, d.priority desc) as place
        from (select ctid, * from scheduler_due where ${sql.join(isDue, sql` or `)}) d
        join scheduler_job j using (trigger_id, generation)
        left join room r on r.service = j.definition->>'invokeService') d
      where free is null or place <= free
    ),`;
}

function limitedService(room: ReadonlyMap<string, number> | undefined) {
  return room === undefined
    ? sql`null`
    : sql`(select r.service from room r join scheduler_job j on r.service = j.definition->>'invokeService'
           where j.trigger_id = d.trigger_id)`;
}
