/**
 * How late timers are that are due at a steady rate, on one node, while Postgres and the node share the machine; what a
 * timer costs of the processor, in the node and in Postgres; and how many fire in a second when all are due at once. Each
 * ends its instance in a step of its own.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Latency } from './support/latency.ts';
import { createBenchDatabase, onServer } from './support/postgres.ts';
import { postgresCpuMs, processCpuMs } from './support/processor.ts';
import { remark, report } from './support/row.ts';
import { call, createProject, startService } from './support/service.ts';

const BENCH = 'workflow-timers';
const quick = process.argv.includes('--quick');
const profiled = process.argv.includes('--profile');
const SECONDS = quick ? 4 : 15;
const RATE = 1_000;
const COUNT = SECONDS * RATE;
/** A claim looks half a second ahead, so that what is due at once begins when it is due. */
const AT_ONCE = quick ? 5_000 : 20_000;
const PROCESS = `<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="bench"><process id="timed">
  <startEvent id="s"/><intermediateCatchEvent id="pause"><timerEventDefinition><timeDate>\${at}</timeDate></timerEventDefinition></intermediateCatchEvent>
  <endEvent id="e"/><sequenceFlow id="a" sourceRef="s" targetRef="pause"/><sequenceFlow id="b" sourceRef="pause" targetRef="e"/></process></definitions>`;

await using scope = new AsyncDisposableStack();
const { url: databaseUrl } = scope.use(await createBenchDatabase());
const project = scope.use(await createProject({}));
const service = scope.use(
  await startService({
    databaseUrl,
    project: project.location,
    nodeArguments: profiled ? ['--cpu-prof', '--cpu-prof-dir=/tmp/workflow-timers'] : [],
  }),
);
await call(service.url, 'POST', 'workflow/deployment?_action=deploy', {
  name: 'timed.bpmn20.xml',
  content: PROCESS,
});
// Each thread compiles the process when it meets it.
await Promise.all(
  Array.from({ length: 50 }, () =>
    call(service.url, 'POST', 'workflow/processinstance', { _key: 'timed', at: new Date().toISOString() }),
  ),
);
await until(0);
await fill('000', COUNT, 1_000 / RATE);
await sleep(Math.max(0, (await beginsInMs()) - 200));
const before = await processorTimes();
await sleep(SECONDS * 1_000);
await until(0, 60_000);
const after = await processorTimes();

const late = new Latency();
const rows = await onServer<{ ms: number; done: number }>(
  databaseUrl,
  `select (extract(epoch from a.ended_at - b.due_at) * 1000)::float8 as ms
   from workflow_activity a join bench_due b on b.instance_id = a.instance_id where a.element = 'pause' and a.ended_at is not null`,
);
for (const { ms } of rows) late.add(Math.max(0, ms));
if (rows.length !== COUNT) remark(BENCH, `${rows.length} of ${COUNT} timers fired within a minute`);
for (const share of [0.5, 0.99]) {
  const quantity = `timers due at ${RATE} a second, lateness p${share * 100}`;
  report({ bench: BENCH, quantity, unit: 'ms', ours: [late.percentile(share)], lessIsBetter: true });
}
reportProcessorTime('a timer', before, after, COUNT);

await fill('001', AT_ONCE, 0);
await sleep(Math.max(0, (await beginsInMs()) - 200));
const beforeDrain = await processorTimes();
await sleep(Math.max(0, await beginsInMs()));
await until(0, 60_000);
const afterDrain = await processorTimes();
const [drain] = await onServer<{ ms: number; done: number }>(
  databaseUrl,
  `select (extract(epoch from max(a.ended_at) - min(b.due_at)) * 1000)::float8 as ms, count(*)::int as done
   from workflow_activity a join bench_due b on b.instance_id = a.instance_id where a.element = 'pause' and a.ended_at is not null`,
);
if (drain!.done !== AT_ONCE) remark(BENCH, `${drain!.done} of ${AT_ONCE} timers fired within a minute`);
report({
  bench: BENCH,
  quantity: `${AT_ONCE} timers due at once`,
  unit: 'timers/s',
  ours: [(drain!.done / drain!.ms) * 1_000],
  goal: { atLeast: 3_000 },
});

