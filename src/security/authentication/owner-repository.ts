import { sql } from 'kysely';
import type { Db } from '#database/index.ts';

/** The owners, each with what told it apart from others last. */
export async function listOwners(db: Db): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{
    owner: string;
    told_by: string;
  }>`select owner, told_by from auth_owner`.execute(db);
  return new Map(rows.map(({ owner, told_by }) => [owner, told_by]));
}

export async function isOwner(db: Db, owner: string, toldBy: string): Promise<boolean> {
  const { rows } = await sql`select 1 from auth_owner where owner = ${owner} and told_by = ${toldBy}`.execute(
    db,
  );
  return rows.length > 0;
}

/** Deletes an owner together with what it has kept. @param toldBy by whom it may stay */
export async function deleteFormerOwner(db: Db, owner: string, toldBy: readonly string[]): Promise<void> {
  await sql`delete from auth_owner where owner = ${owner} and told_by <> all(${sql.val(toldBy)}::text[])`.execute(
    db,
  );
}

export async function putOwner(db: Db, owner: string, toldBy: string): Promise<void> {
  await sql`
    insert into auth_owner (owner, told_by) values (${owner}, ${toldBy})
    on conflict (owner) do update set told_by = excluded.told_by, noted_at = now()
    where auth_owner.told_by <> excluded.told_by`.execute(db);
}
