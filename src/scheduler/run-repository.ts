import { type RawBuilder, sql } from 'kysely';
import { type Db, isConnectionLost, PLANNED_ANEW } from '#database/index.ts';
import {
  type Cause,
  type Completion,
  formatRunKey,
  type Holder,
  type LedgerEntry,
  type Run,
  type RunKey,
  type RunKind,
  type StartedRun,
} from './run.ts';
import { NORMAL_PRIORITY, readDefinition } from './schedule.ts';

/**
 * These tables swell and empty within seconds, and a plan that was made when they were empty walks through all of them
 * for each row. What begins so is planned anew each time, which takes longer than to run it for one firing, unless its
 * session keeps plans: that has no nested loops but laterals, so whatever is looked up by key must be a lateral here.
 */
const ANEW = sql.raw(PLANNED_ANEW);

/** A run that found the slot of its schedule taken asks again after so long. */
const BLOCKED_RETRY_MS = 250;

const MS = (column: string) => sql.raw(`(extract(epoch from ${column}) * 1000)::float8`);

export interface ClaimOptions {
  readonly holder: Holder;
  readonly limit: number;
  /** How far ahead of their time firings are claimed. */
  readonly lookAheadMs: number;
  /** Epoch ms; nothing claimable lies before it, apart from what a sweep finds. */
  readonly watermark: number;
  /** Up to so many of those whose time has come are started with the claim. Default none; a store may start none. */
  readonly startLimit?: number;
  /** Of these services, by their `invokeService`, no more than so many are claimed. */
  readonly serviceRoom?: ReadonlyMap<string, number>;
}

export interface Claim {
  readonly runs: readonly (Run & {
    readonly dueAt: number;
    /** Only of a run that was started: by its name and definition it can be run right away. */
    readonly started?: Pick<StartedRun, 'jobId' | 'definition'>;
    /** What it invokes, where there is a limit for it. */
    readonly limitedService?: string;
  })[];
  /** When the earliest firing that still waits may be claimed, epoch ms; not looked for after a full batch. */
  readonly nextDueAt: number | null;
}

interface RunRow {
  readonly trigger_id: number;
  readonly generation: number;
  readonly fire_at: number;
  readonly attempt: number;
  readonly late_from: number | null;
  readonly next_planned: boolean;
  readonly kind: RunKind;
  readonly cause: Cause | null;
}

/** What waits; by name, because a statement that answers whatever there is would not be prepared. */
const DUE = sql.raw(
  `due_at, fire_at, trigger_id, generation, attempt, late_from, next_planned, priority, concurrent, concurrency_key,
   kind, cause`,
);

/** What tells the runs of a schedule apart: one with concurrent execution has a slot for each of its runs. */
const SLOT = sql.raw('floor(extract(epoch from fire_at) * 1000)::bigint * 1024 + generation % 1024');

/** The same where the planned time comes as epoch ms. */
const SLOT_OF_MS = sql.raw('fire_ms::bigint * 1024 + generation % 1024');

/**
 * Lets this transaction commit without waiting for the disk, unless it starts a run outside a unit of work. When the
 * database crashes, the mark that a run was claimed or started may be lost, but only together with all that came
 * after it: its effects and its completion. Such a run simply is due again; one that leaves effects elsewhere must
 * not be, so its mark is waited for.
 */
const relaxCommit = (started: RawBuilder<unknown>) => sql`(case
  when exists (select 1 from ${started} where (definition->>'transactional')::boolean is false)
  then current_setting('synchronous_commit') else set_config('synchronous_commit', 'off', true) end)`;

/**
 * Claims what is due: one statement. Rows locked by other claimers are skipped, a paused cluster and a node that
 * was fenced out claim nothing. What is due and finds a slot is started with it. The lower bound keeps the scan from walking the dead index entries of earlier
 * claims, which a long transaction elsewhere would keep from being cleaned up. The limit is a subquery, because
 * a planner that knows it may prefer to sort all that is due. A firing whose schedule runs already and may not run
 * twice finds its slot taken and goes back to wait.
 */
