import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import {
  authenticationWith,
  CERTIFICATE,
  callersOf,
  KEY,
  OWN_PAGE,
  PASSWORD,
  passwordOf,
} from '../support/credentials.ts';
import { type Issuer, type SignOptions, startIssuer } from '../support/issuer.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let api: Api;
let issuer: Issuer;
let stranger: Awaited<ReturnType<typeof generateKeyPair>>;

const sign = (claims: object, options?: SignOptions) => issuer.sign(claims, options);
const { asNobody, createUser, whoAmI } = callersOf(() => api);
const password = passwordOf;

beforeAll(async () => {
  stranger = await generateKeyPair('RS256');
  issuer = await startIssuer();
  server = await startTestServer({
    files: { 'conf/authentication.json': authenticationWith(issuer.url) },
    environment: { SVC_EGRESS_ALLOW: '127.0.0.0/8', SVC_TRUSTED_PROXIES: '127.0.0.0/8,::1' },
  });
  api = server.api;
  for (const name of ['ada', 'ben', 'eve', 'zoë']) await createUser(name);
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await issuer[Symbol.asyncDispose]();
});

describe('credentials', () => {
  it('of a managed user are a name and a password, in headers of their own or as Basic', async () => {
    expect((await whoAmI(password('ada'))).body).toMatchObject({ authenticationId: 'ada' });
    const basic = Buffer.from(`ada:${PASSWORD}`).toString('base64');
    expect((await whoAmI({ Authorization: `Basic ${basic}` })).body).toMatchObject({
      authenticationId: 'ada',
    });
  });

  it('may be written as RFC 5987 says', async () => {
    const { body } = await whoAmI({ 'X-Svc-Username': "UTF-8''zo%C3%AB", 'X-Svc-Password': PASSWORD });
    expect(body.authenticationId).toBe('zoë');
  });

  it('of the administrator stay those of the administrator, whatever the modules before say', async () => {
    expect((await api('GET', 'info/login')).body.authorization).toMatchObject({
      component: 'repo/internal/user',
      roles: ['svc-admin', 'svc-authorized'],
    });
  });

  it.each([
    ['no credentials', {}],
    ['an unknown name', password('nobody-here')],
    ['a wrong password', password('ben', 'wrong')],
    ['an empty password', password('ben', '')],
    ['the hash as the password', password('ben', '$argon2id$')],
    ['a name without a password', { 'X-Svc-Username': 'ben' }],
    ['half of Basic', { Authorization: 'Basic YWRh' }],
    ['Basic that is no Base64', { Authorization: 'Basic §§§' }],
    ['an unknown scheme', { Authorization: 'Digest x' }],
    ['a name with SQL in it', password("ada' or '1'='1")],
    ['a name with a filter in it', password('ada" or userName sw "')],
    ['a certificate of somebody else', { 'X-Client-Cert-Subject': 'CN=device-7, O=Example, O=Other' }],
    ['an unknown API key', { 'X-Svc-Api-Key': 'robot.ffffffffffffffffffffffffffffffff' }],
    ['an API key of an unknown id', { 'X-Svc-Api-Key': `robo.${KEY}` }],
    ['an API key whose time is over', { 'X-Svc-Api-Key': 'old.secret' }],
    ['a cookie that is no token', { Cookie: 'session-jwt=x' }],
  ])('that are %s are refused in the same words', async (_what, headers) => {
    const { status, body, headers: answered } = await whoAmI(headers);
    expect([status, body.code, body.reason, body.message]).toEqual([
      401,
      401,
      'Unauthorized',
      'Access Denied',
    ]);
    expect(answered.get('WWW-Authenticate')).toBeNull();
  });

  it('are the new ones as soon as they are changed', async () => {
    for (const text of ['Another-Horse-1', 'Another-Horse-2', PASSWORD]) {
      const operations = [{ operation: 'replace', field: '/password', value: text }];
      expect((await api('PATCH', 'managed/user/eve', { body: operations })).status).toBe(200);
      expect((await whoAmI(password('eve', text))).status).toBe(200);
    }
  });

  it('of an inactive account are refused, also those that were right a moment ago', async () => {
    expect((await whoAmI(password('eve'))).status).toBe(200);
    const change = [{ operation: 'replace', field: '/accountStatus', value: 'inactive' }];
    expect((await api('PATCH', 'managed/user/eve', { body: change })).status).toBe(200);
    expect((await whoAmI(password('eve'))).status).toBe(401);
  });

  it('of a machine are an API key or a certificate that a trusted proxy vouches for', async () => {
    expect((await whoAmI({ 'X-Svc-Api-Key': KEY })).body).toMatchObject({
      authenticationId: 'robot',
      authorization: { roles: ['svc-authorized'], moduleId: 'API_KEY' },
    });
    expect((await whoAmI(CERTIFICATE)).body).toMatchObject({
      authenticationId: 'CN=device-7, O=Example',
      authorization: { roles: ['svc-cert'] },
    });
  });
});

