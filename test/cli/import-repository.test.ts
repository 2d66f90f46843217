import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN_PASSWORD } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import {
  changeForeign,
  FOREIGN_ALIAS,
  FOREIGN_KEY,
  fillForeign,
  makeForeignTables,
  PEOPLE,
  postgresWriter,
  type Write,
} from '../support/foreign-repository.ts';
import { COMMON_RING } from '../support/key-ring.ts';
import { HAS_MARIADB, startMariadb } from '../support/mariadb.ts';
import { createSchemaDatabase } from '../support/migrated-database.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { PROGRAM_ENVIRONMENT } from '../support/program-environment.ts';
import { createProject, type TestProject } from '../support/project.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import '../support/takes-long.ts';

const ROOT = new URL('../../', import.meta.url).pathname;
const text = { type: 'string' };
const edges = (path: string, reverse: string) => ({
  type: 'relationship',
  reverseRelationship: true,
  reversePropertyName: reverse,
  resourceCollection: [{ path }],
});
const MANAGED = {
  objects: [
    {
      name: 'user',
      schema: {
        properties: {
          userName: text,
          sn: text,
          mail: text,
          password: { ...text, scope: 'private', encryption: { key: FOREIGN_ALIAS } },
          roles: { type: 'array', items: edges('managed/role', 'members') },
          manager: edges('managed/user', 'reports'),
          reports: { type: 'array', items: edges('managed/user', 'manager') },
          effectiveRoles: {
            type: 'array',
            isVirtual: true,
            returnByDefault: true,
            queryConfig: { referencedRelationshipFields: ['roles'] },
          },
        },
      },
    },
    { name: 'account', schema: { properties: { login: text, surname: text } } },
    {
      name: 'role',
      schema: {
        properties: { name: text, members: { type: 'array', items: edges('managed/user', 'roles') } },
      },
    },
  ],
};
const module = (name: string, queryOnResource: string, userRoles: string) => ({
  name,
  properties: {
    queryId: 'credential-query',
    queryOnResource,
    propertyMapping: { authenticationId: 'username', userCredential: 'password', userRoles },
    defaultUserRoles: name === 'MANAGED_USER' ? ['openidm-authorized'] : [],
  },
});
const FILES = {
  'conf/boot/boot.properties': ['admin', 'authorized', 'reg', 'cert', 'tasks-manager']
    .map((role) => `svc.role.${role}=openidm-${role}`)
    .join('\n'),
  'conf/managed.json': MANAGED,
  'conf/sync.json': {
    mappings: [
      {
        name: 'user_directory',
        source: 'managed/user',
        target: 'managed/account',
        properties: [
          { source: 'userName', target: 'login' },
          { source: 'sn', target: 'surname' },
        ],
        policies: [{ situation: 'CONFIRMED', action: 'UPDATE' }],
      },
    ],
  },
  'conf/authentication.json': {
    serverAuthContext: {
      sessionModule: { name: 'JWT_SESSION', properties: {} },
      authModules: [
        module('INTERNAL_USER', 'repo/internal/user', 'roles'),
        module('MANAGED_USER', 'managed/user', 'authzRoles'),
      ],
    },
  },
  'script/access.js': `var httpAccessConfig = { configs: [
    { pattern: 'info/*', roles: '*', methods: 'read', actions: '*' },
    { pattern: '*', roles: 'openidm-admin', methods: '*', actions: '*' } ] };`,
};
const KEYS = JSON.stringify({
  ...JSON.parse(COMMON_RING),
  [FOREIGN_ALIAS]: [Buffer.alloc(32, 8).toString('base64'), FOREIGN_KEY.toString('base64')],
});

type Program = ChildProcess & {
  readonly answer: Promise<{ code: number | null; output: string }>;
  said(): string;
};

let project: TestProject;
/** The repository of the other server. */
let foreign: TestDatabase;
let write: Write;
let endWriter: () => Promise<void>;

function svc(databaseUrl: string, ...words: string[]): Program {
  const env = {
    ...PROGRAM_ENVIRONMENT,
    SVC_PROJECT: project.location,
    DATABASE_URL: databaseUrl,
    SVC_KEYS: KEYS,
  };
  const child = spawn(process.execPath, ['src/main.ts', 'import', ...words], { cwd: ROOT, env });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (said) => (output += said));
  const answer = once(child, 'close').then(([code]) => ({ code: code as number | null, output }));
  return Object.assign(child, { answer, said: () => output });
}

