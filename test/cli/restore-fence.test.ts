import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { Membership, readSeenMarker, requireKnownDatabase, seenMarkerKeeper } from '#cluster/index.ts';
import { type Database, openDatabase } from '#database/index.ts';
import { commandLineOf } from '../support/command-line.ts';
import { callersOf, PASSWORD, passwordOf } from '../support/credentials.ts';
import { createMigratedDatabase, createSchemaDatabase } from '../support/migrated-database.ts';
import { createTestDatabase, onServer, type TestDatabase } from '../support/postgres.ts';
import { createProject, type TestProject } from '../support/project.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import '../support/takes-long.ts';

const TICK = {
  schedule: '* * * * * ?',
  timeZone: 'UTC',
  invokeService: 'script',
  invokeContext: { script: { type: 'text/javascript', source: '1' } },
};

/** A database on which a node was at work, and the node, which has ended without a word. */
let original: TestDatabase;
let before: TestServer;
let project: TestProject;
let cookie: { Cookie: string };
const scope = new AsyncDisposableStack();
const svc = commandLineOf(() => before);

beforeAll(async () => {
  original = scope.use(await createSchemaDatabase());
  project = scope.use(await createProject());
  before = await startTestServer({ database: original, environment: { SVC_NODE_ID: 'first' } });
  const { createUser, begin } = callersOf(() => before.api);
  await createUser('ada');
  cookie = await begin(passwordOf('ada', PASSWORD));
  await before.api('PUT', 'apikey/reports', { body: { roles: ['svc-authorized'] } });
  await before.api('PUT', 'scheduler/job/tick', { body: { ...TICK, persisted: true } });
  await before[Symbol.asyncDispose]();
  const database = openDatabase({ url: original.url, poolSize: 2 });
  await database.pool.query(
    "update cluster_node set state = 'running', stopped_at = null, seen_at = now() - interval '1 minute'",
  );
  await database.pool.query(
    `insert into work_job (id, queue, data, due_at, attempts, retry_delay_ms)
     values (gen_random_uuid(), 'workflow-mail', '{"to":["a@example.com"]}', now() - interval '1 hour', 10, 1000)`,
  );
  await database.close();
});
afterAll(() => scope.disposeAsync());

/** As a dump that is loaded elsewhere has it. */
async function restore(): Promise<{ database: TestDatabase; pool: Database['pool'] }> {
  // What has closed its connection may have a session for a moment.
  await onServer(
    inject('databaseServerUrl'),
    `select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = '${original.name}'`,
  );
  const database = scope.use(await createTestDatabase({ template: original.name }));
  const own = openDatabase({ url: database.url, poolSize: 2 });
  scope.defer(() => own.close());
  return { database, pool: own.pool };
}

const on = ({ url }: TestDatabase) => ({
  DATABASE_URL: url,
  SVC_PROJECT: project.location,
});