reportProcessorTime('a timer of those due at once', beforeDrain, afterDrain, AT_ONCE);

/** So far, in ms: of the node and of Postgres. */
async function processorTimes() {
  return { 'the node': processCpuMs(service.pid), Postgres: await postgresCpuMs(databaseUrl) };
}

type Times = Awaited<ReturnType<typeof processorTimes>>;

function reportProcessorTime(what: string, from: Times, to: Times, count: number): void {
  for (const where of ['the node', 'Postgres'] as const) {
    const [began, ended] = [from[where], to[where]];
    if (began === undefined || ended === undefined) continue;
    const quantity = `${what}, processor time of ${where}`;
    report({ bench: BENCH, quantity, unit: 'ms', ours: [(ended - began) / count], lessIsBetter: true });
  }
}

async function beginsInMs(): Promise<number> {
  const [row] = await onServer<{ ms: number }>(
    databaseUrl,
    'select extract(epoch from min(due_at) - now())::float8 * 1000 as ms from workflow_job',
  );
  return row!.ms;
}

/** Instances as if they had been started, one as the other, with timers from a few seconds on. */
async function fill(series: string, count: number, everyMs: number): Promise<void> {
  const { _id: model } = (await call(service.url, 'POST', 'workflow/processinstance', {
    _key: 'timed',
    at: new Date(Date.now() + 3_600_000).toISOString(),
  })) as { _id: string };
  await onServer(
    databaseUrl,
    `drop table if exists bench_due;
     create table bench_due as
       select ('01900000-0000-7000-8${series}-' || lpad(to_hex(n), 6, '0') || '000000')::uuid as instance_id,
              gen_random_uuid() as job_id, now() + interval '8 s' + n * interval '${everyMs} ms' as due_at
       from generate_series(0, ${count - 1}) n;
     insert into workflow_instance (id, definition_id, definition_key, deployment_id, root_id, started_at)
       select b.instance_id, i.definition_id, i.definition_key, i.deployment_id, b.instance_id, now()
       from bench_due b, workflow_instance i where i.id = '${model}';
     insert into workflow_state (instance_id, root_id, definition_id, scopes, state)
       select b.instance_id, b.instance_id, s.definition_id, s.scopes, s.state
       from bench_due b, workflow_state s where s.instance_id = '${model}';
     insert into workflow_variable (instance_id, scope, name, type, value, text_value)
       select b.instance_id, v.scope, v.name, v.type, v.value, v.text_value
       from bench_due b, workflow_variable v where v.instance_id = '${model}';
     insert into workflow_activity (instance_id, execution, element, started_at)
       select b.instance_id, a.execution, a.element, a.started_at
       from bench_due b, workflow_activity a where a.instance_id = '${model}' and a.ended_at is null;
     insert into workflow_job (id, kind, instance_id, execution, element, definition_id, due_at, retries)
       select b.job_id, j.kind, b.instance_id, j.execution, j.element, j.definition_id, b.due_at, j.retries
       from bench_due b, workflow_job j where j.instance_id = '${model}';
     insert into work_job (id, queue, data, due_at, attempts, retry_delay_ms)
       select gen_random_uuid(), q.queue, jsonb_build_object('job', b.job_id, 'revision', 1, 'instance', b.instance_id),
              b.due_at, q.attempts, q.retry_delay_ms
       from bench_due b, work_job q where q.data->>'instance' = '${model}'`,
  );
  await call(service.url, 'DELETE', `workflow/processinstance/${model}`);
  await onServer(databaseUrl, 'analyze');
}

/** Waits until so many jobs are left, or for long enough. */
async function until(left: number, ms = 20_000): Promise<void> {
  for (const startedAt = performance.now(); performance.now() - startedAt < ms; await sleep(100)) {
    const [row] = await onServer<{ n: number }>(databaseUrl, 'select count(*)::int as n from workflow_job');
    if (row!.n <= left) return;
  }
}
