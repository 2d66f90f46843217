import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { HAS_MARIADB, startMariadb } from '../support/mariadb.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { SLAPD, startSlapd } from '../support/slapd.ts';
import '../support/takes-long.ts';

const PEOPLE = 'ou=people,dc=example,dc=com';
const MANY = 100;
const text = { type: 'string' };

interface Other extends AsyncDisposable {
  readonly provisioner: object;
  /** Makes people whose numbers begin with this one. */
  readonly add: (first: number) => Promise<void>;
  readonly empty: () => Promise<unknown>;
  readonly restart: () => Promise<void>;
}

const numbers = (first: number) => Array.from({ length: MANY }, (_, at) => first + at);

async function directory(): Promise<Other> {
  const slapd = await startSlapd(undefined, { log: true });
  return {
    provisioner: {
      name: 'other',
      connectorRef: { connectorName: 'org.identityconnectors.ldap.LdapConnector' },
      configurationProperties: {
        host: '127.0.0.1',
        port: slapd.port,
        principal: slapd.principal,
        credentials: '&{svc.other.password}',
        baseContexts: [PEOPLE],
        changes: 'accesslog',
      },
      objectTypes: {
        account: {
          nativeType: '__ACCOUNT__',
          properties: {
            dn: { ...text, nativeName: '__NAME__', required: true },
            login: { ...text, nativeName: 'uid' },
          },
        },
      },
    },
    add: (first) =>
      slapd.add(
        numbers(first)
          .map((n) => `dn: uid=p${n},${PEOPLE}\nobjectClass: inetOrgPerson\nuid: p${n}\ncn: ${n}\nsn: ${n}\n`)
          .join('\n'),
      ),
    empty: () => slapd.empty(),
    restart: () => slapd.restart(),
    [Symbol.asyncDispose]: () => slapd[Symbol.asyncDispose](),
  };
}

async function table(): Promise<Other> {
  const mariadb = await startMariadb();
  await mariadb.query('create table person (login varchar(50) primary key, number bigint not null)');
  return {
    provisioner: {
      name: 'other',
      connectorRef: { connectorName: 'org.identityconnectors.databasetable.DatabaseTableConnector' },
      configurationProperties: {
        jdbcUrlTemplate: `jdbc:mariadb://127.0.0.1:${mariadb.port}/${mariadb.database}`,
        user: mariadb.user,
        password: '&{svc.other.password}',
        ssl: false,
        table: 'person',
        keyColumn: 'login',
        changeLogColumn: 'number',
      },
      objectTypes: { account: { nativeType: '__ACCOUNT__', properties: { login: text } } },
    },
    add: async (first) =>
      void (await mariadb.query(
        `insert into person values ${numbers(first)
          .map((n) => `('p${n}', ${n})`)
          .join()}`,
      )),
    empty: () => mariadb.query('delete from person'),
    restart: () => mariadb.restart(),
    [Symbol.asyncDispose]: () => mariadb[Symbol.asyncDispose](),
  };
}

const OTHERS = [
  { what: 'a directory', there: SLAPD !== undefined, start: directory, password: 'directory-password' },
  { what: 'a database', there: HAS_MARIADB, start: table, password: 'database-password' },
].filter(({ there }) => there);

describe.each(OTHERS)('$what that ends and begins anew', ({ start, password }) => {
  let other: Other;
  let server: TestServer;
  beforeAll(async () => {
    other = await start();
    const same = [{ source: 'login', target: 'login' }];
    server = await startTestServer({
      environment: { SVC_EGRESS_ALLOW: '127.0.0.1', SVC_OTHER_PASSWORD: password },
      files: {
        'conf/managed.json': { objects: [{ name: 'person' }] },
        'conf/sync.json': {
          mappings: [
            { name: 'inwards', source: 'system/other/account', target: 'managed/person', properties: same },
          ],
        },
        'conf/provisioner.openicf-other.json': other.provisioner,
      },
    });
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    await other?.[Symbol.asyncDispose]();
  });
  afterEach(async () => {
    await other.empty();
    await server.database.pool.query(
      'delete from sync_link; delete from managed_object; delete from recon_run',
    );
  });

  const people = async (): Promise<string[]> => {
    const { rows } = await server.database.pool.query(
      `select data ->> 'login' as login from managed_object where type = 'person' order by 1`,
    );
    return rows.map(({ login }) => login);
  };
  const some = () => eventually(people, ({ length }) => length > 20);
  const everybody = (first: number) =>
    numbers(first)
      .map((n) => `p${n}`)
      .sort();

  it('in the middle of a reconciliation loses nobody, and doubles nobody', async () => {
    await other.add(1_000);
    const { body } = await server.api('POST', 'recon?_action=recon&mapping=inwards', { body: {} });
    await some();
    await other.restart();
    await eventually(
      async () => (await server.api('GET', `recon/${body._id}`)).body.state,
      (state) => state !== 'ACTIVE',
    );
    // Those whose turn came while it was away have failed, and say so; the next run finds them.
    await eventually(
      async () => (await server.api('POST', 'system/other?_action=test')).body.ok,
      (ok) => ok === true,
    );
    const path = 'recon?_action=recon&mapping=inwards&waitForCompletion=true';
    expect((await server.api('POST', path, { body: {} })).body).toMatchObject({ state: 'SUCCESS' });
    expect(await people()).toEqual(everybody(1_000));
  });

  it('in the middle of a live synchronisation loses nobody, and doubles nobody', async () => {
    const follow = () => server.api('POST', 'system/other/account?_action=liveSync');
    await eventually(
      async () => (await follow()).status,
      (status) => status === 200,
    );
    await other.add(2_000);
    const round = follow();
    await other.restart();
    await round;
    await other.add(3_000);
    await eventually(
      async () => {
        await follow();
        return people();
      },
      ({ length }) => length >= 2 * MANY,
    );
    await follow();
    expect(await people()).toEqual([...everybody(2_000), ...everybody(3_000)].sort());
  });
});
