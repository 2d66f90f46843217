import { sql } from 'kysely';
import { type Db, LOCK_CLASS, type LogPosition, oneRow, timelineOf } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';

/** Another cluster on the same Postgres server has nodes of the same numbers. */
const IN_THIS_DATABASE = sql`datname = current_database()`;

/** Finds in `pg_locks l` the locks that nodes hold for as long as they live. */
export const IS_NODE_LOCK = sql`l.locktype = 'advisory' and l.classid::bigint = ${LOCK_CLASS}`;

/** The database's time as the REST interface writes it. */
const NOW = sql`to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

export interface NodeRow {
  readonly id: number;
  readonly name: string;
  readonly epoch: number;
  /** Whether it runs, by the one predicate of liveness. */
  readonly state: 'running' | 'lost' | 'down';
  /** Milliseconds since its last heartbeat. */
  readonly silent_ms: number;
  readonly started_at: Date;
  readonly stopped_at: Date | null;
  readonly recovery: JsonObject | null;
  /** The work that was in quarantine there when it was last seen; null if there was none. */
  readonly alone: string | null;
  /** Since when it is to claim nothing; null when it works. */
  readonly drained_at: Date | null;
  /** Whether its lock tells that it lives; else its heartbeat alone does. */
  readonly holds_session: boolean;
  /** Clients of it listen to events. */
  readonly listens: boolean;
  /** It writes down what changes, for those who listen. */
  readonly tells: boolean;
}

/** The node's row, made if it is new. Its state stays what it was until `registerNode`. */
export async function getNodeId(db: Db, name: string): Promise<number> {
  const row = await db
    .insertInto('cluster_node')
    .values({ name, roles: [], state: 'down' })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ name }))
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}

/** One life of a node: from its joining until it leaves or another one takes over from it. */
export interface Life {
  readonly epoch: number;
  /** Random. Two lives have the same epoch only where a fail-over has lost one of them. */
  readonly life: string;
}

/**
 * Enters the cluster under a new epoch, which fences out whatever an earlier life of the node left running. Its row is made anew
 * where a fail-over has lost it.
 *
 * @param after its epoch so far, 0 for a process that starts: it works, whatever was said to the one before
 * @param life its last one, '' for a process that starts: where nothing but its row tells that a node lives, another process of its
 *   name may have joined a moment ago
 * @returns undefined where a node of another name has its number, or another process its name
 */
export async function registerNode(
  db: Db,
  { id, name }: { readonly id: number; readonly name: string },
  {
    roles,
    keys,
    holdsSession,
    after,
    life,
  }: {
    readonly roles: readonly string[];
    readonly keys?: KeyIds;
    readonly holdsSession: boolean;
    readonly after: number;
    readonly life: string;
  },
): Promise<Life | undefined> {
  const { rows } = await sql<Life>`
    with joined as (
      insert into cluster_node as node (id, name, roles, keys, holds_session, epoch, life) overriding system value
      values (${id}, ${name}, ${[...roles]}::text[], ${keys === undefined ? null : JSON.stringify(keys)}::jsonb,
              ${holdsSession}, ${after} + 1, gen_random_uuid())
      on conflict (id) do update
      set epoch = greatest(node.epoch, ${after}) + 1, state = 'running', life = excluded.life, roles = excluded.roles,
          keys = coalesce(excluded.keys, node.keys), holds_session = excluded.holds_session,
          started_at = clock_timestamp(), seen_at = clock_timestamp(), stopped_at = null, recovery = null,
          listens = false, tells = false,
          drained_at = case when ${after} > 0 then node.drained_at end,
          drained_by = case when ${after} > 0 then node.drained_by end
      where node.name = excluded.name
        and (excluded.holds_session or node.life::text = ${life} or svc_node_state(node.state, node.seen_at) <> 'running')
      returning name, epoch, life)
    select epoch, life, cluster_note_event(name, 'joined', epoch, null, null) from joined`.execute(db);
  return rows[0];
}

/**
 * @returns undefined when the node is no longer what it thinks it is: another one has taken over from it, or a fail-over has lost
 *   it; otherwise how far the log of the database was written, where it tells that
 */
export async function beat(
  db: Db,
  id: number,
  { epoch, life }: Life,
  isTold: boolean,
): Promise<Partial<LogPosition> | undefined> {
  const lsn = 'pg_current_wal_insert_lsn()';
  const { rows } = await sql<Partial<LogPosition>>`
    update cluster_node set seen_at = clock_timestamp()
    where id = ${id} and epoch = ${epoch} and life = ${life} and state = 'running'
    returning ${isTold ? sql.raw(`${lsn}::text as lsn, ${timelineOf(lsn)} as timeline`) : sql`1`}`.execute(
    db,
  );
  return rows[0];
}

export async function listNodes(db: Db): Promise<NodeRow[]> {
  const { rows } = await sql<NodeRow>`
    select id, name, epoch, svc_node_state(state, seen_at) as state, started_at,
           (extract(epoch from clock_timestamp() - seen_at) * 1000)::float8 as silent_ms, stopped_at, recovery, alone,
           drained_at, holds_session, listens, tells
    from cluster_node order by id`.execute(db);
  return rows;
}

/** For each alias the ids of its keys, the one in use first. */
export type KeyIds = Readonly<Record<string, readonly string[]>>;

/** A live node, and an alias of which its keys are others. */
export interface OtherRing {
  readonly node: string;
  readonly alias: string;
}

/** Live nodes besides this one of which one side lacks a key that the other has in use. */
export async function listOtherRings(db: Db, id: number, keys: KeyIds): Promise<readonly OtherRing[]> {
  // An alias that one side lacks altogether says so itself when it is used.
  const { rows } = await sql<OtherRing>`
    select n.name as node, theirs.key as alias
    from cluster_node n, jsonb_each(n.keys) theirs
      join jsonb_each(${JSON.stringify(keys)}::jsonb) ours on ours.key = theirs.key
    where n.id <> ${id} and svc_node_state(n.state, n.seen_at) = 'running'
      and not (ours.value @> (theirs.value -> 0) and theirs.value @> (ours.value -> 0))
    order by 1, 2`.execute(db);
  return rows;
}

/**
 * Live nodes besides this one that have not one key in common with it: in an alias that both have, or that every node needs.
 *
 * @param which those that have joined before it, or all where it has not joined yet
 */
export async function listForeignRings(
  db: Db,
  id: number,
  ring: { readonly keys: KeyIds; readonly needed: readonly string[] },
  which: 'all' | 'earlier',
): Promise<readonly OtherRing[]> {
  const { rows } = await sql<OtherRing>`
    with ours as (select ${JSON.stringify(ring.keys)}::jsonb as keys)
    select n.name as node, theirs.key as alias
    from ours, cluster_node me, cluster_node n, jsonb_each(n.keys) theirs
    where me.id = ${id} and n.id <> me.id and svc_node_state(n.state, n.seen_at) = 'running'
      and (ours.keys ? theirs.key or theirs.key = any(${[...ring.needed]}::text[]))
      and not coalesce(ours.keys -> theirs.key, '[]') ?| array(select jsonb_array_elements_text(theirs.value))
      and (${which === 'all'} or (n.started_at, n.id) < (me.started_at, me.id))
    order by 1, 2`.execute(db);
  return rows;
}

/** Tells which configuration the node has in force. */
export async function noteConfiguration(db: Db, id: number, configuration: string): Promise<void> {
  await db.updateTable('cluster_node').set({ configuration }).where('id', '=', id).execute();
}

/** How many other live nodes have another configuration in force. Those that never told are of an older version. */
export async function countNodesBehind(db: Db, id: number, configuration: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from cluster_node
    where id <> ${id} and configuration <> ${configuration} and svc_node_state(state, seen_at) = 'running'`.execute(
    db,
  );
  return oneRow(rows).count;
}

