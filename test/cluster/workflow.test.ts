import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '#database/index.ts';
import { type Fault, faultyEnvironment } from '../support/database-faults.ts';
import { eventually } from '../support/eventually.ts';
import { some } from '../support/long.ts';
import { createSchemaDatabase } from '../support/migrated-database.ts';
import { type NodeProcess, startNodeProcess } from '../support/node-process.ts';
import type { TestDatabase } from '../support/postgres.ts';
import { createProject, type TestProject } from '../support/project.ts';
import { processFile, workflowApi } from '../support/workflow.ts';
import { end, gateway, path, start, tag, timer, user } from '../unit/workflow/engine/bpmn.ts';
import '../support/takes-long.ts';

/** A script task that leaves a mark among managed objects, which is stored with its step. */
const mark = (id: string, attributes = {}, first = '') =>
  tag(
    'scriptTask',
    id,
    { scriptFormat: 'javascript', ...attributes },
    `<script>${first}svc.create('managed/mark', null, { instance: execution.processInstanceId, at: '${id}' })</script>`,
  );
/** One whose step needs a transaction of its own, since it looks for what it may have written. */
const looking = (id: string) => mark(id, {}, "svc.query('managed/mark', { _queryFilter: 'false' });");

const FILES = {
  // A job, a timer and a join, each of which leaves its mark.
  marked: processFile(
    'marked',
    start() +
      mark('job', { 'flowable:async': true }) +
      tag('intermediateCatchEvent', 'pause', {}, timer('PT0.2S')) +
      gateway('parallel', 'split') +
      mark('left', { 'flowable:async': true }) +
      mark('right', { 'flowable:async': true }) +
      gateway('parallel', 'join') +
      looking('joined') +
      user('last') +
      end() +
      path('s', 'job', 'pause', 'split', 'left', 'join', 'joined', 'last', 'e') +
      path('split', 'right', 'join'),
  ),
  // Many timers go together, those of the engine alone and those with a script behind them.
  timed: processFile(
    'timed',
    start() +
      tag('intermediateCatchEvent', 'pause', {}, timer('PT1H')) +
      user('last') +
      end() +
      path('s', 'pause', 'last', 'e'),
  ),
  scripted: processFile(
    'scripted',
    start() +
      tag('intermediateCatchEvent', 'pause', {}, timer('PT1H')) +
      mark('left') +
      user('last') +
      end() +
      path('s', 'pause', 'left', 'last', 'e'),
  ),
  branches: processFile(
    'branches',
    start() +
      gateway('parallel', 'split') +
      user('a') +
      user('b') +
      gateway('parallel', 'join') +
      mark('joined') +
      end() +
      path('s', 'split', 'a', 'join', 'joined', 'e') +
      path('split', 'b', 'join'),
  ),
};
const PLACES = ['job', 'joined', 'left', 'right'];
const INSTANCES = 12;

