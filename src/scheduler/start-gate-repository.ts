import { sql } from 'kysely';
import { type Db, sqlStateOf } from '#database/index.ts';

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

/** After a pause was committed: waits for the starts that may not have seen it. */
export async function closeGate(db: Db): Promise<void> {
  await sql`select scheduler_close_gate()`.execute(db);
}
