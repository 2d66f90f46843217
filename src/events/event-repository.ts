import { sql } from 'kysely';
import { type Db, LOCK, lockingNamed, oneRow } from '#database/index.ts';
import type { ToldEvent } from './told-event.ts';

/** What one node has told at once. */
export interface EventBatch {
  readonly id: number;
  /** Something before it may not have been told. */
  readonly is_gap: boolean;
  readonly events: readonly ToldEvent[];
}

export interface Kept {
  /** 0 where nothing has ever been told. */
  readonly last: number;
  readonly first: number;
}

const MOST_BATCHES = 2_000;
const MOST_READ = 100;

/**
 * Writes a batch and wakes those who listen. Writers come one after the other, so that whoever has read one has missed none
 * before it. There is nothing to keep for ever: it need not wait for the disk.
 */
export async function writeBatch(
  db: Db,
  batch: { readonly node: string; readonly isGap: boolean; readonly events: readonly ToldEvent[] },
  wake: { readonly channel: string; readonly topic: string },
): Promise<void> {
  await sql`
    with turn as materialized (
      select set_config('synchronous_commit', 'off', true), (${lockingNamed(LOCK.events)})),
    written as (
      insert into event_batch (node, is_gap, events)
      select ${batch.node}, ${batch.isGap}, ${JSON.stringify(batch.events)}::jsonb from turn returning id),
    pruned as (delete from event_batch where id <= (select id from written) - ${sql.lit(MOST_BATCHES)})
    select pg_notify(${wake.channel}, ${wake.topic}) from written`.execute(db);
}

/** The next batches behind one, the oldest first. */
export async function readBatches(db: Db, after: number): Promise<readonly EventBatch[]> {
  const { rows } = await sql<EventBatch>`
    select id, is_gap, events from event_batch where id > ${after} order by id limit ${sql.lit(MOST_READ)}`.execute(
    db,
  );
  return rows;
}

export async function findKept(db: Db): Promise<Kept> {
  const { rows } = await sql<Kept>`
    select coalesce(max(id), 0) as last, coalesce(min(id), 0) as first from event_batch`.execute(db);
  return oneRow(rows);
}

/** Notes whether clients of this node listen. @returns whether nobody else in the cluster has listened until now */
export async function noteListening(db: Db, nodeId: number, listens: boolean): Promise<boolean> {
  const { rows } = await sql<{ first: boolean }>`
    with noted as (update cluster_node set listens = ${listens} where id = ${nodeId})
    select not exists (select from cluster_node where listens and svc_node_state(state, seen_at) = 'running') as first`.execute(
    db,
  );
  return oneRow(rows).first;
}

/** Notes whether this node writes down what changes. */
export async function noteTelling(db: Db, nodeId: number, tells: boolean): Promise<void> {
  await sql`update cluster_node set tells = ${tells} where id = ${nodeId}`.execute(db);
}

/** How many live nodes do not know yet that somebody listens. */
export async function countSilent(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from cluster_node
    where not tells and svc_node_state(state, seen_at) = 'running'`.execute(db);
  return oneRow(rows).count;
}
