import { type RawBuilder, sql } from 'kysely';
import { PLANNED_ANEW } from '#database/index.ts';
import { heldAs } from '#work/index.ts';
import { type Cause, formatRunKey, type Run, type RunKind } from '../run/run.ts';
import { NORMAL_PRIORITY } from '../schedule/schedule.ts';

/**
 * These tables swell and empty within seconds, and a plan that was made when they were empty walks through all of them
 * for each row. What begins so is planned anew each time, which takes longer than to run it for one firing, unless its
 * session keeps plans: that has no nested loops but laterals, so whatever is looked up by key must be a lateral here.
 */
export const ANEW = sql.raw(PLANNED_ANEW);

export const MS = (column: string) => sql.raw(`(extract(epoch from ${column}) * 1000)::float8`);

/** An instant of a column of epoch ms: numbers are cheaper to write and to read than dates. */
export const at = (column: string) => sql.raw(`to_timestamp(${column} / 1000)`);

export interface RunRow {
  readonly trigger_id: number;
  readonly generation: number;
  readonly fire_at: number;
  readonly attempt: number;
  readonly late_from: number | null;
  readonly next_planned: boolean;
  readonly kind: RunKind;
  readonly cause: Cause | null;
  readonly slot: number;
  readonly own?: boolean;
}

/** The slot of a planned time, as `slotOf` has it. It changes with each firing: of one key, whoever claims would pass all that was deleted while another session holds a snapshot. */
const plannedSlot = (due: string) =>
  `(date_part('epoch', ${due}.fire_at) * 1000)::bigint * 1024 + ${due}.generation % 1024`;

/**
 * What waits or runs of a schedule is kept by the lap of its planned time, which all that fires near it shares: whoever knows
 * no slot asks all laps.
 *
 * Where the firing `d` runs; null while it must not. Of a schedule that may not run twice, what was asked for by hand takes the
 * slot of what waits as planned, and locks that, so that it cannot have begun and ended since this statement began: by now
 * something else would wait, for another slot. Where nothing is planned there is one slot for all.
 */
export const SLOT = sql.raw(`case
  when d.concurrent then ${plannedSlot('d')}
  when not d.next_planned then coalesce(d.slot, ${plannedSlot('d')})
  when exists (select from scheduler_run r where r.lap = any(scheduler_laps()) and r.trigger_id = d.trigger_id) then null
  when not exists (select from scheduler_due c where c.lap = any(scheduler_laps()) and c.trigger_id = d.trigger_id and not c.next_planned) then 0
  else (select coalesce(c.slot, ${plannedSlot('c')}) from scheduler_due c
        where c.lap = any(scheduler_laps()) and c.trigger_id = d.trigger_id and not c.next_planned limit 1 for update skip locked) end`);

/** Where a run waits again that has left it. */
export const KEPT_SLOT = sql.raw('case when not next_planned then slot end');

/**
 * Whether a crash of the database that forgets the start of a run of this schedule also forgets all that came after it, its
 * effects and its completion: then the run simply is due again.
 */
export const IS_TRANSACTIONAL = sql.raw(`(definition->>'transactional')::boolean is not false`);

/**
 * The run of the key `k`, if its row fulfils the condition. Always looked up by its primary key: these tables swell
 * and empty faster than they are analysed, and a join that trusts their statistics compares each key with each run.
 * The sum and the offset keep the planner from any other way. Nothing is locked, because a run never changes its
 * holder: whoever takes it over deletes its row. It is changed by its place in the table, which leaves the planner no
 * way but one: where a held snapshot keeps what was deleted, it believes a full table to be empty.
 */
export const ownRun = (
  nodeId: RawBuilder<unknown>,
  epoch: RawBuilder<unknown>,
  condition: RawBuilder<unknown>,
) => sql`lateral (
        select r.ctid, r.trigger_id, r.generation, r.fire_at, r.kind from scheduler_run r
        where r.lap = scheduler_lap_of(k.slot) and r.trigger_id = k.trigger_id and r.slot = k.slot
          and r.generation = k.generation and r.fire_at = k.fire_at
          and ${heldAs(nodeId, epoch)} and ${condition}
        order by r.lap desc, r.trigger_id desc, r.slot desc limit 1)`;

/** The schedule of the run `r`, looked up by key like the run; null when it has been edited or is gone. */
export const schedule = (of: string) => sql`lateral (
        select j.id, j.definition, j.parked, j.paused, j.updated_at, j.owner_id, j.owner_epoch from scheduler_job j
        where j.trigger_id = ${sql.ref(`${of}.trigger_id`)} and j.generation = ${sql.ref(`${of}.generation`)} limit 1)`;

/** Nothing of the schedule `j` waits or runs, apart from the runs `r` for which `besides` has a row. */
export function isFinished(besides: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`(j.source = 'rest' and j.parked is null
    and coalesce((j.definition->>'enabled')::boolean, true)
    and not exists (select 1 from scheduler_due w where w.lap = any(scheduler_laps()) and w.trigger_id = j.trigger_id)
    and not exists (select 1 from scheduler_run r where r.lap = any(scheduler_laps()) and r.trigger_id = j.trigger_id and not exists (${besides})))`;
}

/** The columns that say what waits competes with what, and where. */
export const COMPETITION = sql.raw('priority, concurrent, concurrency_key, owner_id, owner_epoch');

/** What two runs may not have at once: the key of the schedule `j`, in memory that of its node. No key begins with a blank. */
export function concurrencyKey(declared: string): string {
  return `case when j.owner_id is null then '' else ' ' || j.owner_id || ' ' end || ${declared}`;
}

/** The values of the schedule `j` for them, each by its column. */
export const COMPETITION_OF = [
  ['priority', `coalesce((j.definition->>'priority')::smallint, ${NORMAL_PRIORITY})`],
  ['concurrent', `coalesce((j.definition->>'concurrentExecution')::boolean, false)`],
  ['concurrency_key', concurrencyKey(`(j.definition->>'concurrencyKey')`)],
  ['owner_id', 'j.owner_id'],
  ['owner_epoch', 'j.owner_epoch'],
] as const;

/** The values of the schedule `j` for `COMPETITION`. */
export const competition = sql.raw(COMPETITION_OF.map(([, value]) => value).join(', '));

export function toRun(row: RunRow): Run {
  const key = { triggerId: row.trigger_id, generation: row.generation, fireAt: Math.round(row.fire_at) };
  return {
    ...key,
    key: formatRunKey(key),
    attempt: row.attempt,
    lateFrom: row.late_from,
    nextPlanned: row.next_planned,
    kind: row.kind,
    cause: row.cause,
    slot: row.slot,
    ...(row.own === true ? { own: true } : {}),
  };
}