/** Tells what the node does with nothing else beside it. */
export async function noteAlone(db: Db, id: number, alone: string | null): Promise<void> {
  await db.updateTable('cluster_node').set({ alone }).where('id', '=', id).execute();
}

/** Marks a clean stop. */
export async function signOff(db: Db, id: number, epoch: number): Promise<void> {
  await sql`
    with gone as (
      update cluster_node set state = 'down', stopped_at = clock_timestamp()
      where id = ${id} and epoch = ${epoch} returning name, epoch)
    select cluster_note_event(name, 'left', epoch, null, null) from gone`.execute(db);
}

/**
 * Takes over from a dead node by raising its epoch.
 *
 * @returns false when another node was faster, or the node is alive again
 */
export async function takeOver(db: Db, node: NodeRow, by: string, how: string): Promise<boolean> {
  const { rows } = await sql`
    with lost as (
      update cluster_node
      set epoch = epoch + 1, state = 'down',
          recovery = jsonb_build_object('recoveredBy', ${by}::text, 'recoveryAttempts', 1,
                                        'detectedDown', ${NOW}, 'recoveryStarted', ${NOW})
      where id = ${node.id} and epoch = ${node.epoch} and state = 'running' returning name)
    select cluster_note_event(name, 'lost', ${node.epoch}, ${by}, jsonb_build_object('how', ${how}::text)) from lost`.execute(
    db,
  );
  return rows.length === 1;
}