describe('a bearer token', () => {
  const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

  it('names a managed user, with only those roles that tokens may bring', async () => {
    const claims = { preferred_username: 'ada', roles: ['svc-admin', 'svc-tasks-manager'] };
    const token = await sign(claims, { typ: 'application/at+JWT' });
    const { body } = await whoAmI(bearer(token));
    expect(body).toMatchObject({
      authenticationId: 'ada',
      authorization: { component: 'managed/user', id: 'ada' },
    });
    expect(body.authorization.roles).toEqual(['svc-authorized', 'svc-tasks-manager']);
  });

  it.each([
    ['of another issuer', () => sign({ preferred_username: 'ada' }, { issuer: 'https://evil.example.com' })],
    ['for another audience', () => sign({ preferred_username: 'ada' }, { audience: 'other' })],
    ['whose time is over', () => sign({ preferred_username: 'ada' }, { expires: '2 hours ago' })],
    ['of an unknown user', () => sign({ preferred_username: 'mallory' })],
    ['of nobody', () => sign({})],
    [
      'that is not signed',
      async () =>
        new UnsecuredJWT({ preferred_username: 'ada' })
          .setAudience('svc')
          .setIssuer(issuer.url)
          .setExpirationTime('1 hour')
          .encode(),
    ],
    [
      'that another key signed',
      () =>
        new SignJWT({ preferred_username: 'ada' })
          .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
          .setIssuer(issuer.url)
          .setAudience('svc')
          .setExpirationTime('1 hour')
          .sign(stranger.privateKey),
    ],
    [
      'that the public key signed as a shared secret',
      async () =>
        new SignJWT({ preferred_username: 'ada' })
          .setProtectedHeader({ alg: 'HS256', kid: 'k1' })
          .setIssuer(issuer.url)
          .setAudience('svc')
          .setExpirationTime('1 hour')
          .sign(new TextEncoder().encode(JSON.stringify(await exportJWK(stranger.publicKey)))),
    ],
    ['that is a log-out token', () => sign({ preferred_username: 'ada' }, { typ: 'logout+jwt' })],
    [
      'that ends when there is no time',
      () => sign({ preferred_username: 'ada', exp: 1e300 }, { expires: null }),
    ],
    [
      'that is issued in the future',
      () => sign({ preferred_username: 'ada', iat: Math.floor(Date.now() / 1000) + 3_600 }),
    ],
    ['that is issued at no time', () => sign({ preferred_username: 'ada', iat: 'today' as never })],
    ['that never ends', () => sign({ preferred_username: 'ada' }, { expires: null })],
    ['whose claims were changed', () => forged()],
    ['that is cut short', async () => (await sign({ preferred_username: 'ada' })).slice(0, -5)],
  ])('%s is refused', async (_what, token) => {
    expect((await whoAmI(bearer(await token()))).status).toBe(401);
  });

  async function forged(): Promise<string> {
    const [header, claims, signature] = (await sign({ preferred_username: 'ben' })).split('.');
    const text = Buffer.from(claims!, 'base64url').toString().replace('ben', 'ada');
    return `${header}.${Buffer.from(text).toString('base64url')}.${signature}`;
  }
});

