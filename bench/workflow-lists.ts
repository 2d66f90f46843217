/** Task lists over HTTP among many open tasks and more that have ended, as a page of 50 with and without a sort key. */
import { Latency } from './support/latency.ts';
import { createBenchDatabase, onServer } from './support/postgres.ts';
import { report } from './support/row.ts';
import { call, createProject, startService } from './support/service.ts';

const BENCH = 'workflow-lists';
const quick = process.argv.includes('--quick');
const OPEN_TASKS = quick ? 50_000 : 1_000_000;
const ENDED_TASKS = quick ? 250_000 : 5_000_000;
const TASKS_PER_INSTANCE = 100;
const LISTS = quick ? 50 : 200;
const PROCESS = `<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="bench"><process id="listed">
  <startEvent id="s"/><userTask id="t"/><endEvent id="e"/><sequenceFlow id="a" sourceRef="s" targetRef="t"/>
  <sequenceFlow id="b" sourceRef="t" targetRef="e"/></process></definitions>`;

await using scope = new AsyncDisposableStack();
const { url: databaseUrl } = scope.use(await createBenchDatabase());
const project = scope.use(await createProject({}));
const { url } = scope.use(await startService({ databaseUrl, project: project.location }));
const file = { name: 'listed.bpmn20.xml', content: PROCESS };
await call(url, 'POST', 'workflow/deployment?_action=deploy', file);
await fill();

const lists: Readonly<Record<string, (n: number) => string>> = {
  'of an assignee': (n) => `assignee=user${(n * 2) % 500}&_sortKeys=_id`,
  'of a candidate group': (n) => `taskCandidateGroup=group${n % 200}&_sortKeys=_id`,
  'of three candidate groups, newest first': (n) =>
    `taskCandidateGroup=group${n % 200},group${(n + 1) % 200},group${(n + 2) % 200}&_sortKeys=-createTime`,
  'of three candidate groups, most important first': (n) =>
    `taskCandidateGroup=group${n % 200},group${(n + 1) % 200},group${(n + 2) % 200}&_sortKeys=-priority`,
  'of a tenth of the processes by a variable, newest first': (n) =>
    `var-department=d${n % 10}&_sortKeys=-createTime`,
  'with a description that none has': (n) => `description=none-${n}`,
  'unassigned, oldest first': () => 'unassigned=true&_sortKeys=createTime',
  'all, newest first': () => '_sortKeys=-createTime',
  'of the caller': () => '_queryId=mine',
  'that the caller could take': () => '_queryId=claimable',
  'that others have, and were offered to the caller': () => '_queryId=team',
};
for (const [what, parameters] of Object.entries(lists)) {
  const latency = new Latency();
  for (let n = 0; n < LISTS; n++) {
    const sentAt = performance.now();
    const asked = parameters(n);
    const query = asked.startsWith('_queryId=') ? asked : `_queryId=filtered-query&${asked}`;
    await call(url, 'GET', `workflow/taskinstance?_pageSize=50&${query}`);
    latency.add(performance.now() - sentAt);
  }
  const amount = `${OPEN_TASKS.toLocaleString('en')} open tasks and ${ENDED_TASKS.toLocaleString('en')} ended ones`;
  for (const share of [0.5, 0.99]) {
    const quantity = `50 tasks ${what}, of ${amount}, p${share * 100}`;
    const ours = [latency.percentile(share)];
    report({ bench: BENCH, quantity, unit: 'ms', ours, lessIsBetter: true, goal: { atMost: 300 } });
  }
}

/** Tasks as if they had been there for long, of 500 people and 200 groups; the indexes are made when all are there. */
async function fill(): Promise<void> {
  const tables = ['workflow_task', 'workflow_identity_link', 'workflow_variable'];
  const indexes = await onServer<{ name: string; definition: string }>(
    databaseUrl,
    `select indexname as name, indexdef as definition from pg_indexes
     where tablename = any($1) and indexdef not like 'CREATE UNIQUE%'`,
    [tables],
  );
  for (const { name } of indexes) await onServer(databaseUrl, `drop index ${name}`);
  const [definition] = await onServer<{ id: string }>(databaseUrl, 'select id from workflow_definition');
  const instance = `('01900000-0000-7000-8000-' || lpad(to_hex(n / ${TASKS_PER_INSTANCE}), 6, '0') || '000000')`;
  const task = `overlay(${instance} placing lpad(to_hex(n % ${TASKS_PER_INSTANCE} + 2), 6, '0') from 31)::uuid`;
  const total = OPEN_TASKS + ENDED_TASKS;
  await onServer(
    databaseUrl,
    `insert into workflow_instance (id, definition_id, definition_key, root_id, started_at)
     select ${instance}::uuid, '${definition!.id}', 'listed', ${instance}::uuid, now()
     from generate_series(0, ${total}, ${TASKS_PER_INSTANCE}) as n;
     insert into workflow_task (id, instance_id, execution, element, definition_id, definition_key, name, assignee,
                                priority, created_at, ended_at)
     select ${task}, ${instance}::uuid, n % ${TASKS_PER_INSTANCE} + 2, 't', '${definition!.id}', 'listed', 'Task ' || n,
            case when n % 50 = 0 then 'svc-admin' when n % 2 = 0 then 'user' || n % 500 end, n % 100, now() - n * interval '1 second',
            case when n >= ${OPEN_TASKS} then now() end
     from generate_series(0, ${total} - 1) as n;
     insert into workflow_variable (instance_id, scope, name, type, value, text_value)
     select ${instance}::uuid, 0, 'department', 'string', to_jsonb('d' || n / ${TASKS_PER_INSTANCE} % 10), 'd' || n / ${TASKS_PER_INSTANCE} % 10
     from generate_series(0, ${total} - 1, ${TASKS_PER_INSTANCE}) as n;
     insert into workflow_identity_link (instance_id, task_id, type, group_id, is_open, task_created_at)
     select ${instance}::uuid, ${task}, 'candidate', 'group' || n % 200, n < ${OPEN_TASKS} and n % 2 <> 0,
            now() - n * interval '1 second'
     from generate_series(0, ${total} - 1) as n where n % 3 <> 0 or n % 2 <> 0;
     insert into workflow_identity_link (instance_id, task_id, type, group_id, is_open, task_created_at)
     select ${instance}::uuid, ${task}, 'candidate', 'svc-authorized', n < ${OPEN_TASKS} and n % 2 <> 0,
            now() - n * interval '1 second'
     from generate_series(0, ${total} - 1) as n where n % 10 < 2`,
  );
  for (const { definition: text } of indexes) {
    await onServer(databaseUrl, `set maintenance_work_mem = '256MB'; ${text}`);
  }
  for (const table of tables) await onServer(databaseUrl, `vacuum analyze ${table}`);
}