/** Notes that all claims of a dead node are given back. */
export async function finishRecovery(db: Db, nodeId: number, by: string, runs: number): Promise<void> {
  await sql`
    with recovered as (
      update cluster_node set recovery = recovery || jsonb_build_object('recoveryFinished', ${NOW})
      where id = ${nodeId} and recovery->>'recoveredBy' = ${by} returning name, epoch)
    select cluster_note_event(name, 'recovered', epoch - 1, ${by}, jsonb_build_object('runs', ${runs}::int))
    from recovered`.execute(db);
}

/**
 * Goes on with a recovery whose node did not finish it in ten seconds, perhaps because it died as well.
 *
 * @returns false when there is nothing to go on with, or another node was faster
 */
export async function resumeRecovery(db: Db, node: NodeRow, by: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update cluster_node
    set recovery = recovery || jsonb_build_object('recoveredBy', ${by}::text, 'recoveryStarted', ${NOW},
                                                  'recoveryAttempts', (recovery->>'recoveryAttempts')::int + 1)
    where id = ${node.id} and epoch = ${node.epoch} and state = 'down' and recovery->'recoveryFinished' is null
      and (recovery->>'recoveryStarted')::timestamptz < clock_timestamp() - interval '10 seconds'`.execute(
    db,
  );
  return numAffectedRows === 1n;
}

/**
 * How many database sessions a node has: none, when its process is gone. One that waits for a lock does not count,
 * because it learns that its client is gone only when it has the lock.
 */
export async function countSessions(db: Db, applicationName: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pg_stat_activity
    where ${IN_THIS_DATABASE} and application_name = ${applicationName}
      and wait_event_type is distinct from 'Lock'`.execute(db);
  return oneRow(rows).count;
}

export interface LiveSession {
  readonly number: number;
  /** It has done nothing for a second; one that waits for a lock is at work. */
  readonly isIdle: boolean;
}

/** The sessions among these that Postgres has; any other is over, though nobody may have been told. */
export async function listLiveSessions(db: Db, sessions: readonly number[]): Promise<LiveSession[]> {
  const { rows } = await sql<LiveSession>`
    select pid as number, state = 'idle' and state_change < clock_timestamp() - interval '1 second' as "isIdle"
    from pg_stat_activity where pid = any(${[...sessions]}::int[])`.execute(db);
  return rows;
}

/** Ends a session that holds the lock of a node or waits for one, although its client may have closed it long ago. */
export async function endSession(db: Db, applicationName: string, session: number): Promise<void> {
  await sql`
    select pg_terminate_backend(a.pid) from pg_stat_activity a
    where ${IN_THIS_DATABASE} and application_name = ${applicationName} and a.pid = ${session}
      and exists (select from pg_locks l where l.pid = a.pid and ${IS_NODE_LOCK})`.execute(db);
}

/** Whether somebody holds the lock of the node, as its process does for as long as it lives. */
export async function isLocked(db: Db, nodeId: number): Promise<boolean> {
  const { rows } = await sql`
    select from pg_locks l
    where ${IS_NODE_LOCK} and l.granted and l.objid::bigint = ${nodeId}
      and l.database = (select oid from pg_database where datname = current_database())`.execute(db);
  return rows.length > 0;
}

/**
 * Ends sessions that were given the lock of a node because they waited for its end, and have kept it: whoever watches
 * lets it go at once, so their clients were never told. A session of the node itself stays.
 */
export async function endStrayWatchers(db: Db, nodeId: number, applicationName: string): Promise<void> {
  await sql`
    select pg_terminate_backend(l.pid)
    from pg_locks l join pg_stat_activity a using (pid)
    where ${IN_THIS_DATABASE} and ${IS_NODE_LOCK} and l.granted and l.objid::bigint = ${nodeId}
      and a.application_name <> ${applicationName}
      and a.state = 'idle' and a.state_change < clock_timestamp() - interval '1 second'`.execute(db);
}

/**
 * Ends the database sessions of a dead node, so that no lock of its open transactions stays behind. Does not wait for
 * their end: whoever needs their locks does.
 */
export async function endSessions(db: Db, applicationName: string): Promise<number> {
  const { rows } = await sql<{ ended: number }>`
    select count(pg_terminate_backend(pid))::int as ended from pg_stat_activity
    where ${IN_THIS_DATABASE} and application_name = ${applicationName} and pid <> pg_backend_pid()`.execute(
    db,
  );
  return rows[0]?.ended ?? 0;
}