describe('a cluster that runs processes', () => {
  let testDatabase: TestDatabase;
  let project: TestProject;
  let database: Database;
  let heir: NodeProcess;
  const nodes: NodeProcess[] = [];
  const startNode = async (name: string, environment: Record<string, string> = {}) => {
    const node = await startNodeProcess({
      name,
      databaseUrl: testDatabase.url,
      project: project.location,
      environment,
    });
    nodes.push(node);
    return node;
  };
  const marks = async (instances: readonly string[]) => {
    const { rows } = await database.pool.query<{ instance: string; places: string[] }>(
      `select data->>'instance' as instance, array_agg(data->>'at' order by data->>'at') as places
       from managed_object where type = 'mark' and data->>'instance' = any($1) group by 1`,
      [instances],
    );
    return new Map(rows.map(({ instance, places }) => [instance, places]));
  };

  /** The nodes share the work as it comes: wave after wave, until the victim has had the part that kills it. */
  const inWaves = async (victim: NodeProcess, begin: () => Promise<void>, done: () => Promise<boolean>) => {
    let end: unknown;
    void victim.ended.then((how) => {
      end = how;
    });
    while (end === undefined) {
      await begin();
      await eventually(async () => end !== undefined || (await done()), Boolean);
    }
    expect(end).toBe('SIGKILL');
  };

  beforeAll(async () => {
    testDatabase = await createSchemaDatabase();
    project = await createProject({
      'conf/managed.json': { objects: [{ name: 'mark' }] },
      ...Object.fromEntries(
        Object.entries(FILES).map(([name, text]) => [`workflow/${name}.bpmn20.xml`, text]),
      ),
    });
    database = openDatabase({ url: testDatabase.url, poolSize: 2 });
    heir = await startNode('heir');
  });
  afterAll(async () => {
    await Promise.all(nodes.map((node) => node[Symbol.asyncDispose]()));
    await database.close();
    await project[Symbol.asyncDispose]();
    await testDatabase[Symbol.asyncDispose]();
  });

  test.each(
    some<[string, Fault]>(
      [
        ['before it hears that steps are stored', { statement: 'held_states', when: 'after', what: 'kill' }],
        [
          'inside the transaction of a step, its effects written',
          { armedBy: '^begin', statement: 'insert into .?managed_object', when: 'after', what: 'kill' },
        ],
      ],
      [
        [
          'before it stores what steps have come to',
          { statement: 'held_states', when: 'before', what: 'kill' },
        ],
        [
          'when a step has been written and not committed',
          { armedBy: '^begin', statement: 'held_states', when: 'after', what: 'kill' },
        ],
        ['between two steps', { armedBy: 'held_states', statement: '^commit$', when: 'after', what: 'kill' }],
      ],
    ),
  )('a node killed %s: every effect is there once', async (phase, fault) => {
    const victim = await startNode(`victim-${phase.replaceAll(/\W+/g, '-')}`, faultyEnvironment(fault));
    const workflow = workflowApi(heir.api);
    const started: string[] = [];
    const isFinished = async () => {
      const found = await marks(started);
      return found.size === started.length && [...found.values()].every((at) => at.includes('joined'));
    };
    await inWaves(
      victim,
      async () => {
        const wave = await Promise.all(Array.from({ length: INSTANCES }, () => workflow.start('marked')));
        started.push(...wave);
      },
      isFinished,
    );
    await eventually(isFinished, Boolean);
    const finished = await marks(started);
    for (const places of finished.values()) expect(places).toEqual(PLACES);
    for (const id of started) expect(await workflow.openTasks(id)).toEqual(['last']);
    expect(await workflow.list('job/deadletter')).toEqual([]);
    const left = await database.pool.query('select 1 from workflow_job where instance_id = any($1)', [
      started,
    ]);
    expect(left.rowCount).toBe(0);
  });

  test.each(
    some<[string, Fault]>(
      [['that has stored', { statement: 'held_states', when: 'after', what: 'kill' }]],
      [
        [
          'that has looked at',
          { statement: 'order by root.instance_id', when: 'after', minRows: 2, what: 'kill' },
        ],
        ['before it stores', { statement: 'held_states', when: 'before', what: 'kill' }],
      ],
    ),
  )('a node killed %s the steps of many timers: each has fired once', async (phase, fault) => {
    const workflow = workflowApi(heir.api);
    const started: string[] = [];
    const keys = ['timed', 'timed', 'timed', 'scripted'];
    const victim = await startNode(`victim-${phase.replaceAll(' ', '-')}`, faultyEnvironment(fault));
    const isFinished = async () => (await database.pool.query('select from workflow_job')).rowCount === 0;
    await inWaves(
      victim,
      async () => {
        const wave = await Promise.all(
          Array.from({ length: 40 }, (_, n) => workflow.start(keys[n % keys.length]!)),
        );
        started.push(...wave);
        // All at once, at a time that both nodes know beforehand, so that both have many.
        await database.pool.query(
          `update work_job set due_at = now() + interval '2 s'
           where node_id is null and data->>'instance' = any($1)`,
          [wave],
        );
      },
      isFinished,
    );
    await eventually(isFinished, Boolean);
    const { rows } = await database.pool.query<{ tasks: string }>(
      "select string_agg(element, ' ') as tasks from workflow_task where instance_id = any($1) group by instance_id",
      [started],
    );
    expect(rows.map(({ tasks }) => tasks)).toEqual(started.map(() => 'last'));
    const marked = [...(await marks(started)).values()];
    expect(marked).toEqual(Array.from({ length: started.length / keys.length }, () => ['left']));
  });

  test('a node killed while it completes a task: the task is done or open, and never half of it', async () => {
    const workflow = workflowApi(heir.api);
    for (const when of ['before', 'after'] as const) {
      const victim = await startNode(
        `completing-${when}`,
        faultyEnvironment({ statement: 'step_changed_tasks', when, what: 'kill' }),
      );
      const id = await workflow.start('branches');
      const [task] = await workflow.tasks(id);
      await expect(workflowApi(victim.api).complete(task._id)).rejects.toThrow();
      expect(await victim.ended).toBe('SIGKILL');
      const open = await workflow.openTasks(id);
      expect(open.sort()).toEqual(when === 'before' ? ['a', 'b'] : ['b']);
      expect((await workflow.complete(task._id)).status).toBe(when === 'before' ? 200 : 404);
    }
  });

  test('two nodes that complete the branches of a join at once: it joins once', async () => {
    const other = await startNode('other');
    const versions = await workflowApi(other.api).list('processdefinition');
    expect(versions.map(({ version }: { version: number }) => version)).toEqual([1, 1, 1, 1]);
    const [here, there] = [workflowApi(heir.api), workflowApi(other.api)];
    const started = await Promise.all(Array.from({ length: INSTANCES }, () => here.start('branches')));
    await Promise.all(
      started.map(async (id) => {
        const [a, b] = await here.tasks(id);
        const answers = await Promise.all([here.complete(a._id), there.complete(b._id)]);
        expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      }),
    );
    const found = await marks(started);
    expect(found.size).toBe(INSTANCES);
    for (const places of found.values()) expect(places).toEqual(['joined']);
    for (const id of started) expect((await there.get(`processinstance/${id}`)).endTime).not.toBeNull();
  });
});
