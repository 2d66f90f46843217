import { sql } from 'kysely';
import { type Db, type GroupStep, numbers, texts } from '#database/index.ts';
import type { Completions, Holder } from '#work/index.ts';
import { type Completion, formatRunKey, type LedgerEntry } from '../run/run.ts';
import { NORMAL_PRIORITY } from '../schedule/schedule.ts';
import { LEDGER, LEDGER_ENTRY, ledgerEntries } from './ledger-repository.ts';
import { DO_NOTHING, type OnConflict } from './rare-conflict-repository.ts';
import {
  ANEW,
  at,
  COMPETITION,
  COMPETITION_OF,
  concurrencyKey,
  isFinished,
  ownRun,
  schedule,
} from './run-row-repository.ts';

/** What comes after a run competes as that did, or as the schedule was edited meanwhile; a definition is long, so it is read only then. */
const NEXT_COMPETITION = COMPETITION_OF.map(([column, now]) => {
  if (column === 'owner_id' || column === 'owner_epoch') return sql.raw(now);
  const before = column === 'concurrency_key' ? concurrencyKey('d.concurrency_key') : `d.${column}`;
  return sql.raw(`case when j.updated_at > d.claimed_at then ${now} else ${before} end`);
});

/** A completion with the holder that must have the run. */
type HeldCompletion = Completion & { readonly holder: Holder };

/** Ends one run; see `completeRuns`. */
export async function completeRun(
  db: Db,
  holder: Holder,
  run: Completion['run'],
  next: number | null,
  entries: readonly LedgerEntry[],
): Promise<boolean> {
  return (await completeRuns(db, holder, [{ run, next, entries }])).has(formatRunKey(run));
}

/**
 * Ends runs: their rows go, the next firings wait, the ledger has their entries; a schedule of the REST interface
 * whose last run this was goes with it. One statement, however many they are.
 *
 * @returns the keys of those that were this holder's. A transaction with effects of any other must be rolled back
 */
export async function completeRuns(
  db: Db,
  holder: Holder,
  completions: readonly Completion[],
  onConflict?: OnConflict,
): Promise<Set<string>> {
  const held = completions.map((completion) => ({ ...completion, holder }));
  const tables = completionSteps(held, onConflict).map(
    ({ name, statement }) => sql`${sql.id(name)} as (${statement})`,
  );
  const { rows } = await sql<{ n: number }>`${ANEW} with ${sql.join(tables)} select n from done`.execute(db);
  return new Set(rows.map(({ n }) => formatRunKey(completions[n - 1]!.run)));
}

/** The same together with what the runs have stored, if all of them are still their holders'. */
export const runCompletions: Completions<HeldCompletion> = {
  isGuarded: true,
  isPlannedAnew: true,
  steps: (completions) => completionSteps(completions),
  async run(db, completions) {
    const stored = [];
    for (const { holder, ...completion } of completions)
      stored.push((await completeRuns(db, holder, [completion])).size === 1);
    return stored;
  },
};

/** The rows of `done` are those that were their holders', numbered from 1. All of them are of one node. */
function completionSteps(
  completions: readonly HeldCompletion[],
  onConflict: OnConflict = DO_NOTHING,
): readonly (GroupStep & { name: string })[] {
  const entries = completions.flatMap((completion, n) =>
    completion.entries.map((entry) => ({ ...entry, n: n + 1 })),
  );
  return [
    {
      name: 'item',
      statement: sql`
      select trigger_id, generation, attempt, priority, concurrent, concurrency_key, node_id, node_epoch, n,
             ${at('fire_ms')} as fire_at, ${at('next_ms')} as next_at, slot
      from unnest(
        ${numbers(completions, 'bigint', ({ run }) => run.triggerId)},
        ${numbers(completions, 'int', ({ run }) => run.generation)},
        ${numbers(completions, 'float8', ({ run }) => run.fireAt)},
        ${numbers(completions, 'bigint', ({ run }) => run.slot)},
        ${numbers(completions, 'int', ({ run }) => run.attempt)},
        ${numbers(completions, 'float8', ({ next }) => next)},
        ${numbers(completions, 'int', ({ run }) => run.definition?.priority ?? NORMAL_PRIORITY)},
        ${numbers(completions, 'boolean', ({ run }) => run.definition?.concurrentExecution ?? false)},
        ${texts(completions, 'text', ({ run }) => run.definition?.concurrencyKey ?? null)},
        ${numbers(completions, 'int', ({ holder }) => holder.nodeId)},
        ${numbers(completions, 'bigint', ({ holder }) => holder.epoch)}
      ) with ordinality as i(trigger_id, generation, fire_ms, slot, attempt, next_ms, priority, concurrent, concurrency_key,
                             node_id, node_epoch, n)`,
    },
    {
      name: 'mine',
      statement: sql`
      select r.ctid as at, r.trigger_id, r.generation, r.fire_at, k.next_at, k.priority, k.concurrent, k.concurrency_key,
             k.n
      from item k cross join ${ownRun(sql`k.node_id`, sql`k.node_epoch`, sql`r.attempt = k.attempt`)} r`,
    },
    {
      name: 'gone',
      statement: sql`
      delete from scheduler_run where ctid = any(array(select at from mine))
      returning trigger_id, generation, fire_at, attempt, next_planned, claimed_at`,
    },
    {
      name: 'done',
      statement: sql`
      select trigger_id, generation, fire_at, g.attempt, g.next_planned, g.claimed_at, m.next_at, m.priority,
             m.concurrent, m.concurrency_key, m.n
      from gone g join mine m using (trigger_id, generation, fire_at)`,
      returns: completions.length,
    },
    {
      name: 'next',
      statement: sql`
      insert into scheduler_due (due_at, fire_at, trigger_id, generation, ${COMPETITION}, cause)
      select case when j.paused then 'infinity' else greatest(d.next_at, clock_timestamp()) end, d.next_at,
             d.trigger_id, d.generation, ${sql.join(NEXT_COMPETITION)},
             case when d.next_at < clock_timestamp() then jsonb_build_object(
               'kind', 'blocked', 'by', d.fire_at, 'until', clock_timestamp(),
               'node', (select name from cluster_node where id = ${completions[0]?.holder.nodeId ?? null})) end
      from done d cross join ${schedule('d')} j
      where not d.next_planned and d.next_at is not null
      ${onConflict}`,
    },
    // Where none can be the last, there is less to plan.
    ...(completions.some(({ run, next }) => next === null || run.nextPlanned) ? [FINISHED] : []),
    {
      name: 'ledger',
      statement: sql`
      insert into scheduler_firing (${LEDGER})
      select ${LEDGER_ENTRY('d')} from done d join ${ledgerEntries(entries)} on e.n = d.n
      ${onConflict}`,
    },
  ];
}

/** Schedules of the REST interface of which nothing waits or runs any more. One that is edited, or asked to fire, just now goes on. */
const FINISHED = {
  name: 'finished',
  statement: sql`
  delete from scheduler_job where trigger_id = any(array(
    select f.trigger_id from done d cross join lateral (
      select j.trigger_id from scheduler_job j
      where j.trigger_id = d.trigger_id and j.generation = d.generation
        and ${isFinished(sql`select 1 from done o where o.trigger_id = r.trigger_id and o.generation = r.generation
                             and o.fire_at = r.fire_at`)}
        and not exists (select 1 from done o where o.trigger_id = j.trigger_id
                        and not o.next_planned and o.next_at is not null)
      limit 1 for update skip locked) f
    where d.next_planned or d.next_at is null))
    and trigger_id || '.' || generation = any(array(select trigger_id || '.' || generation from done))`,
};
