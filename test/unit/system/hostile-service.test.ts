import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import { AddressGuard } from '#egress/index.ts';
import { scimKind } from '#system/connectors/scim/scim-connector.ts';
import { guardedRequest } from '#system/guarded-request.ts';
import { ConnectorSite, errorId } from '../../support/connector/fixture.ts';

const SERVICE: Readonly<Record<string, object>> = {
  ServiceProviderConfig: { patch: { supported: true } },
  ResourceTypes: { Resources: [{ name: 'User', endpoint: '/Users', schema: 'urn:u' }] },
  Schemas: { Resources: [{ id: 'urn:u', attributes: [{ name: 'userName', type: 'string' }] }] },
};

it('a service of SCIM is left that answers with millions of values, before they are made', async () => {
  const [one, many] = ['{"id":"1","userName":"ida"}', '{},'.repeat(3_000_000)];
  const service = createServer(({ url = '' }, response) => {
    const known = SERVICE[url.split(/[/?]/).at(1) ?? ''];
    response.end(
      known === undefined ? `{"totalResults":1,"Resources":[${many}${one}]}` : JSON.stringify(known),
    );
  });
  await once(service.listen(0, '127.0.0.1'), 'listening');
  const address = service.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const nothing = async () => {};
  await using site = new ConnectorSite({
    kind: scimKind,
    host: { request: guardedRequest(new AddressGuard(['127.0.0.1'])) },
    config: {
      name: 'cloud',
      connectorRef: { connectorName: 'org.forgerock.openicf.connectors.scim.ScimConnector' },
      configurationProperties: {
        SCIMEndpoint: `http://127.0.0.1:${port}`,
        authenticationMethod: 'NONE',
      },
      objectTypes: { account: { nativeType: '__ACCOUNT__', properties: { userName: { type: 'string' } } } },
    },
    draft: (object) => object,
    many: 0,
    multitude: 0,
    seed: nothing,
    empty: nothing,
    [Symbol.asyncDispose]: nothing,
  });
  expect(await errorId(site.list())).toBe('SYSTEM_PROTOCOL');
  await expect(site.list()).rejects.toThrow('One answer has more than 2500000 values');
  service.close();
  service.closeAllConnections();
});
