/** What is asked of the ledger as a whole, over HTTP, among 1,000,000 firings, with `--full` among 5,000,000; and what counting them costs. */
import { Latency } from './support/latency.ts';
import { createBenchDatabase, onServer } from './support/postgres.ts';
import { report } from './support/row.ts';
import { call, createProject, startService } from './support/service.ts';
import { isFull, isQuick } from './support/settings.ts';

const BENCH = 'firing-counts';
const FIRINGS = isQuick ? 100_000 : isFull ? 5_000_000 : 1_000_000;
const SCHEDULES = 100;
/** Each schedule fires that often a minute. */
const A_MINUTE = 12;
const MINUTES = Math.ceil(FIRINGS / SCHEDULES / A_MINUTE);
const ASKED = isQuick ? 5 : 30;

await using scope = new AsyncDisposableStack();
const { url: databaseUrl } = scope.use(await createBenchDatabase());
const project = scope.use(await createProject({}));
{
  // Makes the schema; the rest is measured without a node that counts as well.
  await using _ = await startService({ databaseUrl, project: project.location });
}
await fill();
await roll();
const { url } = scope.use(await startService({ databaseUrl, project: project.location }));

const from = new Date(Date.now() - MINUTES * 60_000).toISOString();
const day = new Date(Date.now() - 86_400_000).toISOString();
const questions = {
  'all of them as one': { from },
  'by the hour and outcome': { from, bucket: '1h', by: ['outcome'] },
  'by schedule': { from, by: ['schedule'] },
  'of a day, by 15 minutes': { from: day, bucket: '15m' },
  'of a day, by the minute and node': { from: day, bucket: '1m', by: ['node'] },
  'of a day and one schedule, by 15 minutes': {
    from: day,
    bucket: '15m',
    queryFilter: 'schedule eq "schedule-7"',
  },
};
for (const [what, body] of Object.entries(questions)) {
  const latency = new Latency();
  for (let n = 0; n < ASKED; n++) {
    const sentAt = performance.now();
    await call(url, 'POST', 'scheduler/firing?_action=aggregate', body);
    latency.add(performance.now() - sentAt);
  }
  const quantity = `${FIRINGS.toLocaleString('en')} firings counted ${what}, p50`;
  const goal = { atMost: 100 };
  report({ bench: BENCH, quantity, unit: 'ms', ours: [latency.percentile(0.5)], lessIsBetter: true, goal });
}

/** In the order in which they ended, as the ledger is written. */
async function fill(): Promise<void> {
  await onServer(
    databaseUrl,
    `set synchronous_commit = off;
     insert into scheduler_firing (planned_at, trigger_id, generation, job_id, outcome, node, started_at, ended_at, late_ms, error)
     select t, k, 1, 'schedule-' || k, case when h % 20 = 0 then 'late' else 'fired' end, 'node-' || h % 3,
            t + l * interval '1 ms', t + (l + d) * interval '1 ms', l, case when h % 100 = 0 then '{}'::jsonb end
     from (select t, k, (k * 7919 + extract(epoch from t)::bigint * 31) % 9973 as h
           from generate_series(date_trunc('minute', now()) - ${MINUTES} * interval '1 minute', now(), interval '5 s') t,
                generate_series(1, ${SCHEDULES}) k order by t, k limit ${FIRINGS}) x,
          lateral (select 1 + (h % 97) / 10.0 + case when h % 20 = 0 then 500 else 0 end as l, 5 + (h % 1013) / 7.0 as d) y`,
  );
  await onServer(databaseUrl, `truncate scheduler_firing_count`);
  await onServer(
    databaseUrl,
    `update scheduler_firing_counted set next_until = null, counted_until = (select min(ended_at) from scheduler_firing)`,
  );
  await onServer(databaseUrl, 'vacuum analyze scheduler_firing');
}

async function roll(): Promise<void> {
  const startedAt = performance.now();
  const isBehind = 'select from scheduler_firing_counted where counted_until < next_until';
  do await onServer(databaseUrl, "select scheduler_roll_firings('0 s', '0 s')");
  while ((await onServer(databaseUrl, isBehind)).length > 0);
  const each = ((performance.now() - startedAt) * 1_000) / FIRINGS;
  report({
    bench: BENCH,
    quantity: 'counting a firing, afterwards',
    unit: 'µs',
    ours: [each],
    lessIsBetter: true,
  });
  await onServer(databaseUrl, 'vacuum analyze scheduler_firing_count');
}
