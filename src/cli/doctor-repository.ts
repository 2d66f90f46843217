import { sql } from 'kysely';
import { type Db, oneRow } from '#database/index.ts';

/** What is not as it should be, in words for an operator. */
export interface Complaint {
  readonly id: string;
  readonly subject: string;
  readonly text: string;
  readonly hint: string | null;
}

/** The wall clock of the database, epoch ms. */
export async function databaseTime(db: Db): Promise<number> {
  const { rows } = await sql<{ at: number }>`
    select (extract(epoch from clock_timestamp()) * 1000)::float8 as at`.execute(db);
  return oneRow(rows).at;
}

export async function postgresVersion(db: Db): Promise<string> {
  const { rows } = await sql<{
    version: string;
  }>`select current_setting('server_version') as version`.execute(db);
  return oneRow(rows).version;
}

/** What the nodes and their work complain of, as the console shows it. */
export async function findComplaints(db: Db): Promise<readonly Complaint[]> {
  const { rows } = await sql<Complaint>`
    select id, subject, text, hint from svc_finding order by severity, since limit 100`.execute(db);
  return rows;
}

export async function findIndexTrouble(db: Db): Promise<readonly Complaint[]> {
  const { rows } = await sql<Complaint>`
    select 'INDEX_INVALID' as id, c.relname as subject, 'is not valid, so no query uses it' as text,
           'reindex index concurrently ' || c.relname as hint
    from pg_index i join pg_class c on c.oid = i.indexrelid
    where not i.indisvalid and c.relnamespace = current_schema()::regnamespace
      -- One that is being built is not valid yet.
      and not exists (select from pg_stat_progress_create_index p where i.indrelid = p.relid)
    order by 2 limit 100`.execute(db);
  return rows;
}

/** Tables of which more is dead than autovacuum leaves behind when it keeps up. */
export async function findBloat(db: Db): Promise<readonly Complaint[]> {
  const { rows } = await sql<Complaint>`
    select 'TABLE_BLOAT' as id, relname as subject,
           n_dead_tup || ' of ' || n_live_tup + n_dead_tup || ' rows are dead, last vacuumed '
             || coalesce(greatest(last_vacuum, last_autovacuum)::text, 'never') as text,
           'vacuum (analyze) ' || relname || '; a transaction that is open for long keeps dead rows' as hint
    from pg_stat_user_tables
    where schemaname = current_schema() and n_dead_tup > 50000 and n_dead_tup > n_live_tup * 0.4
    order by n_dead_tup desc limit 20`.execute(db);
  return rows;
}

/**
 * Whether vacuum runs, and how near transaction ids are to their end (2^31).
 *
 * @param mostIds in use from which on it is told
 */
export async function findVacuumTrouble(db: Db, mostIds = 1_000_000_000): Promise<readonly Complaint[]> {
  const { rows } = await sql<Complaint>`
    select 'AUTOVACUUM_OFF' as id, 'autovacuum' as subject, 'is off, so tables grow for ever' as text,
           'alter system set autovacuum = on; select pg_reload_conf()' as hint
    where current_setting('autovacuum') <> 'on' or current_setting('track_counts') <> 'on'
    union all
    select 'AUTOVACUUM_OFF', relname, 'has autovacuum turned off', 'alter table ' || relname || ' reset (autovacuum_enabled)'
    from pg_class
    where relnamespace = current_schema()::regnamespace and reloptions && array['autovacuum_enabled=false', 'autovacuum_enabled=off']
    union all
    select 'TRANSACTION_IDS', datname, age(datfrozenxid) || ' of 2147483648 transaction ids are in use',
           'vacuum freeze; Postgres takes no more writes when they are used up'
    from pg_database where datname = current_database() and age(datfrozenxid) > ${mostIds}`.execute(db);
  return rows;
}

/**
 * Whether nodes will soon be refused another connection.
 *
 * @param share of those that Postgres gives, from which on it is told
 */
