import { sql } from 'kysely';
import type { Db } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import type { ClaimedJob } from './job.ts';
import { isClaimOf } from './job-repository.ts';

/** A job that has failed for good becomes a dead letter. @returns false when it is another's now */
export async function buryJob(db: Db, letter: string, job: ClaimedJob, error: JsonObject): Promise<boolean> {
  const { numAffectedRows } = await sql`
    with dead as (
      delete from work_job where ${isClaimOf(job)} returning *
    )
    insert into work_dead_letter (id, queue, job_id, data, priority, attempts, retry_delay_ms, tried, error, created_at)
    select ${letter}, queue, id, data, priority, attempts, retry_delay_ms, attempt, ${JSON.stringify(error)}::jsonb,
           created_at
    from dead`.execute(db);
  return numAffectedRows === 1n;
}

/** Dead letters are jobs again, under their own names and with all their attempts. @returns how many */
export async function reviveLetters(db: Db, letters: readonly string[]): Promise<number> {
  const { numAffectedRows } = await sql`
    with revived as (
      delete from work_dead_letter where id = any(${letters}::uuid[]) returning *
    )
    insert into work_job (id, queue, data, due_at, priority, attempts, retry_delay_ms, created_at)
    select id, queue, data, clock_timestamp(), priority, attempts, retry_delay_ms, created_at from revived`.execute(
    db,
  );
  return Number(numAffectedRows);
}

/** @returns how many there were */
export async function deleteLetters(db: Db, letters: readonly string[]): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from work_dead_letter where id = any(${letters}::uuid[])`.execute(db);
  return Number(numAffectedRows);
}

/** The oldest of those that are older. @returns how many */
export async function pruneLetters(db: Db, days: number, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from work_dead_letter where id = any(array(
      select id from work_dead_letter where died_at < now() - ${days} * interval '1 day' order by died_at limit ${limit}))`.execute(
    db,
  );
  return Number(numAffectedRows);
}
