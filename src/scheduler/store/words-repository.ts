import { sql } from 'kysely';
import type { Db } from '#database/index.ts';
import { oneRow } from '#database/index.ts';
import type { ScheduleDefinition } from '../schedule/schedule.ts';

export interface Wordless {
  readonly triggerId: number;
  readonly definition: ScheduleDefinition;
}

/** The schedules without words among the next `limit`, and the last one that was looked at; null behind the last of all. */
export async function findWordless(
  db: Db,
  after: number,
  limit: number,
): Promise<{ readonly wordless: readonly Wordless[]; readonly last: number | null }> {
  const { rows } = await sql<{ wordless: readonly Wordless[]; last: number | null }>`
    select coalesce(jsonb_agg(jsonb_build_object('triggerId', trigger_id, 'definition', definition))
                    filter (where words is null), '[]') as wordless, max(trigger_id)::float8 as last
    from (select trigger_id, definition, words from scheduler_job
          where trigger_id > ${after} order by trigger_id limit ${limit}) looked_at`.execute(db);
  return oneRow(rows);
}

/** One that somebody changes meanwhile gets its words by that. */
export async function storeWords(
  db: Db,
  spoken: readonly { readonly triggerId: number; readonly words: string }[],
): Promise<void> {
  await sql`
    with free as (
      select trigger_id from scheduler_job
      where trigger_id = any(${spoken.map(({ triggerId }) => triggerId)}::bigint[]) and words is null
      order by trigger_id for no key update skip locked)
    update scheduler_job j set words = s.words
    from jsonb_to_recordset(${JSON.stringify(spoken)}::jsonb) as s("triggerId" bigint, words text), free
    where j.trigger_id = free.trigger_id and s."triggerId" = free.trigger_id`.execute(db);
}
