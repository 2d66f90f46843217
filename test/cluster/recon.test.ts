import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '#database/index.ts';
import { eventually } from '../support/eventually.ts';
import { createSchemaDatabase } from '../support/migrated-database.ts';
import { type NodeProcess, startNodeProcess } from '../support/node-process.ts';
import type { TestDatabase } from '../support/postgres.ts';
import { createProject, type TestProject } from '../support/project.ts';
import '../support/takes-long.ts';

/** `SVC_TEST_RECON_OBJECTS=100000` is the long form. */
const OBJECTS = Number(process.env['SVC_TEST_RECON_OBJECTS'] ?? 600);

/** Leaves a mark for each time a target is made or taken away. */
const marked = (what: string) => ({
  type: 'text/javascript',
  source: `svc.create('managed/mark', null, { what: '${what}' });`,
});

const PROJECT = {
  'conf/managed.json': {
    objects: [
      { name: 'person' },
      { name: 'badge', onCreate: marked('create'), onDelete: marked('delete') },
      { name: 'mark' },
    ],
  },
  'conf/sync.json': {
    mappings: [
      {
        name: 'person_badge',
        source: 'managed/person',
        target: 'managed/badge',
        enableSync: false,
        thresholds: false,
        correlationQuery: {
          type: 'text/javascript',
          source: '({ _queryFilter: "n eq " + source.n })',
        },
        properties: [{ source: 'n', target: 'n' }],
        policies: [{ situation: 'SOURCE_MISSING', action: 'DELETE' }],
      },
    ],
  },
};

describe('a reconciliation over a cluster', () => {
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

  it('does every entry exactly once when one of its two nodes is killed in the middle', async () => {
    const first = await start('a');
    const second = await start('b');
    // Half of the sources have no target yet, and a tenth of the targets no source any more.
    await sql`
      insert into managed_object (type, id, data)
      select 'person', 'p' || n, jsonb_build_object('n', n) from generate_series(1, ${OBJECTS}::int) n;`.execute(
      database.db,
    );
    await sql`
      insert into managed_object (type, id, data)
      select 'badge', 'b' || n, jsonb_build_object('n', n)
      from generate_series(1, ${OBJECTS * 0.6}::int) n where n > ${OBJECTS * 0.1}::int`.execute(database.db);
    await sql`
      insert into sync_link (id, link_type, first_id, second_id, first_key, second_key)
      select 'l' || n, 'person_badge', 'p' || n, 'b' || n, 'p' || n, 'b' || n
      from generate_series(1, ${OBJECTS * 0.6}::int) n where n > ${OBJECTS * 0.1}::int`.execute(database.db);
    await sql`delete from managed_object where type = 'person' and substr(id, 2)::int between ${OBJECTS * 0.1 + 1} and ${OBJECTS * 0.2}`.execute(
      database.db,
    );
    const { status, body } = await second.api('POST', 'recon?_action=recon&mapping=person_badge', {
      body: {},
    });
    expect(status).toBe(200);
    const runNow = async () => (await first.api('GET', `recon/${body._id}`)).body;
    await eventually(
      runNow,
      ({ entrySummary }) => entrySummary.applied >= OBJECTS * (0.1 + Math.random() * 0.2),
    );
    second.signal('SIGKILL');
    await second.ended;
    const run = await eventually(runNow, ({ state }) => state !== 'ACTIVE');

    const [made, gone, same] = [OBJECTS * 0.5, OBJECTS * 0.1, OBJECTS * 0.4];
    expect(run).toMatchObject({
      state: 'SUCCESS',
      situationSummary: { ABSENT: made, SOURCE_MISSING: gone, CONFIRMED: same },
      entrySummary: { applied: made + gone, counted: same, failed: 0, listed: 0 },
    });
    const { rows: pairs } = await sql<{ pairs: number }>`
      select count(*)::int as pairs
      from managed_object p
      join sync_link l on l.link_type = 'person_badge' and l.first_id = p.id
      join managed_object b on b.type = 'badge' and b.id = l.second_id and b.data = p.data
      where p.type = 'person'`.execute(database.db);
    const { rows: counts } = await sql<{ what: string; n: number }>`
      select type as what, count(*)::int as n from managed_object where type in ('person', 'badge') group by 1
      union all select 'link', count(*)::int from sync_link
      union all select data->>'what', count(*)::int from managed_object where type = 'mark' group by 1`.execute(
      database.db,
    );
    expect(pairs).toEqual([{ pairs: OBJECTS * 0.9 }]);
    expect(Object.fromEntries(counts.map(({ what, n }) => [what, n]))).toEqual({
      person: OBJECTS * 0.9,
      badge: OBJECTS * 0.9,
      link: OBJECTS * 0.9,
      create: made,
      delete: gone,
    });
    const { rows: left } = await sql`select from work_job union all select from recon_chunk`.execute(
      database.db,
    );
    expect(left).toEqual([]);
  });
});
