import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api, CallOptions } from '../support/api.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const PASSWORD = 'Passw0rd-of-users';
const OWN_PAGE = { 'X-Requested-With': 'XMLHttpRequest' };

let server: TestServer;
let api: Api;

type Shown = Record<string, string>;

const as =
  (headers: Shown) =>
  (method: string, path: string, options: CallOptions = {}) =>
    api(method, path, { user: null, ...options, headers: { ...headers, ...options.headers } });
const isIn = async (session: Shown) => (await as(session)('GET', 'info/login')).status === 200;

beforeAll(async () => {
  server = await startTestServer();
  api = server.api;
  for (const name of ['ada', 'ben']) {
    const body = {
      userName: name,
      password: PASSWORD,
      givenName: 'Given',
      sn: 'Nagy',
      mail: `${name}@example.com`,
    };
    expect((await api('PUT', `managed/user/${name}`, { body })).status).toBe(201);
  }
});
afterAll(() => server?.[Symbol.asyncDispose]());

async function logIn(user: string, password = PASSWORD): Promise<Shown> {
  const headers = { 'X-Svc-Username': user, 'X-Svc-Password': password, 'User-Agent': `browser of ${user}` };
  const answer = await api('POST', 'authentication?_action=login', { user: null, headers });
  expect(answer.status).toBe(200);
  const cookie = answer.headers.get('Set-Cookie')!.split(';')[0]!;
  return { Cookie: cookie, 'X-Svc-Reauth-Password': password, ...OWN_PAGE };
}

async function listed(session: Shown, filter = 'true') {
  const path = `session?_queryFilter=${encodeURIComponent(filter)}&_sortKeys=createdAt`;
  const { status, body } = await as(session)('GET', path);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.result;
}

const endAll = (session: Shown, body: object = {}) => as(session)('POST', 'session?_action=endAll', { body });

describe('sessions', () => {
  it('are listed to whom they belong, without what would let somebody in', async () => {
    const [one, two] = [await logIn('ada'), await logIn('ada')];
    await logIn('ben');
    const sessions = await listed(two);
    expect(sessions).toMatchObject([
      { authenticationId: 'ada', isThis: false },
      {
        authenticationId: 'ada',
        user: 'managed/user/ada',
        moduleId: 'MANAGED_USER',
        roles: ['svc-authorized'],
        clientAddress: expect.stringMatching(/127\.0\.0\.1|::1/),
        userAgent: 'browser of ada',
        isThis: true,
      },
    ]);
    const token = two['Cookie']!.split('.')[1]!;
    const { jti } = JSON.parse(Buffer.from(token, 'base64url').toString());
    expect(JSON.stringify(sessions)).not.toContain(jti);
    await endAll(one);
  });

  it('are all listed to administrators, who filter them', async () => {
    const [ada, ben, admin] = [
      await logIn('ada'),
      await logIn('ben'),
      await logIn('svc-admin', 'Correct-Horse-9'),
    ];
    const users = (await listed(admin)).map(({ user }: { user: string }) => user);
    expect(new Set(users)).toEqual(
      new Set(['managed/user/ada', 'managed/user/ben', 'repo/internal/user/svc-admin']),
    );
    const found = await listed(
      admin,
      'user eq "managed/user/ada" and expiresAt gt "2020-01-01T00:00:00.000Z"',
    );
    expect(found.map(({ user }: { user: string }) => user)).toEqual(['managed/user/ada']);
    for (const session of [ada, ben, admin]) await endAll(session);
  });

  it('are ended one by one, which the audit tells', async () => {
    const [kept, ended] = [await logIn('ada'), await logIn('ada')];
    const [, { _id }] = await listed(kept);
    const { status, body } = await as(kept)('DELETE', `session/${_id}`);
    expect([status, body.user]).toEqual([200, 'managed/user/ada']);
    expect([await isIn(kept), await isIn(ended)]).toEqual([true, false]);
    const told = await api('GET', `audit/activity?_queryFilter=objectId+eq+"session/${_id}"`);
    expect(told.body.result).toMatchObject([{ operation: 'DELETE', userId: 'ada' }]);
    await endAll(kept);
  });

  it('of others are seen and ended by administrators only', async () => {
    const [ada, ben, admin] = [
      await logIn('ada'),
      await logIn('ben'),
      await logIn('svc-admin', 'Correct-Horse-9'),
    ];
    const [{ _id }] = await listed(ada);
    for (const method of ['GET', 'DELETE'])
      expect((await as(ben)(method, `session/${_id}`)).status).toBe(404);
    expect((await listed(ben, `_id eq "${_id}"`)).length).toBe(0);
    expect((await endAll(ben, { user: 'managed/user/ada' })).status).toBe(403);
    expect(await isIn(ada)).toBe(true);
    expect((await endAll(admin, { user: 'managed/user/ada' })).body).toEqual({ ended: 1 });
    expect([await isIn(ada), await isIn(ben)]).toEqual([false, true]);
    expect((await as(admin)('DELETE', `session/${(await listed(ben))[0]._id}`)).status).toBe(200);
    expect(await isIn(ben)).toBe(false);
    await endAll(admin);
  });

  it('are ended all at once, or all but the one that asks', async () => {
    const [one, two, three] = [await logIn('ada'), await logIn('ada'), await logIn('ada')];
    expect((await endAll(two, { exceptThis: true })).body).toEqual({ ended: 2 });
    expect([await isIn(one), await isIn(two), await isIn(three)]).toEqual([false, true, false]);
    expect((await endAll(two)).body).toEqual({ ended: 1 });
    expect(await isIn(two)).toBe(false);
  });

  it('but its own are ended by no cookie without the password once more', async () => {
    const [{ Cookie }, other] = [await logIn('ada'), await logIn('ada')];
    const cookie = { Cookie: Cookie!, ...OWN_PAGE };
    const sessions: { _id: string; isThis: boolean }[] = await listed(cookie);
    const [own, others] = [true, false].map((wanted) => sessions.find(({ isThis }) => isThis === wanted)!);
    const answers = [await endAll(cookie), await as(cookie)('DELETE', `session/${others!._id}`)];
    for (const { status, body } of answers) {
      expect([status, body.detail.id]).toEqual([403, 'ACCESS_NEEDS_REAUTHENTICATION']);
    }
    expect(await isIn(other)).toBe(true);
    expect((await as(cookie)('DELETE', `session/${own!._id}`)).status).toBe(200);
    await endAll(other);
  });

  it('are not ended by a rehearsal, nor by a page of somebody else', async () => {
    const session = await logIn('ada');
    expect((await as(session)('POST', 'session?_action=endAll&_dryRun=true', { body: {} })).status).toBe(200);
    const { Cookie } = session as { Cookie: string };
    expect((await endAll({ Cookie })).status).toBe(403);
    expect(await isIn(session)).toBe(true);
    await endAll(session);
  });

  it.each([
    ['POST', 'session?_action=end', {}, 'Use endAll'],
    ['POST', 'session?_action=endAll', { user: 'ada' }, "Such as 'managed/user/kim'"],
  ])('know no other actions: %s %s', async (method, path, body, hint) => {
    const answer = await api(method, path, { body });
    expect([answer.status, answer.body.detail.hint]).toEqual([400, expect.stringContaining(hint)]);
  });
});
