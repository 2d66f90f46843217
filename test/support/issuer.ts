import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

export interface SignOptions {
  readonly issuer?: string;
  readonly audience?: string;
  /** As `jose` takes it, such as `5 minutes`; null signs a token that never ends. */
  readonly expires?: string | Date | null;
  /** The type in the header; none by default. */
  readonly typ?: string;
}

/** An OpenID Connect issuer that answers with its keys and signs whatever it is given. */
export interface Issuer extends AsyncDisposable {
  readonly url: string;
  sign(claims: object, options?: SignOptions): Promise<string>;
}

export async function startIssuer(): Promise<Issuer> {
  const keys = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' };
  let url = '';
  const server = createServer((request, response) => {
    const body = request.url?.includes('openid-configuration')
      ? { issuer: url, jwks_uri: `${url}/keys` }
      : { keys: [jwk] };
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    sign(claims, { issuer = url, audience = 'svc', expires = '5 minutes', typ } = {}) {
      const token = new SignJWT({ ...claims })
        .setProtectedHeader({ alg: 'RS256', kid: 'k1', ...(typ === undefined ? {} : { typ }) })
        .setIssuer(issuer)
        .setAudience(audience);
      if (expires !== null) token.setExpirationTime(expires);
      return token.sign(keys.privateKey);
    },
    async [Symbol.asyncDispose]() {
      server.close();
    },
  };
}
