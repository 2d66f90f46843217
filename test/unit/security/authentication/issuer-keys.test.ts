import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
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

  const signedBy = async (algorithm: string, kid: string, bits?: number) => {
    const { publicKey, privateKey } = generateKeyPairSync(
      algorithm === 'ES256' ? 'ec' : ('rsa' as never),
      (algorithm === 'ES256' ? { namedCurve: 'P-256' } : { modulusLength: bits }) as never,
    ) as unknown as { publicKey: KeyObject; privateKey: KeyObject };
    const jwk = { ...(publicKey.export({ format: 'jwk' }) as object), kid, alg: algorithm };
    const signed = `${part({ alg: algorithm, kid })}.${part({ sub: 'ada' })}`;
    const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
    return { jwk, token: `${signed}.${signature.toString('base64url')}` };
  };
  const part = (json: object) => Buffer.from(JSON.stringify(json)).toString('base64url');
  const withKeys = (keys: () => object[]) => {
    answer = (request, response) =>
      response.end(
        JSON.stringify(request.url === '/keys' ? { keys: keys() } : { issuer, jwks_uri: `${issuer}/keys` }),
      );
  };

  test('that it has withdrawn count for a minute at most; where it is away, those that are known', async () => {
    const [one, other] = [await signedBy('ES256', '1'), await signedBy('ES256', '2')];
    let listed = [one.jwk, other.jwk];
    let now = 0;
    withKeys(() => listed);
    const keys = await openIssuerKeys({ issuer }, open, () => now);
    const holds = (token: string) =>
      jwtVerify(token, keys).then(
        () => true,
        (error: Error & { code?: string }) => error.code,
      );
    expect([await holds(one.token), await holds(other.token)]).toEqual([true, true]);
    listed = [other.jwk];
    now = 60_000;
    expect(await holds(one.token)).toBe(true);
    now = 60_001;
    expect([await holds(one.token), await holds(other.token)]).toEqual(['ERR_JWKS_NO_MATCHING_KEY', true]);
    asked = [];
    answer = (_request, response) => response.writeHead(500).end();
    now = 130_000;
    expect([await holds(other.token), await holds(other.token)]).toEqual([true, true]);
    expect(asked).toEqual(['/keys']);
  });

  test('of RSA have 2048 bits, or as many as are asked for', async () => {
    const [weak, common, strong] = [
      await signedBy('RS256', 'weak', 1024),
      await signedBy('RS256', 'common', 2048),
      await signedBy('RS256', 'strong', 3072),
    ];
    withKeys(() => [weak.jwk, common.jwk, strong.jwk]);
    const verdicts = async (keys: Awaited<ReturnType<typeof openIssuerKeys>>) =>
      Promise.all(
        [weak, common, strong].map(({ token }) =>
          jwtVerify(token, keys).then(
            () => true,
            ({ code }: Error & { code?: string }) => code,
          ),
        ),
      );
    expect(await verdicts(await openIssuerKeys({ issuer }, open))).toEqual([
      'ERR_JOSE_NOT_SUPPORTED',
      true,
      true,
    ]);
    const demanding = await openIssuerKeys({ issuer, minimumRsaBits: 3072 }, open);
    expect(await verdicts(demanding)).toEqual(['ERR_JOSE_NOT_SUPPORTED', 'ERR_JOSE_NOT_SUPPORTED', true]);
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
