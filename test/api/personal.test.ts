import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { countStatements } from '../support/count-statements.ts';
import { callerAs, callersOf } from '../support/credentials.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let api: Api;
const { asNobody, createUser } = callersOf(() => api);
const asAda = callerAs(() => api, 'ada');
const asBen = callerAs(() => api, 'ben');

beforeAll(async () => {
  server = await startTestServer();
  api = server.api;
  await createUser('ada');
  await createUser('ben');
});
afterAll(() => server?.[Symbol.asyncDispose]());

const STATE = { filter: 'accountStatus eq "inactive"', columns: ['userName', 'sn'] };
const view = (more: object = {}) => ({ title: 'Leavers', area: 'managed/user', state: STATE, ...more });

describe.each(['preference', 'draft'])('/%s', (kind) => {
  const path = `${kind}/theme`;

  it('keeps what somebody says, for nobody else', async () => {
    const made = await asAda('PUT', path, { body: { value: { dark: true } } });
    expect([made.status, made.body]).toEqual([
      201,
      expect.objectContaining({ _id: 'theme', _rev: '0', value: { dark: true }, owner: 'managed/user/ada' }),
    ]);
    const changed = await asAda('PUT', path, { body: { ...made.body, value: 7 } });
    expect([changed.status, changed.body._rev, changed.body.value]).toEqual([200, '1', 7]);
    for (const caller of [asBen, api]) {
      expect((await caller('GET', path)).status).toBe(404);
      expect((await caller('DELETE', path)).status).toBe(404);
      expect((await caller('GET', `${kind}?_queryFilter=true`)).body.result).toEqual([]);
    }
    expect((await asAda('GET', `${kind}?_queryFilter=true`)).body.result).toHaveLength(1);
  });

  it('loses no change that somebody has not seen', async () => {
    const headers = { 'If-Match': '"0"' };
    const stale = await asAda('PUT', path, { body: { value: 8 }, headers });
    expect([stale.status, stale.body.detail.id]).toEqual([412, 'OBJECT_REVISION']);
    expect((await asAda('DELETE', path, { headers })).status).toBe(412);
    expect((await asAda('PUT', `${path}?_dryRun=true`, { body: { value: 9 } })).body.dryRun).toBe(true);
    expect((await asAda('GET', path)).body.value).toBe(7);
    expect((await asAda('DELETE', path)).status).toBe(200);
    expect((await asAda('GET', path)).status).toBe(404);
  });

  it('has a bound for each of its owners', async () => {
    const { db } = server.database;
    await sql`insert into personal_item (kind, owner, id, data)
      select ${kind}, 'managed/user/ada', 'n' || n, '{"value":1}'
      from generate_series(1, ${kind === 'draft' ? 50 : 200}::int) n`.execute(db);
    const { status, body } = await asAda('PUT', path, { body: { value: 1 } });
    expect([status, body.detail.id]).toEqual([409, 'PERSONAL_TOO_MANY']);
    expect((await asBen('PUT', path, { body: { value: 1 } })).status).toBe(201);
    await sql`delete from personal_item where kind = ${kind}`.execute(db);
    const large = await asAda('PUT', path, { body: { value: 'x'.repeat(262_144) } });
    expect([large.status, large.body.detail.id]).toEqual([413, 'OBJECT_TOO_LARGE']);
  });

  it.each([
    [path, {}, 400, 'PERSONAL_BAD_ITEM', '/value'],
    [path, { valeu: 1 }, 400, 'PERSONAL_BAD_ITEM', '/valeu'],
    [path, { _id: 'other', value: 1 }, 400, 'OBJECT_ID_MISMATCH', '/_id'],
    [`${kind}/${encodeURIComponent('a b')}`, { value: 1 }, 400, 'PERSONAL_BAD_NAME', undefined],
  ])('refuses %s with %j', async (at, body, status, id, field) => {
    const answer = await asAda('PUT', at, { body });
    expect([answer.status, answer.body.detail.id, answer.body.detail.field]).toEqual([status, id, field]);
    expect(answer.body.detail.hint).toBeDefined();
  });

  it('is for those who have logged in', async () => {
    expect((await asNobody('GET', path)).status).toBe(401);
    const anonymous = { user: 'anonymous', password: 'anonymous', body: { value: 1 } };
    expect((await api('PUT', path, anonymous)).status).toBe(403);
    expect((await asAda('POST', kind, { body: { value: 1 } })).body.detail.id).toBe('PERSONAL_BAD_NAME');
  });
});

