import { describe } from 'vitest';
import { AddressGuard } from '#egress/index.ts';
import type { JsonObject } from '#json/index.ts';
import { scimKind } from '#system/connectors/scim/scim-connector.ts';
import { guardedRequest } from '#system/guarded-request.ts';
import { behind, type ConnectorFixture } from '../../support/connector/fixture.ts';
import { HAS_SCIM_PEER, startScimPeer } from '../../support/scim-peer.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';
import { describeConnector } from './connector-suite.ts';
import '../../support/takes-long.ts';

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const PERSON = 'urn:example:scim:schemas:extension:Person';

const attribute = (name: string, more: JsonObject = {}): JsonObject => ({
  name,
  type: 'string',
  multiValued: false,
  required: false,
  caseExact: true,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
  ...more,
});
const SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Schema';
const SCHEMAS = [
  {
    schemas: [SCHEMA],
    id: USER,
    name: 'User',
    attributes: [
      attribute('userName', { required: true, uniqueness: 'server' }),
      attribute('title'),
      attribute('password', { mutability: 'writeOnly', returned: 'never' }),
    ],
  },
  {
    schemas: [SCHEMA],
    id: PERSON,
    name: 'Person',
    attributes: [attribute('age', { type: 'integer' }), attribute('mails', { multiValued: true })],
  },
];
const TYPES = [
  {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
    id: 'User',
    name: 'User',
    endpoint: '/Users',
    schema: USER,
    schemaExtensions: [{ schema: PERSON, required: false }],
  },
];

/** What others understand SCIM to be. */
async function start(): Promise<ConnectorFixture> {
  await using scope = new AsyncDisposableStack();
  const peer = scope.use(await startScimPeer(SCHEMAS, TYPES));
  const proxy = scope.use(await TcpProxy.open(() => ({ host: '127.0.0.1', port: peer.port }), Math.random));
  const opened = scope.move();
  return {
    kind: scimKind,
    host: { request: guardedRequest(new AddressGuard(['127.0.0.1'])) },
    config: {
      name: 'cloud',
      connectorRef: { connectorName: 'org.forgerock.openicf.connectors.scim.ScimConnector' },
      configurationProperties: {
        SCIMEndpoint: `http://127.0.0.1:${proxy.port}/v2`,
        authToken: peer.token,
      },
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
    many: 600,
    crowd: 1_200,
    mostValues: 1_000,
    multitude: 2_000,
    manyFilters: 60,
    seed: (objects) =>
      peer.bulk(
        objects.map(({ login, title, age, mails }) => {
          const person = Object.fromEntries(
            Object.entries({ age, mails }).filter(([, value]) => value !== undefined),
          );
          const data = {
            schemas: [USER, PERSON],
            userName: login ?? null,
            ...(title === undefined ? {} : { title }),
            ...(Object.keys(person).length === 0 ? {} : { [PERSON]: person as JsonObject }),
          };
          return { method: 'POST', path: '/Users', data };
        }),
      ),
    empty: () => peer.empty(),
    ...behind(proxy),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

if (HAS_SCIM_PEER) describeConnector('for services of SCIM, with scim2-server', start);
else describe.skip('the connector for services of SCIM, with scim2-server (npm run test:scim-peer)');
