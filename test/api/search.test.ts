import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { callerAs, callersOf } from '../support/credentials.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let api: Api;
const { asNobody, createUser } = callersOf(() => api);
const asAda = callerAs(() => api, 'ada');

beforeAll(async () => {
  server = await startTestServer();
  api = server.api;
  await createUser('ada');
  for (const [id, givenName, sn] of [
    ['u1', 'Adam', 'Smith'],
    ['u2', 'Zoe', 'Adams'],
    ['u3', 'adelheid', 'Nagy'],
    ['u4', 'Eve', 'Nada'],
  ]) {
    const body = { userName: id, givenName, sn, mail: `${id}@example.com` };
    expect((await api('PUT', `managed/user/${id}`, { body })).status).toBe(201);
  }
  const role = { name: 'administration', description: 'Of papers' };
  expect((await api('PUT', 'managed/role/papers', { body: role })).status).toBe(201);
});
afterAll(() => server?.[Symbol.asyncDispose]());

const search = async (query: string) => {
  const { status, body } = await api('GET', `search?${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.types as {
    type: string;
    result: { path: string; matched: string; object: object }[];
    more: boolean;
  }[];
};
const paths = (types: Awaited<ReturnType<typeof search>>) =>
  types.flatMap(({ result }) => result.map(({ path, matched }) => [path, matched]));

describe('GET /search', () => {
  it('finds objects of all types by how a searchable property begins, whatever its case', async () => {
    for (const text of ['ad', 'Ad', 'AD']) {
      expect(paths(await search(`q=${text}`))).toEqual(
        expect.arrayContaining([
          ['managed/user/ada', 'userName'],
          ['managed/user/u1', 'givenName'],
          ['managed/user/u2', 'sn'],
        ]),
      );
    }
    const [users] = await search('q=smi&types=user');
    expect(users).toEqual({
      type: 'user',
      title: 'User',
      result: [
        {
          path: 'managed/user/u1',
          matched: 'sn',
          object: {
            userName: 'u1',
            givenName: 'Adam',
            sn: 'Smith',
            mail: 'u1@example.com',
            accountStatus: 'active',
          },
        },
      ],
      more: false,
    });
    expect(await search('q=nothing-begins-so')).toEqual([]);
  });

  it('shows five objects of a type, and says that there are more', async () => {
    await sql`insert into managed_object (type, id, data)
      select 'user', 'm' || n, jsonb_build_object('userName', 'many' || n, 'sn', 'Many') from generate_series(1, 9) n`.execute(
      server.database.db,
    );
    const [users] = await search('q=many');
    expect([users!.result.length, users!.more]).toEqual([5, true]);
  });

  it('takes what is searched for as text', async () => {
    expect(await search(`q=${encodeURIComponent('%')}`)).toEqual([]);
    expect(await search(`q=${encodeURIComponent("' or 1=1 --")}`)).toEqual([]);
  });

  it('is for those who may query, in what they may query', async () => {
    expect((await asNobody('GET', 'search?q=a')).status).toBe(401);
    expect((await api('GET', 'search?q=a', { user: 'anonymous', password: 'anonymous' })).status).toBe(403);
    const { status, body } = await asAda('GET', 'search?q=ada');
    expect([status, body]).toEqual([200, { types: [] }]);
    const named = await asAda('GET', 'search?q=ada&types=user');
    expect([named.status, named.body.detail]).toEqual([
      400,
      { id: 'SEARCH_UNKNOWN_TYPE', field: 'types', hint: 'There are none' },
    ]);
  });

  it('leaves out a type whose answer a filter refuses, by whatever error', async () => {
    for (const code of [400, 403, 404]) {
      const source = `throw { code: ${code}, message: 'Not for searching' };`;
      const onResponse = { type: 'text/javascript', source };
      const filters = [{ pattern: 'managed/user', methods: ['query'], onResponse }];
      expect((await api('PUT', 'config/router', { body: { filters } })).status).toBe(200);
      expect((await api('GET', 'managed/user?_queryFilter=true')).status).toBe(code);
      expect(paths(await search('q=ad'))).toEqual([['managed/role/papers', 'name']]);
    }
    expect((await api('PUT', 'config/router', { body: { filters: [] } })).status).toBe(200);
  });

  it.each([
    ['', 'SEARCH_BAD_TEXT', 'q'],
    ['q=%20', 'SEARCH_BAD_TEXT', 'q'],
    [`q=${'a'.repeat(101)}`, 'SEARCH_BAD_TEXT', 'q'],
    ['q=%00', 'FILTER_BAD_VALUE', undefined],
    ['q=a&types=users', 'SEARCH_UNKNOWN_TYPE', 'types'],
  ])('refuses %j', async (query, id, field) => {
    const { status, body } = await api('GET', `search?${query}`);
    expect([status, body.detail.id, body.detail.field]).toEqual([400, id, field]);
  });
});
