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
      },
    };
    server = await startTestServer({
      environment: { SVC_EGRESS_ALLOW: '127.0.0.1' },
      files: {
        'data/hr.csv': FILE,
        'conf/managed.json': {
          objects: [{ name: 'staff', schema: { properties: { login: text, first: text, mail: text } } }],
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
});
