import { sql } from 'kysely';
import type { Db } from '#database/index.ts';
import { oneRow } from '#database/index.ts';

/** An attempt to log in: the account that it names, as a hash of the name, and the network from which it comes. */
export interface Login {
  readonly account: string;
  readonly network: string;
}

export interface Standing {
  /** How long the caller has still to wait, in ms; 0 when it need not. */
  readonly waitMs: number;
  /** The account has come in from there before. */
  readonly isKnown: boolean;
}

/** How failures slow down; times in ms. */
export interface ThrottlePolicy {
  /** Failures of an account from one address before attempts have to wait; the wait doubles with each. */
  readonly pairFree: number;
  readonly firstMs: number;
  readonly longestMs: number;
  /** Where the account has come in before. */
  readonly longestKnownMs: number;
  /** Failures of an account, or from an address, at once; later ones come one in `everyMs`. */
  readonly accountFree: number;
  readonly addressFree: number;
  readonly everyMs: number;
}

/** How it stands with each, without counting anything. */
export async function findStandings(db: Db, logins: readonly Login[]): Promise<readonly Standing[]> {
  const { rows } = await sql<Standing>`
    select greatest(0, coalesce((
        select max(extract(epoch from f.blocked_until - clock_timestamp())) * 1000 from login_failure f
        where f.key = 'pair ' || l.account || ' ' || l.network
           or (k.account is null and f.key in ('account ' || l.account, 'address ' || l.network))), 0))::float8 as "waitMs",
      k.account is not null as "isKnown"
    from unnest(${logins.map(({ account }) => account)}::text[], ${logins.map(({ network }) => network)}::text[])
      with ordinality as l (account, network, at)
    left join login_address k on k.account = l.account and k.network = l.network
    order by l.at`.execute(db);
  return rows;
}

/** A crash may forget counts of its last moment: whoever guesses passwords just then may guess a little longer. */
const WITHOUT_THE_DISK = sql`set_config('synchronous_commit', 'off', true)`;

/** Counts a failure ahead of the comparison; who has to wait is not counted. */
export async function reserveFailure(db: Db, login: Login, policy: ThrottlePolicy): Promise<Standing> {
  const { pairFree, firstMs, longestMs, longestKnownMs, accountFree, addressFree, everyMs } = policy;
  const { rows } = await sql<Standing>`
    select wait_ms as "waitMs", known as "isKnown" from login_reserve(${login.account}, ${login.network},
      ${pairFree}::int, ${firstMs}::int, ${longestMs}::int, ${longestKnownMs}::int,
      ${accountFree}::int, ${addressFree}::int, ${everyMs}::int), ${WITHOUT_THE_DISK}`.execute(db);
  return oneRow(rows);
}

/** The password was right: takes back what was counted, and notes where the account came in from. */
export async function giveBackFailure(db: Db, { account, network }: Login, everyMs: number): Promise<void> {
  await sql`select from login_give_back(${account}, ${network}, ${everyMs}::int), ${WITHOUT_THE_DISK}`.execute(
    db,
  );
}

/** Counts of over so long ago slow down nobody. */
const NEUTRAL_AFTER = sql`interval '15 minutes'`;
const KNOWN_FOR = sql`interval '30 days'`;
const MOST_ADDRESSES = 100;

/** Removes what counts no more. */
export async function pruneLogins(db: Db): Promise<void> {
  await sql`delete from login_failure
    where last_at < clock_timestamp() - ${NEUTRAL_AFTER} and blocked_until < clock_timestamp() - ${NEUTRAL_AFTER}`.execute(
    db,
  );
  await sql`delete from login_address where seen_at < now() - ${KNOWN_FOR}`.execute(db);
  await sql`delete from login_address a using (
      select account, network, row_number() over (partition by account order by seen_at desc) as place from login_address) o
    where o.place > ${MOST_ADDRESSES} and a.account = o.account and a.network = o.network`.execute(db);
}

export interface ThrottleRow {
  readonly kind: 'account' | 'address' | 'pair';
  readonly account: string | null;
  readonly address: string | null;
  readonly failures: number;
  readonly last_at: Date;
  readonly blocked_until: Date;
  readonly blocked: boolean;
}

/** The accounts and networks that failed last, or the counts of one account or one network. */
export async function listFailures(
  db: Db,
  of: Partial<Login>,
  most: number,
): Promise<readonly ThrottleRow[]> {
  const { rows } = await sql<ThrottleRow>`
    select kind, account, address, failures, last_at, blocked_until, blocked from svc_login_throttle
    where failures > 0 and (${of.account ?? null}::text is null or account = ${of.account ?? null})
      and (${of.network ?? null}::text is null or address = ${of.network ?? null})
    order by last_at desc limit ${most}`.execute(db);
  return rows;
}

/** Forgets all failures of an account, or all from a network. @returns how many counts there were */
export async function forgetFailures(db: Db, of: Partial<Login>): Promise<number> {
  const { rows } = await sql`
    delete from login_failure f using svc_login_throttle t
    where f.key = concat_ws(' ', t.kind, t.account, t.address)
      and (t.account = ${of.account ?? null} or t.address = ${of.network ?? null})
    returning f.key`.execute(db);
  return rows.length;
}
