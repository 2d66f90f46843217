import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

describe('the types of managed objects', () => {
  let database: TestDatabase;
  let server: TestServer;
  let api: Api;

  beforeAll(async () => {
    database = await createTestDatabase();
    server = await startTestServer({ database });
    api = server.api;
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
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
    await using other = await startTestServer({ database, environment: { SVC_NODE_ID: 'other' } });
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
});
