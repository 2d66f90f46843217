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

/** All names of an account, no two of which have the same key. */
export type LoginNames = readonly LoginName[];

/** Accounts that have names get others, or write them in another way. One that somebody else has is not stored. */
export const loginNameMoves: GroupWrite<LoginNames> = {
  mayWait: true,
  isGuarded: true,
  steps: (all) => {
    const moved = lastOf(all);
    return [
      { statement: releaseBefore(moved) },
      { statement: sql`${take(moved)} returning 1`, returns: moved.length },
    ];
  },
  async run(db, all) {
    const moved = lastOf(all);
    await releaseBefore(moved).execute(db);
    const { rows } = await sql<{ key: string }>`${take(moved)} returning key`.execute(db);
    const stored = new Set(rows.map(({ key }) => key));
    return all.map((names) => names.every(({ key }) => stored.has(key)));
  },
};

/** What each account is called in the end. */
function lastOf(all: readonly LoginNames[]): LoginNames {
  return [
    ...new Map(all.map((names) => [JSON.stringify([names[0]?.collection, names[0]?.id]), names])).values(),
  ].flat();
}

function releaseBefore(moved: LoginNames) {
  return sql`with moved as (${from(moved)})
    delete from login_name before
    where (before.collection, before.id) in (select collection, id from moved)
      and not exists (select from moved
        where moved.collection = before.collection and moved.id = before.id and moved.key = before.key)`;
}

function take(moved: readonly LoginName[]) {
  return sql`insert into login_name (${columns}) ${from(moved)}
    on conflict (key) do update set name = excluded.name
    where login_name.collection = excluded.collection and login_name.id = excluded.id`;
}

/** Finds who has the name, however it is written. */
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
  readonly name: string;
}

/**
 * Accounts beyond an id, in its order, whose name has no row yet. The database folds names that few have otherwise than
 * they are compared: those are found each time, though they are noted.
 */
export async function listUnnamed(
  db: Db,
  place: {
    readonly collection: string;
    readonly table: string;
    readonly type: string;
    /** Null for the id. */
    readonly property: string | null;
  },
  after: string,
  limit: number,
): Promise<readonly UnnamedAccount[]> {
  const { collection, table, type, property } = place;
  const name = property === null ? sql`o.id` : sql`(o.data->>${property})`;
  const { rows } = await sql<UnnamedAccount>`
    select o.id, ${name} as name from ${sql.table(table)} o
    where o.type = ${type} and o.id > ${after} and ${name} <> ''
      and not exists (select from login_name l
        where l.collection = ${collection} and l.id = o.id and l.name = lower(normalize(${name}, nfkc)))
    order by o.id limit ${limit}`.execute(db);
  return rows;
}

/** The sessions of an account that came in by its password, or by being active. */
export function endingSessionsOf(component: string, id: string): HeldStatement {
  return { statement: sql`delete from auth_session where component = ${component} and user_id = ${id}` };
}