async function told(databaseUrl: string, ...words: string[]) {
  const { output, code } = await svc(databaseUrl, ...words, '--json').answer;
  const at = output.indexOf('{');
  if (at < 0) throw new Error(output);
  const report = JSON.parse(output.slice(at));
  const counts = (about: string) => {
    const { about: _, ...found } = report.kinds.find((kind: { about: string }) => kind.about === about) ?? {};
    return found;
  };
  const reasons = (about: string) =>
    report.remarks
      .filter((remark: { about: string }) => remark.about === about)
      .map(({ ids, reason }: { ids: string[]; reason: string }) => `${ids.join()}: ${reason}`)
      .join('\n');
  return { code, report, counts, reasons };
}

async function asked<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** All that an import writes, a text for each row, without what differs by its nature: times, and salts of new hashes. */
const contentOf = (url: string) =>
  asked(url, async (client) => {
    const ask = async (rows: string) =>
      (
        await client.query<{
          row: string;
        }>(`select (to_jsonb(r) - '{trigger_id,created_at,updated_at,imported_at,state_changed_at}'::text[])::text as row
        from (${rows}) r order by 1`)
      ).rows.map(({ row }) => row);
    return {
      objects: await ask('select * from managed_object'),
      raw: await ask(`select type, id, rev, data - 'password' as data from repo_object`),
      edges: await ask('select * from relationship'),
      links: await ask('select * from sync_link'),
      schedules: await ask('select id, paused, definition from scheduler_job'),
      items: await ask('select kind, type, id, foreign_rev, print, rev from import_item'),
    };
  });

/** Rows that the one has and not the other. */
function differing(one: Awaited<ReturnType<typeof contentOf>>, other: typeof one): readonly string[] {
  const rows = (content: typeof one) => new Set<string>(Object.values(content).flat());
  return [...rows(one).symmetricDifference(rows(other))].slice(0, 5);
}

beforeAll(async () => {
  project = await createProject(FILES);
  foreign = await createTestDatabase();
  ({ write, end: endWriter } = await postgresWriter(foreign.url));
  await makeForeignTables(write, 'postgres');
  await fillForeign(write);
});
afterAll(async () => {
  await endWriter();
  await foreign[Symbol.asyncDispose]();
  await project[Symbol.asyncDispose]();
});

