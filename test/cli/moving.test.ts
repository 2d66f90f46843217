import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { actRows, makeActTables } from '../support/act-tables.ts';
import { eventually } from '../support/eventually.ts';
import {
  foreignEnvelope,
  foreignHash,
  foreignJob,
  makeForeignTables,
  postgresWriter,
  putForeign,
} from '../support/foreign-repository.ts';
import { isLong } from '../support/long.ts';
import { createSchemaDatabase } from '../support/migrated-database.ts';
import { type NodeProcess, startNodeProcess } from '../support/node-process.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { PROGRAM_ENVIRONMENT } from '../support/program-environment.ts';
import { createProject } from '../support/project.ts';
import { processFile } from '../support/workflow.ts';
import { end, path, start, user } from '../unit/workflow/engine/bpmn.ts';

/**
 * The whole move: a folder and a database as servers of the family have them, two commands, and a client that has been written for
 * the other server.
 */
const ROOT = new URL('../../', import.meta.url).pathname;
/** The key in the keystore, under `openidm-sym-default`; its password is `changeit`. */
const KEYSTORE = join(import.meta.dirname, '../fixtures/keystores/keystore.p12');
const KEY = Buffer.from('hZAIrDUQlOrQ9SiUD3iOEQ==', 'base64');

const text = { type: 'string' };
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
/** When the other server has recorded the last change, within what `audit.json` keeps. */
const RECORDED_AT = daysAgo(20);
const APPROVAL = processFile(
  'approval',
  start() +
    user('ask', { 'activiti:candidateGroups': 'managed/role/staff' }) +
    user('file') +
    end() +
    path('s', 'ask', 'file', 'e'),
);
const module = (name: string, type: string, userRoles: string, more: object) => ({
  name,
  enabled: true,
  properties: {
    queryOnResource: type,
    propertyMapping: { authenticationId: 'username', userCredential: 'password', userRoles },
    ...more,
  },
});
const FILES = {
  'conf/managed.json': {
    objects: [
      {
        name: 'user',
        schema: {
          properties: {
            userName: text,
            sn: text,
            mail: text,
            password: { ...text, scope: 'private', encryption: { key: 'openidm-sym-default' } },
            authzRoles: { type: 'array', items: text },
          },
        },
      },
      { name: 'beat', schema: { properties: { at: text } } },
    ],
  },
  'conf/authentication.json': {
    serverAuthContext: {
      sessionModule: { name: 'JWT_SESSION', properties: { 'max-token-life-minutes': 120 } },
      authModules: [
        module('INTERNAL_USER', 'repo/internal/user', 'roles', { queryId: 'credential-internaluser-query' }),
        module('MANAGED_USER', 'managed/user', 'authzRoles', {
          queryId: 'credential-query',
          defaultUserRoles: ['openidm-authorized'],
        }),
        { name: 'CLIENT_CERT', enabled: true, properties: { allowedAuthenticationIdPatterns: [] } },
      ],
    },
  },
  'conf/endpoint-echo.json': { type: 'text/javascript', file: 'script/echo.js' },
  'conf/system.properties': 'launcher.project.location=&{launcher.project.location}\n',
  'script/echo.js': `(function () { return openidm.read('managed/user/' + context.security.authorization.id); })();`,
  'script/access.js': `var httpAccessConfig = { configs: [
    { pattern: 'info/*', roles: '*', methods: 'read', actions: '*' },
    { pattern: 'authentication', roles: '*', methods: 'read,action', actions: 'login,logout' },
    { pattern: 'endpoint/*', roles: 'openidm-authorized', methods: '*', actions: '*' },
    { pattern: '*', roles: 'openidm-admin', methods: '*', actions: '*' } ] };`,
  'workflow/approval.bpmn20.xml': APPROVAL,
};

