import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { SLAPD, type Slapd, startSlapd } from '../support/slapd.ts';
import '../support/takes-long.ts';

const text = { type: 'string' };
const script = (source: string) => ({ type: 'text/javascript', source });
const PEOPLE = 'ou=people,dc=example,dc=com';
const GONE = { policies: [{ situation: 'SOURCE_MISSING', action: 'DELETE' }] };
const MAPPINGS = [
  {
    name: 'unit_ldap',
    source: 'managed/unit',
    target: 'system/ldap/unit',
    properties: [
      { source: 'code', target: 'dn', transform: script(`"OU=" + source + ", ${PEOPLE}"`) },
      { source: 'code', target: 'ou' },
    ],
    ...GONE,
  },
  {
    name: 'staff_ldap',
    source: 'managed/staff',
    target: 'system/ldap/account',
    properties: [
      {
        source: '',
        target: 'dn',
        transform: script(`"uid=" + source.login + ",ou=" + source.unit + ",${PEOPLE}"`),
      },
      ...['uid', 'cn', 'sn'].map((target) => ({ source: 'login', target })),
    ],
    ...GONE,
  },
  {
    name: 'unit_place',
    source: 'managed/unit',
    target: 'managed/place',
    properties: [{ source: 'code', target: '_id' }],
    ...GONE,
  },
  {
    name: 'staff_desk',
    source: 'managed/staff',
    target: 'managed/desk',
    properties: [
      { source: 'unit', target: 'place', transform: script('({ _ref: "managed/place/" + source })') },
    ],
    ...GONE,
  },
];

describe.skipIf(SLAPD === undefined)('a delivery that fails for the lack of another object', () => {
  let slapd: Slapd;
  let server: TestServer;
  let api: Api;
  beforeAll(async () => {
    slapd = await startSlapd();
    server = await startTestServer({
      environment: { SVC_EGRESS_ALLOW: '127.0.0.1', SVC_LDAP_PASSWORD: slapd.password },
      files: {
        'conf/managed.json': {
          objects: [
            { name: 'unit', schema: { properties: { code: text } } },
            { name: 'staff', schema: { properties: { login: text, unit: text } } },
            { name: 'place' },
            {
              name: 'desk',
              schema: {
                properties: {
                  place: {
                    type: 'relationship',
                    validate: true,
                    resourceCollection: [{ path: 'managed/place' }],
                  },
                },
              },
            },
          ],
        },
        'conf/sync.json': { mappings: MAPPINGS },
        'conf/provisioner.openicf-ldap.json': {
          name: 'ldap',
          connectorRef: { connectorName: 'org.identityconnectors.ldap.LdapConnector' },
          configurationProperties: {
            host: '127.0.0.1',
            port: slapd.port,
            principal: slapd.principal,
            credentials: '&{svc.ldap.password}',
            baseContexts: [PEOPLE],
          },
          objectTypes: {
            account: {
              nativeType: '__ACCOUNT__',
              properties: {
                dn: { type: 'string', nativeName: '__NAME__', required: true },
                uid: text,
                cn: text,
                sn: text,
              },
            },
            unit: {
              nativeType: 'organizationalUnit',
              properties: { dn: { type: 'string', nativeName: '__NAME__', required: true }, ou: text },
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

  const rows = async (statement: string) => (await server.database.pool.query(statement)).rows;
  const join = (login: string, unit: string) =>
    api('PUT', `managed/staff/${login}`, { body: { login, unit } });
  const found = (code: string) => api('PUT', `managed/unit/${code}`, { body: { code } });
  /** Nothing but the arrival of the other object has it delivered today. */
  const untilItFails = async (mapping: string, id: string, more = '') => {
    await eventually(
      () => rows(`select error from sync_outbox where mapping = '${mapping}' and source_id = '${id}'`),
      ([row]) => (row?.error ?? null) !== null,
    );
    await rows(
      `update sync_outbox set due_at = now() + interval '1 day'${more} where mapping = '${mapping}' and source_id = '${id}'`,
    );
  };
  const accounts = async (login: string) => {
    const filter = encodeURIComponent(`uid eq "${login}"`);
    return (await api('GET', `system/ldap/account?_queryFilter=${filter}`)).body.result;
  };
  const isThere = (login: string) =>
    eventually(
      () => accounts(login),
      ({ length }) => length === 1,
    );

  it('is done when that is delivered, in whichever words it was named', async () => {
    await join('ida', 'red');
    await untilItFails('staff_ldap', 'ida');
    await found('green');
    expect(await accounts('ida')).toEqual([]);
    await found('red');
    await isThere('ida');
    await eventually(
      () => rows("select 1 from sync_outbox where mapping = 'staff_ldap'"),
      ({ length }) => length === 0,
    );
  });

  it('is done though it was given up', async () => {
    await join('per', 'blue');
    await untilItFails('staff_ldap', 'per', ', is_dead = true, attempt = 5');
    await found('blue');
    await isThere('per');
  });

  it('is left to the queue by a reconciliation', async () => {
    await rows(
      'insert into managed_object (type, id, data) values (\'staff\', \'liv\', \'{"login":"liv","unit":"grey"}\')',
    );
    const path = 'recon?_action=recon&mapping=staff_ldap&waitForCompletion=true';
    const { _id } = (await api('POST', path, { body: {} })).body;
    const entries = await api(
      'GET',
      `recon/${_id}/entry?_queryFilter=${encodeURIComponent('state eq "failed"')}`,
    );
    expect(entries.body.result).toMatchObject([{ sourceId: 'liv', state: 'failed' }]);
    await untilItFails('staff_ldap', 'liv');
    await found('grey');
    await isThere('liv');
  });

  it('is done inside as well, when what it refers to is stored', async () => {
    await join('moe', 'pink');
    await untilItFails('staff_desk', 'moe');
    // Whether anything waits is asked for once in a while.
    await eventually(
      async () => {
        await found(`pink`);
        const [waits] = await rows(
          "select 1 from sync_outbox where source_id = 'moe' and mapping = 'staff_desk'",
        );
        if (waits !== undefined) await api('DELETE', 'managed/unit/pink');
        return waits;
      },
      (waits) => waits === undefined,
    );
    const desks = await api('GET', 'managed/desk?_queryFilter=true&_fields=place');
    expect(desks.body.result.map(({ place }: { place: { _ref: string } }) => place._ref)).toContain(
      'managed/place/pink',
    );
  });
});
