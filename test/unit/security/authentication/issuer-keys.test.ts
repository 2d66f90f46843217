import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, jwtVerify, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AddressGuard } from '#egress/index.ts';
import { openIssuerKeys } from '../../../../src/security/authentication/issuer-keys.ts';

let server: Server;
let issuer: string;
let asked: string[] = [];
let answer: RequestListener;
const open = new AddressGuard(['127.0.0.0/8', '::1']);

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request.url!);
    answer(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const unreachable = { detail: { id: 'AUTH_ISSUER_UNREACHABLE' } };

describe('the keys of an issuer', () => {
  test('are found where it says', async () => {
    const { publicKey, privateKey } = await generateKeyPair('ES256');
    const keys = [{ ...(await exportJWK(publicKey)), kid: '1', alg: 'ES256' }];
    answer = (request, response) =>
      response.end(
        JSON.stringify(request.url === '/keys' ? { keys } : { issuer, jwks_uri: `${issuer}/keys` }),
      );
    const token = await new SignJWT({ sub: 'ada' })
      .setProtectedHeader({ alg: 'ES256', kid: '1' })
      .sign(privateKey);
    const { payload } = await jwtVerify(token, await openIssuerKeys({ issuer }, open));
    expect(payload.sub).toBe('ada');
  });

  test('are not looked for on this machine or in private networks unless the operator allows it', async () => {
    asked = [];
    const port = new URL(issuer).port;
    for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]']) {
      await expect(
        openIssuerKeys({ issuer: `http://${host}:${port}` }, new AddressGuard()),
      ).rejects.toMatchObject({
        ...unreachable,
        cause: expect.objectContaining({ detail: expect.objectContaining({ id: 'EGRESS_DENIED' }) }),
      });
    }
    const keys = await openIssuerKeys(
      { issuer, jwksUri: 'https://169.254.169.254/keys' },
      new AddressGuard(),
    );
    await expect(keys({ alg: 'ES256' }, { payload: '', signature: '' })).rejects.toMatchObject({
      detail: { id: 'EGRESS_DENIED' },
    });
    expect(asked).toEqual([]);
  });

  test.each<[string, RequestListener]>([
    ['a redirect', (_, response) => response.writeHead(302, { Location: '/elsewhere' }).end()],
    [
      'keys without TLS',
      (_, response) => response.end(JSON.stringify({ issuer, jwks_uri: 'http://10.0.0.7/' })),
    ],
    [
      'another issuer',
      (_, response) => response.end(JSON.stringify({ issuer: 'x', jwks_uri: `${issuer}/keys` })),
    ],
    ['a flood', (_, response) => response.end('x'.repeat(500_001))],
  ])('are not taken from %s', async (_, listener) => {
    asked = [];
    answer = listener;
    await expect(openIssuerKeys({ issuer }, open)).rejects.toMatchObject(unreachable);
    expect(asked).toEqual(['/.well-known/openid-configuration']);
  });
});