describe('a database that was restored while it knows of nodes at work', () => {
  it('starts no node until svc restore-fence was run, and then nothing begins that is not released', async () => {
    const { database, pool } = await restore();
    await expect(startTestServer({ database })).rejects.toThrow(
      /was restored, or is a copy of one on which nodes \(first\) were at work/,
    );
    // The schedule may have fired before its node ended.
    const countFired = async () =>
      (await pool.query("select from svc_firing where outcome = 'fired'")).rowCount;
    const firedBefore = await countFired();
    const rehearsed = await svc(['restore-fence', '--dry-run', '-o', 'json'], on(database));
    const outcome = { nodes: 1, sessions: 1, apiKeys: 1, jobsHeld: 1 };
    expect(JSON.parse(rehearsed.out)).toEqual({ dryRun: true, ...outcome });
    expect((await pool.query('select from svc_incident')).rowCount).toBe(0);
    expect((await pool.query('select from auth_session')).rowCount).toBe(1);
    const done = await svc(['restore-fence'], on(database));
    expect(done).toMatchObject({
      code: 0,
      out: expect.stringContaining('1 nodes fenced, 1 sessions ended\n1 API keys are left'),
    });
    expect((await pool.query('select kind, told_by, detail from svc_incident')).rows).toEqual([
      { kind: 'restored', told_by: 'svc restore-fence', detail: { ...outcome, apiKeysDeleted: false } },
    ]);

    await using server = await startTestServer({ database });
    expect((await server.api('GET', 'info/login', { user: null, headers: cookie })).status).toBe(401);
    const { findings } = (await server.api('GET', 'status')).body;
    expect(findings.map(({ id }: { id: string }) => id)).toEqual(
      expect.arrayContaining(['SCHEDULES_PAUSED', 'QUEUE_HELD']),
    );
    expect((await svc(['restore-fence'], on(database))).err).toMatch(/Nodes are at work on it: stop /);
    const held = JSON.parse((await svc(['release', '-o', 'json'], on(database))).out).held;
    expect(held).toEqual(
      expect.arrayContaining([
        { kind: 'schedules', due: null },
        { kind: 'workflow-mail', due: 1 },
      ]),
    );
    expect((await svc(['release', 'workflow-mial'], on(database))).err).toMatch(
      /Nothing is held as 'workflow-mial'; did you mean 'workflow-mail'\?/,
    );
    const mail = ['release', 'workflow-mail', '--discard'];
    expect((await svc([...mail, '--dry-run'], on(database))).out).toMatch(/Nothing of it was kept/);
    expect((await svc(mail, on(database))).out).toBe('released workflow-mail, 1 jobs are dead letters\n');
    expect((await pool.query('select queue from svc_dead_letter')).rows).toEqual([
      { queue: 'workflow-mail' },
    ]);
    expect(await countFired()).toBe(firedBefore);
    expect((await svc(['release', '--all'], on(database))).out).toContain('released schedules');
    await server.observed('trigger.fired');
    expect((await svc(['release'], on(database))).out).toBe('Nothing is held.\n');
  });

  it('deletes the keys of programs where that is asked for', async () => {
    const { database, pool } = await restore();
    expect((await svc(['restore-fence', '--api-keys'], on(database))).out).toContain('1 API keys deleted');
    expect((await pool.query('select from svc_api_key')).rowCount).toBe(0);
  });

  it('is taken for what it is with --as-it-is, which is noted', async () => {
    const { database, pool } = await restore();
    await using _ = await startTestServer({ database, asItIs: true });
    expect((await pool.query('select kind, detail from svc_incident')).rows).toEqual([
      { kind: 'takenAsItIs', detail: { nodes: ['first'] } },
    ]);
  });

  it('tells whoever fences a database of an older version to migrate it before', async () => {
    const { database, pool } = await restore();
    await pool.query("delete from schema_version where name >= '0053'");
    expect(await svc(['restore-fence'], on(database))).toMatchObject({
      code: 1,
      err: expect.stringMatching(/lacks the migrations 0053_restore[^:]*: run 'svc migrate' before/),
    });
  });
});

it('a dump that is loaded over the tables of the same database is noticed', async () => {
  await using database = await createMigratedDatabase();
  const asked = { database, nodeName: 'first', marker: undefined, asItIs: false };
  const history = await requireKnownDatabase(asked);
  await Membership.identify(database.db, 'first');
  await database.pool.query("update cluster_node set state = 'running'");
  expect(await requireKnownDatabase(asked)).toBe(history);
  // As pg_restore --clean does: the rows are those of before, and the table is another one.
  await database.pool.query(`
    create table loaded (like database_place including all);
    insert into loaded select * from database_place;
    drop table database_place;
    alter table loaded rename to database_place`);
  await expect(requireKnownDatabase(asked)).rejects.toThrow(
    /was restored, or is a copy of one on which nodes/,
  );
  const anew = await requireKnownDatabase({ ...asked, asItIs: true });
  expect(anew).not.toBe(history);
  expect(await requireKnownDatabase(asked)).toBe(anew);
});

describe('a node that has seen more of its database than there is', () => {
  it('refuses it until its history begins anew', async () => {
    await using database = await createMigratedDatabase();
    const asked = { database, nodeName: 'first', asItIs: false };
    const history = await requireKnownDatabase({ ...asked, marker: undefined });
    await Membership.identify(database.db, 'first');
    const marker = { history, lsn: 'FFFFFFFF/0' };
    await expect(requireKnownDatabase({ ...asked, marker })).rejects.toThrow(
      /the database lacks what this node has seen in it/,
    );
    expect(await requireKnownDatabase({ ...asked, marker: { history, lsn: '0/1' } })).toBe(history);
    const anew = await requireKnownDatabase({ ...asked, marker, asItIs: true });
    expect(anew).not.toBe(history);
    expect(await requireKnownDatabase({ ...asked, marker })).toBe(anew);
  });

  it('keeps how far it has seen in its data folder, and goes without where it may not', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-seen-'));
    await using _ = { [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
    const data = join(folder, 'data');
    expect(await readSeenMarker(data)).toBeUndefined();
    const keep = async (lsn: string, where: string) => {
      const keeper = seenMarkerKeeper(where, 'a-history', () => ({ timeline: 1, lsn }));
      await keeper.start();
      await keeper.stop();
    };
    for (const lsn of ['0/10', '1/20']) {
      await keep(lsn, data);
      expect(await readSeenMarker(data)).toEqual({ history: 'a-history', lsn });
    }
    await keep('0/30', join(data, 'seen.json'));
    await writeFile(join(data, 'seen.json'), 'half of it');
    expect(await readSeenMarker(data)).toBeUndefined();
  });
});
