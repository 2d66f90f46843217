import { sql } from 'kysely';
import { type Db, oneRow } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import type { Mapping } from './mapping.ts';

/** One of a delivery of all that would take something away waits until it is known how many there are. */
export async function holdBack(db: Db, mapping: string, sourceId: string): Promise<void> {
  await sql`
    update sync_outbox set is_held = true, error = null
    where mapping = ${mapping} and source_id = ${sourceId} and is_cautious`.execute(db);
}

export interface HeldCounts {
  readonly held: number;
  /** Deliveries of all objects of which nobody knows yet what they take away. */
  readonly unknown: number;
  /** Targets that the mapping has. */
  readonly targets: number;
}

/** @returns undefined where nothing is held that nobody has been told of */
export async function countHeld(
  db: Db,
  { name, linkType, enableLinking }: Mapping,
): Promise<HeldCounts | undefined> {
  const targets = enableLinking
    ? sql`select count(*) from sync_link where link_type = ${linkType.name}`
    : sql`select count(*) from sync_state where mapping = ${name} and target_id is not null`;
  const { rows } = await sql<HeldCounts & { untold: number }>`
    select count(*) filter (where is_held)::int as held,
           count(*) filter (where is_held and error is null)::int as untold,
           count(*) filter (where not is_held and not is_dead)::int as unknown, (${targets})::int as targets
    from sync_outbox where mapping = ${name} and is_cautious`.execute(db);
  const { untold, ...counts } = oneRow(rows);
  return untold === 0 ? undefined : counts;
}

/** What is held is delivered. @param mapping null: of all mappings. @returns how many of each mapping */
export async function releaseHeld(db: Db, mapping: string | null): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ mapping: string; count: number }>`
    with chosen as (
      select mapping, source_id from sync_outbox
      where is_cautious and is_held and (${mapping}::text is null or mapping = ${mapping})
      order by mapping, source_id for update
    ), released as (
      update sync_outbox o
      set is_held = false, is_cautious = false, attempt = 0, due_at = clock_timestamp(), error = null
      from chosen c where o.mapping = c.mapping and o.source_id = c.source_id returning o.mapping
    ) select mapping, count(*)::int as count from released group by mapping`.execute(db);
  return new Map(rows.map((row) => [row.mapping, row.count]));
}

/** Says with what is held why it is. @returns whether nobody else has said so */
export async function refuseHeld(db: Db, mapping: string, error: JsonObject): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update sync_outbox set error = ${JSON.stringify(error)}::jsonb
    where mapping = ${mapping} and is_cautious and is_held and error is null`.execute(db);
  return numAffectedRows > 0n;
}
