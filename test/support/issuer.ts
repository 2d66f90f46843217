import { hash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
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
  /** Lets somebody log in at the address that a browser was sent to. @returns what the browser comes back with */
  logIn(location: string, claims: object, options?: SignOptions): Promise<{ code: string; state: string }>;
  /** Answers requests for tokens so, from now on. */
  answer(status: number, body: object | string): void;
  /** The requests for tokens so far: their forms, and who they say they are. */
  readonly redeemed: readonly {
    readonly form: URLSearchParams;
    readonly authorization: string | undefined;
  }[];
}

export async function startIssuer(): Promise<Issuer> {
  const keys = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' };
  let url = '';
  const codes = new Map<string, { challenge: string; redirectUri: string; token: string }>();
  let instead: { status: number; body: object | string } | undefined;
  const redeemed: { form: URLSearchParams; authorization: string | undefined }[] = [];
  /** As RFC 6749, 4.1.3, and RFC 7636, 4.6, have it: once, for whoever began. */
  const redeem = (form: URLSearchParams): object | undefined => {
    const code = form.get('code') ?? '';
    const known = codes.get(code);
    codes.delete(code);
    const challenge = hash('sha256', form.get('code_verifier') ?? '', 'base64url');
    if (known?.challenge !== challenge || known.redirectUri !== form.get('redirect_uri')) return undefined;
    return { token_type: 'Bearer', access_token: 'opaque', id_token: known.token };
  };
  const server = createServer(async (request, response) => {
    const answer = (status: number, body: object) =>
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    if (request.method === 'POST') {
      const form = new URLSearchParams(await text(request));
      redeemed.push({ form, authorization: request.headers.authorization });
      if (instead !== undefined) {
        const { status, body } = instead;
        response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));
        return;
      }
      const tokens = redeem(form);
      answer(tokens === undefined ? 400 : 200, tokens ?? { error: 'invalid_grant' });
    } else if (request.url?.includes('openid-configuration')) {
      const endpoints = {
        authorization_endpoint: `${url}/authorize?tenant=a`,
        token_endpoint: `${url}/token`,
      };
      answer(200, { issuer: url, jwks_uri: `${url}/keys`, ...endpoints });
    } else answer(200, { keys: [jwk] });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const sign: Issuer['sign'] = (claims, options = {}) => {
    const { issuer = url, audience = 'svc', expires = '5 minutes', typ } = options;
    const token = new SignJWT({ ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: 'k1', ...(typ === undefined ? {} : { typ }) })
      .setIssuer(issuer)
      .setAudience(audience);
    if (expires !== null) token.setExpirationTime(expires);
    return token.sign(keys.privateKey);
  };
  return {
    url,
    sign,
    redeemed,
    answer(status, body) {
      instead = { status, body };
    },
    async logIn(location, claims, options) {
      const asked = new URL(location).searchParams;
      const [clientId, nonce] = [asked.get('client_id')!, asked.get('nonce')!];
      const token = await sign({ nonce, ...claims }, { audience: clientId, ...options });
      const code = randomBytes(9).toString('base64url');
      codes.set(code, {
        challenge: asked.get('code_challenge')!,
        redirectUri: asked.get('redirect_uri')!,
        token,
      });
      return { code, state: asked.get('state')! };
    },
    async [Symbol.asyncDispose]() {
      server.close();
    },
  };
}
