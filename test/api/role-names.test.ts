import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN_PASSWORD } from '../support/api.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const RULES = `var httpAccessConfig = { configs: [
  { pattern: 'info/*', roles: '*', methods: 'read', actions: '*' },
  { pattern: '*', roles: 'openidm-admin', methods: '*', actions: '*', customAuthz: 'disallowQueryExpression()' },
  { pattern: 'managed/user/*', roles: 'openidm-authorized', methods: 'read', actions: '', customAuthz: 'ownDataOnly()' },
] };`;

const PROPERTIES = [
  'svc.compat=openidm',
  'svc.role.admin=openidm-admin',
  'svc.role.authorized=openidm-authorized',
  'svc.role.reg=openidm-reg',
  'svc.role.cert=openidm-cert',
  'svc.role.tasks-manager=openidm-tasks-manager',
];

const MODULES = {
  serverAuthContext: {
    sessionModule: { name: 'JWT_SESSION', properties: {} },
    authModules: [
      {
        name: 'INTERNAL_USER',
        properties: {
          queryOnResource: 'repo/internal/user',
          propertyMapping: {
            authenticationId: 'username',
            userCredential: 'password',
            userRoles: 'roles',
          },
        },
      },
      {
        name: 'MANAGED_USER',
        properties: {
          queryOnResource: 'managed/user',
          propertyMapping: { userRoles: 'authzRoles' },
          defaultUserRoles: ['openidm-authorized'],
        },
      },
    ],
  },
};

describe('a project whose roles are called as those of another server', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer({
      files: {
        'conf/boot/boot.properties': PROPERTIES.join('\n'),
        'conf/authentication.json': MODULES,
        'script/access.js': RULES,
      },
    });
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const person = async (userName: string) => {
    const body = {
      userName,
      givenName: 'Given',
      sn: 'Name',
      mail: `${userName}@example.com`,
      password: 'Quiet-Lemon-77',
    };
    const { status, body: made } = await server.api('POST', 'managed/user', { body });
    expect([status, made.detail]).toEqual([201, undefined]);
    return made;
  };
  const rolesOf = async (user: string, password: string) =>
    (await server.api('GET', 'info/login', { user, password })).body.authorization.roles;

  it('gives its first administrator the role of that name, and all that administrators may', async () => {
    expect(await rolesOf('svc-admin', ADMIN_PASSWORD)).toEqual(['openidm-admin', 'openidm-authorized']);
    const roles = await server.api('GET', 'repo/internal/role?_queryFilter=true&_fields=_id');
    expect(roles.body.result.map(({ _id }: { _id: string }) => _id).sort()).toEqual([
      'openidm-admin',
      'openidm-authorized',
      'openidm-cert',
      'openidm-reg',
      'openidm-tasks-manager',
      'svc-scim',
    ]);
    const bad = { body: { _key: 'nothingOfTheKind' } };
    expect((await server.api('POST', 'workflow/processinstance', bad)).status).toBe(404);
  });

  it('gives new users the role of that name', async () => {
    const { _id } = await person('ann');
    const own = await server.api('GET', `managed/user/${_id}?_fields=*,authzRoles`, {
      user: 'ann',
      password: 'Quiet-Lemon-77',
    });
    expect(own.status).toBe(200);
    expect(new Set(await rolesOf('ann', 'Quiet-Lemon-77'))).toEqual(new Set(['openidm-authorized']));
  });

  it('gives a role that somebody has made under such a name no power', async () => {
    const { _id } = await person('mallory');
    for (const id of ['openidm-admin', 'OpenIDM-Admin', 'wrenidm-admin', 'svc-admin']) {
      // As one that is there from before: most of them are not made any more.
      await server.database.pool.query(
        `insert into managed_object (type, id, rev, data) values ('role', $1, 0, jsonb_build_object('name', $2::text))`,
        [id, `mine ${id}`],
      );
      await server.database.pool.query(
        `update managed_object set data = data || jsonb_build_object('authzRoles', jsonb_build_array(jsonb_build_object('_ref', $2::text))),
           rev = rev + 1 where id = $1`,
        [_id, `managed/role/${id}`],
      );
      const roles = await rolesOf('mallory', 'Quiet-Lemon-77');
      expect(roles).not.toContain('openidm-admin');
      expect(roles.map((each: string) => each.toLowerCase())).not.toContain(id.toLowerCase());
      const read = await server.api('GET', 'config/managed', { user: 'mallory', password: 'Quiet-Lemon-77' });
      expect(read.status).toBe(403);
    }
  });

  it('knows one name of a power at a time', async () => {
    await server.database.pool.query(
      `insert into repo_object (type, id, rev, data) select type, 'former2', 0, data || '{"roles": ["svc-admin"]}' from repo_object
       where type = 'internal/user' and id = 'svc-admin'`,
    );
    const asFormer = { user: 'former2', password: ADMIN_PASSWORD };
    expect((await server.api('GET', 'info/login', asFormer)).body.authorization.roles).toEqual(['svc-admin']);
    expect((await server.api('GET', 'config/managed', asFormer)).status).toBe(403);
  });

  it('refuses names that objects may have, and one name for two', async () => {
    const start = (text: string) => startTestServer({ files: { 'conf/boot/boot.properties': text } });
    await expect(start('svc.role.admin=staff\n')).rejects.toThrow(/'svc.role' is 'staff'/);
    await expect(start('svc.role.admin=svc-reg\n')).rejects.toThrow(/'svc.role' is 'svc-reg'/);
    await expect(start('svc.role.authorized=svc-scim\n')).rejects.toThrow(/'svc.role' is 'svc-scim'/);
  });
});
