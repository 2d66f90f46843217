import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '#database/index.ts';
import { eventually } from '../support/eventually.ts';
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

  async function start(name: string): Promise<NodeProcess> {
    const options = { name, databaseUrl: test.url, project: project.location };
    const node = await startNodeProcess({ ...options, environment: { SVC_LOG_LEVEL: 'info' } });
    nodes.push(node);
    return node;
  }

  const runNow = async (): Promise<Run> =>
    (
      await sql<Run>`
        select state, total::int, processed::int, successes::int, failures::int, skipped::int
        from svc_scan_run`.execute(database.db)
    ).rows[0]!;

  it('processes every object exactly once when two of its three nodes are killed at random moments', async () => {
    const first = await start('a');
    const [b, c] = await Promise.all([start('b'), start('c')]);
    await sql`
      insert into managed_object (type, id, data)
      select 'item', 'item-' || n, jsonb_build_object('n', n, 'times', 0)
      from generate_series(0, ${OBJECTS - 1}::int) n`.execute(database.db);
    const { status } = await first.api('POST', 'taskscanner?_action=execute', {
      body: {
        numberOfThreads: 12,
        scan: {
          object: 'managed/item',
          _queryFilter: '!(/task/completed pr)',
          taskState: { started: '/task/started', completed: '/task/completed' },
        },
        task: { script: { type: 'text/javascript', source: SCRIPT } },
      },
    });
    expect(status).toBe(200);
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
    const { rows: marks } = await sql<{ marks: number; items: number; most: number }>`
      select sum(count)::int as marks, count(*)::int as items, max(count)::int as most
      from (select count(*) from managed_object where type = 'mark' group by data->>'item') m`.execute(
      database.db,
    );
    expect(marks).toEqual([{ marks: OBJECTS - failures, items: OBJECTS - failures, most: 1 }]);
    const { rows: items } = await sql<{ times: number; completed: boolean; count: number }>`
      select (data->>'times')::int as times, data->'task' ? 'completed' as completed, count(*)::int as count
      from managed_object where type = 'item' and data->'task' ? 'started'
      group by 1, 2 order by 1`.execute(database.db);
    expect(items).toEqual([
      { times: 0, completed: false, count: failures },
      { times: 1, completed: true, count: OBJECTS - failures },
    ]);
    const { rows: left } = await sql`select from work_job union all select from scan_slice`.execute(
      database.db,
    );
    expect(left).toEqual([]);
  });
});