describe('/draft', () => {
  it('forgets drafts after a week, and tells the audit nothing of their values', async () => {
    const { body } = await asAda('PUT', 'draft/form', {
      body: { area: 'user', value: { password: 'S3cret-draft' } },
    });
    const days = (Date.parse(body.expiresAt) - Date.parse(body.updatedAt)) / 86_400_000;
    expect(days).toBeCloseTo(7, 3);
    const { db } = server.database;
    const { rows } = await sql<{ n: number }>`
      select count(*)::int as n from svc_audit a where a::text like '%S3cret-draft%'`.execute(db);
    expect(rows[0]!.n).toBe(0);
    await sql`update personal_item set expires_at = now() where kind = 'draft'`.execute(db);
    expect((await asAda('GET', 'draft/form')).status).toBe(404);
    expect((await asAda('PUT', 'draft/form', { body: { value: 2 } })).status).toBe(201);
  });
});

describe('/view', () => {
  it('is shared with roles of its owner, and changed by the owner alone', async () => {
    const made = await asAda('POST', 'view', { body: view({ roles: ['svc-authorized'] }) });
    expect([made.status, made.body]).toEqual([
      201,
      expect.objectContaining({ ...view(), owner: 'managed/user/ada' }),
    ]);
    const path = `view/${made.body._id}`;
    expect((await asBen('GET', path)).body).toEqual(made.body);
    const found = await asBen('GET', `view?_queryFilter=${encodeURIComponent('area eq "managed/user"')}`);
    expect(found.body.result).toEqual([made.body]);
    expect((await asBen('PUT', path, { body: view({ title: 'Mine' }) })).status).toBe(403);
    expect((await asBen('DELETE', path)).status).toBe(403);
    expect((await api('PUT', path, { body: view({ title: 'Leavers of today' }) })).body).toMatchObject({
      owner: 'managed/user/ada',
      title: 'Leavers of today',
    });
    // No more shared with anybody.
    expect((await asBen('GET', path)).status).toBe(404);
    expect((await asAda('DELETE', path)).status).toBe(200);
  });

  it('is shared with no role that the owner lacks', async () => {
    const { status, body } = await asAda('POST', 'view', { body: view({ roles: ['svc-admin'] }) });
    expect([status, body.detail.id]).toEqual([403, 'PERSONAL_FOREIGN_ROLE']);
    expect((await api('POST', 'view', { body: view({ roles: ['svc-tasks-manager'] }) })).status).toBe(201);
  });

  it('gets its id from the server, and is not made by an update', async () => {
    expect((await asAda('PUT', 'view/mine', { body: view() })).status).toBe(404);
    const headers = { 'If-None-Match': '*' };
    const { status, body } = await asAda('PUT', 'view/mine', { body: view(), headers });
    expect([status, body.detail.id]).toEqual([400, 'PERSONAL_BAD_NAME']);
  });

  it.each([
    [{ title: '' }, '/title'],
    [{ title: 'x'.repeat(201) }, '/title'],
    [{ state: 'x' }, '/state'],
    [{ roles: 'svc-authorized' }, '/roles'],
    [{ roles: Array(21).fill('r') }, '/roles'],
    [{ area: null }, '/area'],
  ])('refuses %j', async (more, field) => {
    const { status, body } = await asAda('POST', 'view', { body: view(more) });
    expect([status, body.detail.id, body.detail.field]).toEqual([400, 'PERSONAL_BAD_ITEM', field]);
  });
});

it.each([
  ['preference', 64, 2 ** 20, 16_000],
  ['draft', 8, 2 ** 21, 262_000],
])('%s has a bound for all of one owner', async (kind, count, most, size) => {
  const { db } = server.database;
  await sql`delete from personal_item where kind = ${kind}`.execute(db);
  const large = (length: number) => ({ body: { value: 'x'.repeat(length) } });
  await sql`insert into personal_item (kind, owner, id, data)
    select ${kind}, 'managed/user/ada', 'n' || n, jsonb_build_object('value', repeat('x', ${Math.floor(most / count) - 100}::int))
    from generate_series(1, ${count}::int) n`.execute(db);
  const { status, body } = await asAda('PUT', `${kind}/more`, large(size));
  expect([status, body.detail.id]).toEqual([409, 'PERSONAL_TOO_MANY']);
  expect((await asAda('PUT', `${kind}/n1`, large(10))).status).toBe(200);
  expect((await asAda('PUT', `${kind}/more`, large(1_000))).status).toBe(201);
  expect((await asBen('PUT', `${kind}/more`, large(size))).status).toBe(201);
});

