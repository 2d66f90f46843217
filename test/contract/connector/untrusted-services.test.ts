import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AddressGuard } from '#egress/index.ts';
import { scimKind } from '#system/connectors/scim/scim-connector.ts';
import { guardedRequest } from '#system/guarded-request.ts';
import { certificateAuthority } from '../../support/certificates.ts';
import { ConnectorSite, errorId } from '../../support/connector/fixture.ts';

const authority = certificateAuthority();
const { certificate: cert, key } = authority.issue('localhost');
let asked = 0;
const service = createServer({ cert, key }, (_, response) => {
  asked += 1;
  response.writeHead(401).end('{}');
});
let folder: string;
let port: number;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-ca-'));
  await writeFile(join(folder, 'ca.pem'), authority.certificate);
  await once(service.listen(0, '127.0.0.1'), 'listening');
  const address = service.address();
  port = typeof address === 'object' ? (address?.port ?? 0) : 0;
});
afterAll(async () => {
  service.close();
  service.closeAllConnections();
  await rm(folder, { recursive: true });
});

function siteAt(host: string, caFile?: string): ConnectorSite {
  const nothing = async () => {};
  return new ConnectorSite({
    kind: scimKind,
    host: { request: guardedRequest(new AddressGuard(['127.0.0.1'])), resolveFile: (path) => path },
    config: {
      name: 'cloud',
      connectorRef: { connectorName: 'org.forgerock.openicf.connectors.scim.ScimConnector' },
      configurationProperties: {
        SCIMEndpoint: `https://${host}:${port}/scim/v2`,
        authToken: 'a-token-of-the-service',
        ...(caFile === undefined ? {} : { caFile }),
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
}

it('is sent nothing by a connector that does not trust the certificate of a service', async () => {
  await using stranger = siteAt('localhost');
  expect(await errorId(stranger.system.test())).toBe('SYSTEM_MISCONFIGURED');
  await using impostor = siteAt('127.0.0.1', join(folder, 'ca.pem'));
  expect(await errorId(impostor.system.test())).toBe('SYSTEM_MISCONFIGURED');
  expect(asked).toBe(0);
  await using friend = siteAt('localhost', join(folder, 'ca.pem'));
  expect(await errorId(friend.system.test())).toBe('SYSTEM_INVALID_CREDENTIALS');
  expect(asked).toBeGreaterThan(0);
});
