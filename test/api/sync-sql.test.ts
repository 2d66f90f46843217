import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import '../support/takes-long.ts';

const text = { type: 'string' };
const MANY = 60;
const line = (at: number) => `user${at},First${at},user${at}@example.com`;
const HEADER = 'login,first,mail';
const FILE = [HEADER, ...Array.from({ length: MANY }, (_, at) => line(at)), ''].join('\n');
const HR = {
  name: 'hr',
  connectorRef: { connectorName: 'org.forgerock.openicf.csvfile.CSVFileConnector' },
  configurationProperties: { csvFile: 'data/hr.csv', headerUid: 'login' },
  objectTypes: {
    person: { nativeType: '__ACCOUNT__', properties: { login: text, first: text, mail: text } },
  },
};
const same = (name: string) => ({ source: name, target: name });
const MAPPINGS = [
  {
    name: 'hr_staff',
    source: 'system/hr/person',
    target: 'managed/staff',
    correlationQuery: {
      type: 'text/javascript',
      source: '({_queryFilter: "login eq " + JSON.stringify(source.login)})',
    },
    properties: [same('login'), same('first'), same('mail')],
    policies: [{ situation: 'SOURCE_MISSING', action: 'DELETE' }],
  },
  {
    name: 'staff_desk',
    source: 'managed/staff',
    target: 'system/desk/account',
    properties: [same('login'), same('first'), { source: 'mail', target: 'mails' }],
    policies: [
      { situation: 'SOURCE_MISSING', action: 'DELETE' },
      { situation: 'MISSING', action: 'CREATE' },
    ],
  },
  {
    name: 'guest_badge',
    source: 'managed/guest',
    target: 'system/desk/badge',
    properties: [{ source: 'name', target: 'owner' }],
  },
];

