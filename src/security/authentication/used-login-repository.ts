import { sql } from 'kysely';
import type { Db } from '#database/index.ts';

/** @returns false when somebody has come back to the login already */
export async function useLogin(db: Db, state: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into auth_used_login (state) values (${state}) on conflict do nothing`.execute(db);
  return numAffectedRows === 1n;
}

/** What a browser keeps of a login is over by then. */
export async function pruneUsedLogins(db: Db): Promise<void> {
  await sql`delete from auth_used_login where used_at < now() - interval '1 hour'`.execute(db);
}
