import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { foreignHash } from '../support/foreign-repository.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const PASSWORD = 'Old-Secret-2';
const text = { type: 'string' };
const module = (name: string, type: string) => ({
  name,
  properties: {
    queryOnResource: type,
    propertyMapping: { authenticationId: 'userName', userCredential: 'password', userRoles: 'authzRoles' },
    defaultUserRoles: ['svc-authorized'],
  },
});
const type = (name: string, password: object) => ({
  name,
  schema: { properties: { userName: text, password: { ...text, scope: 'private', ...password } } },
});

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({
    files: {
      'conf/managed.json': {
        objects: [type('user', {}), type('machine', { secureHash: { algorithm: 'SHA-256' } })],
      },
      'conf/authentication.json': {
        serverAuthContext: {
          sessionModule: { name: 'JWT_SESSION', properties: { maxTokenLifeMinutes: 10 } },
          authModules: [
            module('INTERNAL_USER', 'repo/internal/user'),
            module('MANAGED_USER', 'managed/user'),
            module('MANAGED_USER', 'managed/machine'),
          ],
        },
      },
    },
  });
});
afterAll(() => server?.[Symbol.asyncDispose]());

/** As an import stores it. */
async function store(table: string, type: string, id: string): Promise<void> {
  const data = { userName: id, password: foreignHash(PASSWORD) };
  await server.database.pool.query(`insert into ${table} (type, id, rev, data) values ($1, $2, 7, $3)`, [
    type,
    id,
    data,
  ]);
}
const stored = async (id: string) => {
  const { rows } = await server.database.pool.query(
    `select rev, data->'password'->'$crypto'->'value'->>'algorithm' as algorithm from managed_object where id = $1
     union all select rev, data->'password'->'$crypto'->'value'->>'algorithm' from repo_object where id = $1`,
    [id],
  );
  return rows;
};
const logIn = async (user: string, password = PASSWORD) =>
  (await server.api('GET', 'info/login', { user, password })).status;

describe('a hash that came from another server', () => {
  it.each([
    ['managed_object', 'user', 'ann'],
    ['repo_object', 'internal/user', 'ops'],
  ])('in %s is one of ours from the first time that somebody comes in with it', async (table, of, id) => {
    await store(table, of, id);
    expect(await logIn(id, 'Wrong-Secret-2')).toBe(401);
    expect(await stored(id)).toEqual([{ rev: 7, algorithm: 'SHA-256' }]);
    expect(await logIn(id)).toBe(200);
    expect(await stored(id)).toEqual([{ rev: 7, algorithm: 'ARGON2ID' }]);
    expect(await logIn(id)).toBe(200);
    expect(await logIn(id, 'Wrong-Secret-2')).toBe(401);
  });

  it('lets in all who come at the same moment, and the session that begins then lasts', async () => {
    await store('managed_object', 'user', 'ben');
    const headers = { 'X-Svc-Username': 'ben', 'X-Svc-Password': PASSWORD };
    const answers = await Promise.all(
      ['1', '2', '3', '4'].map(() =>
        server.api('POST', 'authentication?_action=login', { user: null, headers }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    for (const answer of answers) {
      const cookie = answer.headers.get('Set-Cookie')?.split(';')[0] ?? '';
      const own = { Cookie: cookie, 'X-Requested-With': 'XMLHttpRequest' };
      expect((await server.api('GET', 'info/login', { user: null, headers: own })).status).toBe(200);
    }
  });

  it('stays where the project has passwords hashed like that', async () => {
    await store('managed_object', 'machine', 'robot');
    expect(await logIn('robot')).toBe(200);
    expect(await stored('robot')).toEqual([{ rev: 7, algorithm: 'SHA-256' }]);
  });
});
