import { afterAll, beforeAll, expect } from 'vitest';
import type { Database } from '#database/index.ts';
import type { Api } from './api.ts';
import { startTestServer, type TestServer } from './server.ts';

const script = (source: string) => ({ type: 'text/javascript', source });
const two = (reverse: string, more: object = {}) => ({
  type: 'relationship',
  reverseRelationship: true,
  reversePropertyName: reverse,
  validate: true,
  ...more,
});
const list = (items: object, more: object = {}) => ({ type: 'array', items, ...more });

const TYPES = {
  objects: [
    {
      name: 'user',
      schema: {
        required: ['userName'],
        properties: {
          userName: { type: 'string', searchable: true },
          secret: { type: 'string', scope: 'private' },
          manager: two('reports'),
          reports: list(two('manager')),
          roles: list(two('members')),
          spouse: two('spouse'),
          friends: list(two('friends')),
          home: { type: 'relationship', validate: true },
          links: list({ type: 'relationship' }),
          badge: two('holder'),
          shown: list({ type: 'relationship' }, { returnByDefault: true }),
        },
      },
    },
    {
      name: 'role',
      schema: { properties: { name: { type: 'string' }, members: list(two('roles')) } },
    },
    { name: 'badge', schema: { properties: { holder: two('badge') } } },
    { name: 'place', schema: { properties: { city: { type: 'string' } } } },
    {
      name: 'team',
      schema: {
        properties: { people: list({ type: 'relationship', validate: true }), n: { type: 'number' } },
      },
      onUpdate: script('object.n = (object.n || 0) + 1; object.seen = request.resourcePath;'),
      postUpdate: script("if (object.refuse) { throw { code: 409, message: 'no change' }; }"),
    },
  ],
};

export type Edge = { _ref: string; _refProperties: Record<string, unknown> };

/** One server for a file of tests, with types that are related in all ways there are, and how to speak of them. */
export function useRelatedTypes() {
  let server: TestServer;
  let last = 0;
  beforeAll(async () => {
    server = await startTestServer({ files: { 'conf/managed.json': TYPES } });
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const api: Api = (...call) => server.api(...call);
  const database = (): Database => server.database;
  const unused = () => ++last;
  const put = async (path: string, body: object = {}) => {
    const answer = await api('PUT', `managed/${path}`, { body });
    expect(answer.body).not.toHaveProperty('code');
    return answer.body;
  };
  const user = async (body: object = {}) => {
    const id = `u${unused()}`;
    await put(`user/${id}`, { userName: id, ...body });
    return id;
  };
  const role = async (body: object = {}) => {
    const id = `r${unused()}`;
    await put(`role/${id}`, { name: id, ...body });
    return id;
  };
  const ref = (path: string, properties?: object) => ({
    _ref: `managed/${path}`,
    ...(properties === undefined ? {} : { _refProperties: properties }),
  });
  const read = async (path: string, fields: string) =>
    (await api('GET', `managed/${path}?_fields=${encodeURIComponent(fields)}`)).body;
  const roles = async (id: string): Promise<Edge[]> => (await read(`user/${id}`, 'roles')).roles;
  const patch = (path: string, ...body: object[]) => api('PATCH', `managed/${path}`, { body });
  const query = (path: string, filter: string, more = '') =>
    api('GET', `managed/${path}?_queryFilter=${encodeURIComponent(filter)}${more}`);
  return { api, database, patch, put, query, read, ref, role, roles, unused, user };
}
