import { sql } from 'kysely';
import type { Db } from '#database/index.ts';

export interface SessionRow {
  readonly id: string;
  readonly authentication_id: string;
  readonly component: string;
  readonly user_id: string;
  readonly module: string;
  readonly roles: string[];
  readonly claimed_roles: string[];
  readonly credential_stamp: string | null;
  readonly stale: boolean;
}

export interface NewSession extends Omit<SessionRow, 'stale'> {
  readonly client_address: string;
  readonly user_agent: string;
}

export async function insertSession(db: Db, session: NewSession, lifeMs: number): Promise<void> {
  await db
    .insertInto('auth_session')
    .values({ ...session, expires_at: sql<Date>`now() + ${lifeMs} * interval '1 ms'` })
    .execute();
}

/**
 * The sessions among these that hold, in one statement; `stale` when their last use was noted over a minute ago.
 * Answers in the order of the ids.
 */
export async function findSessions(
  db: Db,
  ids: readonly string[],
  idleMs: number,
): Promise<readonly (SessionRow | undefined)[]> {
  const { rows } = await sql<SessionRow>`
    select id, authentication_id, component, user_id, module, roles, claimed_roles, credential_stamp,
      seen_at < now() - interval '1 minute' as stale
    from auth_session
    where id = any(${ids}::text[]) and expires_at > now() and seen_at > now() - ${idleMs} * interval '1 ms'`.execute(
    db,
  );
  const found = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => found.get(id));
}

/** Notes that they are in use. Whose row is locked is being noted, or ended, by somebody else. */
export async function touchSessions(db: Db, ids: readonly string[]): Promise<void> {
  await sql`
    update auth_session set seen_at = now() where id in (
      select id from auth_session
      where id = any(${ids}::text[]) and seen_at < now() - interval '1 minute'
      for update skip locked)`.execute(db);
}

/** Ends what an account has beyond so many sessions, those first that were used longest ago. */
export async function endOldestSessions(
  db: Db,
  { component, user_id }: Pick<SessionRow, 'component' | 'user_id'>,
  kept: number,
): Promise<void> {
  await sql`
    delete from auth_session where id in (
      select id from auth_session where component = ${component} and user_id = ${user_id}
      order by seen_at desc, created_at desc offset ${kept})`.execute(db);
}

/** Everybody has to log in again. @returns how many there were */
export async function endEverySession(db: Db): Promise<number> {
  const { numDeletedRows } = await db.deleteFrom('auth_session').executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** @returns whose it was, such as `managed/user/42`; undefined where there was none */
export async function deleteSession(db: Db, id: string): Promise<string | undefined> {
  const { rows } = await sql<{ user: string }>`
    delete from auth_session where id = ${id} returning component || '/' || user_id as "user"`.execute(db);
  return rows[0]?.user;
}

export async function deleteExpiredSessions(db: Db, idleMs: number): Promise<void> {
  await db
    .deleteFrom('auth_session')
    .where((where) =>
      where.or([
        where('expires_at', '<', sql<Date>`now()`),
        where('seen_at', '<', sql<Date>`now() - ${idleMs} * interval '1 ms'`),
      ]),
    )
    .execute();
}

/** How many sessions began by each of these modules, and are not over. */
export async function countSessions(
  db: Db,
  modules: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ module: string; count: number }>`
    select module, count(*)::int as count from auth_session
    where expires_at > now() and module = any(${sql.val(modules)}) group by module`.execute(db);
  return new Map(rows.map(({ module, count }) => [module, count]));
}
