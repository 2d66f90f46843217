import type { Db } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';

/** All triggers, as records of the specification. */
export async function listTriggers(db: Db): Promise<JsonObject[]> {
  const rows = await db
    .selectFrom('svc_trigger')
    .select(['_id', 'name', 'group', 'state', 'previous_state', 'acquired', 'nodeId', 'serialized'])
    .orderBy('_id')
    .execute();
  return rows.map((row) => ({ ...row }));
}

/** @param name the trigger's name, which is its job's id */
export async function findTrigger(db: Db, name: string): Promise<JsonObject | undefined> {
  const row = await db
    .selectFrom('svc_trigger')
    .select(['_id', 'name', 'group', 'state', 'previous_state', 'acquired', 'nodeId', 'serialized'])
    .where('name', '=', name)
    .executeTakeFirst();
  return row === undefined ? undefined : { ...row };
}
