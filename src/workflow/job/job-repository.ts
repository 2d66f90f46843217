import { sql } from 'kysely';
import type { Db, GroupWrite } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import type { Repetition } from '../engine/index.ts';

/** A job as it is stored. */
export interface JobRow {
  readonly id: string;
  readonly kind: 'async' | 'timer' | 'startTimer' | 'signal';
  readonly instance_id: string | null;
  readonly execution: number | null;
  readonly element: string;
  readonly definition_id: string;
  readonly due_at: Date;
  readonly repeat: Repetition | null;
  readonly payload: JsonObject | null;
  readonly retries: number;
  readonly retry_cycle: string | null;
  readonly revision: number;
  readonly is_dead: boolean;
  readonly exception: string | null;
  readonly created_at: Date;
}

/** @param lock keeps the row locked until the end of the transaction */
export async function findJob(db: Db, id: string, lock = false): Promise<JobRow | undefined> {
  const { rows } = await sql<JobRow>`
    select j.* from workflow_job j where j.id = ${id} ${lock ? sql`for update` : sql``}`.execute(db);
  return rows[0];
}

export async function insertStartTimer(
  db: Db,
  job: { id: string; dueAt: number; definitionId: string; element: string; repeat: Repetition | undefined },
): Promise<void> {
  const repeat = job.repeat === undefined ? null : JSON.stringify(job.repeat);
  await sql`
    insert into workflow_job (id, kind, element, definition_id, due_at, repeat)
    values (${job.id}, 'startTimer', ${job.element}, ${job.definitionId}, to_timestamp(${job.dueAt / 1000}::float8),
            ${repeat}::jsonb)`.execute(db);
}

export async function insertSignal(
  db: Db,
  job: { id: string; instanceId: string; payload: JsonObject },
): Promise<void> {
  await sql`
    insert into workflow_job (id, kind, instance_id, element, definition_id, due_at, payload)
    select ${job.id}, 'signal', i.id, '', i.definition_id, now(), ${JSON.stringify(job.payload)}::jsonb
    from workflow_instance i where i.id = ${job.instanceId}`.execute(db);
}

/** The next firing of a start timer as it was read; without one it is gone. */
export interface StartTimerMove {
  readonly id: string;
  readonly revision: number;
  readonly next: { readonly dueAt: number; readonly repeat?: Repetition } | null;
}

export const startTimerMoves: GroupWrite<StartTimerMove> = {
  isGuarded: true,
  keyOf: ({ id }) => startTimerKey(id),
  steps: (moves) => [moveOf(moves), endOf(moves)],
  async run(db, moves) {
    const moved = new Set<string>();
    for (const { statement } of [moveOf(moves), endOf(moves)]) {
      const { rows } = await statement.execute(db);
      for (const { id } of rows) moved.add(id);
    }
    return moves.map(({ id }) => moved.has(id));
  },
};

export function startTimerKey(id: string): string {
  return `start timer ${id}`;
}

function moveOf(moves: readonly StartTimerMove[]) {
  const records = moves.flatMap(({ next, ...move }) => (next === null ? [] : [{ ...move, ...next }]));
  const statement = sql<{ id: string }>`
    update workflow_job j
    set due_at = to_timestamp(m."dueAt" / 1000), repeat = m.repeat, revision = j.revision + 1, retries = 3, exception = null
    from jsonb_to_recordset(${JSON.stringify(records)}::jsonb) as m(id uuid, revision int, "dueAt" float8, repeat jsonb)
    where j.id = m.id and j.id = any(${records.map(({ id }) => id)}::uuid[]) and j.revision = m.revision and not j.is_dead
    returning j.id`;
  return { name: 'moved_start_timers', statement, returns: records.length };
}

function endOf(moves: readonly StartTimerMove[]) {
  const records = moves.flatMap(({ next, ...move }) => (next === null ? [move] : []));
  const statement = sql<{ id: string }>`
    delete from workflow_job j using jsonb_to_recordset(${JSON.stringify(records)}::jsonb) as m(id uuid, revision int)
    where j.id = m.id and j.id = any(${records.map(({ id }) => id)}::uuid[]) and j.revision = m.revision
    returning j.id`;
  return { name: 'ended_start_timers', statement, returns: records.length };
}

export async function deleteJob(db: Db, id: string): Promise<void> {
  await sql`delete from workflow_job where id = ${id}`.execute(db);
}

/** What a failure means for the row: its next attempt, or the end of attempts. */
export async function recordFailure(
  db: Db,
  job: { id: string; revision: number; retries: number; exception: string; retryAt: number | null },
): Promise<JobRow | undefined> {
  const { rows } = await sql<JobRow>`
    update workflow_job
    set retries = ${job.retries}, exception = ${job.exception}, is_dead = ${job.retryAt === null},
        due_at = coalesce(to_timestamp(${job.retryAt === null ? null : job.retryAt / 1000}::float8), due_at)
    where id = ${job.id} and revision = ${job.revision} and not is_dead returning *`.execute(db);
  return rows[0];
}

/** A dead letter gets one more attempt. @returns undefined when it is none */
export async function reviveJob(db: Db, id: string): Promise<JobRow | undefined> {
  const { rows } = await sql<JobRow>`
    update workflow_job
    set is_dead = false, retries = 1, exception = null, due_at = now(), revision = revision + 1
    where id = ${id} and is_dead returning *`.execute(db);
  return rows[0];
}

/** The dead letters that the queue holds for a job. */
export async function listQueueLetters(db: Db, queue: string, jobId: string): Promise<string[]> {
  const { rows } = await sql<{ dead_letter_id: string }>`
    select dead_letter_id from svc_dead_letter where queue = ${queue} and data->>'job' = ${jobId}`.execute(
    db,
  );
  return rows.map(({ dead_letter_id }) => dead_letter_id);
}

/** What the queue holds for a job does nothing any more, and no failure of it is known. @returns undefined when it is dead or gone */
export async function takeJob(db: Db, id: string): Promise<JobRow | undefined> {
  const { rows } = await sql<JobRow>`
    update workflow_job set revision = revision + 1, exception = null
    where id = ${id} and not is_dead returning *`.execute(db);
  return rows[0];
}
