import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { SLAPD, type Slapd, startSlapd } from '../support/slapd.ts';
import '../support/takes-long.ts';

const text = { type: 'string' };
const PEOPLE = 'ou=people,dc=example,dc=com';

describe.skipIf(SLAPD === undefined)('a directory that has forgotten what has changed', () => {
  let slapd: Slapd;
  let server: TestServer;
  let api: Api;
  beforeAll(async () => {
    slapd = await startSlapd(undefined, { log: true });
    server = await startTestServer({
      environment: { SVC_EGRESS_ALLOW: '127.0.0.1', SVC_LDAP_PASSWORD: slapd.password },
      files: {
        'conf/managed.json': {
          objects: [{ name: 'staff', schema: { properties: { login: text, sn: text } } }],
        },
        'conf/sync.json': {
          mappings: [
            {
              name: 'ldap_staff',
              source: 'system/ldap/account',
              target: 'managed/staff',
              properties: [
                { source: 'uid', target: 'login' },
                { source: 'sn', target: 'sn' },
              ],
            },
          ],
        },
        'conf/provisioner.openicf-ldap.json': {
          name: 'ldap',
          connectorRef: { connectorName: 'org.identityconnectors.ldap.LdapConnector' },
          configurationProperties: {
            host: '127.0.0.1',
            port: slapd.port,
            principal: slapd.principal,
            credentials: '&{svc.ldap.password}',
            baseContexts: [PEOPLE],
            changes: 'accesslog',
          },
          objectTypes: {
            account: {
              nativeType: '__ACCOUNT__',
              properties: {
                dn: { type: 'string', nativeName: '__NAME__', required: true },
                uid: text,
                sn: text,
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
    await slapd?.[Symbol.asyncDispose]();
  });

  const join = (uid: string) =>
    slapd.add(`dn: uid=${uid},${PEOPLE}\nobjectClass: inetOrgPerson\nuid: ${uid}\ncn: ${uid}\nsn: S\n`);
  const follow = () => api('POST', 'system/ldap/account?_action=liveSync', { body: {} });
  const staff = async () => {
    const { body } = await api('GET', 'managed/staff?_queryFilter=true&_fields=login');
    return body.result.map(({ login }: { login: string }) => login).sort();
  };

  it('is reconciled, so that nothing is missed, and followed from then on', async () => {
    await join('before');
    expect((await follow()).status).toBe(200);
    await join('first');
    await follow();
    expect(await staff()).toEqual(['first']);
    await join('missed');
    await slapd.forgetChanges();
    await join('seen');
    await follow();
    await eventually(staff, (logins) => logins.length === 4);
    expect(await staff()).toEqual(['before', 'first', 'missed', 'seen']);
    const { body } = await api('GET', 'repo/synchronisation/deadLetterQueue/ldap?_queryFilter=true');
    expect(body.result).toMatchObject([{ kind: 'gap' }]);
    const { body: runs } = await api('GET', 'recon');
    expect(runs.reconciliations).toMatchObject([{ mapping: 'ldap_staff' }]);
    await join('last');
    await follow();
    await eventually(staff, (logins) => logins.includes('last'));
  });
});
