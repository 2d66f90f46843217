import { sql } from 'kysely';
import type { Db } from '#database/index.ts';
import type { JsonObject, JsonValue } from '#json/index.ts';

export interface EventRow {
  readonly number: number;
  readonly at: Date;
  readonly user_id: string | null;
  readonly stimulus: JsonValue;
  readonly effects: JsonValue;
}

/** All transitions of an instance in their order; empty below the history level `full`. */
export async function listEvents(db: Db, instanceId: string): Promise<EventRow[]> {
  const { rows } = await sql<EventRow>`
    select number, at, user_id, stimulus, effects from workflow_event
    where instance_id = ${instanceId} order by number`.execute(db);
  return rows;
}

/** Another transition, of which nobody has written a step. `at` is epoch ms. */
export async function insertEvent(
  db: Db,
  event: {
    readonly instanceId: string;
    readonly at: number;
    readonly user: string;
    readonly stimulus: JsonObject;
  },
): Promise<void> {
  await sql`
    insert into workflow_event (instance_id, number, at, user_id, stimulus, effects)
    select ${event.instanceId}::uuid, coalesce(max(number), 0) + 1, to_timestamp(${event.at / 1000}::float8), ${event.user},
      ${JSON.stringify(event.stimulus)}::jsonb, '[]'
    from workflow_event where instance_id = ${event.instanceId}`.execute(db);
}

/** Removes up to `limit` instances that ended before `days` ago, with all that is known of them. @returns how many */
export async function pruneInstances(db: Db, days: number, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from workflow_instance where id in (
      select i.id from workflow_instance i
      where i.ended_at < now() - make_interval(days => ${days})
        -- A tree goes as a whole.
        and not exists (select from workflow_instance r where r.id = i.root_id and r.ended_at is null)
      order by i.ended_at limit ${limit} for update skip locked)`.execute(db);
  return Number(numAffectedRows ?? 0n);
}
