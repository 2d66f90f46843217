import { sql } from 'kysely';
import { type Db, isConnectionLost, oneRow } from '#database/index.ts';
import { type Holder, heldBy } from '#work/index.ts';
import type { Completion, Run } from '../run/run.ts';

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
                   where lap = scheduler_lap_of(${run.slot}) and trigger_id = ${run.triggerId} and slot = ${run.slot} and generation = ${run.generation}
                     and fire_at = ${new Date(run.fireAt)} and attempt = ${run.attempt}
                     and ${heldBy(holder)}) as open,
           exists (select 1 from scheduler_firing f
                   where planned_at = ${new Date(planned)} and trigger_id = ${run.triggerId}
                     and generation = ${run.generation} and attempt = ${run.attempt}
                     and node = (select name from cluster_node where id = ${holder.nodeId})) as recorded`.execute(
    db,
  );
  const { open, recorded } = oneRow(rows);
  return open ? 'open' : recorded ? 'completed' : 'lost';
}

/** Whether the run is the holder's; if so nobody takes it over before this transaction has ended. */
export async function holdsRun(db: Db, holder: Holder, run: Run): Promise<boolean> {
  const { rows } = await sql`
    select 1 from scheduler_run
    where lap = scheduler_lap_of(${run.slot}) and trigger_id = ${run.triggerId} and slot = ${run.slot} and generation = ${run.generation}
      and fire_at = ${new Date(run.fireAt)} and attempt = ${run.attempt} and ${heldBy(holder)}
    for share`.execute(db);
  return rows.length === 1;
}

/** Rejects with the connection's error when it is broken; a transaction that Postgres has aborted is not. */
export async function probe(db: Db): Promise<void> {
  await sql`select 1`.execute(db).catch((error: unknown) => {
    if (isConnectionLost(error)) throw error;
  });
}
