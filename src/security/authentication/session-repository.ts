import { sql } from 'kysely';
import type { Db } from '#database/index.ts';

export interface SessionRow {
  readonly id: string;
  readonly authentication_id: string;
  readonly component: string;
  readonly user_id: string;
  readonly module: string;
  readonly roles: string[];
  readonly credential_stamp: string | null;
  readonly stale: boolean;
}

export async function insertSession(
  db: Db,
  session: Omit<SessionRow, 'stale'>,
  lifeMs: number,
): Promise<void> {
  await db
    .insertInto('auth_session')
    .values({ ...session, expires_at: sql<Date>`now() + ${lifeMs} * interval '1 ms'` })
    .execute();
}

/** A session that holds; `stale` when its last use was noted over a minute ago. */
export async function findSession(db: Db, id: string, idleMs: number): Promise<SessionRow | undefined> {
  return db
    .selectFrom('auth_session')
    .select(['id', 'authentication_id', 'component', 'user_id', 'module', 'roles', 'credential_stamp'])
    .select(sql<boolean>`seen_at < now() - interval '1 minute'`.as('stale'))
    .where('id', '=', id)
    .where('expires_at', '>', sql<Date>`now()`)
    .where('seen_at', '>', sql<Date>`now() - ${idleMs} * interval '1 ms'`)
    .executeTakeFirst();
}

export async function touchSession(db: Db, id: string): Promise<void> {
  await db.updateTable('auth_session').set({ seen_at: sql<Date>`now()` }).where('id', '=', id).execute();
}

export async function deleteSession(db: Db, id: string): Promise<void> {
  await db.deleteFrom('auth_session').where('id', '=', id).execute();
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