it.each([
  () => `_username=ada&_password=${PASSWORD}`,
  () => `X-Svc-Username=ada&X-Svc-Password=${PASSWORD}`,
  async () => `access_token=${await sign({ preferred_username: 'ada' })}`,
  () => `X-Svc-Api-Key=${KEY}`,
  () => `Authorization=${encodeURIComponent(`Basic ${Buffer.from(`ada:${PASSWORD}`).toString('base64')}`)}`,
])('nobody comes in by what stands in the URL, where it would be written down: %#', async (query) => {
  const { status } = await api('GET', `info/login?${await query()}`, { user: null });
  expect(status).toBe(401);
});

describe('a session', () => {
  async function allSessions(): Promise<number> {
    const { rows } = await server.database.pool.query('select count(*) as all from auth_session');
    return rows[0].all;
  }

  async function logIn(user = 'ada', text = PASSWORD) {
    const { status, headers, body } = await asNobody('POST', 'authentication?_action=login', {
      headers: password(user, text),
    });
    expect([status, body.authenticationId]).toEqual([200, user]);
    const cookie = headers.get('Set-Cookie') ?? '';
    expect(cookie).toMatch(/^session-jwt=[\w-]+\.[\w-]+\.[\w-]+; Path=\/; HttpOnly; SameSite=Strict$/);
    return { Cookie: cookie.split(';')[0]! };
  }

  it('begins only when asked for', async () => {
    expect((await whoAmI(password('ada'))).headers.get('Set-Cookie')).toBeNull();
    for (const action of ['login', 'logout']) {
      const read = await asNobody('GET', `authentication?_action=${action}`, { headers: password('ada') });
      expect([action, read.headers.get('Set-Cookie')]).toEqual([action, null]);
    }
    const session = await logIn();
    expect((await whoAmI(session)).body).toMatchObject({
      authenticationId: 'ada',
      authorization: { component: 'managed/user', roles: ['svc-authorized'], moduleId: 'JWT_SESSION' },
    });
  });

  it('reads, but changes nothing without the header that only its own pages can send', async () => {
    const session = await logIn();
    expect((await asNobody('GET', 'managed/user/ada', { headers: session })).status).toBe(200);
    const linked = await asNobody('GET', 'managed/user?_queryFilter=true', { headers: session });
    expect([linked.status, linked.body.detail.id]).toEqual([403, 'ACCESS_FORGED_REQUEST']);
    const body = [{ operation: 'replace', field: '/givenName', value: 'Ada' }];
    const forged = await asNobody('PATCH', 'managed/user/ada', { headers: session, body });
    expect([forged.status, forged.body.detail.id]).toEqual([403, 'ACCESS_FORGED_REQUEST']);
    const own = { ...session, ...OWN_PAGE };
    expect((await asNobody('PATCH', 'managed/user/ada', { headers: own, body })).status).toBe(200);
  });

  it('ends with the log-out, for whoever has the cookie', async () => {
    const session = await logIn();
    const { body, headers } = await asNobody('POST', 'authentication?_action=logout', {
      headers: { ...session, ...OWN_PAGE },
    });
    expect([body, headers.get('Set-Cookie')]).toEqual([
      { success: true },
      expect.stringContaining('Max-Age=0'),
    ]);
    expect((await whoAmI(session)).status).toBe(401);
    expect(headers.get('Clear-Site-Data')).toBe('"storage"');
  });

  it.each([
    ['a password', () => password('ben')],
    ['a key', () => ({ 'X-Svc-Api-Key': KEY })],
  ])('ends with a log-out that shows %s beside its cookie', async (_, shown) => {
    const session = await logIn();
    const headers = { ...session, ...shown() };
    const { body } = await asNobody('POST', 'authentication?_action=logout', { headers });
    expect([body, (await whoAmI(session)).status]).toEqual([{ success: true }, 401]);
  });

  it('is replaced by the one of the next login, and ends those beyond so many of one account', async () => {
    const [first, ben] = [await logIn(), await logIn('ben')];
    const again = await asNobody('POST', 'authentication?_action=login', {
      headers: { ...first, ...password('ada') },
    });
    expect((await whoAmI(first)).status).toBe(401);
    expect((await whoAmI(ben)).status).toBe(200);
    const second = { Cookie: again.headers.get('Set-Cookie')!.split(';')[0]! };
    expect((await whoAmI(second)).status).toBe(200);
    const settings = authenticationWith(issuer.url);
    Object.assign(settings.serverAuthContext.sessionModule.properties, { maxSessions: 2 });
    expect((await api('PUT', 'config/authentication', { body: settings })).status).toBe(200);
    await logIn();
    const last = await logIn();
    expect([(await whoAmI(second)).status, (await whoAmI(last)).status]).toEqual([401, 200]);
    expect((await api('PUT', 'config/authentication', { body: authenticationWith(issuer.url) })).status).toBe(
      200,
    );
  });

  it('ends with another password, and with the account', async () => {
    const session = await logIn('ben');
    const other = 'Another-Passw0rd';
    await api('PATCH', 'managed/user/ben', {
      body: [{ operation: 'replace', field: '/password', value: other }],
    });
    expect((await whoAmI(session)).status).toBe(401);
    const next = await logIn('ben', other);
    await api('PATCH', 'managed/user/ben', {
      body: [{ operation: 'replace', field: '/accountStatus', value: 'inactive' }],
    });
    expect((await whoAmI(next)).status).toBe(401);
    await api('PATCH', 'managed/user/ben', {
      body: [{ operation: 'replace', field: '/accountStatus', value: 'active' }],
    });
    expect((await whoAmI(password('ben', other))).status).toBe(200);
    expect((await whoAmI(next)).status).toBe(401);
  });

  it('follows the roles of its user', async () => {
    const session = await logIn();
    const grant = {
      operation: 'add',
      field: '/authzRoles/-',
      value: { _ref: 'repo/internal/role/svc-tasks-manager' },
    };
    expect((await api('PATCH', 'managed/user/ada', { body: [grant] })).status).toBe(200);
    expect((await whoAmI(session)).body.authorization.roles).toEqual(['svc-authorized', 'svc-tasks-manager']);
  });

  it('ends with its time and with disuse', async () => {
    for (const past of ['expires_at = now()', "seen_at = now() - interval '11 minutes'"]) {
      const session = await logIn();
      expect((await whoAmI(session)).status).toBe(200);
      await server.database.pool.query(`update auth_session set ${past}`);
      expect((await whoAmI(session)).status).toBe(401);
    }
  });

  it('does not end while it is in use, which is noted each minute', async () => {
    const session = await logIn();
    const noted = async () => {
      const { rows } = await server.database.pool.query(
        "select count(*) as old from auth_session where seen_at < now() - interval '1 minute'",
      );
      return rows[0].old;
    };
    await server.database.pool.query("update auth_session set seen_at = now() - interval '9 minutes'");
    const answers = await Promise.all(Array.from({ length: 5 }, () => whoAmI(session)));
    expect([answers.map(({ status }) => status), await noted()]).toEqual([
      [200, 200, 200, 200, 200],
      (await allSessions()) - 1,
    ]);
  });

  it('cannot be made up', async () => {
    const { Cookie } = await logIn();
    const [header, claims] = Cookie.replace('session-jwt=', '').split('.');
    const { jti } = JSON.parse(Buffer.from(claims!, 'base64url').toString());
    const none = new UnsecuredJWT({}).setJti(jti).setIssuer('svc').setExpirationTime('1 hour').encode();
    const other = await new SignJWT({})
      .setProtectedHeader({ alg: 'HS256' })
      .setJti(jti)
      .setIssuer('svc')
      .setExpirationTime('1 hour')
      .sign(new Uint8Array(32));
    for (const token of [none, other, `${header}.${claims}.`, `${header}.${claims}`]) {
      expect((await whoAmI({ Cookie: `session-jwt=${token}` })).status).toBe(401);
    }
  });

  it('that began over TLS has a cookie that no other host can set, and none of the plain name counts there', async () => {
    const overTls = { 'X-Forwarded-Proto': 'https' };
    const { headers } = await asNobody('POST', 'authentication?_action=login', {
      headers: { ...password('ada'), ...overTls },
    });
    const cookie = headers.get('Set-Cookie') ?? '';
    expect(cookie).toMatch(/^__Host-session-jwt=[\w.-]+; Path=\/; HttpOnly; SameSite=Strict; Secure$/);
    const pair = cookie.split(';')[0]!;
    const plain = pair.replace('__Host-', '');
    const tried = [
      { Cookie: pair, ...overTls },
      { Cookie: plain, ...overTls },
      { Cookie: plain },
      { Cookie: pair },
    ];
    const answers = await Promise.all(tried.map((sent) => whoAmI(sent)));
    expect(answers.map(({ status }) => status)).toEqual([200, 401, 200, 401]);
    const out = await asNobody('POST', 'authentication?_action=logout', {
      headers: { Cookie: pair, ...overTls, ...OWN_PAGE },
    });
    expect(out.headers.get('Set-Cookie')).toMatch(/^__Host-session-jwt=; Path=\/; .*Secure; Max-Age=0$/);
    expect((await whoAmI({ Cookie: pair, ...overTls })).status).toBe(401);
  });

  it('has an id of more than 128 random bits, another one each time', async () => {
    const ids: string[] = [];
    for (let time = 0; time < 8; time += 1) {
      const { Cookie } = await logIn();
      const claims = Buffer.from(Cookie.split('.')[1]!, 'base64url').toString();
      ids.push((JSON.parse(claims) as { jti: string }).jti);
    }
    expect(new Set(ids).size).toBe(ids.length);
    const bytes = ids.map((id) => Buffer.from(id, 'base64url'));
    expect(bytes.map(({ length }) => length * 8)).toEqual(ids.map(() => 144));
    // Of numbers that are counted, or have a part of their own, most bytes are the same each time.
    const constant = bytes[0]!.filter((byte, at) => bytes.every((other) => other[at] === byte));
    expect(constant.length).toBe(0);
  });

  it('does not beget another one', async () => {
    const session = { ...(await logIn()), ...OWN_PAGE };
    const { status, body } = await asNobody('POST', 'authentication?_action=login', { headers: session });
    expect([status, body.detail.id]).toEqual([400, 'AUTH_HAS_SESSION']);
  });

  it('is reauthenticated by the password once more', async () => {
    const session = { ...(await logIn()), ...OWN_PAGE };
    const again = (text?: string) =>
      asNobody('POST', 'authentication?_action=reauthenticate', {
        headers: { ...session, ...(text === undefined ? {} : { 'X-Svc-Reauth-Password': text }) },
      });
    const extended = `UTF-8''${[...PASSWORD].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('')}`;
    for (const text of [PASSWORD, extended]) {
      expect((await again(text)).body).toEqual({ reauthenticated: true });
    }
    expect((await again('wrong')).status).toBe(403);
    expect((await again()).status).toBe(403);
  });

  it('has no other actions', async () => {
    const { status, body } = await api('POST', 'authentication?_action=logon');
    expect([status, body.detail?.hint]).toEqual([400, "Did you mean 'login'?"]);
  });

  it('says by what people log in', async () => {
    expect((await api('GET', 'authentication')).body).toEqual({
      _id: '',
      providers: [],
      password: true,
      sessions: true,
      lockout: { failures: 5, firstWaitSeconds: 1, longestWaitSeconds: 900 },
    });
  });
});
