import { sql } from 'kysely';
import type { Db } from '#database/index.ts';

/** Something that was made at a time, by the paths under which the trail may tell of it. */
export interface Made {
  readonly paths: readonly string[];
  readonly at: Date;
}

/** The cause of something, as far as the trail still has it. */
export interface Cause {
  /** The id of the entry, below `audit/activity`. */
  readonly entry: string;
  readonly by: string | null;
  readonly at: Date;
  readonly transaction: string;
  /** The process instance that did it, by its path; null of what no process did. */
  readonly process: string | null;
}

/**
 * The entries of the trail that tell how things came about, in the order of the things. A row has the time at which its
 * transaction began, by the clock of the database, and an entry that of its end, by the clock of a node: the nearest counts.
 */
export async function findCauses(db: Db, made: readonly Made[]): Promise<readonly (Cause | undefined)[]> {
  if (made.length === 0) return [];
  const wanted = JSON.stringify(made.map(({ paths, at }, place) => ({ place, paths, at: at.toISOString() })));
  const { rows } = await sql<Cause & { place: number }>`
    select made.place, cause.*,
      -- Scripts of a process have parts of the transaction of its step.
      (select p.object_id from audit_event p
       where p.transaction_id = split_part(cause.transaction, '/', 1) and p.topic = 'activity'
         and p.object_id like 'workflow/processinstance/%'
       order by greatest(p.recorded_at - cause.at, cause.at - p.recorded_at) limit 1) as process
    from jsonb_to_recordset(${wanted}::jsonb) as made (place int, paths jsonb, at timestamptz)
    cross join lateral (
      select id::text as entry, user_id as by, recorded_at as at, transaction_id as transaction
      from audit_event
      where object_id = any(array(select jsonb_array_elements_text(made.paths))) and topic = 'activity'
        and recorded_at >= made.at - interval '1 minute' and recorded_at < made.at + interval '1 day'
      order by greatest(recorded_at - made.at, made.at - recorded_at) limit 1) cause`.execute(db);
  const found = new Map(rows.map(({ place, ...cause }) => [place, cause]));
  return made.map((_, place) => found.get(place));
}
