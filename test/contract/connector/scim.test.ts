import { readFile } from 'node:fs/promises';
import { AddressGuard } from '#egress/index.ts';
import { scimKind } from '#system/connectors/scim/scim-connector.ts';
import { guardedRequest } from '#system/guarded-request.ts';
import { behind, type ConnectorFixture } from '../../support/connector/fixture.ts';
import { scimClient } from '../../support/scim.ts';
import { startTestServer } from '../../support/server.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';
import { describeConnector } from './connector-suite.ts';
import '../../support/takes-long.ts';

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const PERSON = 'urn:example:scim:schemas:extension:Person';

/** A server of this kind, as a client sees it over SCIM. */
async function start(): Promise<ConnectorFixture> {
  await using scope = new AsyncDisposableStack();
  const managed = JSON.parse(await readFile('conf/managed.json', 'utf8'));
  managed.objects.push({
    name: 'account',
    maxSize: 8_000_000,
    schema: {
      type: 'object',
      required: ['login'],
      properties: {
        login: { type: 'string', searchable: true, policies: [{ policyId: 'unique' }] },
        title: { type: 'string' },
        age: { type: 'integer' },
        mails: { type: 'array', items: { type: 'string' } },
      },
    },
  });
  const attributes = [
    { scim: 'userName', managed: '/login', uniqueness: 'server', caseExact: true },
    { scim: 'title', managed: '/title' },
    { scim: `${PERSON}:age`, managed: '/age' },
    { scim: `${PERSON}:mails`, managed: '/mails' },
  ];
  const type = { name: 'User', endpoint: '/Users', managed: 'managed/account', schema: USER };
  const resourceTypes = [{ ...type, extensions: [{ schema: PERSON }], attributes }];
  const server = scope.use(
    await startTestServer({
      environment: { SVC_BODY_LIMIT: '8000000' },
      files: { 'conf/managed.json': managed, 'conf/scim.json': { resourceTypes } },
    }),
  );
  const [, token = ''] = (await scimClient(server, 'client')).split(' ');
  const place = { host: '127.0.0.1', port: Number(new URL(server.url).port) };
  const proxy = scope.use(await TcpProxy.open(() => place, Math.random));
  const opened = scope.move();
  const { pool } = server.database;
  return {
    kind: scimKind,
    host: { request: guardedRequest(new AddressGuard(['127.0.0.1'])) },
    config: {
      name: 'cloud',
      connectorRef: { connectorName: 'org.forgerock.openicf.connectors.scim.ScimConnector' },
      configurationProperties: { SCIMEndpoint: `http://127.0.0.1:${proxy.port}/scim/v2`, authToken: token },
      objectTypes: {
        account: {
          nativeType: '__ACCOUNT__',
          properties: {
            login: { type: 'string', nativeName: '__NAME__', required: true },
            title: { type: 'string' },
            age: { type: 'integer', nativeName: `${PERSON}:age` },
            mails: { type: 'array', items: { type: 'string' }, nativeName: `${PERSON}:mails` },
          },
        },
      },
    },
    draft: (object) => object,
    wrongLogin: { authToken: 'of-nobody' },
    lacks: { passwords: true },
    many: 1_200,
    mostValues: 2_000,
    multitude: 10_000,
    async seed(objects) {
      await pool.query(
        `insert into managed_object (type, id, data)
          select 'account', gen_random_uuid(), object from jsonb_array_elements($1::jsonb) object`,
        [JSON.stringify(objects)],
      );
    },
    empty: async () => void (await pool.query(`delete from managed_object where type = 'account'`)),
    ...behind(proxy),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

describeConnector('for services of SCIM', start);
