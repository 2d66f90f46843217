import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '#database/index.ts';
import { eventually } from '../support/eventually.ts';
import { createSchemaDatabase } from '../support/migrated-database.ts';
import { type NodeProcess, startNodeProcess } from '../support/node-process.ts';
import type { TestDatabase } from '../support/postgres.ts';
import { createProject, type TestProject } from '../support/project.ts';
import '../support/takes-long.ts';

/** `SVC_TEST_OPERATION_OBJECTS=100000` is the long form. */
const OBJECTS = Number(process.env['SVC_TEST_OPERATION_OBJECTS'] ?? 600);

/** Leaves a mark for each time an object is changed, and has each hundredth fail. */
const HOOK = `
  svc.create('managed/mark', null, { item: newObject._id });
  if (newObject.n % 100 === 50) throw { code: 418, message: 'each hundredth fails' };`;

const PROJECT = {
  'conf/managed.json': {
    objects: [{ name: 'item', onUpdate: { type: 'text/javascript', source: HOOK } }, { name: 'mark' }],
  },
};

describe('an operation over a cluster', () => {
  let test: TestDatabase;
  let database: Database;
  let project: TestProject;
  const nodes: NodeProcess[] = [];

  beforeEach(async () => {
    test = await createSchemaDatabase();
    database = openDatabase({ url: test.url, poolSize: 2, applicationName: 'test' });
    project = await createProject(PROJECT);
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

  it('changes every object exactly once when one of its two nodes is killed in the middle', async () => {
    const first = await start('a');
    const second = await start('b');
    await sql`
      insert into managed_object (type, id, data)
      select 'item', 'item-' || n, jsonb_build_object('n', n, 'times', 0)
      from generate_series(0, ${OBJECTS - 1}::int) n`.execute(database.db);
    // Whoever has frozen the objects need not live on.
    const { status, body } = await second.api('POST', 'operation', {
      body: {
        act: 'patch',
        resource: 'managed/item',
        queryFilter: 'true',
        content: [{ operation: 'increment', field: '/times', value: 1 }],
      },
    });
    expect([status, body.progress?.total]).toEqual([201, OBJECTS]);
    const runNow = async () => (await first.api('GET', `operation/${body._id}`)).body;
    await eventually(runNow, ({ progress }) => progress.processed >= OBJECTS * (0.2 + Math.random() * 0.3));
    second.signal('SIGKILL');
    await second.ended;
    const run = await eventually(runNow, ({ state }) => state !== 'ACTIVE');

    const failures = OBJECTS / 100;
    expect(run).toMatchObject({
      state: 'COMPLETED',
      progress: { total: OBJECTS, processed: OBJECTS, successes: OBJECTS - failures, failures, skipped: 0 },
      errors: [{ code: 418, count: failures }],
    });
    const { rows: items } = await sql<{ times: number; count: number }>`
      select (data->>'times')::int as times, count(*)::int as count
      from managed_object where type = 'item' group by 1 order by 1`.execute(database.db);
    expect(items).toEqual([
      { times: 0, count: failures },
      { times: 1, count: OBJECTS - failures },
    ]);
    const { rows: marks } = await sql<{ items: number; most: number }>`
      select count(*)::int as items, max(count)::int as most
      from (select count(*) from managed_object where type = 'mark' group by data->>'item') m`.execute(
      database.db,
    );
    expect(marks).toEqual([{ items: OBJECTS - failures, most: 1 }]);
    const { rows: left } = await sql`select from work_job union all select from scan_slice`.execute(
      database.db,
    );
    expect(left).toEqual([]);
  });
});
