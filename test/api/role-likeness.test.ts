import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { callerAs, PASSWORD } from '../support/credentials.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

/** What names a role, and who has one: nobody has a role because theirs looks like it, or because others have it. */
const ROOT = join(import.meta.dirname, '../..');
const SHIPPED = await readFile(join(ROOT, 'script/access.js'), 'utf8');
const DESK = [
  { pattern: 'managed/user/*', roles: 'desk', methods: '*', actions: 'patch' },
  { pattern: 'managed/role', roles: 'desk', methods: 'create,query', actions: '' },
  { pattern: 'managed/role/*', roles: 'desk', methods: '*', actions: '*' },
  { pattern: 'reports/*', roles: 'report-reader', methods: 'read', actions: '' },
  { pattern: 'plans/*', roles: 'managed/role/planner', methods: 'read', actions: '' },
];
const ACCESS = `${SHIPPED}
httpAccessConfig.configs = httpAccessConfig.configs.concat(${JSON.stringify(DESK)});
httpAccessConfig.configs.push(
  { pattern: 'audit/*', roles: '*', methods: 'read,query', actions: '', customAuthz: 'isSupervisor()' });
var teams = require('rights/teams');
function isSupervisor() { return context.security.authorization.roles.indexOf("supervisor") >= 0; }
/* That is all. */`;

/** What access.js requires, and what that does: names of roles stand there alone. */
const MODULES = {
  'script/rights/teams.js': `var lead = require('./lead');
    exports.mayAudit = function (roles) { return roles.indexOf('controller') >= 0 || lead.is(roles); };`,
  'script/rights/lead.js': `exports.is = function (roles) { return roles.indexOf('team-lead') >= 0; };`,
};
const MANAGED = JSON.parse(await readFile(join(ROOT, 'conf/managed.json'), 'utf8'));
MANAGED.objects.find(({ name }: { name: string }) => name === 'user').schema.properties.city.policies = [
  { policyId: 're-auth-required', params: { exceptRoles: ['trusted'] } },
];

let server: TestServer;
let api: Api;
const asDesk = callerAs(() => api, 'dan');
const role = (id: string) => ({ _ref: `managed/role/${encodeURIComponent(id)}` });
const internal = (id: string) => ({ _ref: `repo/internal/role/${encodeURIComponent(id)}` });
const add = (field: string, value: unknown) => ({ body: [{ operation: 'add', field, value }] });
const grant = (to: string, reference: object) =>
  asDesk('PATCH', `managed/user/${to}`, add('/authzRoles/-', reference));
const make = (id: string) =>
  api('PUT', role(id)._ref, { body: { name: `The role ${id}`, description: 'What some have' } });
const configure = (field: string, value: unknown) => api('PATCH', 'config/authentication', add(field, value));
const rolesOf = async (id: string) =>
  (await api('GET', 'info/login', { user: id, password: PASSWORD })).body.authorization.roles;
const refused = { status: 403, body: { detail: { id: 'ROLE_NOT_YOURS' } } };
const badName = { status: 400, body: { detail: { id: 'ROLE_NAME' } } };

beforeAll(async () => {
  server = await startTestServer({
    files: { 'script/access.js': ACCESS, 'conf/managed.json': MANAGED, ...MODULES },
  });
  api = server.api;
  const own = ['desk', 'report-reader', 'supervisor', 'roleadmin', 'planner', 'gardener'];
  for (const id of [...own, 'controller', 'team-lead', 'trusted']) await make(id);
  for (const id of [' report-reader', 'supervisor\u3000', 'planner'])
    await api('PUT', internal(id)._ref, { body: { description: id } });
  const authzRoles = [
    role('desk'),
    internal(' report-reader'),
    internal('supervisor\u3000'),
    internal('planner'),
  ];
  for (const [userName, roles] of [
    ['dan', authzRoles],
    ['uma', []],
  ] as const) {
    const [mail, sn] = [`${userName}@example.com`, 'Son'];
    const body = { userName, mail, sn, givenName: 'Per', password: PASSWORD, authzRoles: roles };
    expect((await api('PUT', `managed/user/${userName}`, { body })).status).toBe(201);
  }
});
afterAll(() => server?.[Symbol.asyncDispose]());

describe('who has a role that only looks like another one', () => {
  it.each(['report-reader', 'supervisor', 'planner'])('does not grant that: %s', async (id) => {
    expect(await grant('dan', role(id))).toMatchObject(refused);
    expect(await grant('uma', role(id))).toMatchObject(refused);
  });

  it('grants its own', async () => {
    expect((await grant('uma', role('desk'))).status).toBe(200);
    for (const id of [' report-reader', 'planner'])
      expect((await grant('uma', internal(id))).status).toBe(200);
  });
});

