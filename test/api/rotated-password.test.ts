import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { createSchemaDatabase } from '../support/migrated-database.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import '../support/takes-long.ts';

// A pooler has passwords of its own.
const isPooled = (process.env['SVC_TEST_PGBOUNCER'] ?? '') !== '';

describe.skipIf(isPooled).each([
  ['a file', '', (file: string) => ({ SVC_DATABASE_PASSWORD_FILE: file })],
  [
    'a file, beside a list of servers',
    '?target_session_attrs=read-write',
    (file: string) => ({ SVC_DATABASE_PASSWORD_FILE: file }),
  ],
  ['a command', '', (file: string) => ({ SVC_DATABASE_PASSWORD_COMMAND: `cat '${file}'` })],
])('a node that has the password of its database from %s', (_how, query, settingsOf) => {
  const scope = new AsyncDisposableStack();
  let server: TestServer;
  let superuser: pg.Client;
  let role: string;
  let file: string;

  const put = async (password: string) => {
    await writeFile(`${file}.new`, `${password}\n`, { mode: 0o600 });
    await rename(`${file}.new`, file);
  };
  const alter = (password: string) => superuser.query(`alter role ${role} password '${password}'`);
  const endSessions = () =>
    superuser.query('select pg_terminate_backend(pid, 10000) from pg_stat_activity where usename = $1', [
      role,
    ]);

  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-rotated-'));
    scope.defer(() => rm(folder, { recursive: true }));
    file = join(folder, 'password');
    const test = scope.use(await createSchemaDatabase());
    superuser = new pg.Client({ connectionString: inject('databaseServerUrl') });
    await superuser.connect();
    scope.defer(() => superuser.end());
    const url = new URL(test.url);
    role = `node_${url.pathname.slice(-16)}`;
    await superuser.query(`create role ${role} login password 'first' in role ${url.username}`);
    scope.defer(async () => void (await superuser.query(`drop role ${role}`)));
    url.username = role;
    url.password = '';
    await put('first');
    server = scope.use(
      await startTestServer({
        database: { ...test, url: `${url.href}${query}` },
        environment: settingsOf(file),
        files: { 'conf/managed.json': { objects: [{ name: 'thing' }] } },
      }),
    );
  });
  afterAll(() => scope.disposeAsync());

  it('goes on with the sessions that it has, and with others as soon as the new one is there', async () => {
    const { api } = server;
    const script = {
      type: 'text/javascript',
      source: "svc.query('managed/thing', { _queryFilter: 'true' })",
    };
    const works = async () => {
      expect((await api('POST', 'managed/thing?_action=create', { body: {} })).status).toBe(201);
      expect((await api('POST', 'script?_action=eval', { body: script })).status).toBe(200);
      expect((await api('POST', 'key?_action=rotate')).status).toBe(200);
      await eventually(
        () => api('GET', 'key/rotation'),
        ({ body }) => body.state !== 'ACTIVE',
      );
    };
    await works();
    await alter('second');
    expect((await api('GET', 'managed/thing?_queryFilter=true')).status).toBe(200);
    await endSessions();
    const refused = await eventually(
      () => api('POST', 'managed/thing?_action=create', { body: {} }),
      ({ status }) => status !== 201,
    );
    expect([refused.status, refused.headers.get('retry-after'), refused.body.detail?.id]).toEqual([
      503,
      '1',
      'DB_UNREACHABLE',
    ]);
    await put('second');
    await works();
  });
});