export async function claimDue(db: Db, options: ClaimOptions): Promise<Claim> {
  const { holder, limit, lookAheadMs, watermark, startLimit = 0, serviceRoom } = options;
  // Stable, so that the scan of the index ends there: with `clock_timestamp()` it would read all that waits.
  const until = sql`statement_timestamp() + ${lookAheadMs}::float8 * interval '1 millisecond'`;
  const from = sql`to_timestamp(${watermark}::float8 / 1000)`;
  const { rows } = await sql<
    Omit<RunRow, 'trigger_id'> & {
      trigger_id: number | null;
      due_at: number;
      priority: number;
      next_due: number | null;
      job_id: string | null;
      definition: string | null;
      service: string | null;
    }
  >`${ANEW}
    with ${serviceRoom === undefined ? sql`` : withinServiceRoom(serviceRoom, from, until)}
    candidates as (
      select ctid from scheduler_due
      where due_at <= ${until} and due_at >= ${from}
        ${serviceRoom === undefined ? sql`` : sql`and ctid = any(array(select ctid from roomy))`}
        and not (select paused from scheduler_setting)
        and exists (select 1 from cluster_node
                    where id = ${holder.nodeId} and epoch = ${holder.epoch} and state = 'running')
      order by due_at, priority desc
      limit (select ${limit}::int)
      for update skip locked
    ), due as (
      delete from scheduler_due where ctid = any(array(select ctid from candidates))
      returning ${DUE}
    ), judged as (
      select ${DUE}, j.id as job_id, j.definition
      from (select ${DUE}, row_number() over (order by due_at, priority desc) as place from due) d
      left join lateral (
        select id, definition from scheduler_job
        where trigger_id = d.trigger_id and generation = d.generation
          and d.place <= ${startLimit}::int and d.fire_at <= clock_timestamp()
          and (parked is null or d.kind = 'manual') and not (paused and d.kind = 'planned')
        limit 1) j on true
    ), run as (
      insert into scheduler_run (trigger_id, generation, fire_at, attempt, late_from, next_planned, kind, cause,
                                 concurrency_key, node_id, node_epoch, slot, started_at)
      select trigger_id, generation, fire_at, attempt, late_from, next_planned, kind, cause,
             concurrency_key, ${holder.nodeId}, ${holder.epoch},
             case when concurrent then ${SLOT} else 0 end, case when job_id is not null then clock_timestamp() end
      from judged
      on conflict do nothing
      returning trigger_id, generation, fire_at, concurrency_key
    ), blocked as (
      insert into scheduler_due (due_at, fire_at, trigger_id, generation, attempt, late_from, next_planned, priority,
                                 concurrent, concurrency_key, kind, cause)
      select clock_timestamp() + interval '${sql.raw(String(BLOCKED_RETRY_MS))} milliseconds', d.fire_at, d.trigger_id,
             d.generation, d.attempt, d.late_from, d.next_planned, d.priority, d.concurrent, d.concurrency_key, d.kind,
             coalesce(nullif(d.cause, asked.cause), (select jsonb_build_object('kind', 'blocked', 'by', o.fire_at, 'node', n.name, 'until', null)
                                  || case when o.trigger_id <> d.trigger_id then jsonb_build_object('schedule', (
                                       select id from scheduler_job where trigger_id = o.trigger_id)) else '{}' end
                                  || case when asked.cause ? 'transaction'
                                       then jsonb_build_object('transaction', asked.cause->'transaction') else '{}' end
                                from (select trigger_id, fire_at, concurrency_key, ${holder.nodeId}::int as node_id from run
                                      union all
                                      select trigger_id, fire_at, concurrency_key, node_id from scheduler_run) o
                                join cluster_node n on n.id = o.node_id
                                where o.trigger_id = d.trigger_id or o.concurrency_key = d.concurrency_key limit 1), d.cause)
      from due d
      cross join lateral (select case when d.cause->>'kind' = 'requested' then d.cause end as cause) asked
      where not exists (select 1 from run r where r.trigger_id = d.trigger_id
                                   and r.generation = d.generation and r.fire_at = d.fire_at)
    )
    select d.trigger_id, d.generation, ${MS('d.fire_at')} as fire_at, ${MS('d.due_at')} as due_at, d.attempt,
           ${MS('d.late_from')} as late_from, d.next_planned, d.kind, d.cause, d.priority, d.job_id,
           d.definition::text as definition, ${limitedService(serviceRoom)} as service,
           null::float8 as next_due
    from judged d join run r using (trigger_id, generation, fire_at)
    union all
    select null, 0, 0, 0, 0, null, false, ${relaxCommit(sql`judged`)}, null, 0, null, null, null,
           case when (select count(*) from candidates) < ${limit}::int then (
             select ${MS('due_at')} from scheduler_due
             where due_at >= ${from} and due_at < 'infinity'
             order by due_at, priority desc offset (select count(*) from candidates) limit 1) end`.execute(
    db,
  );
  const runs = rows.flatMap(({ trigger_id, job_id, definition, service, ...row }) =>
    trigger_id === null
      ? []
      : {
          ...toRun({ ...row, trigger_id }),
          dueAt: row.due_at,
          priority: row.priority,
          ...(service === null ? {} : { limitedService: service }),
          ...(job_id === null || definition === null
            ? {}
            : { started: { jobId: job_id, definition: readDefinition(definition) } }),
        },
  );
  // Neither a delete nor a join keeps the order of the scan.
  runs.sort((left, right) => left.dueAt - right.dueAt || right.priority - left.priority);
  return { runs, nextDueAt: rows.find((row) => row.trigger_id === null)?.next_due ?? null };
}