describe('a role that the configuration names', () => {
  it.each([
    ['controller', 'a module that script/access.js requires'],
    ['team-lead', 'one that this requires'],
    ['trusted', 'a policy that excepts it'],
  ])('is nobody else’s to grant, wherever it stands: %s in %s', async (id) => {
    expect(await grant('dan', role(id))).toMatchObject(refused);
    expect((await grant('uma', role('gardener'))).status).not.toBe(403);
  });

  it('is nobody else’s to grant where those who have it grant any', async () => {
    expect((await grant('uma', role('roleadmin'))).status).toBe(200);
    expect((await configure('/serverAuthContext/grantsAnyRole', ['RoleAdmin'])).status).toBe(200);
    expect(await grant('dan', role('roleadmin'))).toMatchObject(refused);
    expect((await configure('/serverAuthContext/grantsAnyRole', ['roleadmin'])).status).toBe(200);
    expect(await grant('dan', role('roleadmin'))).toMatchObject(refused);
    const asAdmin = callerAs(() => api, 'uma');
    const given = add('/authzRoles/-', role('report-reader'));
    expect((await asAdmin('PATCH', 'managed/user/uma', given)).status).toBe(200);
    await configure('/serverAuthContext/grantsAnyRole', []);
  });

  it('is not had by all because those have it who come in by another module', async () => {
    const { body } = await api('GET', 'config/authentication');
    const proxied = {
      name: 'TRUSTED_ATTRIBUTE',
      enabled: true,
      properties: {
        authenticationIdAttribute: 'X-Remote-User',
        trustedProxies: ['10.9.9.9'],
        queryOnResource: 'managed/user',
        propertyMapping: { authenticationId: 'userName', userRoles: 'authzRoles' },
        defaultUserRoles: ['svc-authorized', 'supervisor', 'svc-tasks-manager'],
      },
    };
    const { authModules } = body.serverAuthContext;
    expect((await configure('/serverAuthContext/authModules', [...authModules, proxied])).status).toBe(200);
    await api('PUT', internal('svc-tasks-manager')._ref, { body: { description: 'All tasks' } });
    for (const reference of [role('supervisor'), internal('svc-tasks-manager')])
      expect(await grant('dan', reference)).toMatchObject(refused);
    expect(await rolesOf('dan')).not.toContain('supervisor');
    expect((await grant('uma', internal('svc-authorized'))).status).toBe(200);
    await configure('/serverAuthContext/authModules', authModules);
  });
});

describe('the name of a new role to log in with', () => {
  it.each(['supervisor ', ' supervisor', '\uff53upervisor', 'super\u200bvisor', 'Supervisor'])(
    'is none that may be taken for another one: %j',
    async (id) => {
      expect(await make(id)).toMatchObject(badName);
      expect(await api('PUT', `${role(id)._ref}?_dryRun=true`, { body: { name: id } })).toMatchObject(
        badName,
      );
      expect((await api('GET', role(id)._ref)).status).toBe(404);
    },
  );

  it('leaves those alone that are there, and names that are like no other one', async () => {
    expect((await make('Line manager')).status).toBe(201);
    await sql`insert into managed_object (type, id, rev, data) values ('role', 'Gardener', '1', '{"name": "G"}')`.execute(
      server.database.db,
    );
    for (const id of ['Gardener', 'gardener'])
      expect((await api('PATCH', role(id)._ref, add('/description', 'Of the park'))).status).toBe(200);
  });
});

describe('what is no text', () => {
  const odd = { toString: 1, valueOf: 1 };

  it.each([
    ['a method', [{ method: odd, path: 'info/login' }], 400],
    [
      'a field of a patch',
      [{ method: 'action', path: 'managed/user/dan', action: 'patch', content: [{ field: odd }] }],
      200,
    ],
  ])('is asked about as such: %s', async (_what, body, status) => {
    expect((await asDesk('POST', 'access?_action=may', { body })).status).toBe(status);
  });

  it('is no operation of SCIM', async () => {
    const body = { Operations: [{ op: odd, path: 'userName', value: 'x' }] };
    const headers = { 'Content-Type': 'application/scim+json' };
    const answer = await fetch(`${server.url}/scim/v2/Me`, {
      method: 'PATCH',
      headers: { ...headers, Authorization: `Basic ${btoa(`dan:${PASSWORD}`)}` },
      body: JSON.stringify(body),
    });
    expect(answer.status).toBe(400);
  });
});