describe('a file of people, brought into tables of a database', () => {
  let other: TestDatabase;
  let client: pg.Client;
  let proxy: TcpProxy;
  let server: TestServer;

  beforeAll(async () => {
    other = await createTestDatabase();
    client = new pg.Client({ connectionString: other.url });
    await client.connect();
    await client.query(`create table person (login text primary key, first text);
      create table badge (id serial primary key, owner text);
      create table person_mail (login text references person on delete cascade, address text)`);
    const { hostname, port, username, password } = new URL(other.url);
    proxy = await TcpProxy.open(() => ({ host: hostname, port: Number(port) }), Math.random);
    const desk = {
      name: 'desk',
      connectorRef: { connectorName: 'org.identityconnectors.databasetable.DatabaseTableConnector' },
      configurationProperties: {
        jdbcUrlTemplate: `jdbc:postgresql://127.0.0.1:${proxy.port}/${other.name}`,
        user: decodeURIComponent(username),
        password: decodeURIComponent(password) || 'none',
        ssl: false,
        table: 'person',
        keyColumn: 'login',
        childTables: ['person_mail.login'],
        tables: ['badge.id'],
      },
      objectTypes: {
        account: {
          nativeType: '__ACCOUNT__',
          properties: {
            login: text,
            first: text,
            mails: { type: 'array', items: text, nativeName: 'person_mail.address' },
          },
        },
        badge: { nativeType: 'badge', properties: { owner: text } },
      },
    };
    server = await startTestServer({
      environment: { SVC_EGRESS_ALLOW: '127.0.0.1' },
      files: {
        'data/hr.csv': FILE,
        'conf/managed.json': {
          objects: [
            { name: 'staff', schema: { properties: { login: text, first: text, mail: text } } },
            { name: 'guest' },
          ],
        },
        'conf/sync.json': { mappings: MAPPINGS },
        'conf/provisioner.openicf-hr.json': HR,
        'conf/provisioner.openicf-desk.json': desk,
      },
    });
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    await proxy?.[Symbol.asyncDispose]();
    await client?.end();
    await other?.[Symbol.asyncDispose]();
  });

  async function reconcile(mapping: string) {
    const { body } = await server.api(
      'POST',
      `recon?_action=recon&mapping=${mapping}&waitForCompletion=true`,
    );
    expect([body.state, body.message]).toEqual(['SUCCESS', undefined]);
  }
  const settled = () =>
    eventually(
      async () => (await server.api('GET', 'sync/queue?_queryFilter=true')).body.result,
      (rows) => rows.length === 0,
    );
  const desks = async () => {
    const { rows } = await client.query(
      `select p.login, first, array_agg(address) mails from person p join person_mail using (login) group by 1, 2 order by 1`,
    );
    return rows.map(({ login, first, mails }) => `${login},${first},${mails.join(' ')}`);
  };

  it('has each of them once, though answers to commits are lost', async () => {
    proxy.setWeather({ loseCommits: 3 });
    await reconcile('hr_staff');
    await settled();
    expect(proxy.lostCommits).toBe(3);
    proxy.setWeather();
    const expected = Array.from({ length: MANY }, (_, at) => line(at)).sort();
    expect(await desks()).toEqual(expected);
    await reconcile('staff_desk');
    expect(await desks()).toEqual(expected);
    const { body } = await server.api(
      'GET',
      'repo/link?_queryFilter=linkType+eq+"staff_desk"&_pageSize=1000',
    );
    expect(body.result).toHaveLength(MANY);
  });

  it('follows the file, and brings back what others have changed', async () => {
    const changed = [HEADER, 'user0,Zero,user0@example.com', ...FILE.split('\n').slice(2, 57), ''];
    await server.project.write('data/hr.csv', changed.join('\n'));
    await client.query(`update person set first = 'Somebody' where login = 'user7'`);
    await client.query(`delete from person where login = 'user8'`);
    await reconcile('hr_staff');
    await settled();
    await reconcile('staff_desk');
    await settled();
    expect(await desks()).toEqual(changed.slice(1, -1).sort());
  });

  describe('makes none twice whose key the database makes up', () => {
    const badges = async () =>
      (await client.query('select owner from badge order by 1')).rows.map(({ owner }) => owner);
    const waiting = async (id: string) =>
      (await server.api('GET', `sync/queue?_queryFilter=sourceId+eq+"${id}"`)).body.result;
    const deliver = async (id: string) =>
      (await server.api('POST', `sync?_action=deliver&mapping=guest_badge&sourceId=${id}`, { body: {} }))
        .body;
    /** Makes a guest, of whose badge nobody is told. */
    const lose = async (id: string) => {
      proxy.setWeather({ loseCommits: 1 });
      await server.api('PUT', `managed/guest/${id}`, { body: { name: id } });
      const rows = await eventually(
        () => waiting(id),
        ([row]) => row?.state === 'dead',
      );
      proxy.setWeather();
      expect(rows).toMatchObject([{ error: { code: 409, id: 'SYSTEM_OUTCOME_UNKNOWN' } }]);
    };

    it('but waits for somebody who links what was made', async () => {
      await lose('vera');
      expect(await badges()).toEqual(['vera']);
      expect(JSON.stringify(await deliver('vera'))).toContain('SYSTEM_OUTCOME_UNKNOWN');
      const [{ id }] = (await client.query('select id from badge')).rows;
      const link = { linkType: 'guest_badge', linkQualifier: 'default', firstId: 'vera', secondId: `${id}` };
      await server.api('POST', 'repo/link?_action=create', { body: link });
      await deliver('vera');
      expect(await waiting('vera')).toEqual([]);
      expect(await badges()).toEqual(['vera']);
    });

    it('but for somebody who has looked, and says that it is not there', async () => {
      await lose('wim');
      await client.query(`delete from badge where owner = 'wim'`);
      await server.api('POST', 'sync/queue?_action=drop&mapping=guest_badge', { body: {} });
      await deliver('wim');
      expect(await badges()).toEqual(['vera', 'wim']);
    });

    it('and knows that nothing was made by a system that could not be asked', async () => {
      proxy.setWeather({ closed: true });
      proxy.endAll('reset');
      await server.api('PUT', 'managed/guest/xia', { body: { name: 'xia' } });
      await eventually(
        () => waiting('xia'),
        ([row]) => row?.error?.id === 'SYSTEM_UNAVAILABLE',
      );
      proxy.setWeather();
      await settled();
      expect(await badges()).toEqual(['vera', 'wim', 'xia']);
    });
  });
});
