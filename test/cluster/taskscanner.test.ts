import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '#database/index.ts';
import { type Fault, faultyEnvironment } from '../support/database-faults.ts';
import { eventually } from '../support/eventually.ts';
import { some } from '../support/long.ts';
import { createSchemaDatabase } from '../support/migrated-database.ts';
import { type NodeProcess, startNodeProcess } from '../support/node-process.ts';
import type { TestDatabase } from '../support/postgres.ts';
import { createProject, type TestProject } from '../support/project.ts';
import '../support/takes-long.ts';

/** `SVC_TEST_SCAN_OBJECTS=20000` is the long form. */
const OBJECTS = Number(process.env['SVC_TEST_SCAN_OBJECTS'] ?? 900);

/** Leaves a mark for each time an object is processed, and changes the object itself. */
const SCRIPT = `
  svc.create('managed/mark', null, { item: input._id });
  svc.patch(objectID, null, [{ operation: 'increment', field: '/times', value: 1 }]);
  if (input.n % 100 === 50) throw { code: 418, message: 'each hundredth fails' };
  true;`;

interface Run {
  readonly state: string;
  readonly total: number;
  readonly processed: number;
  readonly successes: number;
  readonly failures: number;
  readonly skipped: number;
}

describe('a scan over a cluster', () => {
  let test: TestDatabase;
  let database: Database;
  let project: TestProject;
  const nodes: NodeProcess[] = [];

  beforeEach(async () => {
    test = await createSchemaDatabase();
    database = openDatabase({ url: test.url, poolSize: 2, applicationName: 'test' });
    project = await createProject({ 'conf/managed.json': { objects: [{ name: 'item' }, { name: 'mark' }] } });
  });

  afterEach(async () => {
    await Promise.all(nodes.splice(0).map((node) => node[Symbol.asyncDispose]()));
    await database.close();
    await project[Symbol.asyncDispose]();
    await test[Symbol.asyncDispose]();
  });

  async function start(name: string, environment: Record<string, string> = {}): Promise<NodeProcess> {
    const options = { name, databaseUrl: test.url, project: project.location };
    const node = await startNodeProcess({
      ...options,
      environment: { SVC_LOG_LEVEL: 'info', ...environment },
    });
    nodes.push(node);
    return node;
  }

  const runNow = async (): Promise<Run> =>
    (
      await sql<Run>`
        select state, total::int, processed::int, successes::int, failures::int, skipped::int
        from svc_scan_run`.execute(database.db)
    ).rows[0]!;

  const addItems = (count: number) =>
    sql`
    insert into managed_object (type, id, data)
    select 'item', 'item-' || n, jsonb_build_object('n', n, 'times', 0)
    from generate_series(0, ${count - 1}::int) n`.execute(database.db);

  async function execute(
    node: NodeProcess,
    { numberOfThreads, source }: { numberOfThreads: number; source: string },
  ): Promise<void> {
    const { status } = await node.api('POST', 'taskscanner?_action=execute', {
      body: {
        numberOfThreads,
        scan: {
          object: 'managed/item',
          _queryFilter: '!(/task/completed pr)',
          taskState: { started: '/task/started', completed: '/task/completed' },
        },
        task: { script: { type: 'text/javascript', source } },
      },
    });
    expect(status).toBe(200);
  }

  const marks = async () =>
    (
      await sql<{ marks: number; items: number; most: number }>`
        select sum(count)::int as marks, count(*)::int as items, max(count)::int as most
        from (select count(*) from managed_object where type = 'mark' group by data->>'item') m`.execute(
        database.db,
      )
    ).rows;
  const left = async () =>
    (await sql`select from work_job union all select from scan_slice`.execute(database.db)).rows;

  it('processes every object exactly once when two of its three nodes are killed at random moments', async () => {
    const first = await start('a');
    const [b, c] = await Promise.all([start('b'), start('c')]);
    await addItems(OBJECTS);
    await execute(first, { numberOfThreads: 12, source: SCRIPT });
    const killAt = async (node: NodeProcess, share: number) => {
      await eventually(runNow, ({ processed }) => processed >= share * OBJECTS);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 50));
      node.signal('SIGKILL');
      await node.ended;
    };
    await killAt(b!, 0.15 + Math.random() * 0.2);
    await killAt(c!, 0.5 + Math.random() * 0.2);
    const run = await eventually(runNow, ({ state }) => state !== 'ACTIVE');

    const failures = OBJECTS / 100;
    expect(run).toEqual({
      state: 'COMPLETED',
      total: OBJECTS,
      processed: OBJECTS,
      successes: OBJECTS - failures,
      failures,
      skipped: 0,
    });
    // What the script itself has written: a mark for each object that did not fail, and each changed once.
    expect(await marks()).toEqual([{ marks: OBJECTS - failures, items: OBJECTS - failures, most: 1 }]);
    const { rows: items } = await sql<{ times: number; completed: boolean; count: number }>`
      select (data->>'times')::int as times, data->'task' ? 'completed' as completed, count(*)::int as count
      from managed_object where type = 'item' and data->'task' ? 'started'
      group by 1, 2 order by 1`.execute(database.db);
    expect(items).toEqual([
      { times: 0, completed: false, count: failures },
      { times: 1, completed: true, count: OBJECTS - failures },
    ]);
    expect(await left()).toEqual([]);
  });

  /** Each of them leaves a mark for its object; what asks for one needs a transaction, so that its objects go one by one. */
  const MARK = "svc.create('managed/mark', null, { item: input._id });";
  const SCRIPTS = {
    together: `${MARK} true;`,
    alone: `${MARK} svc.query('managed/mark', { _queryFilter: 'false' }); true;`,
  };
  const AT = {
    taken: String.raw`update scan_slice s\s+set lane`,
    stored: String.raw`update scan_slice s\s+set position = a\.next`,
    moved: String.raw`update scan_slice s\s+set position = position \+ 1`,
    handedOn: 'delete from scan_slice where run_id',
  };

  it.each(
    some<[string, keyof typeof SCRIPTS, Fault]>(
      [
        ['has taken a slice', 'together', { statement: AT.taken, when: 'after', minRows: 1, what: 'kill' }],
        ['has prepared objects', 'together', { statement: AT.stored, when: 'before', nth: 2, what: 'kill' }],
        ['has stored objects', 'together', { statement: AT.stored, when: 'after', nth: 2, what: 'kill' }],
        [
          'has committed an object',
          'alone',
          { armedBy: AT.moved, statement: '^commit$', when: 'after', nth: 3, what: 'kill' },
        ],
      ],
      [
        ['has processed an object', 'alone', { statement: AT.moved, when: 'before', nth: 3, what: 'kill' }],
        ['has moved its slice on', 'alone', { statement: AT.moved, when: 'after', nth: 3, what: 'kill' }],
        [
          'is about to hand its lane on',
          'together',
          { statement: AT.handedOn, when: 'before', what: 'kill' },
        ],
        [
          'has handed its lane on',
          'together',
          { armedBy: AT.handedOn, statement: '^commit$', when: 'after', what: 'kill' },
        ],
      ],
    ),
  )('processes every object once though a node is killed when it %s, %s', async (_phase, kind, fault) => {
    const objects = 120;
    const first = await start('a', { SVC_ROLES: 'api' });
    await addItems(objects);
    const victim = await start('victim', faultyEnvironment(fault));
    await execute(first, { numberOfThreads: 2, source: SCRIPTS[kind] });
    expect(await victim.ended).toBe('SIGKILL');
    await start('heir');
    const run = await eventually(runNow, ({ state }) => state !== 'ACTIVE');
    expect(run).toEqual({
      state: 'COMPLETED',
      total: objects,
      processed: objects,
      successes: objects,
      failures: 0,
      skipped: 0,
    });
    expect(await marks()).toEqual([{ marks: objects, items: objects, most: 1 }]);
    expect(await left()).toEqual([]);
  });
});
