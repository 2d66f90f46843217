import { type RawBuilder, sql } from 'kysely';
import type { Db, GroupWrite } from '#database/index.ts';

/** A source object whose targets in another system a unit of work is writing. */
export interface Attached {
  readonly mapping: string;
  readonly source_id: string;
}

export async function noteAttached(db: Db, mapping: string, sourceId: string): Promise<void> {
  await sql`
    insert into sync_attached (mapping, source_id) values (${mapping}, ${sourceId})
    on conflict do nothing`.execute(db);
}

/** How its end is written down: with the commit. */
export const attachedEnds: GroupWrite<Attached> = {
  steps: (rows) => [{ statement: ending(rows) }],
  async run(db, rows) {
    await ending(rows).execute(db);
    return rows.map(() => true);
  },
};

function ending(rows: readonly Attached[]): RawBuilder<unknown> {
  return sql`
    delete from sync_attached s using jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as ended (mapping text, source_id text)
    where s.mapping = ended.mapping and s.source_id = ended.source_id`;
}

/** The oldest first. */
export async function listAttached(db: Db, most: number): Promise<readonly Attached[]> {
  const { rows } = await sql<Attached>`
    select mapping, source_id from sync_attached order by since limit ${most}`.execute(db);
  return rows;
}

/** @returns whether it is still there */
export async function takeAttached(db: Db, { mapping, source_id }: Attached): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    delete from sync_attached where mapping = ${mapping} and source_id = ${source_id}`.execute(db);
  return numAffectedRows > 0n;
}

/** What is of mappings that there are not any more. */
export async function pruneAttached(db: Db, keepDays: number): Promise<void> {
  await sql`
    delete from sync_attached where since < clock_timestamp() - ${keepDays} * interval '1 day'`.execute(db);
}