/** What is due, without that for which its service has no room. Whatever is due is looked at, so only where limits are. */
function withinServiceRoom(
  room: ReadonlyMap<string, number>,
  from: RawBuilder<unknown>,
  until: RawBuilder<unknown>,
) {
  const entries = [...room];
  return sql`room as (
      select service, free from unnest(
        ${texts(entries, 'text', ([service]) => service)}, ${numbers(entries, 'int', ([, free]) => free)}
      ) as r(service, free)
    ), roomy as (
      select ctid from (
        select d.ctid, r.free,
               row_number() over (partition by r.service order by d.due_at, d.priority desc) as place
        from scheduler_due d join scheduler_job j using (trigger_id, generation)
        left join room r on r.service = j.definition->>'invokeService'
        where d.due_at <= ${until} and d.due_at >= ${from}) d
      where free is null or place <= free
    ),`;
}

function limitedService(room: ReadonlyMap<string, number> | undefined) {
  return room === undefined
    ? sql`null`
    : sql`(select r.service from room r join scheduler_job j on r.service = j.definition->>'invokeService'
           where j.trigger_id = d.trigger_id)`;
}

/**
 * The run of the key `k`, if its row fulfils the condition. Always looked up by its primary key: these tables swell
 * and empty faster than they are analysed, and a join that trusts their statistics compares each key with each run.
 * The sum and the offset keep the planner from any other way. Nothing is locked, because a run never changes its
 * holder: whoever takes it over deletes its row. It is changed by its place in the table, which leaves the planner no
 * way but one: where a held snapshot keeps what was deleted, it believes a full table to be empty.
 */
const ownRun = (holder: Holder, condition: RawBuilder<unknown>) => sql`lateral (
        select r.ctid, r.trigger_id, r.generation, r.fire_at, r.kind from scheduler_run r
        where r.trigger_id = k.trigger_id and r.slot = any(array[0, k.slot])
          and r.generation = k.generation and r.fire_at = k.fire_at
          and r.node_id + 0 = ${holder.nodeId} and r.node_epoch = ${holder.epoch} and ${condition}
        offset 0)`;

/** The schedule of the run `r`, looked up by key like the run; null when it has been edited or is gone. */
const schedule = (of: string) => sql`lateral (
        select j.id, j.definition, j.parked, j.paused from scheduler_job j
        where j.trigger_id = ${sql.ref(`${of}.trigger_id`)} and j.generation = ${sql.ref(`${of}.generation`)} limit 1)`;

/**
 * Marks claimed runs as started and returns those that may start: still ours, and of the schedule as it is now.
 * A run of an edited, deleted or parked schedule is dropped here, one of a paused schedule waits again.
 */