describe.skipIf(!isLong)('a whole installation', () => {
  const scope = new AsyncDisposableStack();
  let node: NodeProcess;
  let target: string;
  let databaseUrl: string;
  let sourceUrl: string;
  let folder: string;

  async function svc(...words: readonly string[]) {
    const env = { ...PROGRAM_ENVIRONMENT, SVC_PROJECT: target, DATABASE_URL: databaseUrl };
    const child = spawn(process.execPath, ['src/main.ts', 'import', ...words], { cwd: ROOT, env });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (said) => (output += said));
    const [code] = await once(child, 'close');
    return { code, output };
  }

  beforeAll(async () => {
    const old = scope.use(await createProject(FILES));
    folder = old.location;
    await mkdir(join(folder, 'security'));
    await copyFile(KEYSTORE, join(folder, 'security/keystore.p12'));
    const place = scope.use(await createProject());
    await writeFile(join(place.location, 'password'), 'changeit\n');
    target = join(place.location, 'svc');
    const source = scope.use(await createTestDatabase());
    sourceUrl = source.url;
    const { write, end: endWriter } = await postgresWriter(source.url);
    scope.defer(endWriter);
    await makeForeignTables(write, 'postgres');
    await write('drop table auditaccess');
    await write(`create table auditactivity (objectid varchar(56) primary key, activitydate varchar(29), eventname varchar(255),
      transactionid varchar(255), userid varchar(255), activityobjectid varchar(255), operation varchar(255),
      subjectbefore text, subjectafter text, changedfields varchar(255), passwordchanged varchar(5))`);
    await write(
      `insert into auditactivity values ('a-1', '${RECORDED_AT}', 'activity', 'tx-1', 'openidm-admin', 'managed/user/ann',
        'UPDATE', null, ?, '["/sn"]', 'true'), ('a-0', '${daysAgo(60)}', 'activity', 'tx-0', 'x', 'managed/user/ann', 'CREATE', null, null, null, null)`,
      [JSON.stringify({ sn: 'Ames', password: foreignEnvelope('Old-Secret-1', KEY) })],
    );
    await putForeign(write, 'managedobjects', 'managed/user', [
      {
        _id: 'ann',
        userName: 'ann',
        sn: 'Ames',
        mail: 'a@example.com',
        password: foreignEnvelope('Old-Secret-1', KEY),
      },
      { _id: 'ben', userName: 'ben', sn: 'Bo', mail: 'b@example.com', password: foreignHash('Old-Secret-2') },
    ]);
    const beat = "openidm.create('managed/beat', null, { at: 'now' })";
    await putForeign(write, 'schedulerobjects', 'scheduler/jobs', [
      foreignJob('beat', {
        ...{ enabled: true, persisted: true, type: 'cron', schedule: '0/1 * * * * ?' },
        invokeService: 'org.forgerock.openidm.script',
        invokeContext: { script: { type: 'text/javascript', source: beat } },
      }),
    ]);
    await write('insert into internaluser values (?, ?, ?, ?)', [
      ...['openidm-admin', '0', JSON.stringify(foreignHash('Admin-Secret-1'))],
      '[{"_ref":"repo/internal/role/openidm-admin"},{"_ref":"repo/internal/role/openidm-authorized"}]',
    ]);
    await write(
      "insert into internalrole values ('openidm-admin', '0', ''), ('openidm-authorized', '0', '')",
    );
    await makeActTables(write, 'postgres', 'activiti');
    const { deploy, execution, task } = actRows(write);
    const definition = await deploy('approval', APPROVAL);
    const instance = await execution(definition, { ACT_ID_: 'ask' });
    await task(instance, instance, 'ask', { ASSIGNEE_: 'ann' });

    databaseUrl = scope.use(await createSchemaDatabase()).url;
    const project = await svc(
      'project',
      folder,
      '--to',
      target,
      '--password-file',
      join(place.location, 'password'),
    );
    expect(project.output).toMatch(/added .*openidm-sym-default/);
    const repository = await svc('repository', sourceUrl, '--apply', '--audit', daysAgo(40), '--json');
    expect(JSON.parse(repository.output.slice(repository.output.indexOf('{'))).remarks).toEqual([
      expect.objectContaining({ about: 'workflow/processinstance', isLeft: false }),
    ]);
    expect((await svc('finish')).code).toBe(0);
    const keys = await readFile(join(target, '.svc/keys.json'), 'utf8');
    node = scope.use(
      await startNodeProcess({
        name: 'moved',
        databaseUrl,
        project: target,
        environment: { SVC_KEYS: keys },
      }),
    );
  });
  afterAll(() => scope[Symbol.asyncDispose]());

  /** As a client of the other server asks. */
  async function ask(method: string, at: string, headers: Record<string, string>, body?: object) {
    const response = await fetch(`${node.url.replace(/\/svc$/, '')}/openidm/${at}`, {
      method,
      headers: { 'Content-Type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const said = await response.text();
    return {
      status: response.status,
      body: said === '' ? null : JSON.parse(said),
      headers: response.headers,
    };
  }
  const as = (name: string, password: string) => ({
    'X-OpenIDM-Username': name,
    'X-OpenIDM-Password': password,
  });
  const admin = as('openidm-admin', 'Admin-Secret-1');

  it.each([
    ['ann', 'Old-Secret-1'],
    ['ben', 'Old-Secret-2'],
    ['openidm-admin', 'Admin-Secret-1'],
  ])(
    'lets %s in with the old password, by the old headers and then by the cookie',
    async (name, password) => {
      const login = await ask('GET', 'info/login', as(name, password));
      expect([login.status, login.body.authenticationId]).toEqual([200, name]);
      const cookie = login.headers.get('Set-Cookie')?.split(';')[0] ?? '';
      expect(cookie).toMatch(/^session-jwt=/);
      const again = await ask('GET', 'info/login', { Cookie: cookie, 'X-Requested-With': 'XMLHttpRequest' });
      expect(again.body.authenticationId).toBe(name);
    },
  );

  it('runs its endpoints, whose scripts call the server by its old name', async () => {
    const { status, body } = await ask('GET', 'endpoint/echo', as('ben', 'Old-Secret-2'));
    expect([status, body.userName]).toEqual([200, 'ben']);
  });

  it('serves a client as libraries for the other server ask: create, conditions, pages, patches and a body of null', async () => {
    const login = await ask('GET', 'info/login', admin);
    const session = {
      Cookie: login.headers.get('Set-Cookie')?.split(';')[0] ?? '',
      'X-Requested-With': 'XMLHttpRequest',
    };
    const made = await ask('POST', 'managed/user?_action=create', session, { userName: 'cid', sn: 'Cole' });
    expect([made.status, made.headers.get('Location')]).toEqual([
      201,
      expect.stringMatching(`/openidm/managed/user/${made.body._id}$`),
    ]);
    const put = await ask(
      'PUT',
      'managed/user/dee',
      { ...session, 'If-None-Match': '*' },
      { userName: 'dee' },
    );
    expect([put.status, put.body._rev]).toEqual([201, '0']);
    const change = [{ operation: 'replace', field: 'sn', value: 'Dole' }];
    const patched = await ask('PATCH', 'managed/user/dee', { ...session, 'If-Match': '"0"' }, change);
    expect([patched.status, patched.body.sn]).toEqual([200, 'Dole']);
    expect((await ask('PATCH', 'managed/user/dee', { ...session, 'If-Match': '"0"' }, change)).status).toBe(
      412,
    );
    const page = await ask('GET', 'managed/user?_queryFilter=/userName+sw+"d"&_pageSize=1&_fields=sn', admin);
    expect(page.body.result).toEqual([{ _id: 'dee', _rev: '1', sn: 'Dole' }]);
    const gone = await fetch(`${node.url.replace(/\/svc$/, '')}/openidm/managed/user/dee`, {
      method: 'DELETE',
      headers: { 'Content-Type': 'application/json', ...admin },
      body: 'null',
    });
    expect([gone.status, (await ask('GET', 'managed/user/dee', admin)).status]).toEqual([200, 404]);
    await ask('POST', 'authentication?_action=logout', session);
    const after = await ask('GET', 'info/login', { Cookie: session.Cookie });
    expect(after.status).toBe(401);
  });

  it('fires its schedules', async () => {
    const beats = () => ask('GET', 'managed/beat?_queryId=query-all-ids', admin);
    await eventually(beats, ({ body }) => body.resultCount > 1);
  });

  it('goes on with its processes', async () => {
    const open = async () =>
      (await ask('GET', 'workflow/taskinstance?_queryId=query-all-ids', admin)).body.result;
    const [first] = await open();
    const done = await ask('POST', `workflow/taskinstance/${first._id}?_action=complete`, admin, {});
    expect(done.status).toBe(200);
    const [second] = await open();
    const task = await ask('GET', `workflow/taskinstance/${second._id}`, admin);
    expect(task.body.taskDefinitionKey).toBe('file');
  });

  it('shows what was recorded there, as what the other server says, without secrets', async () => {
    const { body } = await ask('GET', 'audit/imported?_queryFilter=objectId+eq+"managed/user/ann"', admin);
    expect(body.result).toMatchObject([
      {
        topic: 'activity',
        timestamp: RECORDED_AT,
        userId: 'openidm-admin',
        operation: 'UPDATE',
        after: { sn: 'Ames', password: '***' },
        changedFields: ['/sn'],
        passwordChanged: true,
        importedFrom: expect.stringContaining('schema openidm'),
        foreignId: 'a-1',
      },
    ]);
    const { body: runs } = await ask('GET', 'audit/config?_queryFilter=objectId+eq+"import"', admin);
    expect(runs.result).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          operation: 'IMPORT',
          source: expect.stringContaining('schema openidm'),
          kinds: expect.arrayContaining([expect.objectContaining({ about: 'managed/user', created: 2 })]),
        }),
        expect.objectContaining({ operation: 'IMPORT_FINISH', released: 1, processes: 1 }),
      ]),
    );
    const none = { operation: 'CREATE' };
    expect((await ask('POST', 'audit/imported?_action=create', admin, none)).status).toBeGreaterThanOrEqual(
      400,
    );
  });
});
