import type { Db } from '#database/index.ts';
import { claimJobs, jobCompletions, listDues } from '../../src/queue/job-repository.ts';
import { claimDue } from '../../src/scheduler/store/claim-repository.ts';
import { completeRuns } from '../../src/scheduler/store/completion-repository.ts';
import { startRuns } from '../../src/scheduler/store/start-repository.ts';
import { compiledStatement } from './compiled-statement.ts';
import { sampleCompletion } from './same-script.ts';

/** What stands for a value of this database while a statement is made, and the column of `LOOK` that has it. */
const LOOKED_UP: Readonly<Record<string, string>> = {
  '901': 'node',
  '{901}': 'nodes',
  '902': 'epoch',
  '{902}': 'epochs',
  '{911}': 'triggers',
  '{912}': 'generations',
  '{913}': 'fires',
  '{914}': 'attempts',
  '{917}': 'slots',
  '{"{queue}"}': 'queues',
  '["{job}"]': 'jobs',
  '{918}': 'claims',
};

/** A node that runs, and what it holds: where that is nothing, the statements find nothing. */
export const LOOK = `
select n.id as node, array[n.id]::text as nodes, n.epoch, array[n.epoch]::text as epochs,
       array[coalesce(r.trigger_id, 0)]::text as triggers, array[coalesce(r.generation, 0)]::text as generations,
       array[coalesce(extract(epoch from r.fire_at) * 1000, 0)]::text as fires,
       array[coalesce(r.attempt, 0)]::text as attempts, array[coalesce(r.slot, 0)]::text as slots,
       array[coalesce(w.queue, '')]::text as queues, array[coalesce(j.id, gen_random_uuid())]::text as jobs,
       array[coalesce(j.claim, 0)]::text as claims
from cluster_node n
left join lateral (select * from scheduler_run where node_id = n.id limit 1) r on true
left join lateral (select * from work_job where node_id = n.id limit 1) j on true
left join lateral (select queue from work_job group by queue order by count(*) desc limit 1) w on true
where n.state = 'running' order by n.id limit 1`;

const HOLDER = { nodeId: 901, epoch: 902 };
const ASKS = [{ kind: '{queue}', most: 100, lookAheadMs: 500, since: 0 }];
const JOB = { id: '{job}', claim: 918, holder: HOLDER } as Parameters<typeof jobCompletions.run>[1][number];
const RUN = { triggerId: 911, generation: 912, fireAt: 913, slot: 917 };

/** What a node asks again and again, by the names under which it can be explained. */
export const HOT: Readonly<Record<string, (db: Db) => Promise<unknown>>> = {
  'firing-claim': (db) =>
    claimDue(db, { holder: HOLDER, limit: 100, lookAheadMs: 500, watermark: 0, startLimit: 4 }),
  'firing-start': (db) => startRuns(db, HOLDER, [RUN]),
  'firing-completion': (db) => completeRuns(db, HOLDER, [sampleCompletion()]),
  'job-claim': (db) => claimJobs(db, ASKS, HOLDER),
  'job-dues': (db) => listDues(db, ASKS),
  'job-completion': (db) => jobCompletions.run(db, [JOB]),
};

export interface HotStatement {
  /** With `$1`, `$2`, …, as the product sends it. */
  readonly text: string;
  /** Each is a literal, or the name of a column of `LOOK`. */
  readonly values: readonly ({ readonly literal: string } | { readonly column: string })[];
}

export async function hotStatement(make: (db: Db) => Promise<unknown>): Promise<HotStatement> {
  const made = await compiledStatement(make);
  if (made === undefined) throw new Error('It sends no statement');
  return { text: made.sql, values: made.parameters.map(toValue) };
}

function toValue(value: unknown): HotStatement['values'][number] {
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const column = LOOKED_UP[text];
  return column === undefined ? { literal: text } : { column };
}

/** For psql: what explains it, and takes back what it has done. */
export function explanation({ text, values }: HotStatement): string {
  const given = values.map((value) =>
    'column' in value ? `:'${value.column}'` : `'${value.literal.replaceAll("'", "''")}'`,
  );
  return `${LOOK.trim()} \\gset
begin;
prepare hot as ${text};
explain (analyze, buffers) execute hot${given.length === 0 ? '' : `(${given.join(', ')})`};
rollback;
`;
}
