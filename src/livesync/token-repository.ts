import { sql } from 'kysely';
import type { Db } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import type { Place } from './livesync-platform.ts';

/** What a round has done until now. */
export interface RoundCounts extends JsonObject {
  readonly changes: number;
  readonly failed: number;
}

/** How far a type of objects was followed. */
export interface TokenRow {
  readonly system: string;
  readonly object_type: string;
  readonly token: string | null;
  readonly taken_at: Date | null;
  readonly round: string | null;
  readonly node: string | null;
  readonly began_at: Date | null;
  readonly ended_at: Date | null;
  readonly counts: Partial<RoundCounts>;
  readonly error: JsonObject | null;
  readonly security: JsonObject | null;
  readonly transaction_id: string | null;
  readonly failing_id: string | null;
  readonly failures: number;
  readonly rev: number;
}

const COLUMNS = sql.raw(
  `system, object_type, token, taken_at, round, node, began_at, ended_at, counts, error, security, transaction_id, failing_id,
  failures, rev::float8 as rev`,
);

export async function findToken(db: Db, { system, type }: Place): Promise<TokenRow | undefined> {
  const { rows } = await sql<TokenRow>`
    select ${COLUMNS} from sync_token where system = ${system} and object_type = ${type}`.execute(db);
  return rows[0];
}

export async function listTokens(db: Db): Promise<readonly TokenRow[]> {
  const { rows } = await sql<TokenRow>`
    select ${COLUMNS} from sync_token order by system, object_type`.execute(db);
  return rows;
}

export interface NewRound extends Place {
  readonly round: string;
  readonly security: JsonObject | null;
  readonly transaction_id: string | null;
  /** It begins from nothing, as if it was never asked. */
  readonly forgets: boolean;
}

/** @returns false while another round of the type is under way */
export async function beginRound(db: Db, round: NewRound): Promise<boolean> {
  const { system, type, forgets, security, transaction_id } = round;
  const { numAffectedRows = 0n } = await sql`
    insert into sync_token as t (system, object_type, round, began_at, security, transaction_id)
    values (${system}, ${type}, ${round.round}, clock_timestamp(), ${JSON.stringify(security)}::jsonb, ${transaction_id})
    on conflict (system, object_type) do update
    set round = excluded.round, began_at = excluded.began_at, ended_at = null, counts = '{}', error = null, node = null,
      security = excluded.security, transaction_id = excluded.transaction_id, rev = t.rev + 1,
      token = case when ${forgets} then null else t.token end
    where t.round is null`.execute(db);
  return numAffectedRows > 0n;
}

/** Says who works at it: the node that has the job. @returns the row; undefined where the round is over */
export async function workAt(
  db: Db,
  { system, type, round }: Place & { readonly round: string },
  job: string,
): Promise<TokenRow | undefined> {
  const { rows } = await sql<TokenRow>`
    update sync_token
    set node = (select n.name from work_job j join cluster_node n on n.id = j.node_id where j.id = ${job})
    where system = ${system} and object_type = ${type} and round = ${round}
    returning ${COLUMNS}`.execute(db);
  return rows[0];
}

export interface Advance extends Place {
  readonly round: string;
  /** The token as it was when the batch was asked for. */
  readonly from: string | null;
  readonly to: string;
  readonly counts: RoundCounts;
}

/** The token moves on with what was done. @returns false where somebody else has moved it, or ended the round */
export async function advanceToken(db: Db, step: Advance): Promise<boolean> {
  const { system, type, round, from, to, counts } = step;
  const { numAffectedRows = 0n } = await sql`
    update sync_token
    set token = ${to}, taken_at = clock_timestamp(), counts = ${JSON.stringify(counts)}::jsonb, failing_id = null, failures = 0,
      rev = rev + 1
    where system = ${system} and object_type = ${type} and round = ${round}
      and token is not distinct from ${from}`.execute(db);
  return numAffectedRows > 0n;
}

/** Counts what holds up all that comes after it. @returns how often it has failed now */
export async function countFailing(
  db: Db,
  { system, type, round }: Place & { readonly round: string },
  id: string,
): Promise<number> {
  const { rows } = await sql<{ failures: number }>`
    update sync_token
    set failures = case when failing_id = ${id} then failures + 1 else 1 end, failing_id = ${id}
    where system = ${system} and object_type = ${type} and round = ${round} returning failures`.execute(db);
  return rows[0]?.failures ?? 0;
}

/** @param error why it has not come to its end */
export async function endRound(
  db: Db,
  { system, type, round }: Place & { readonly round: string },
  error: JsonObject | null,
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update sync_token set round = null, ended_at = clock_timestamp(), error = ${JSON.stringify(error)}::jsonb, rev = rev + 1
    where system = ${system} and object_type = ${type} and round = ${round}`.execute(db);
  return numAffectedRows > 0n;
}

/** @returns false where there is one already */
export async function storeFirstToken(db: Db, { system, type }: Place, token: string): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    insert into sync_token as t (system, object_type, token, taken_at) values (${system}, ${type}, ${token}, clock_timestamp())
    on conflict (system, object_type) do update
    set token = excluded.token, taken_at = excluded.taken_at, rev = t.rev + 1
    where t.token is null and t.round is null`.execute(db);
  return numAffectedRows > 0n;
}

/** An operator says from where on. @returns undefined while a round is under way, or where it has another revision */
export async function writeToken(
  db: Db,
  { system, type }: Place,
  token: string | null,
  rev: number | null,
): Promise<TokenRow | undefined> {
  const { rows } = await sql<TokenRow>`
    insert into sync_token as t (system, object_type, token, taken_at)
    values (${system}, ${type}, ${token}, clock_timestamp())
    on conflict (system, object_type) do update
    set token = excluded.token, taken_at = excluded.taken_at, error = null, failing_id = null, failures = 0, rev = t.rev + 1
    where t.round is null and t.rev = coalesce(${rev}::bigint, t.rev)
    returning ${COLUMNS}`.execute(db);
  return rows[0];
}

/** @returns whether there was one, and no round of it under way */
export async function deleteToken(db: Db, { system, type }: Place, rev: number | null): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    delete from sync_token
    where system = ${system} and object_type = ${type} and round is null and rev = coalesce(${rev}::bigint, rev)`.execute(
    db,
  );
  return numAffectedRows > 0n;
}

/** How many seconds ago the one was followed that was followed longest ago, and how many have ended with an error. */
export async function countTokens(
  db: Db,
): Promise<{ readonly failing: number; readonly oldest: number; readonly dead: number }> {
  const { rows } = await sql<{ failing: number; oldest: number; dead: number }>`
    select count(*) filter (where error is not null)::int as failing,
      coalesce(max(extract(epoch from clock_timestamp() - coalesce(ended_at, taken_at))) filter (where token is not null), 0)::float8 as oldest,
      (select count(*)::int from sync_dead_letter) as dead
    from sync_token`.execute(db);
  return rows[0] ?? { failing: 0, oldest: 0, dead: 0 };
}
