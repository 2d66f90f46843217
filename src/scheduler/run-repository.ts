import { sql } from 'kysely';
import { type Db, isConnectionLost } from '#database/index.ts';
import { type Holder, heldBy } from '#work/index.ts';
import type { Completion, Run } from './run.ts';
import { MS, type RunRow, toRun } from './run-row-repository.ts';

/**
 * How a run ended whose completion was sent and not answered: it is `open` while its row is there, `completed` when
 * the ledger has it from this node, and `lost` when somebody else has it now.
 */
export async function findFate(
  db: Db,
  holder: Holder,
  { run, entries }: Completion,
): Promise<'open' | 'completed' | 'lost'> {
  const planned = entries.at(-1)?.plannedAt ?? run.fireAt;
  const { rows } = await sql<{ open: boolean; recorded: boolean }>`
    select exists (select 1 from scheduler_run
                   where trigger_id = ${run.triggerId} and generation = ${run.generation}
                     and fire_at = ${new Date(run.fireAt)} and attempt = ${run.attempt}
                     and ${heldBy(holder)}) as open,
           exists (select 1 from scheduler_firing f
                   where planned_at = ${new Date(planned)} and trigger_id = ${run.triggerId}
                     and generation = ${run.generation} and attempt = ${run.attempt}
                     and node = (select name from cluster_node where id = ${holder.nodeId})) as recorded`.execute(
    db,
  );
  const { open, recorded } = rows[0]!;
  return open ? 'open' : recorded ? 'completed' : 'lost';
}

/** Whether the run is the holder's; if so nobody takes it over before this transaction has ended. */
export async function holdsRun(db: Db, holder: Holder, run: Run): Promise<boolean> {
  const { rows } = await sql`
    select 1 from scheduler_run
    where trigger_id = ${run.triggerId} and generation = ${run.generation} and fire_at = ${new Date(run.fireAt)}
      and attempt = ${run.attempt} and ${heldBy(holder)}
    for share`.execute(db);
  return rows.length === 1;
}

/** Rejects with the connection's error when it is broken; a transaction that Postgres has aborted is not. */
export async function probe(db: Db): Promise<void> {
  await sql`select 1`.execute(db).catch((error: unknown) => {
    if (isConnectionLost(error)) throw error;
  });
}

/** All that this life of the node holds. */
export async function listHeld(db: Db, holder: Holder): Promise<Run[]> {
  const { rows } = await sql<RunRow>`
    select trigger_id, generation, ${MS('fire_at')} as fire_at, attempt, ${MS('late_from')} as late_from, next_planned,
           kind, cause, exists (select from scheduler_job j where j.trigger_id = r.trigger_id and owner_id is not null) as own
    from scheduler_run r
    where ${heldBy(holder)}`.execute(db);
  return rows.map(toRun);
}