it('is listed without what it holds where that is not asked for', async () => {
  const { db } = server.database;
  await sql`delete from personal_item`.execute(db);
  await asAda('PUT', 'draft/large', { body: { area: 'managed/user', value: 'x'.repeat(1_000) } });
  const list = async (more: string) =>
    (await asAda('GET', `draft?_queryFilter=${encodeURIComponent('value co "x"')}${more}`)).body.result;
  const withoutValue = (more: string) => countStatements(() => list(more), /data - 'value'/);
  expect(await list('&_fields=area')).toEqual([{ _id: 'large', _rev: '0', area: 'managed/user' }]);
  expect(await withoutValue('&_fields=area')).toBe(1);
  for (const fields of ['', '&_fields=*', '&_fields=value', '&_fields=/value']) {
    expect((await list(fields))[0].value).toHaveLength(1_000);
    expect(await withoutValue(fields)).toBe(0);
  }
});

it.each(['preference', 'view', 'draft'])(
  'a filter of %ss looks four times at what they hold',
  async (kind) => {
    const body = kind === 'view' ? '/state' : '/value';
    const ask = (conditions: number) => {
      const filter = Array.from({ length: conditions }, (_, n) => `${body}/a co "${n}"`).join(' or ');
      return asAda('GET', `${kind}?_queryFilter=${encodeURIComponent(filter)}`);
    };
    expect((await ask(4)).status).toBe(200);
    expect(await ask(5)).toMatchObject({
      status: 400,
      body: { detail: { id: 'FILTER_TOO_MANY_CONDITIONS' } },
    });
  },
);

describe('a view that is shared', () => {
  it('is one of few of its owner, and of those that a role sees, unless an administrator shares it', async () => {
    const { db } = server.database;
    await sql`delete from personal_item`.execute(db);
    const shared = { body: view({ roles: ['svc-authorized'] }) };
    const fill = (count: number, owner: string) =>
      sql`insert into personal_item (kind, owner, id, data, roles)
        select 'view', ${owner}, ${owner} || n, jsonb_build_object('roles', array['svc-authorized']), array['svc-authorized']
        from generate_series(1, ${count}::int) n`.execute(db);
    const own = (await asAda('POST', 'view?_action=create', { body: view() })).body;
    await fill(20, 'managed/user/ada');
    for (const more of [
      await asAda('POST', 'view?_action=create', shared),
      await asAda('PUT', `view/${own._id}`, shared),
    ]) {
      expect([more.status, more.body.message]).toEqual([409, expect.stringContaining('You share 20')]);
    }
    const { body: made } = await asBen('POST', 'view?_action=create', shared);
    await fill(179, 'managed/user/others');
    const crowded = await asBen('POST', 'view?_action=create', shared);
    expect([crowded.status, crowded.body.message]).toEqual([
      409,
      expect.stringContaining("200 views are shared with 'svc-authorized'"),
    ]);
    expect((await asBen('PUT', `view/${made._id}`, shared)).status).toBe(200);
    expect((await api('POST', 'view?_action=create', shared)).status).toBe(201);
  });

  it('is small, since it stands in the lists of others', async () => {
    const large = (more: object) => view({ state: { filter: 'x'.repeat(9_000) }, ...more });
    const shared = { roles: ['svc-authorized'] };
    const { status, body } = await asAda('POST', 'view', { body: large(shared) });
    expect([status, body.detail.id]).toEqual([413, 'OBJECT_TOO_LARGE']);
    const own = await asAda('POST', 'view', { body: large({}) });
    expect(own.status).toBe(201);
    const path = `view/${own.body._id}`;
    expect((await asAda('PUT', path, { body: large(shared) })).status).toBe(413);
    expect((await asAda('PUT', path, { body: large({}) })).status).toBe(200);
  });
});

describe('whoever is gone', () => {
  it('leaves nothing to who comes later under the same id', async () => {
    await createUser('eva');
    const asEva = callerAs(() => api, 'eva');
    expect((await asEva('PUT', 'preference/theme', { body: { value: 1 } })).status).toBe(201);
    expect((await api('DELETE', 'managed/user/eva')).status).toBe(200);
    await createUser('eva');
    expect((await asEva('GET', 'preference/theme')).status).toBe(404);
  });
});
