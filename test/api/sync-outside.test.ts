import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#json/index.ts';
import type { Api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { SLAPD, type Slapd, startSlapd } from '../support/slapd.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import '../support/takes-long.ts';

const text = { type: 'string' };
const PEOPLE = 'ou=people,dc=example,dc=com';
const MAPPING = {
  name: 'staff_ldap',
  source: 'managed/staff',
  target: 'system/ldap/account',
  properties: [
    {
      source: 'login',
      target: 'dn',
      transform: { type: 'text/javascript', source: `"uid=" + source + ",${PEOPLE}"` },
    },
    { source: 'login', target: 'uid' },
    { source: 'login', target: 'cn' },
    { source: 'sn', target: 'sn' },
    { source: 'phones', target: 'phones' },
    { source: 'password', target: 'password' },
  ],
  policies: [{ situation: 'SOURCE_MISSING', action: 'DELETE' }],
};

describe.skipIf(SLAPD === undefined)('a mapping to another system', () => {
  let slapd: Slapd;
  let proxy: TcpProxy;
  let server: TestServer;
  let api: Api;

  beforeAll(async () => {
    slapd = await startSlapd();
    proxy = await TcpProxy.open(() => ({ host: '127.0.0.1', port: slapd.port }), Math.random);
    server = await startTestServer({
      environment: { SVC_EGRESS_ALLOW: '127.0.0.1', SVC_LDAP_PASSWORD: slapd.password },
      files: {
        'conf/managed.json': {
          objects: [
            {
              name: 'staff',
              schema: {
                properties: {
                  login: text,
                  sn: text,
                  phones: { type: 'array', items: text },
                  password: { type: 'string', encryption: { purpose: 'idm.password.encryption' } },
                },
              },
            },
          ],
        },
        'conf/sync.json': { mappings: [MAPPING] },
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
          operationTimeout: { CREATE: 1_000, GET: 1_000, UPDATE: 1_000, DELETE: 1_000, SEARCH: 1_000 },
          objectTypes: {
            account: {
              nativeType: '__ACCOUNT__',
              properties: {
                dn: { type: 'string', nativeName: '__NAME__', required: true },
                uid: text,
                cn: text,
                sn: text,
                title: text,
                phones: { type: 'array', items: text, nativeName: 'telephoneNumber' },
                password: { ...text, nativeName: '__PASSWORD__', nativeType: 'JAVA_TYPE_GUARDEDSTRING' },
              },
            },
          },
        },
      },
    });
    api = server.api;
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    await proxy?.[Symbol.asyncDispose]();
    await slapd?.[Symbol.asyncDispose]();
  });

  const accounts = async (login: string): Promise<JsonObject[]> => {
    const filter = encodeURIComponent(`uid eq "${login}"`);
    const { status, body } = await api('GET', `system/ldap/account?_queryFilter=${filter}`);
    return status === 200 ? body.result : [];
  };
  const queued = async (id: string) => {
    const filter = encodeURIComponent(`sourceId eq "${id}"`);
    return (await api('GET', `sync/queue?_queryFilter=${filter}`)).body.result;
  };
  const settled = (id: string) =>
    eventually(
      () => queued(id),
      (rows) => rows.length === 0,
    );
  const put = (login: string, others: JsonObject = {}) =>
    api('PUT', `managed/staff/${login}`, { body: { login, sn: 'S', ...others } });

  it('brings accounts, changes of them, and their end', async () => {
    await put('dora', { phones: ['1', '2'] });
    await settled('dora');
    const [account] = await accounts('dora');
    expect(account).toMatchObject({ dn: `uid=dora,${PEOPLE}`, cn: 'dora', sn: 'S', phones: ['1', '2'] });
    await api('PATCH', `system/ldap/account/${account?.['_id']}`, {
      body: [{ operation: 'add', field: '/title', value: 'of somebody else' }],
    });
    await put('dora', { sn: 'T', phones: ['2', '3'] });
    await settled('dora');
    expect((await accounts('dora'))[0]).toMatchObject({
      sn: 'T',
      phones: ['2', '3'],
      title: 'of somebody else',
    });
    const why = await api('GET', 'sync/why?resource=managed/staff/dora');
    expect(why.body.mappings).toMatchObject([
      { target: `system/ldap/account/${account?.['_id']}`, linked: true },
    ]);
    await api('DELETE', 'managed/staff/dora');
    await settled('dora');
    expect(await accounts('dora')).toEqual([]);
  });

  it('follows a new name by the same id', async () => {
    await put('old');
    await settled('old');
    const [before] = await accounts('old');
    await api('PATCH', 'managed/staff/old', {
      body: [{ operation: 'replace', field: '/login', value: 'new' }],
    });
    await settled('old');
    expect(await accounts('new')).toMatchObject([{ _id: before?.['_id'], dn: `uid=new,${PEOPLE}` }]);
  });

  it('brings a password once, and another one when there is one', async () => {
    await put('pia', { password: 'First-Words-1' });
    await settled('pia');
    const login = (password: string) =>
      api('POST', 'system/ldap/account?_action=authenticate', { body: { username: 'pia', password } });
    expect((await login('First-Words-1')).status).toBe(200);
    expect((await login('Wrong-Words-1')).status).toBe(401);
    const writes = () =>
      server.observations.filter((one) => one.kind === 'system.called' && one.operation === 'UPDATE');
    const before = writes().length;
    await api('POST', 'sync?_action=deliverAll&mapping=staff_ldap');
    await settled('pia');
    expect(writes()).toHaveLength(before);
    await api('PATCH', 'managed/staff/pia', {
      body: [{ operation: 'replace', field: '/password', value: 'Second-Words-2' }],
    });
    await settled('pia');
    expect((await login('Second-Words-2')).status).toBe(200);
    const kept = await server.database.db
      .selectFrom('sync_outside' as never)
      .selectAll()
      .execute();
    expect(JSON.stringify(kept)).not.toContain('Words');
  });

  it('waits for a system that is away, and counts no failure', async () => {
    proxy.setWeather({ closed: true });
    proxy.endAll('reset');
    expect((await put('wim')).status).toBe(201);
    const [waiting] = await eventually(
      () => queued('wim'),
      ([row]) => row?.error?.id === 'SYSTEM_UNAVAILABLE',
    );
    expect(waiting).toMatchObject({ attempt: 0, state: 'waiting' });
    proxy.setWeather();
    await settled('wim');
    expect(await accounts('wim')).toHaveLength(1);
  });

  it('takes for its own what was made though nobody was told', async () => {
    await put('seed');
    await settled('seed');
    const timedOut = server.observed(
      'system.called',
      ({ operation, outcome }) => [operation, outcome].join() === 'CREATE,timeout',
    );
    proxy.setWeather({ hole: 'toClient' });
    await put('ute', { phones: ['7'] });
    await timedOut;
    proxy.setWeather();
    await settled('ute');
    expect(await accounts('ute')).toMatchObject([{ phones: ['7'] }]);
    const links = await api('GET', 'repo/link?_queryFilter=firstId eq "ute"'.replaceAll(' ', '%20'));
    expect(links.body.result).toHaveLength(1);
  });

  it('takes nothing for its own that others have made', async () => {
    await slapd.add(`dn: uid=eve,${PEOPLE}\nobjectClass: inetOrgPerson\nuid: eve\ncn: other\nsn: other\n`);
    await put('eve');
    await eventually(
      () => queued('eve'),
      ([row]) => row?.state === 'retrying' && row.error?.id === 'SYSTEM_ALREADY_EXISTS',
    );
    expect(await accounts('eve')).toMatchObject([{ cn: 'other' }]);
    await api('DELETE', 'managed/staff/eve');
    await settled('eve');
    expect(await accounts('eve')).toMatchObject([{ cn: 'other' }]);
  });

  it('changes nothing outside in a rehearsal', async () => {
    const { body } = await api('PUT', 'managed/staff/rex?_dryRun=true', { body: { login: 'rex', sn: 'S' } });
    expect(JSON.stringify(body.effects)).toContain('sync');
    expect(await accounts('rex')).toEqual([]);
  });
});
