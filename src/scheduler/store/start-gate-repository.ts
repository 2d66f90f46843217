import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { type Db, sqlStateOf } from '#database/index.ts';
import { START_HOLDS_MS } from '#work/index.ts';

/** What `scheduler_pass_gate` fails with. */
const PAUSED_MEANWHILE = 'SVC01';
const MAX_TRIES = 5;

/**
 * Holds until the statement ends that it is a part of, and fails when something was paused since that began: what starts
 * runs must not go by schedules as they were before a pause that has been answered.
 */
export const PASS_GATE = sql`scheduler_pass_gate((select pauses from scheduler_setting))`;

/** Runs a statement that passes the gate, once more if it met a pause. */
export async function throughGate<T>(start: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await start();
    } catch (error) {
      if (sqlStateOf(error) !== PAUSED_MEANWHILE || tries === MAX_TRIES) throw error;
    }
  }
}

/** To be called after a pause was committed: waits for the starts that may not have seen it, and for what they let begin. */
export async function closeGate(db: Db): Promise<void> {
  await sql`select scheduler_close_gate()`.execute(db);
  await awaitStarted(db);
}

/**
 * Waits, after a change was committed, until what was started ahead of its time has begun: all else begins as it was
 * changed.
 */
export async function awaitStarted(db: Db, triggerId?: number): Promise<void> {
  const isOfIt =
    triggerId === undefined ? sql`true` : sql`lap = any(scheduler_laps()) and trigger_id = ${triggerId}`;
  const { rows } = await sql`
    select from scheduler_run
    where started_at is not null and ${isOfIt}
      and fire_at > clock_timestamp() - ${START_HOLDS_MS}::float8 * interval '1 millisecond' limit 1`.execute(
    db,
  );
  if (rows.length > 0) await delay(START_HOLDS_MS);
}
