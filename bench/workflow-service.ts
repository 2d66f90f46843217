/**
 * The workflow service over HTTP on one node and on two: instances with one user task, started and completed (two
 * requests, two transactions), and instances with three service tasks, which end in their start.
 */
import { startChild } from './support/child.ts';
import { createBenchDatabase } from './support/postgres.ts';
import { postgresCpuMs, processCpuMs } from './support/processor.ts';
import { report } from './support/row.ts';
import { call, createProject, type Service, startService } from './support/service.ts';
import type { WorkflowResult, WorkflowTask } from './support/workflow-client.ts';

const BENCH = 'workflow-service';
const quick = process.argv.includes('--quick');
const ROUNDS = quick ? 1 : 2;
const MS = quick ? 1_500 : 3_000;

const processFile = (key: string, body: string) => `<?xml version="1.0"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:flowable="http://flowable.org/bpmn" targetNamespace="bench">
  <process id="${key}">${body}</process></definitions>`;
const flow = (from: string, to: string) =>
  `<sequenceFlow id="${from}-${to}" sourceRef="${from}" targetRef="${to}"/>`;
const service = (id: string) =>
  `<serviceTask id="${id}" flowable:expression="\${count + 1}" flowable:resultVariable="count"/>`;
const PROCESSES = {
  oneTask: `<startEvent id="s"/><userTask id="t" flowable:candidateGroups="clerks"/><endEvent id="e"/>${flow('s', 't')}${flow('t', 'e')}`,
  threeServices: `<startEvent id="s"/>${service('a')}${service('b')}${service('c')}<endEvent id="e"/>${flow('s', 'a')}${flow('a', 'b')}${flow('b', 'c')}${flow('c', 'e')}`,
};

await using scope = new AsyncDisposableStack();
const { url: databaseUrl } = scope.use(await createBenchDatabase());
const project = scope.use(await createProject({}));
const nodes: Service[] = [];
for (const name of ['one', 'two']) {
  nodes.push(scope.use(await startService({ databaseUrl, project: project.location, name })));
}
const clients = [
  scope.use(await startChild<WorkflowTask, WorkflowResult>('./workflow-client.ts')),
  scope.use(await startChild<WorkflowTask, WorkflowResult>('./workflow-client.ts')),
];
for (const [key, body] of Object.entries(PROCESSES)) {
  const file = { name: `${key}.bpmn20.xml`, content: processFile(key, body) };
  await call(nodes[0]!.url, 'POST', 'workflow/deployment?_action=deploy', file);
}

await run(1, 8, 'oneTask', 2_000);
for (const count of [1, 2]) {
  for (const connections of [8, 32]) {
    await measure(count, connections, 'oneTask', 'instances with a user task, started and completed');
    await measure(count, connections, 'threeServices', 'instances with three service tasks');
  }
}

async function run(count: number, connections: number, key: string, ms: number): Promise<WorkflowResult> {
  const results = await Promise.all(
    nodes
      .slice(0, count)
      .map(({ url }, n) =>
        clients[n]!.ask({ url, key, completes: key === 'oneTask', clients: connections / count, ms }),
      ),
  );
  return {
    perSecond: results.reduce((sum, { perSecond }) => sum + perSecond, 0),
    p50Ms: Math.max(...results.map(({ p50Ms }) => p50Ms)),
    p99Ms: Math.max(...results.map(({ p99Ms }) => p99Ms)),
  };
}

async function measure(count: number, connections: number, key: string, what: string): Promise<void> {
  const rounds: WorkflowResult[] = [];
  const cpu: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const before = await processorMs();
    const result = await run(count, connections, key, MS);
    rounds.push(result);
    cpu.push(((await processorMs()) - before) / ((result.perSecond * MS) / 1_000));
  }
  const where = `${count} ${count === 1 ? 'node' : 'nodes'}, ${connections} clients`;
  const rates = rounds.map(({ perSecond }) => perSecond);
  report({ bench: BENCH, quantity: `${what}, ${where}`, unit: 'instances/s', ours: rates });
  report({
    bench: BENCH,
    quantity: `${what}, ${where}, processor time of nodes and Postgres`,
    unit: 'ms an instance',
    ours: cpu,
    lessIsBetter: true,
  });
  const p99 = rounds.map(({ p99Ms }) => p99Ms);
  report({ bench: BENCH, quantity: `${what}, ${where}, p99`, unit: 'ms', ours: p99, lessIsBetter: true });
}

/** So far, of the nodes and of Postgres. */
async function processorMs(): Promise<number> {
  const ofNodes = nodes.reduce((sum, { pid }) => sum + (processCpuMs(pid) ?? Number.NaN), 0);
  return ofNodes + ((await postgresCpuMs(databaseUrl)) ?? Number.NaN);
}
