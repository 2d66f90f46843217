import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

describe('the types of managed objects', () => {
  let database: TestDatabase;
  let server: TestServer;
  let other: TestServer;
  let api: Api;

  beforeAll(async () => {
    database = await createTestDatabase();
    server = await startTestServer({ database });
    other = await startTestServer({ database, environment: { SVC_NODE_ID: 'other' } });
    api = server.api;
  });
  afterAll(async () => {
    await other[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  const config = async () => (await api('GET', 'config/managed')).body;

  it('are shipped as configuration that may be changed like any other', async () => {
    const { objects } = await config();
    expect(objects.map(({ name }: { name: string }) => name)).toEqual([
      'user',
      'role',
      'assignment',
      'deactivation',
    ]);
  });

  it('are added and changed through /config, at once and on every node, with keys that nobody knows', async () => {
    const { _id, ...before } = await config();
    const gadget = {
      name: 'gadget',
      iconClass: 'fa-cog',
      schema: {
        viewable: true,
        properties: { owner: { type: 'string', minLength: 3, usageDescription: 'x' } },
      },
    };
    const [user, ...others] = before.objects;
    const changed = structuredClone(user);
    changed.schema.properties.nickname = { type: 'string', minLength: 3 };
    const put = await api('PUT', 'config/managed', { body: { objects: [changed, ...others, gadget] } });
    expect(put.status).toBe(200);
    await other.observed('config.changed', ({ id }) => id === 'managed');
    for (const node of [api, other.api]) {
      expect((await node('POST', 'managed/gadget', { body: { owner: 'me' } })).status).toBe(403);
      expect((await node('POST', 'managed/gadget', { body: { owner: 'myself' } })).status).toBe(201);
      const body = { userName: 'x', givenName: 'x', sn: 'x', mail: 'x@example.com', nickname: 'xy' };
      expect((await node('POST', 'managed/user', { body })).status).toBe(403);
    }
    expect((await config()).objects.at(-1)).toMatchObject({ iconClass: 'fa-cog' });
  });

  it.each<[string, object, RegExp]>([
    ['a name with braces', { name: 'a{b}' }, /cannot be the name/],
    [
      'a two-way relationship without the name of its other side',
      { name: 'a', schema: { properties: { b: { type: 'relationship', reverseRelationship: true } } } },
      /does not name its reverse property/,
    ],
    [
      'a hook that is no script',
      { name: 'a', onCreate: { type: 'text/javascript' } },
      /source, file and name/,
    ],
    [
      'a hash without an algorithm',
      { name: 'a', schema: { properties: { b: { type: 'string', secureHash: {} } } } },
      /algorithm/,
    ],
    [
      'a pattern that is none',
      { name: 'a', schema: { properties: { b: { type: 'string', pattern: '[' } } } },
      /'\[' is not a regular expression/,
    ],
    [
      'a virtual property that is read off nothing',
      { name: 'a', schema: { properties: { b: { isVirtual: true, queryConfig: {} } } } },
      /referencedRelationshipFields/,
    ],
  ])('are refused with %s, and the old ones stay', async (_title, type, message) => {
    const refused = await api('PUT', 'config/managed', { body: { objects: [type] } });
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([400, expect.stringMatching(message)]);
    expect((await config()).objects[0].name).toBe('user');
  });

  it('change their meaning on every node while there are objects, which stay readable and are mended', async () => {
    const reference = { type: 'relationship', reverseRelationship: true };
    const keeper = {
      name: 'keeper',
      schema: {
        properties: {
          crates: { type: 'array', items: { ...reference, reversePropertyName: 'owner', validate: true } },
        },
      },
    };
    const crate = (owner: object, more: object = {}) => ({
      name: 'crate',
      schema: { properties: { owner, note: { type: 'string' } } },
      ...more,
    });
    const one = { ...reference, reversePropertyName: 'crates' };
    const hook = { onCreate: { type: 'text/javascript', source: "object.by = 'hook';" } };
    const declare = async (...objects: object[]) =>
      expect((await other.api('PUT', 'config/managed', { body: { objects } })).status).toBe(200);
    const read = (path: string, node = api) => node('GET', `managed/${path}`);
    const to = (id: string) => ({ _ref: `managed/keeper/${id}` });

    await declare(keeper, crate(one));
    await eventually(
      () => read('keeper?_queryFilter=true'),
      ({ status }) => status === 200,
    );
    for (const id of ['k1', 'k2']) await api('PUT', `managed/keeper/${id}`, { body: {} });
    await api('PUT', 'managed/crate/c', { body: { note: 'open', owner: to('k1') } });

    await declare(keeper, crate({ type: 'array', items: one }, hook));
    const listed = await eventually(
      () => read('crate/c?_fields=owner'),
      ({ body }) => Array.isArray(body.owner),
    );
    expect(listed.body.owner).toMatchObject([to('k1')]);
    await api('PATCH', 'managed/crate/c', {
      body: [{ operation: 'add', field: '/owner/-', value: to('k2') }],
    });
    expect((await read('crate/c?_fields=owner', other.api)).body.owner).toMatchObject([to('k1'), to('k2')]);
    for (const [index, node] of [api, other.api].entries()) {
      expect((await node('PUT', `managed/crate/n${index}`, { body: {} })).body.by).toBe('hook');
    }

    const hidden = crate(one);
    hidden.schema.properties.note = { type: 'string', scope: 'private' } as never;
    await declare(keeper, hidden);
    const single = await eventually(
      () => read('crate/c?_fields=owner,note'),
      ({ body }) => !Array.isArray(body.owner),
    );
    expect(single.body).not.toHaveProperty('note');
    expect(single.body.owner).toMatchObject({ ...to('k1'), _refError: true });
    await api('PUT', 'managed/crate/c', { body: { owner: to('k2') } });
    expect((await read('crate/c?_fields=owner')).body.owner).not.toHaveProperty('_refError');
    expect((await read('keeper/k1?_fields=crates')).body.crates).toEqual([]);

    await declare(keeper);
    await eventually(
      () => read('crate/c'),
      ({ status }) => status === 404,
    );
    const left = (await read('keeper/k2?_fields=crates/*')).body.crates;
    expect(left).toMatchObject([{ _ref: 'managed/crate/c' }]);
    expect((await api('DELETE', 'managed/keeper/k2')).status).toBe(200);
  });
});
