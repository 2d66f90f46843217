import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const script = (source: string) => ({ type: 'text/javascript', source });

/** Of what is read off relationships: nobody writes the source itself. */
describe('a target follows what is calculated of its source', () => {
  let server: TestServer;
  let api: Api;
  beforeAll(async () => {
    server = await startTestServer();
    api = server.api;
    const account = {
      name: 'account',
      schema: { properties: { login: { type: 'string', searchable: true } } },
    };
    await api('PATCH', 'config/managed', {
      body: [{ operation: 'add', field: '/objects/-', value: account }],
    });
    const mapping = {
      name: 'user_account',
      source: 'managed/user',
      target: 'managed/account',
      properties: [
        { source: 'userName', target: 'login' },
        {
          source: 'effectiveRoles',
          target: 'roles',
          transform: script(
            '(source || []).map(function (role) { return role._ref.split("/").pop(); }).sort()',
          ),
        },
      ],
    };
    expect((await api('PUT', 'config/sync', { body: { mappings: [mapping] } })).status).toBe(200);
    await write('PUT', 'role/sales', { name: 'sales', description: 'Sells' });
    await write('PUT', 'assignment/desk', {
      name: 'desk',
      description: 'A desk',
      mapping: 'user_account',
      attributes: [{ name: 'groups', value: ['desk'], assignmentOperation: 'mergeWithTarget' }],
    });
    const user = { userName: 'ann', givenName: 'Ann', sn: 'Lie', mail: 'ann@example.com', city: 'Oslo' };
    await write('PUT', 'user/ann', user);
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const write = async (method: 'PUT' | 'PATCH' | 'POST' | 'DELETE', path: string, body?: object) => {
    const answer = await api(method, `managed/${path}`, body === undefined ? {} : { body });
    expect([path, answer.status, answer.status < 300 ? null : answer.body]).toEqual([
      path,
      answer.status,
      null,
    ]);
    return answer.body;
  };
  const set = (path: string, field: string, value: unknown, operation = 'replace') =>
    write('PATCH', path, [{ operation, field, value }] as never);
  const account = async () => {
    const { body } = await api('GET', 'managed/account?_queryFilter=login+eq+"ann"');
    const [{ roles = [], groups = [] } = {}] = body.result;
    return { roles, groups };
  };

  it('when a role is granted at its end, and taken', async () => {
    await set('user/ann', '/roles/-', { _ref: 'managed/role/sales' }, 'add');
    expect(await account()).toEqual({ roles: ['sales'], groups: [] });
    await set('user/ann', '/roles', []);
    expect(await account()).toEqual({ roles: [], groups: [] });
  });

  it('when a role is given an assignment, which changes, and is taken from it', async () => {
    await write('POST', 'role/sales/members?_action=create', { _ref: 'managed/user/ann' });
    expect(await account()).toEqual({ roles: ['sales'], groups: [] });
    await set('role/sales', '/assignments/-', { _ref: 'managed/assignment/desk' }, 'add');
    expect(await account()).toEqual({ roles: ['sales'], groups: ['desk'] });
    await set('assignment/desk', '/attributes/0/value', ['counter']);
    expect(await account()).toEqual({ roles: ['sales'], groups: ['counter'] });
    await set('role/sales', '/assignments', []);
    expect(await account()).toEqual({ roles: ['sales'], groups: [] });
  });

  it('when the condition of a role comes to hold of it, and no more', async () => {
    await set('role/sales', '/members', []);
    expect(await account()).toEqual({ roles: [], groups: [] });
    await set('role/sales', '/condition', '/city eq "Oslo"', 'add');
    expect(await account()).toEqual({ roles: ['sales'], groups: [] });
    await set('user/ann', '/city', 'Bergen');
    expect(await account()).toEqual({ roles: [], groups: [] });
    await set('role/sales', '/condition', '/city eq "Bergen"');
    expect(await account()).toEqual({ roles: ['sales'], groups: [] });
  });

  it('when an assignment that it has by a role is deleted; a role is only where nobody has it', async () => {
    await set('role/sales', '/condition', '/city eq "Bergen"');
    await set('role/sales', '/assignments/-', { _ref: 'managed/assignment/desk' }, 'add');
    expect(await account()).toEqual({ roles: ['sales'], groups: ['counter'] });
    await write('DELETE', 'assignment/desk');
    expect(await account()).toEqual({ roles: ['sales'], groups: [] });
    const { status, body } = await api('DELETE', 'managed/role/sales');
    expect([status, body.detail.id]).toEqual([409, 'ROLE_GRANTED']);
    expect(await account()).toEqual({ roles: ['sales'], groups: [] });
    await set('role/sales', '/condition', '/city eq "Nowhere"');
    await write('DELETE', 'role/sales');
    expect(await account()).toEqual({ roles: [], groups: [] });
  });
});