export async function findConnectionTrouble(db: Db, share = 0.85): Promise<readonly Complaint[]> {
  const { rows } = await sql<Complaint>`
    with counted as (
      select (select count(*) from pg_stat_activity where backend_type = 'client backend') as used,
             current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as room)
    select 'CONNECTIONS_SHORT' as id, 'connections' as subject, used || ' of ' || room || ' are in use' as text,
           'give nodes a smaller SVC_DATABASE_POOL, set a pooler before Postgres, or raise max_connections' as hint
    from counted where used >= room * ${share}::float8`.execute(db);
  return rows;
}

/**
 * Who waits for a lock, and who holds transactions open.
 *
 * @param idleMs for how long one does nothing before it is told
 */
export async function findLockTrouble(db: Db, idleMs = 60_000): Promise<readonly Complaint[]> {
  const { rows } = await sql<Complaint>`
    select 'LOCK_WAIT' as id, 'process ' || pid as subject,
           'waits for process ' || array_to_string(pg_blocking_pids(pid), ', ') || ' since ' || round(extract(epoch from clock_timestamp() - state_change)) || ' s' as text,
           'select * from pg_stat_activity where pid = any(pg_blocking_pids(' || pid || '))' as hint
    from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and wait_event <> 'advisory'
      and state_change < clock_timestamp() - interval '5 s'
    union all
    select 'TRANSACTION_OPEN', 'process ' || pid, 'has a transaction open since ' || round(extract(epoch from clock_timestamp() - xact_start)) || ' s and does nothing (' || application_name || ')',
           'select pg_terminate_backend(' || pid || ') ends it'
    from pg_stat_activity
    where datname = current_database() and state like 'idle in transaction%'
      and state_change < clock_timestamp() - ${idleMs}::float8 * interval '1 ms'
    limit 100`.execute(db);
  return rows;
}

/**
 * Who keeps all that was deleted since from being cleaned away: transactions and replication slots that hold an old snapshot.
 *
 * @param afterMs from which age on
 */
export async function findHeldSnapshots(db: Db, afterMs = 300_000): Promise<readonly Complaint[]> {
  const before = sql`clock_timestamp() - ${afterMs}::float8 * interval '1 ms'`;
  const { rows } = await sql<Complaint>`
    select 'SNAPSHOT_HELD' as id, subject,
           'keeps all that was deleted since ' || held || ' from being cleaned away' as text, hint
    from (
      select 'process ' || pid as subject,
             round(extract(epoch from clock_timestamp() - xact_start)) || ' s (' || application_name || ')' as held,
             'wait for it to end, or end it: select pg_terminate_backend(' || pid || ')' as hint
      from pg_stat_activity
      where (datname = current_database() or backend_type = 'walsender') and coalesce(backend_xmin, backend_xid) is not null
        and xact_start < ${before} and pid <> pg_backend_pid()
        and not exists (select from pg_stat_progress_vacuum v where v.pid = pg_stat_activity.pid)
      union all
      select 'prepared transaction ' || gid, round(extract(epoch from clock_timestamp() - prepared)) || ' s',
             'commit prepared or rollback prepared'
      from pg_prepared_xacts where database = current_database() and prepared < ${before}
      union all
      select 'replication slot ' || slot_name, age(xmin) || ' transactions',
             'let its reader go on, or drop it: select pg_drop_replication_slot(' || quote_literal(slot_name) || ')'
      from pg_replication_slots where xmin is not null and not active) as holders
    limit 100`.execute(db);
  return rows;
}

/** Whether acknowledged changes may be lost when a standby takes over. Every role is told who follows, but not how far they are. */
export async function findStandbyTrouble(db: Db): Promise<readonly Complaint[]> {
  const { rows } = await sql<Complaint>`
    select 'COMMITS_UNCONFIRMED' as id, count(*) || ' standbys' as subject,
           'follow, and none has to confirm a commit: one that takes over may lack what was acknowledged' as text,
           'synchronous_mode: true in Patroni, or synchronous_standby_names' as hint
    from pg_stat_replication
    where current_setting('synchronous_standby_names') = '' having count(*) > 0`.execute(db);
  return rows;
}
