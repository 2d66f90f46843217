import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isObject, type JsonObject } from '#json/index.ts';
import { ldapKind } from '#system/connectors/ldap/ldap-kind.ts';
import { type ChangeBatch, LATEST } from '#system/contract.ts';
import { behind, type ConnectorFixture, ConnectorSite } from '../../support/connector/fixture.ts';
import { SLAPD, startSlapd } from '../../support/slapd.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';
import { describeChanges } from './connector-changes.ts';
import { describeConnector } from './connector-suite.ts';
import '../../support/takes-long.ts';

const BASE = 'ou=people,dc=example,dc=com';

async function start(changes = 'entryCSN'): Promise<ConnectorFixture> {
  await using scope = new AsyncDisposableStack();
  const slapd = scope.use(await startSlapd(undefined, { log: changes === 'accesslog' }));
  const proxy = scope.use(await TcpProxy.open(() => ({ host: '127.0.0.1', port: slapd.port }), Math.random));
  const opened = scope.move();
  return {
    kind: ldapKind,
    host: { connect },
    config: {
      name: 'ldap',
      connectorRef: { connectorName: 'org.identityconnectors.ldap.LdapConnector' },
      configurationProperties: {
        host: '127.0.0.1',
        port: proxy.port,
        principal: slapd.principal,
        credentials: slapd.password,
        baseContexts: [BASE],
        changes,
      },
      objectTypes: {
        account: {
          nativeType: '__ACCOUNT__',
          properties: {
            dn: { type: 'string', nativeName: '__NAME__', required: true },
            login: { type: 'string', nativeName: 'uid' },
            cn: { type: 'string' },
            sn: { type: 'string' },
            title: { type: 'string', nativeName: 'description' },
            age: { type: 'integer', nativeName: 'employeeNumber' },
            mails: { type: 'array', items: { type: 'string' }, nativeName: 'businessCategory' },
            password: { type: 'string', nativeName: '__PASSWORD__', nativeType: 'JAVA_TYPE_GUARDEDSTRING' },
          },
        },
      },
    },
    draft: (object) => ({ dn: `uid=${object['login']},${BASE}`, cn: 'A', sn: 'B', ...object }),
    wrongLogin: { credentials: 'of-nobody' },
    readOnly: 'createTimestamp',
    bytes: 'jpegPhoto',
    manyFilters: 300,
    many: 1_200,
    multitude: 10_000,
    seed: (objects) => slapd.add(objects.map(ldifOf).join('\n')),
    empty: () => slapd.empty(),
    ...(changes === 'accesslog' ? { forgetChanges: () => slapd.forgetChanges() } : {}),
    ...behind(proxy),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

function ldifOf({ dn, login, cn, sn, title, age, mails }: JsonObject): string {
  const values = { dn, uid: login, cn, sn, description: title, employeeNumber: age, businessCategory: mails };
  const lines = Object.entries(values).flatMap(([name, given]) =>
    given === undefined
      ? []
      : [given].flat().map((value) => `${name}:: ${Buffer.from(String(value)).toString('base64')}`),
  );
  return `${[lines[0], 'objectClass: inetOrgPerson', ...lines.slice(1)].join('\n')}\n`;
}

// Where there is none, it is said aloud, and it is demanded where changes are judged.
if (SLAPD === undefined) describe.skip('the connector for directories');
else {
  describeConnector('for directories', start);
  describe('a directory with a log', () => {
    let fixture: ConnectorFixture;
    let site: ConnectorSite;
    beforeAll(async () => {
      fixture = await start('accesslog');
      site = new ConnectorSite(fixture);
    });
    afterAll(async () => {
      await site[Symbol.asyncDispose]();
      await fixture[Symbol.asyncDispose]();
    });
    afterEach(() => fixture.empty());
    describeChanges(
      () => fixture,
      () => site,
    );

    it('keeps the last member of a group, and says so', async () => {
      const account = {
        nativeType: '__GROUP__',
        properties: {
          dn: { type: 'string', nativeName: '__NAME__' },
          members: { type: 'array', items: { type: 'string' }, nativeName: 'uniqueMember' },
        },
      };
      await using groups = new ConnectorSite(
        { ...fixture, config: withBase('ou=groups,dc=example,dc=com') },
        { objectTypes: { account } },
      );
      const dn = 'cn=staff,ou=groups,dc=example,dc=com';
      const refused = await groups.create({ dn }).catch((error: unknown) => error);
      const words = expect.stringContaining("A group there needs a 'uniqueMember'");
      expect(refused).toMatchObject({ code: 400, message: words });
      const [one, other] = [`uid=a,${BASE}`, `uid=b,${BASE}`];
      const id = await groups.create({ dn, members: [one, other] });
      await groups.patch(id, [{ operation: 'remove', field: '/members', value: one }]);
      const last = groups.patch(id, [{ operation: 'remove', field: '/members', value: other }]);
      await expect(last).rejects.toMatchObject({ code: 400, message: words });
      expect((await groups.read(id))?.['members']).toEqual([other]);
      await groups.patch(id, [
        { operation: 'add', field: '/members/-', value: one },
        { operation: 'remove', field: '/members', value: other },
      ]);
      expect((await groups.read(id))?.['members']).toEqual([one]);
    });

    it('tells who was moved to where nobody looks, and nothing of groups', async () => {
      const batches = async (token: string) => {
        const all: ChangeBatch[] = [];
        for await (const batch of site.changes(token)) all.push(batch);
        return all;
      };
      const [since] = await batches(LATEST);
      const id = await site.create(fixture.draft({ login: 'dora' }));
      await using other = new ConnectorSite({ ...fixture, config: withBase('dc=example,dc=com') });
      await other.patch(id, [
        { operation: 'replace', field: '/dn', value: 'uid=dora,ou=groups,dc=example,dc=com' },
      ]);
      await fixture.seed([{ ...fixture.draft({ login: 'ou' }), dn: 'uid=ou,ou=groups,dc=example,dc=com' }]);
      const [told] = await batches(since?.token ?? '');
      expect(told?.changes).toEqual([{ kind: 'delete', id }]);
    });

    function withBase(base: string): JsonObject {
      const { configurationProperties } = fixture.config;
      return {
        ...fixture.config,
        configurationProperties: {
          ...(isObject(configurationProperties) ? configurationProperties : {}),
          baseContexts: [base],
        },
      };
    }
  });
}
