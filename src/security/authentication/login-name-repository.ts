import { sql } from 'kysely';
import type { Db, GroupWrite, HeldStatement } from '#database/index.ts';

export interface LoginName {
  readonly key: string;
  readonly name: string;
  readonly collection: string;
  readonly id: string;
}

const columns = sql`key, name, collection, id`;
const from = (names: readonly LoginName[]) => sql`
  select ${columns} from jsonb_to_recordset(${JSON.stringify(names)}::jsonb)
    as login (key text, name text, collection text, id text) order by key`;

/** A name that somebody else has is not stored. */
export const loginNameInserts: GroupWrite<LoginName> = {
  mayWait: true,
  steps: (names) => [{ statement: sql`insert into login_name (${columns}) ${from(names)}` }],
  async run(db, names) {
    const { rows } = await sql<{ key: string }>`
      insert into login_name (${columns}) ${from(names)} on conflict do nothing returning key`.execute(db);
    const stored = new Set(rows.map(({ key }) => key));
    return names.map(({ key }) => stored.delete(key));
  },
};

/** Accounts that have a name get another, or write it in another way. One that somebody else has is not stored. */
export const loginNameMoves: GroupWrite<LoginName> = {
  mayWait: true,
  isGuarded: true,
  steps: (all) => {
    const moved = lastOf(all);
    return [
      { statement: releaseBefore(moved) },
      { statement: sql`${take(moved)} returning 1`, returns: moved.length },
    ];
  },
  async run(db, moved) {
    await releaseBefore(lastOf(moved)).execute(db);
    const { rows } = await sql<{ key: string }>`${take(lastOf(moved))} returning key`.execute(db);
    const stored = new Set(rows.map(({ key }) => key));
    return moved.map(({ key }) => stored.has(key));
  },
};

/** What each account is called in the end. */
function lastOf(moved: readonly LoginName[]): readonly LoginName[] {
  return [...new Map(moved.map((name) => [JSON.stringify([name.collection, name.id]), name])).values()];
}

function releaseBefore(moved: readonly LoginName[]) {
  return sql`delete from login_name before using (${from(moved)}) moved
    where before.collection = moved.collection and before.id = moved.id and before.key <> moved.key`;
}

function take(moved: readonly LoginName[]) {
  return sql`insert into login_name (${columns}) ${from(moved)}
    on conflict (key) do update set name = excluded.name
    where login_name.collection = excluded.collection and login_name.id = excluded.id`;
}

/** Who has the name, however it is written. */
export async function findByLoginName(db: Db, key: string, name: string): Promise<LoginName | undefined> {
  const { rows } = await sql<LoginName>`
    select ${columns} from login_name where key = ${key} and name = ${name}`.execute(db);
  return rows[0];
}

/** Accounts with one of the names; no more than a few. */
export async function listNamed(
  db: Db,
  keys: readonly string[],
  limit: number,
): Promise<readonly LoginName[]> {
  const { rows } = await sql<LoginName>`
    select ${columns} from login_name where key = any(${keys}::text[])
    order by key limit ${limit}`.execute(db);
  return rows;
}

export function releasingLoginName(collection: string, id: string): HeldStatement {
  return { statement: sql`delete from login_name where collection = ${collection} and id = ${id}` };
}

export interface UnnamedAccount {
  readonly id: string;
  readonly name: string | null;
}

/** Accounts beyond an id, in its order, that have no row yet. */
export async function listUnnamed(
  db: Db,
  place: {
    readonly collection: string;
    readonly table: string;
    readonly type: string;
    readonly property: string;
  },
  after: string,
  limit: number,
): Promise<readonly UnnamedAccount[]> {
  const { collection, table, type, property } = place;
  const { rows } = await sql<UnnamedAccount>`
    select o.id, o.data->>${property} as name from ${sql.table(table)} o
    where o.type = ${type} and o.id > ${after}
      and not exists (select from login_name l where l.collection = ${collection} and l.id = o.id)
    order by o.id limit ${limit}`.execute(db);
  return rows;
}

/** The sessions of an account that came in by its password, or by being active. */
export function endingSessionsOf(component: string, id: string): HeldStatement {
  return { statement: sql`delete from auth_session where component = ${component} and user_id = ${id}` };
}