export async function startRuns(db: Db, holder: Holder, keys: readonly RunKey[]): Promise<StartedRun[]> {
  const { rows } = await sql<RunRow & { job_id: string; definition: string }>`${ANEW}
    with key as (
      select trigger_id, generation, ${at('fire_ms')} as fire_at, ${SLOT_OF_MS} as slot
      from unnest(
        ${numbers(keys, 'bigint', ({ triggerId }) => triggerId)},
        ${numbers(keys, 'int', ({ generation }) => generation)},
        ${numbers(keys, 'float8', ({ fireAt }) => fireAt)}
      ) as k(trigger_id, generation, fire_ms)
    ), mine as (
      select r.ctid as at, r.trigger_id, r.generation, r.fire_at, j.id as job_id, j.definition,
             case when j.id is null or (j.parked is not null and r.kind <> 'manual') then 'dropped'
                  when j.paused and r.kind = 'planned' then 'paused' else 'started' end as fate
      from key k cross join ${ownRun(holder, sql`true`)} r left join ${schedule('r')} j on true
    ), gone as (
      delete from scheduler_run where ctid = any(array(select at from mine where fate <> 'started'))
      returning fire_at, trigger_id, generation, attempt, late_from, next_planned, cause
    ), waiting as (
      insert into scheduler_due (due_at, fire_at, trigger_id, generation, attempt, late_from, next_planned, priority,
                                 concurrent, concurrency_key, cause)
      select 'infinity', fire_at, trigger_id, generation, attempt, late_from, next_planned,
             ${competition(sql`definition`)}, cause
      from gone join mine using (trigger_id, generation, fire_at) where fate = 'paused'
      on conflict do nothing
    ), started as (
      update scheduler_run set started_at = clock_timestamp()
      where ctid = any(array(select at from mine where fate = 'started'))
      returning trigger_id, generation, fire_at, attempt, late_from, next_planned, kind, cause
    )
    select trigger_id, generation, ${MS('fire_at')} as fire_at, s.attempt, ${MS('s.late_from')} as late_from,
           s.next_planned, s.kind, s.cause, m.job_id, m.definition::text as definition
    from started s join mine m using (trigger_id, generation, fire_at)
    cross join (select ${relaxCommit(sql`mine`)} as how) durability`.execute(db);
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
      where trigger_id = ${run.triggerId} and generation = ${run.generation} and fire_at = ${new Date(run.fireAt)}
        and node_id = ${holder.nodeId} and node_epoch = ${holder.epoch} and not next_planned
      returning trigger_id, generation, attempt, claimed_at
    ), ledger as (
      insert into scheduler_firing (${LEDGER})
      select ${LEDGER_ENTRY('marked')} from marked cross join ${ledgerEntries(passed.map((entry) => ({ ...entry, n: 1 })))}
      on conflict do nothing
    )
    insert into scheduler_due (due_at, fire_at, trigger_id, generation, ${COMPETITION})
    select case when j.paused then 'infinity' else greatest(${new Date(next)}::timestamptz, clock_timestamp()) end,
           ${new Date(next)}, trigger_id, generation, ${competition(sql`j.definition`)}
    from marked cross join ${schedule('marked')} j
    on conflict do nothing`.execute(db);
}

/** Ends one run; see `completeRuns`. Meant to stand in the transaction of the run's effects. */
export async function completeRun(
  db: Db,
  holder: Holder,
  run: Completion['run'],
  next: number | null,
  entries: readonly LedgerEntry[],
): Promise<boolean> {
  return (await completeRuns(db, holder, [{ run, next, entries }])).has(formatRunKey(run));
}

/**
 * Ends runs: their rows go, the next firings wait, the ledger has their entries; a schedule of the REST interface
 * whose last run this was goes with it. One statement, however many they are.
 *
 * @returns the keys of those that were this holder's. A transaction with effects of any other must be rolled back
 */
export async function completeRuns(
  db: Db,
  holder: Holder,
  completions: readonly Completion[],
): Promise<Set<string>> {
  const entries = completions.flatMap((completion, n) =>
    completion.entries.map((entry) => ({ ...entry, n: n + 1 })),
  );
  const { rows } = await sql<{ n: number }>`${ANEW}
    with item as (
      select trigger_id, generation, attempt, ${COMPETITION}, n,
             ${at('fire_ms')} as fire_at, ${at('next_ms')} as next_at, ${SLOT_OF_MS} as slot
      from unnest(
        ${numbers(completions, 'bigint', ({ run }) => run.triggerId)},
        ${numbers(completions, 'int', ({ run }) => run.generation)},
        ${numbers(completions, 'float8', ({ run }) => run.fireAt)},
        ${numbers(completions, 'int', ({ run }) => run.attempt)},
        ${numbers(completions, 'float8', ({ next }) => next)},
        ${numbers(completions, 'int', ({ run }) => run.definition?.priority ?? NORMAL_PRIORITY)},
        ${numbers(completions, 'boolean', ({ run }) => run.definition?.concurrentExecution ?? false)},
        ${texts(completions, 'text', ({ run }) => run.definition?.concurrencyKey ?? null)}
      ) with ordinality as i(trigger_id, generation, fire_ms, attempt, next_ms, ${COMPETITION}, n)
    ), mine as (
      select r.ctid as at, r.trigger_id, r.generation, r.fire_at, k.next_at, k.priority, k.concurrent, k.concurrency_key,
             k.n
      from item k cross join ${ownRun(holder, sql`r.attempt = k.attempt`)} r
    ), gone as (
      delete from scheduler_run where ctid = any(array(select at from mine))
      returning trigger_id, generation, fire_at, attempt, next_planned, claimed_at
    ), done as (
      select trigger_id, generation, fire_at, g.attempt, g.next_planned, g.claimed_at, m.next_at, m.priority,
             m.concurrent, m.concurrency_key, m.n
      from gone g join mine m using (trigger_id, generation, fire_at)
    ), next as (
      insert into scheduler_due (due_at, fire_at, trigger_id, generation, ${COMPETITION}, cause)
      select case when j.paused then 'infinity' else greatest(d.next_at, clock_timestamp()) end, d.next_at,
             d.trigger_id, d.generation, d.priority, d.concurrent, d.concurrency_key,
             case when d.next_at < clock_timestamp() then jsonb_build_object(
               'kind', 'blocked', 'by', d.fire_at, 'until', clock_timestamp(),
               'node', (select name from cluster_node where id = ${holder.nodeId})) end
      from done d cross join ${schedule('d')} j
      where not d.next_planned and d.next_at is not null
      on conflict do nothing
    ), finished as (
      delete from scheduler_job where ctid = any(array(
        select f.ctid from done d cross join lateral (
          select j.ctid from scheduler_job j
          where j.trigger_id = d.trigger_id and j.generation = d.generation
            and ${isFinished(sql`select 1 from done o where o.trigger_id = r.trigger_id and o.generation = r.generation
                                 and o.fire_at = r.fire_at`)}
            and not exists (select 1 from done o where o.trigger_id = j.trigger_id
                            and not o.next_planned and o.next_at is not null)
          limit 1) f
        where d.next_planned or d.next_at is null))
    ), ledger as (
      insert into scheduler_firing (${LEDGER})
      select ${LEDGER_ENTRY('d')} from done d join ${ledgerEntries(entries)} on e.n = d.n
      on conflict do nothing
    )
    select n from done`.execute(db);
  return new Set(rows.map(({ n }) => formatRunKey(completions[n - 1]!.run)));
}

const LEDGER = sql.raw(
  `planned_at, trigger_id, generation, job_id, outcome, node, attempt, claimed_at, started_at, late_ms, error, log, why`,
);

/** The values of an entry `e` that belongs to a run for these columns. */
const LEDGER_ENTRY = (run: string) =>
  sql.raw(`to_timestamp(e.planned_ms / 1000), ${run}.trigger_id, ${run}.generation, e.job_id, e.outcome, e.node, ${run}.attempt,
             ${run}.claimed_at, to_timestamp(e.started_ms / 1000), e.late_ms, e.error, e.log, e.why`);

/** Entries as rows `e`; `n` says of which run. */
function ledgerEntries(entries: readonly (LedgerEntry & { n: number })[]): RawBuilder<unknown> {
  return sql`unnest(
        ${numbers(entries, 'int', ({ n }) => n)},
        ${numbers(entries, 'float8', ({ plannedAt }) => Math.floor(plannedAt))},
        ${texts(entries, 'text', ({ jobId }) => jobId)},
        ${texts(entries, 'text', ({ outcome }) => outcome)},
        ${texts(entries, 'text', ({ node }) => node)},
        ${numbers(entries, 'float8', ({ startedAt }) => startedAt)},
        ${numbers(entries, 'float8', ({ lateMs }) => lateMs)},
        ${texts(entries, 'jsonb', ({ error }) => json(error))},
        ${texts(entries, 'jsonb', ({ log }) => json(log))},
        ${texts(entries, 'text', ({ why }) => why)}
      ) as e(n, planned_ms, job_id, outcome, node, started_ms, late_ms, error, log, why)`;
}

/** Nothing of the schedule `j` waits or runs, apart from the runs `r` for which `besides` has a row. */
export function isFinished(besides: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`(j.source = 'rest' and j.parked is null
    and coalesce((j.definition->>'enabled')::boolean, true)
    and not exists (select 1 from scheduler_due w where w.trigger_id = j.trigger_id)
    and not exists (select 1 from scheduler_run r where r.trigger_id = j.trigger_id and not exists (${besides})))`;
}

/** The columns that say what waits competes with what. */
export const COMPETITION = sql.raw('priority, concurrent, concurrency_key');

/** The values of a definition for them. */
export function competition(definition: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`coalesce((${definition}->>'priority')::smallint, ${sql.lit(NORMAL_PRIORITY)}),
             coalesce((${definition}->>'concurrentExecution')::boolean, false), ${definition}->>'concurrencyKey'`;
}

/**
 * How a run ended whose completion was sent and not answered: it is `open` while its row is there, `completed` when
 * the ledger has it from this node, and `lost` when somebody else has it now.
 */
export async function findFate(
  db: Db,
  holder: Holder,
  { run, entries }: Completion,
): Promise<'open' | 'completed' | 'lost'> {
  const planned = entries.at(-1)?.plannedAt ?? run.fireAt;
  const { rows } = await sql<{ open: boolean; recorded: boolean }>`
    select exists (select 1 from scheduler_run
                   where trigger_id = ${run.triggerId} and generation = ${run.generation}
                     and fire_at = ${new Date(run.fireAt)} and attempt = ${run.attempt}
                     and node_id = ${holder.nodeId} and node_epoch = ${holder.epoch}) as open,
           exists (select 1 from scheduler_firing f
                   where planned_at = ${new Date(planned)} and trigger_id = ${run.triggerId}
                     and generation = ${run.generation} and attempt = ${run.attempt}
                     and node = (select name from cluster_node where id = ${holder.nodeId})) as recorded`.execute(
    db,
  );
  const { open, recorded } = rows[0]!;
  return open ? 'open' : recorded ? 'completed' : 'lost';
}

/** Whether the run is the holder's; if so nobody takes it over before this transaction has ended. */
export async function holdsRun(db: Db, { nodeId, epoch }: Holder, run: Run): Promise<boolean> {
  const { rows } = await sql`
    select 1 from scheduler_run
    where trigger_id = ${run.triggerId} and generation = ${run.generation} and fire_at = ${new Date(run.fireAt)}
      and attempt = ${run.attempt} and node_id = ${nodeId} and node_epoch = ${epoch}
    for share`.execute(db);
  return rows.length === 1;
}

/** Rejects with the connection's error when it is broken; a transaction that Postgres has aborted is not. */
export async function probe(db: Db): Promise<void> {
  await sql`select 1`.execute(db).catch((error: unknown) => {
    if (isConnectionLost(error)) throw error;
  });
}

/** A column of these rows as an array, written as text: the driver would quote and escape each of its elements. */
function numbers<Row>(
  rows: readonly Row[],
  type: 'bigint' | 'int' | 'float8' | 'boolean',
  read: (row: Row) => number | boolean | null,
): RawBuilder<unknown> {
  return array(rows.map((row) => read(row) ?? 'null').join(','), type);
}

/** The same for texts, of which most have nothing to escape. */
function texts<Row>(
  rows: readonly Row[],
  type: 'text' | 'jsonb',
  read: (row: Row) => string | null,
): RawBuilder<unknown> {
  const written = rows.map((row) => {
    const text = read(row);
    return text === null ? 'null' : `"${/["\\]/.test(text) ? text.replaceAll(/["\\]/g, '\\$&') : text}"`;
  });
  return array(written.join(','), type);
}

function array(elements: string, type: string): RawBuilder<unknown> {
  return sql`${`{${elements}}`}::${sql.raw(type)}[]`;
}

function json(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value);
}

/** An instant of a column of epoch ms: numbers are cheaper to write and to read than dates. */
const at = (column: string) => sql.raw(`to_timestamp(${column} / 1000)`);

/** All that this life of the node holds. */
export async function listHeld(db: Db, holder: Holder): Promise<Run[]> {
  const { rows } = await sql<RunRow>`
    select trigger_id, generation, ${MS('fire_at')} as fire_at, attempt, ${MS('late_from')} as late_from, next_planned,
           kind, cause
    from scheduler_run
    where node_id = ${holder.nodeId} and node_epoch = ${holder.epoch}`.execute(db);
  return rows.map(toRun);
}

function toRun(row: RunRow): Run {
  const key = { triggerId: row.trigger_id, generation: row.generation, fireAt: Math.round(row.fire_at) };
  return {
    ...key,
    key: formatRunKey(key),
    attempt: row.attempt,
    lateFrom: row.late_from,
    nextPlanned: row.next_planned,
    kind: row.kind,
    cause: row.cause,
  };
}