describe('svc import repository', () => {
  let target: TestDatabase;
  beforeAll(async () => {
    target = await createSchemaDatabase();
  });
  afterAll(() => target?.[Symbol.asyncDispose]());

  it('plans first: counts by kind, and each thing that cannot come with its reason, and writes nothing', async () => {
    const { code, report, counts, reasons } = await told(target.url, 'repository', foreign.url);
    expect([code, report.isApplied]).toEqual([1, false]);
    expect(counts('managed/user')).toMatchObject({ read: PEOPLE + 3, created: PEOPLE + 3, left: 0 });
    expect(counts('relationship')).toMatchObject({ read: 4, created: 3, left: 1 });
    expect(counts('scheduler/job')).toMatchObject({ read: 3, created: 2, left: 1 });
    expect(reasons('relationship')).toMatch(/^e-boss-twice: .*holds one alone/);
    expect(reasons('scheduler/job')).toMatch(/^broken: There is no schedule/);
    expect(reasons('repo/internal/user')).toMatch(/^openidm-admin: Its password is its name/);
    expect(reasons('auditaccess')).toMatch(/keep them as an archive/);
    expect(reasons('configobjects')).toMatch(/svc import project/);
    const { items, objects, raw, schedules } = await contentOf(target.url);
    expect([items, objects, raw, schedules]).toEqual([[], [], [], []]);
  });

  it('writes it with ids and revisions, and a second time nothing is to do', async () => {
    const { counts } = await told(target.url, 'repository', foreign.url, '--apply');
    expect(counts('managed/user')).toMatchObject({ created: PEOPLE + 3, left: 0 });
    const before = await contentOf(target.url);
    expect(before.objects.length).toBe(PEOPLE + 5);
    expect(before.objects.find((row) => row.includes('"id": "ann"'))).toMatch(/"rev": 7/);
    expect(before.edges.find((row) => row.includes('"e-olga"'))).toMatch(/"second_id": "o\/slash"/);
    const again = await told(target.url, 'repository', foreign.url, '--apply');
    for (const { created, updated, deleted } of again.report.kinds)
      expect([created, updated, deleted]).toEqual([0, 0, 0]);
    expect(differing(await contentOf(target.url), before)).toEqual([]);
    const same = await told(target.url, 'verify', foreign.url, '--only', 'managed,internal,repo,link');
    expect(same.report.remarks).toEqual([]);
    expect(same.code).toBe(0);
  });

  it('comes to the same end when it is killed in the middle, and run again', async () => {
    await using other = await createSchemaDatabase();
    await asked(other.url, async (client) => {
      // Whoever stores one of the same id waits for this.
      await client.query('begin');
      await client.query(`insert into managed_object (type, id, data) values ('user', 'p03000', '{}')`);
      const program = svc(other.url, 'repository', foreign.url, '--apply');
      await eventually(
        () =>
          asked(other.url, (own) =>
            own.query(
              `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
            ),
          ),
        ({ rowCount }) => rowCount !== null && rowCount > 0,
      );
      program.kill('SIGKILL');
      await program.answer;
      await client.query('rollback');
    });
    const { items } = await contentOf(other.url);
    expect(items.length).toBeGreaterThan(0);
    expect(items.length).toBeLessThan(PEOPLE);
    await told(other.url, 'repository', foreign.url, '--apply');
    expect(differing(await contentOf(other.url), await contentOf(target.url))).toEqual([]);
  });

  it('takes back what has come and was not changed here since', async () => {
    await using other = await createSchemaDatabase();
    await told(other.url, 'repository', foreign.url, '--apply');
    await asked(other.url, (client) =>
      client.query(`update managed_object set rev = rev + 1 where type = 'user' and id = 'ben'`),
    );
    const { output, code } = await svc(other.url, 'undo').answer;
    expect([code, output]).toEqual([
      1,
      expect.stringMatching(/managed\/user: \d+ taken back, 1 changed here and kept/),
    ]);
    const { objects, raw, edges, links, schedules, items } = await contentOf(other.url);
    expect(objects).toEqual([expect.stringContaining('"id": "ben"')]);
    expect([raw, edges, links, schedules, items]).toEqual([[], [], [], [], []]);
  });

  it('says of a database that is none of the two kinds, or is not there, what is wrong, and changes nothing', async () => {
    const url = new URL(foreign.url);
    url.pathname = '/no_such_database';
    const missing = await svc(target.url, 'repository', url.href, '--apply').answer;
    expect([missing.code, missing.output]).toEqual([1, expect.stringMatching(/cannot be read/)]);
    expect(missing.output).not.toContain(url.password || 'no password in it');
    const oracle = await svc(target.url, 'repository', 'jdbc:oracle:thin:@host/db').answer;
    expect([oracle.code, oracle.output]).toEqual([1, expect.stringMatching(/no postgres:/)]);
    const schema = await svc(target.url, 'repository', foreign.url, '--schema', 'public').answer;
    expect([schema.code, schema.output]).toEqual([1, expect.stringMatching(/--schema/)]);
    const only = await svc(target.url, 'repository', foreign.url, '--only', 'users').answer;
    expect([only.code, only.output]).toEqual([2, expect.stringMatching(/there are internal, managed/)]);
  });

  describe.skipIf(!HAS_MARIADB)('from MariaDB', () => {
    it('brings the same', async () => {
      await using mariadb = await startMariadb();
      await makeForeignTables(mariadb.query, 'mysql');
      await fillForeign(mariadb.query);
      await using other = await createSchemaDatabase();
      const { user, password, port, database } = mariadb;
      const url = `mysql://${user}:${password}@127.0.0.1:${port}/${database}`;
      const { counts } = await told(other.url, 'repository', url, '--apply');
      expect(counts('managed/user')).toMatchObject({ created: PEOPLE + 3, left: 0 });
      expect(differing(await contentOf(other.url), await contentOf(target.url))).toEqual([]);
    });
  });

  describe('and then a node', () => {
    let server: TestServer;
    beforeAll(async () => {
      server = await startTestServer({ files: FILES, database: target, environment: { SVC_KEYS: KEYS } });
    });
    afterAll(() => server?.[Symbol.asyncDispose]());
    const login = async (user: string, password: string) => {
      const { status, body } = await server.api('GET', 'info/login', { user, password });
      return [status, body.authenticationId];
    };

    it('lets people in with their old passwords, encrypted, hashed and plain, and nobody with a shipped one', async () => {
      expect(await login('ann', 'Old-Secret-1')).toEqual([200, 'ann']);
      expect(await login('ben', 'Old-Secret-2')).toEqual([200, 'ben']);
      expect(await login('ops', 'Old-Secret-3')).toEqual([200, 'ops']);
      expect(await login('plain', 'Old-Secret-4')).toEqual([200, 'plain']);
      expect((await login('openidm-admin', 'openidm-admin'))[0]).toBe(401);
      expect(
        (await server.api('GET', 'managed/user/ann', { user: 'ops', password: 'Old-Secret-3' })).status,
      ).toBe(200);
    });

    it('shows objects and what is between them, with what follows from that', async () => {
      const { body } = await server.api('GET', 'managed/user/ann?_fields=*,roles,reports');
      expect(body).toMatchObject({
        _rev: '7',
        userName: 'ann',
        roles: [{ _ref: 'managed/role/staff' }],
        reports: [{ _ref: 'managed/user/ben' }],
        effectiveRoles: [{ _ref: 'managed/role/staff' }],
      });
      expect((await server.api('GET', 'managed/user/ben?_fields=sn')).body.sn).toBe('Bo\ufffdb');
    });

    it('uses links: what is linked is updated, and nothing is made anew', async () => {
      const patch = [{ operation: 'replace', field: '/sn', value: 'Married' }];
      expect((await server.api('PATCH', 'managed/user/ann', { body: patch })).status).toBe(200);
      const { body } = await server.api('GET', 'managed/account?_queryFilter=login%20eq%20%22ann%22');
      expect(body.result).toMatchObject([{ _id: 'd-ann', surname: 'Married' }]);
    });

    it('keeps what was changed here when the other server changes it, too, and brings what it does besides', async () => {
      await changeForeign(write, 'managedobjects', { _id: 'ann', _rev: '8', userName: 'ann', sn: 'Theirs' });
      await changeForeign(write, 'managedobjects', { _id: 'ben', _rev: '3', userName: 'ben', sn: 'Changed' });
      await write("delete from managedobjects where objectid = 'p00007'");
      const { counts, reasons } = await told(target.url, 'repository', foreign.url, '--apply', '--delete');
      expect(reasons('managed/user')).toMatch(/^ann: It was changed here/m);
      expect(counts('managed/user')).toMatchObject({ updated: 1, deleted: 1, left: 1 });
      expect((await server.api('GET', 'managed/user/ben')).body).toMatchObject({ _rev: '3', sn: 'Changed' });
      expect((await server.api('GET', 'managed/user/ann')).body.sn).toBe('Married');
      expect((await server.api('GET', 'managed/user/p00007')).status).toBe(404);
    });

    it('follows what changes until it is ended', async () => {
      const program = svc(target.url, 'repository', foreign.url, '--apply', '--follow', '--every', '0.2');
      await eventually(
        async () => program.said(),
        (said) => said.includes('following'),
      );
      await changeForeign(write, 'managedobjects', {
        _id: 'p00009',
        _rev: '1',
        userName: 'renamed',
        sn: 'Later',
      });
      const read = () => server.api('GET', 'managed/user/p00009');
      await eventually(read, ({ body }) => body.userName === 'renamed');
      await write("delete from managedobjects where objectid = 'p00008'");
      await eventually(
        () => server.api('GET', 'managed/user/p00008'),
        ({ status }) => status === 404,
      );
      program.kill('SIGTERM');
      expect((await program.answer).code).toBe(0);
    });

    it('fires schedules when the import is finished, and not before; one that was paused stays so', async () => {
      const paused = async (id: string) =>
        (await server.database.pool.query('select paused from scheduler_job where id = $1', [id])).rows[0]
          .paused;
      expect([await paused('beat'), await paused('rests')]).toEqual([true, true]);
      expect(
        server.observations.some((said) => said.kind === 'trigger.fired' && said.schedule === 'beat'),
      ).toBe(false);
      const { code, output } = await svc(target.url, 'finish').answer;
      expect([code, output]).toEqual([0, expect.stringMatching(/1 schedules fire/)]);
      await server.observed('trigger.completed', ({ schedule }) => schedule === 'beat');
      expect(await paused('rests')).toBe(true);
      expect((await svc(target.url, 'status').answer).output).toMatch(/Nothing has come/);
      expect(await login('svc-admin', ADMIN_PASSWORD)).toEqual([200, 'svc-admin']);
    });
  });
});
