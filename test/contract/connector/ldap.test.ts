import { connect } from 'node:net';
import { describe } from 'vitest';
import type { JsonObject } from '#json/index.ts';
import { ldapKind } from '#system/connectors/ldap/ldap-connector.ts';
import { behind, type ConnectorFixture } from '../../support/connector/fixture.ts';
import { SLAPD, startSlapd } from '../../support/slapd.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';
import { describeConnector } from './connector-suite.ts';

const BASE = 'ou=people,dc=example,dc=com';

async function start(): Promise<ConnectorFixture> {
  await using scope = new AsyncDisposableStack();
  const slapd = scope.use(await startSlapd());
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
    many: 1_200,
    multitude: 10_000,
    seed: (objects) => slapd.add(objects.map(ldifOf).join('\n')),
    empty: () => slapd.empty(),
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
else describeConnector('for directories', start);
