import { readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import { eventually } from '../support/eventually.ts';
import { createSchemaDatabase } from '../support/migrated-database.ts';
import { type NodeProcess, startNodeProcess } from '../support/node-process.ts';
import type { TestDatabase } from '../support/postgres.ts';
import { createProject, type TestProject } from '../support/project.ts';
import { SLAPD, type Slapd, startSlapd } from '../support/slapd.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import '../support/takes-long.ts';

const text = { type: 'string' };
const PEOPLE = 'ou=people,dc=example,dc=com';
const script = (source: string) => ({ type: 'text/javascript', source });
const MAPPINGS = [
  {
    name: 'staff_ldap',
    source: 'managed/staff',
    target: 'system/ldap/account',
    properties: [
      { source: 'login', target: 'dn', transform: script(`"uid=" + source + ",${PEOPLE}"`) },
      { source: 'login', target: 'uid' },
      { source: 'login', target: 'cn' },
      { source: 'sn', target: 'sn' },
    ],
    policies: [{ situation: 'SOURCE_MISSING', action: 'DELETE' }],
  },
  {
    name: 'guest_file',
    source: 'managed/guest',
    target: 'system/file/person',
    delivery: 'attached',
    properties: [
      { source: 'login', target: 'id' },
      { source: 'sn', target: 'last' },
    ],
    policies: [{ situation: 'SOURCE_MISSING', action: 'DELETE' }],
  },
];
/** Longer than it takes to see what was written, and to kill who has written it. */
const lingers = script(
  'if (newObject && newObject.lingers) { var until = Date.now() + 8000; while (Date.now() < until) {} }',
);

describe.skipIf(SLAPD === undefined)('a delivery to another system', () => {
  let slapd: Slapd;
  let proxy: TcpProxy;
  let test: TestDatabase;
  let database: Database;
  let project: TestProject;
  const nodes: NodeProcess[] = [];

  beforeAll(async () => {
    slapd = await startSlapd();
  });
  afterAll(() => slapd?.[Symbol.asyncDispose]());

  beforeEach(async () => {
    await slapd.empty();
    proxy = await TcpProxy.open(() => ({ host: '127.0.0.1', port: slapd.port }), Math.random);
    test = await createSchemaDatabase();
    database = openDatabase({ url: test.url, poolSize: 2, applicationName: 'test' });
    project = await createProject({
      'conf/managed.json': {
        objects: [
          { name: 'staff', schema: { properties: { login: text, sn: text } } },
          { name: 'guest', onSync: lingers, schema: { properties: { login: text, sn: text } } },
        ],
      },
      'conf/sync.json': { mappings: MAPPINGS },
      'conf/provisioner.openicf-file.json': {
        name: 'file',
        connectorRef: { connectorName: 'org.forgerock.openicf.csvfile.CSVFileConnector' },
        configurationProperties: { csvFile: 'data/people.csv', headerUid: 'id' },
        objectTypes: { person: { nativeType: '__ACCOUNT__', properties: { id: text, last: text } } },
      },
      'conf/provisioner.openicf-ldap.json': {
        name: 'ldap',
        connectorRef: { connectorName: 'org.identityconnectors.ldap.LdapConnector' },
        configurationProperties: {
          host: '127.0.0.1',
          port: proxy.port,
          principal: slapd.principal,
          credentials: '&{svc.ldap.password}',
          baseContexts: [PEOPLE],
        },
        objectTypes: {
          account: {
            nativeType: '__ACCOUNT__',
            properties: {
              dn: { ...text, nativeName: '__NAME__', required: true },
              uid: text,
              cn: text,
              sn: text,
            },
          },
        },
      },
      'data/people.csv': 'id,last\n',
    });
  });
  afterEach(async () => {
    await Promise.all(nodes.splice(0).map((node) => node[Symbol.asyncDispose]()));
    await database.close();
    await project[Symbol.asyncDispose]();
    await test[Symbol.asyncDispose]();
    await proxy[Symbol.asyncDispose]();
  });

  async function start(name: string): Promise<NodeProcess> {
    const environment = { SVC_EGRESS_ALLOW: '127.0.0.1', SVC_LDAP_PASSWORD: slapd.password };
    const node = await startNodeProcess({
      name,
      databaseUrl: test.url,
      project: project.location,
      environment,
    });
    nodes.push(node);
    return node;
  }

  const put = ({ api }: NodeProcess, login: string, others: JsonObject = {}, type = 'staff') =>
    api('PUT', `managed/${type}/${login}`, { body: { login, sn: 'S', ...others } });
  const count = async (statement: string): Promise<number> =>
    (await sql.raw<{ n: number }>(`select count(*)::int as n from ${statement}`).execute(database.db)).rows[0]
      ?.n ?? 0;
  const settled = () =>
    eventually(
      () => count('sync_outbox'),
      (n) => n === 0,
    );
  const accounts = async ({ api }: NodeProcess): Promise<JsonObject[]> =>
    (await api('GET', 'system/ldap/account?_queryFilter=true')).body.result ?? [];
  const uids = async (node: NodeProcess) => (await accounts(node)).map(({ uid }) => uid).sort();

  /** The directory makes the account, and whoever has asked for it does not hear of that. */
  async function beginUnheard(node: NodeProcess, login: string): Promise<void> {
    await put(node, 'seed');
    await settled();
    proxy.setWeather({ hole: 'toClient' });
    expect((await put(node, login)).status).toBe(201);
    await eventually(
      () => slapd.find(`(uid=${login})`),
      ({ length }) => length === 1,
    );
  }

  async function expectOnce(node: NodeProcess, login: string): Promise<void> {
    await settled();
    expect(await uids(node)).toEqual(['seed', login].sort());
    expect(await count('sync_link')).toBe(2);
    expect(await count('sync_outside where intent is not null')).toBe(0);
  }

  it('is done by another node where the one that has stored the change ends before it has begun', async () => {
    const [first] = [await start('a'), proxy.setWeather({ closed: true })];
    expect((await put(first, 'ida')).status).toBe(201);
    first.signal('SIGKILL');
    await first.ended;
    proxy.setWeather();
    const second = await start('b');
    await settled();
    expect(await uids(second)).toEqual(['ida']);
  });

  it('takes what a node has made, that was killed before it could write that down, for its own', async () => {
    const first = await start('a');
    await beginUnheard(first, 'per');
    const second = await start('b');
    first.signal('SIGKILL');
    await first.ended;
    proxy.endAll('reset');
    proxy.setWeather();
    await expectOnce(second, 'per');
  });

  it('leaves nothing of what a node stores that has hung meanwhile', async () => {
    const first = await start('a');
    await beginUnheard(first, 'liv');
    const second = await start('b');
    first.signal('SIGSTOP');
    await second.logged(({ kind }) => kind === 'node.lost');
    proxy.setWeather();
    await expectOnce(second, 'liv');
    first.signal('SIGCONT');
    await put(second, 'liv', { sn: 'T' });
    await settled();
    await first.logged(({ kind }) => kind === 'node.fenced');
    expect((await accounts(second)).find(({ uid }) => uid === 'liv')).toMatchObject({ sn: 'T' });
    expect(await count('sync_link')).toBe(2);
  });

  it('finds what it has made when Postgres has lost the session in which it was to be written down', async () => {
    const node = await start('a');
    await beginUnheard(node, 'bo');
    await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null
        and state = 'idle in transaction'`.execute(database.db);
    proxy.setWeather();
    await expectOnce(node, 'bo');
  });

  it('that is attached is put right when its node is killed before the change is stored', async () => {
    const first = await start('a');
    const lines = async () =>
      (await readFile(`${project.location}/data/people.csv`, 'utf8')).trim().split('\n');
    expect((await put(first, 'ann', {}, 'guest')).status).toBe(201);
    const second = await start('b');
    const change = put(first, 'ann', { sn: 'T', lingers: true }, 'guest').catch(() => undefined);
    await eventually(lines, (rows) => rows.includes('ann,T'));
    first.signal('SIGKILL');
    await first.ended;
    await change;
    await eventually(lines, (rows) => rows.includes('ann,S'));
    const third = await start('c');
    const made = put(second, 'eva', { lingers: true }, 'guest').catch(() => undefined);
    await eventually(
      () => count("sync_outside where source_id = 'eva' and made_id is not null"),
      (n) => n === 1,
    );
    second.signal('SIGKILL');
    await second.ended;
    await made;
    await eventually(lines, (rows) => rows.length === 2);
    expect((await third.api('GET', 'managed/guest/eva')).status).toBe(404);
    expect(await count('sync_attached')).toBe(0);
  });
});
