/** How many statements one step of a process is, those of its transaction included. Counted, so no rounds. */
import { openDatabase } from '#database/index.ts';
import { processFile } from '../test/support/workflow.ts';
import { openWorkflowCore, statementsOf } from '../test/support/workflow-core.ts';
import { caught, end, path, service, start, timer, user } from '../test/unit/workflow/engine/bpmn.ts';
import { createBenchDatabase } from './support/postgres.ts';
import { report } from './support/row.ts';
import { createProject } from './support/service.ts';

const BENCH = 'workflow-statements';
const MANY = 32;
const plusOne = (id: string) => service(id, '\u0024{count + 1}', { 'flowable:resultVariable': 'count' });
const PROCESSES = {
  task: start() + user('t', { 'flowable:candidateGroups': 'clerks' }) + end() + path('s', 't', 'e'),
  services: start() + plusOne('a') + plusOne('b') + plusOne('c') + end() + path('s', 'a', 'b', 'c', 'e'),
  timed: start() + caught('pause', timer('PT0S')) + end() + path('s', 'pause', 'e'),
};

await using scope = new AsyncDisposableStack();
const { url } = scope.use(await createBenchDatabase());
const project = scope.use(await createProject({}));
const database = scope.adopt(openDatabase({ url }), (opened) => opened.close());
const { connection, claim, run } = await openWorkflowCore(database, project.location);
for (const [key, body] of Object.entries(PROCESSES)) {
  const file = { name: `${key}.bpmn20.xml`, content: processFile(key, body) };
  await connection.action('workflow/deployment', 'deploy', file);
}
const begin = (key: string) => connection.create('workflow/processinstance', null, { _key: key, count: 1 });
const startAll = async (count: number) => {
  for (let n = 0; n < count; n++) await begin('timed');
  return claim(count);
};
for (const key of Object.keys(PROCESSES)) await begin(key);
await run(await claim(1));
// As many go together as have shown to be short.
for (let time = 0; time < 4; time++) await run(await startAll(MANY));

let id = '';
await count('start of an instance with a user task', async () => {
  id = String((await begin('task')).id);
});
// The first execution after the start event is number 2.
const task = `workflow/taskinstance/${id.slice(0, -1)}2`;
await count('claim of a task', () => connection.action(task, 'claim', { userId: 'ann' }));
await count('completion of a task', () => connection.action(task, 'complete', { decision: 'yes' }));
await count('instance of three service tasks', () => begin('services'));
const single = await startAll(1);
await count('timer by itself', () => run(single));
const many = await startAll(MANY);
await count(`timer among ${MANY}`, () => run(many), MANY);

async function count(quantity: string, work: () => Promise<unknown>, steps = 1): Promise<void> {
  const statements = await statementsOf(work);
  const ours = [statements.length / steps];
  report({ bench: BENCH, quantity, unit: 'statements', ours, lessIsBetter: true, goal: { atMost: 3 } });
}
