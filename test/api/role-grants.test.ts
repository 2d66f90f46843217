import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { callerAs, PASSWORD } from '../support/credentials.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import '../support/takes-long.ts';

/** Who may write accounts, and is no administrator, has roles of their own and makes nobody more than they are. */
const ROOT = join(import.meta.dirname, '../..');
const SHIPPED = await readFile(join(ROOT, 'script/access.js'), 'utf8');
const DESK = [
  { pattern: 'managed/user', roles: 'desk', methods: 'create,query,patch,action', actions: 'patch' },
  { pattern: 'managed/user/*', roles: 'desk', methods: '*', actions: 'patch' },
  { pattern: 'managed/role', roles: 'desk', methods: 'create,query', actions: '' },
  { pattern: 'managed/role/*', roles: 'desk', methods: '*', actions: '*' },
  { pattern: 'managed/team', roles: 'desk', methods: 'create,query', actions: '' },
  { pattern: 'managed/team/*', roles: 'desk', methods: '*', actions: '*' },
  { pattern: 'managed/login/*', roles: 'desk', methods: '*', actions: '*' },
  { pattern: 'managed/login', roles: 'desk', methods: 'create', actions: '' },
  { pattern: 'reports/*', roles: 'report-reader', methods: 'read', actions: '' },
  { pattern: 'reviews/*', roles: '*', methods: 'read', customAuthz: "hasRole('reviewer')" },
  { pattern: 'cluster', roles: 'svc-authorized', methods: 'read', customAuthz: 'isChief()' },
];
const ACCESS = `${SHIPPED}
httpAccessConfig.configs = httpAccessConfig.configs.concat(${JSON.stringify(DESK)});
function isChief() { return context.security.authorization.roles.indexOf("chief") >= 0; }`;
/** By this one some may start a process. */
const STARTS = {
  workflowAccess: [
    { propertiesCheck: { property: 'key', matches: '.*', requiresRole: 'managed/role/starter' } },
  ],
};
const ADMIN = { _ref: 'repo/internal/role/svc-admin' };
const managed = (id: string) => ({ _ref: `managed/role/${id}` });

let server: TestServer;
let api: Api;
const asDesk = callerAs(() => api, 'dan');
const person = (userName: string, more: object = {}) => ({
  userName,
  givenName: 'Per',
  sn: 'Son',
  mail: `${userName}@example.com`,
  password: PASSWORD,
  ...more,
});
const rolesOf = async (id: string): Promise<string[]> => {
  const { body } = await api('GET', `managed/user/${id}?_fields=authzRoles`);
  return body.authzRoles.map(({ _ref }: { _ref: string }) => _ref);
};
const patch = (field: string, value: unknown) => ({ body: [{ operation: 'add', field, value }] });
const configure = (field: string, value: unknown) =>
  api('PATCH', 'config/authentication', { body: [{ operation: 'add', field, value }] });
const USER_ROLES = '/serverAuthContext/authModules/1/properties/propertyMapping/userRoles';
const refused = { status: 403, body: { detail: { id: 'ROLE_NOT_YOURS' } } };

beforeAll(async () => {
  server = await startTestServer({
    files: { 'script/access.js': ACCESS, 'conf/process-access.json': JSON.stringify(STARTS) },
  });
  api = server.api;
  for (const id of ['desk', 'report-reader', 'gardener', 'reviewer', 'chief', 'starter'])
    await api('PUT', `managed/role/${id}`, { body: { name: id, description: id } });
  await api('PUT', 'managed/user/dan', { body: person('dan', { authzRoles: [managed('desk')] }) });
  await api('PUT', 'managed/user/uma', { body: person('uma') });
  await api('PUT', 'managed/user/gus', { body: person('gus', { authzRoles: [ADMIN, managed('gardener')] }) });
  const certified = { authzRoles: [{ _ref: 'repo/internal/role/svc-cert' }] };
  await api('PUT', 'managed/user/cora', { body: person('cora', certified) });
});
afterAll(() => server?.[Symbol.asyncDispose]());

describe('a help desk that may write all users and roles', () => {
  it.each([
    ['itself, by a patch', () => asDesk('PATCH', 'managed/user/dan', patch('/authzRoles/-', ADMIN))],
    [
      'itself, by a patch of somebody whom a query finds',
      () =>
        asDesk('POST', `managed/user?_action=patch&_queryFilter=${encodeURIComponent('userName eq "dan"')}`, {
          body: patch('/authzRoles/-', ADMIN).body,
        }),
    ],
    ['itself, by its relationship', () => asDesk('POST', 'managed/user/dan/authzRoles', { body: ADMIN })],
    [
      'somebody new',
      () => asDesk('PUT', 'managed/user/eva', { body: person('eva', { authzRoles: [ADMIN] }) }),
    ],
    [
      'somebody, whatever the case of the name',
      () =>
        asDesk(
          'PATCH',
          'managed/user/uma',
          patch('/authzRoles/-', { _ref: 'repo/internal/role/svc%2Dadmin' }),
        ),
    ],
    [
      'somebody, a role that a rule names',
      () => asDesk('PATCH', 'managed/user/uma', patch('/authzRoles/-', managed('report-reader'))),
    ],
    [
      'somebody, from the side of the role',
      () =>
        asDesk('PATCH', 'managed/role/report-reader', patch('/authzMembers/-', { _ref: 'managed/user/uma' })),
    ],
    [
      'somebody, at the endpoint of the role',
      () => asDesk('POST', 'managed/role/report-reader/authzMembers', { body: { _ref: 'managed/user/uma' } }),
    ],
    [
      'somebody in a rehearsal',
      () => asDesk('PATCH', 'managed/user/uma?_dryRun=true', patch('/authzRoles/-', ADMIN)),
    ],
  ])('gives no role that opens more than its own to %s', async (_title, ask) => {
    expect(await ask()).toMatchObject(refused);
    expect(await rolesOf('dan')).toEqual(['managed/role/desk']);
    expect(await rolesOf('uma')).toEqual(['repo/internal/role/svc-authorized']);
    expect((await api('GET', 'managed/user/eva')).status).toBe(404);
  });

  it.each([
    ['a condition', 'reviewer'],
    ['a function that a condition calls', 'chief'],
    ['process-access.json', 'starter'],
  ])('gives no role that %s names, and comes in as nobody who has it', async (_where, id) => {
    expect(await asDesk('PATCH', 'managed/user/dan', patch('/authzRoles/-', managed(id)))).toMatchObject(
      refused,
    );
    expect(
      await asDesk('POST', `managed/role/${id}/authzMembers`, { body: { _ref: 'managed/user/dan' } }),
    ).toMatchObject(refused);
    await api('PUT', 'managed/user/rik', { body: person('rik', { authzRoles: [managed(id)] }) });
    expect(await asDesk('PATCH', 'managed/user/rik', patch('/password', 'Another-passw0rd'))).toMatchObject({
      status: 403,
      body: { detail: { id: 'ACCOUNT_NOT_YOURS' } },
    });
  });

  it('gives roles that it has itself, that all have, and that no rule names', async () => {
    const granted = [managed('desk'), managed('gardener'), { _ref: 'repo/internal/role/svc-authorized' }];
    const made = await asDesk('PUT', 'managed/user/finn', { body: person('finn', { authzRoles: granted }) });
    expect(made.status).toBe(201);
    expect(await rolesOf('finn')).toEqual(granted.map(({ _ref }) => _ref));
    const business = await asDesk('PATCH', 'managed/user/uma', patch('/roles/-', managed('report-reader')));
    expect(business.status).toBe(200);
  });

  it('takes roles that are its to grant, and sends back those that are there', async () => {
    const { body } = await asDesk('GET', 'managed/user/gus?_fields=*,authzRoles');
    expect((await asDesk('PUT', 'managed/user/gus', { body: { ...body, city: 'Bern' } })).status).toBe(200);
    const { authzRoles: _, ...others } = body;
    expect((await asDesk('PUT', 'managed/user/gus', { body: { ...others, city: 'Chur' } })).status).toBe(200);
    expect(await rolesOf('gus')).toEqual([ADMIN._ref, 'managed/role/gardener']);
    const taken = { body: [{ operation: 'replace', field: '/authzRoles', value: [ADMIN] }] };
    expect((await asDesk('PATCH', 'managed/user/gus', taken)).status).toBe(200);
    expect(await rolesOf('gus')).toEqual([ADMIN._ref]);
  });

  it.each([
    [
      'by a patch',
      () =>
        asDesk('PATCH', 'managed/user/gus', {
          body: [{ operation: 'replace', field: '/authzRoles', value: [] }],
        }),
    ],
    ['by a PUT', () => asDesk('PUT', 'managed/user/gus', { body: { ...person('gus'), authzRoles: [] } })],
    [
      'at the endpoint of the account',
      async () => {
        const { body } = await api('GET', 'managed/user/gus/authzRoles?_queryFilter=true');
        const edge = body.result.find(({ _ref }: { _ref: string }) => _ref === ADMIN._ref);
        return asDesk('DELETE', `managed/user/gus/authzRoles/${edge._refProperties._id}`);
      },
    ],
  ])('takes none away that opens more than its own, %s', async (_title, ask) => {
    expect(await ask()).toMatchObject(refused);
    expect(await rolesOf('gus')).toContain(ADMIN._ref);
  });

  it('deletes no role that opens more than its own, and with it what its members have', async () => {
    await api('PATCH', 'managed/user/gus', patch('/authzRoles/-', managed('report-reader')));
    for (const path of ['managed/role/report-reader', 'managed/role/report-reader?_dryRun=true'])
      expect(await asDesk('DELETE', path)).toMatchObject(refused);
    expect(await rolesOf('gus')).toContain('managed/role/report-reader');
    await api('PUT', 'managed/role/passing', { body: { name: 'passing', description: 'passing' } });
    expect((await asDesk('DELETE', 'managed/role/passing')).status).toBe(200);
  });

  it('takes nobody out of such a role from its other side', async () => {
    await api('PATCH', 'managed/user/gus', patch('/authzRoles/-', managed('report-reader')));
    const none = { body: [{ operation: 'replace', field: '/authzMembers', value: [] }] };
    expect(await asDesk('PATCH', 'managed/role/report-reader', none)).toMatchObject(refused);
    expect(await rolesOf('gus')).toContain('managed/role/report-reader');
  });

  it('grants what it does not have where the project says so, which is told to whoever looks at the configuration', async () => {
    const say = (roles: string[]) => configure('/serverAuthContext/grantsAnyRole', roles);
    const grant = () => asDesk('PATCH', 'managed/user/uma', patch('/authzRoles/-', managed('report-reader')));
    expect((await say(['other'])).status).toBe(200);
    expect((await grant()).status).toBe(403);
    expect((await say(['desk'])).status).toBe(200);
    expect((await grant()).status).toBe(200);
    expect(await rolesOf('uma')).toContain('managed/role/report-reader');
    expect((await say(['*'])).status).toBe(200);
    await server.observed('config.warned', ({ message }) => message.includes('AUTH_GRANTS_ANY_ROLE'));
    await say([]);
  });
});

describe('an account that has more than whoever may write it', () => {
  const asCertified = callerAs(() => api, 'cora');
  const asSelf = callerAs(() => api, 'gus');
  const NEW = 'Another-passw0rd';
  const replace = (field: string, value: unknown) => ({ body: [{ operation: 'replace', field, value }] });
  const named = (userName: string) =>
    `managed/user?_action=patch&_queryFilter=${encodeURIComponent(`userName eq "${userName}"`)}`;
  const isRefused = { status: 403, body: { detail: { id: 'ACCOUNT_NOT_YOURS' } } };
  const comesIn = async (user: string, password: string) =>
    (await api('GET', 'info/login', { user, password })).status === 200;

  it.each([
    ['sets its password', () => asDesk('PATCH', 'managed/user/gus', replace('/password', NEW))],
    [
      'puts its password',
      () => asDesk('PUT', 'managed/user/gus', { body: person('gus', { password: NEW }) }),
    ],
    ['sets its password by a query', () => asDesk('POST', named('gus'), replace('/password', NEW))],
    ['sets its name', () => asDesk('PATCH', 'managed/user/gus', replace('/userName', 'gustave'))],
    [
      'takes its password',
      () => asDesk('PATCH', 'managed/user/gus', { body: [{ operation: 'remove', field: '/password' }] }),
    ],
    [
      'sets its password by a certificate',
      () => asCertified('POST', named('gus'), replace('/password', NEW)),
    ],
    [
      'sets its password in a rehearsal',
      () => asDesk('PATCH', 'managed/user/gus?_dryRun=true', replace('/password', NEW)),
    ],
  ])('is come in by as nobody else: nobody %s', async (_title, ask) => {
    expect(await ask()).toMatchObject(isRefused);
    expect(await comesIn('gus', PASSWORD)).toBe(true);
  });

  it('is changed otherwise, and sets its own password', async () => {
    expect((await asDesk('PATCH', 'managed/user/gus', replace('/city', 'Biel'))).status).toBe(200);
    const own = { ...replace('/password', NEW), headers: { 'X-Svc-Reauth-Password': PASSWORD } };
    expect((await asSelf('PATCH', 'managed/user/gus', own)).status).toBe(200);
    expect(await comesIn('gus', NEW)).toBe(true);
    expect((await api('PATCH', 'managed/user/gus', replace('/password', PASSWORD))).status).toBe(200);
  });

  it('is none that has what all have, and what no rule names', async () => {
    await api('PUT', 'managed/user/ivo', { body: person('ivo', { authzRoles: [managed('gardener')] }) });
    expect((await asDesk('PATCH', 'managed/user/ivo', replace('/password', NEW))).status).toBe(200);
    expect((await asCertified('POST', named('ivo'), replace('/password', `${NEW}2`))).status).toBe(200);
    expect(await comesIn('ivo', `${NEW}2`)).toBe(true);
  });
});

describe('a project where business roles are those that one logs in with', () => {
  const source = "require('roles/effectiveRoles').calculateEffectiveRoles(object, 'roles')";
  const onRetrieve = { type: 'text/javascript', source };
  const calculated = { type: 'array', items: { type: 'object' }, isVirtual: true, returnByDefault: true };
  it.each([
    ['the server', { queryConfig: { referencedRelationshipFields: ['roles'] } }],
    ['a script of the field', { onRetrieve }],
  ])('bounds them as %s reads them, however they are granted, by a condition, too', async (_by, how) => {
    const { body: types } = await api('GET', 'config/managed');
    const { properties } = types.objects.find(({ name }: { name: string }) => name === 'user').schema;
    properties.effectiveRoles = { ...calculated, ...how };
    expect((await api('PUT', 'config/managed', { body: types })).status).toBe(200);
    expect((await configure(USER_ROLES, 'effectiveRoles')).status).toBe(200);
    await api('PATCH', 'managed/user/dan', {
      body: [{ operation: 'replace', field: '/roles', value: [managed('desk')] }],
    });
    const by = { body: [{ operation: 'add', field: '/condition', value: 'userName eq "uma"' }] };
    await api('PATCH', 'managed/user/uma', { body: [{ operation: 'replace', field: '/roles', value: [] }] });
    expect(
      await asDesk('PATCH', 'managed/user/uma', patch('/roles/-', managed('report-reader'))),
    ).toMatchObject(refused);
    expect(await asDesk('PATCH', 'managed/role/report-reader', by)).toMatchObject(refused);
    expect((await asDesk('PATCH', 'managed/role/gardener', by)).status).toBe(200);
    const over = [{ duration: '2001-01-01T00:00:00.000Z/2002-01-01T00:00:00.000Z' }];
    const ended = { body: [{ operation: 'add', field: '/temporalConstraints', value: over }] };
    expect(await asDesk('PATCH', 'managed/role/report-reader', ended)).toMatchObject(refused);
    expect((await asDesk('PATCH', 'managed/role/gardener', ended)).status).toBe(200);
    await api('PUT', 'managed/user/rea', { body: person('rea', { roles: [managed('report-reader')] }) });
    const password = { body: [{ operation: 'replace', field: '/password', value: 'Another-passw0rd' }] };
    expect(await asDesk('PATCH', 'managed/user/rea', password)).toMatchObject({
      status: 403,
      body: { detail: { id: 'ACCOUNT_NOT_YOURS' } },
    });
    await configure(USER_ROLES, 'authzRoles');
    await asDesk('PATCH', 'managed/role/gardener', {
      body: ['/condition', '/temporalConstraints'].map((field) => ({ operation: 'remove', field })),
    });
  });
});

describe("a project where one logs in with the roles of one's teams as well", () => {
  const references = (path: string, reversePropertyName: string | null) => ({
    type: 'array',
    items: {
      type: 'relationship',
      reverseRelationship: reversePropertyName !== null,
      ...(reversePropertyName === null ? {} : { reversePropertyName }),
      resourceCollection: [{ path }],
    },
  });
  const team = (id: string) => ({ _ref: `managed/team/${id}` });
  const admins = { ...team('admins'), _refProperties: {} };

  beforeAll(async () => {
    const { body: types } = await api('GET', 'config/managed');
    const user = types.objects.find(({ name }: { name: string }) => name === 'user');
    user.schema.properties.teams = references('managed/team', 'people');
    user.schema.properties.allRoles = {
      type: 'array',
      isVirtual: true,
      items: { type: 'object' },
      queryConfig: { referencedRelationshipFields: [['authzRoles'], ['teams', 'roles']] },
    };
    const properties = {
      name: { type: 'string' },
      people: references('managed/user', 'teams'),
      roles: references('repo/internal/role', null),
    };
    types.objects.push({ name: 'team', schema: { properties } });
    expect((await api('PUT', 'config/managed', { body: types })).status).toBe(200);
    expect((await configure(USER_ROLES, 'allRoles')).status).toBe(200);
    await api('PUT', 'managed/team/admins', { body: { name: 'admins', roles: [ADMIN] } });
    await api('PUT', 'managed/team/others', {
      body: { name: 'others', people: [{ _ref: 'managed/user/dan' }] },
    });
    await api('PUT', 'managed/user/tia', { body: person('tia', { teams: [team('admins')] }) });
  });
  afterAll(() => configure(USER_ROLES, 'authzRoles'));

  it.each([
    [
      'brings nobody into a team that has more',
      () => asDesk('POST', 'managed/user/dan/teams', { body: admins }),
    ],
    [
      'nor from its side',
      () => asDesk('PATCH', 'managed/team/admins', patch('/people/-', { _ref: 'managed/user/dan' })),
    ],
    ['gives a team none', () => asDesk('PATCH', 'managed/team/others', patch('/roles/-', ADMIN))],
    [
      'makes none with such roles',
      () => asDesk('PUT', 'managed/team/new', { body: { name: 'new', roles: [ADMIN] } }),
    ],
    [
      'takes nobody out of one',
      () =>
        asDesk('PATCH', 'managed/user/tia', { body: [{ operation: 'replace', field: '/teams', value: [] }] }),
    ],
    ['deletes none that has more', () => asDesk('DELETE', 'managed/team/admins')],
  ])('%s', async (_title, ask) => {
    expect(await ask()).toMatchObject(refused);
  });

  it('takes from all who are in a team, with its end, what it has brought, and says whose that was', async () => {
    await api('PUT', 'managed/team/passing', { body: { name: 'passing', roles: [ADMIN] } });
    await api('PUT', 'managed/user/ted', { body: person('ted', { teams: [team('passing')] }) });
    const asTed = callerAs(() => api, 'ted');
    expect((await asTed('GET', 'config/audit')).status).toBe(200);
    const deleted = await api('DELETE', 'managed/team/passing');
    expect(deleted.status).toBe(200);
    expect((await asTed('GET', 'config/audit')).status).toBe(403);
    const filter = encodeURIComponent('objectId eq "managed/team/passing" and operation eq "DELETE"');
    const { body } = await api('GET', `audit/activity?_queryFilter=${filter}`);
    expect(body.result).toMatchObject([{ userId: 'svc-admin', operation: 'DELETE' }]);
  });

  it('comes in as nobody of such a team, and moves people between others', async () => {
    expect(await asDesk('PATCH', 'managed/user/tia', patch('/password', 'Another-passw0rd'))).toMatchObject({
      status: 403,
      body: { detail: { id: 'ACCOUNT_NOT_YOURS' } },
    });
    expect((await asDesk('PATCH', 'managed/user/uma', patch('/teams/-', team('others')))).status).toBe(200);
  });
});

describe('a project where the script of a module makes managed users of those who come in', () => {
  const SUBJECT = (name: string) => `CN=${name}, O=Example`;
  const asCertified =
    (name: string) =>
    (method: string, path: string, options: object = {}) =>
      api(method, path, {
        ...options,
        headers: { 'X-Client-Cert-Subject': SUBJECT(name) },
        user: null,
      });
  const script = (name: string) => ({ type: 'text/javascript', file: `auth/${name}.js` });
  const certificates = {
    name: 'CLIENT_CERT',
    properties: {
      header: 'x-client-cert-subject',
      trustedProxies: ['127.0.0.1', '::1'],
      allowedAuthenticationIdPatterns: ['CN=\\w+, O=Example'],
      augmentSecurityContext: script('populateAsManagedUser'),
    },
  };
  const logins = {
    name: 'MANAGED_USER',
    properties: {
      queryOnResource: 'managed/login',
      propertyMapping: { authenticationId: 'name', userCredential: 'password' },
      augmentSecurityContext: script('populateAsManagedUserFromRelationship'),
    },
  };
  let before: { serverAuthContext: { authModules: { name: string }[] } };
  let types: { objects: { name: string; schema?: object }[] };

  beforeAll(async () => {
    before = (await api('GET', 'config/authentication')).body;
    types = (await api('GET', 'config/managed')).body;
    const user = { type: 'relationship', resourceCollection: [{ path: 'managed/user' }] };
    const password = { type: 'string', secureHash: { algorithm: 'SHA-512' } };
    const login = { name: 'login', schema: { properties: { name: { type: 'string' }, password, user } } };
    const body = { objects: [...types.objects, login] };
    expect((await api('PUT', 'config/managed', { body })).status).toBe(200);
    const internal = before.serverAuthContext.authModules.filter(({ name }) => name === 'INTERNAL_USER');
    const authModules = [certificates, logins, ...internal];
    const changed = { body: { serverAuthContext: { authModules } } };
    expect((await api('PUT', 'config/authentication', changed)).status).toBe(200);
    const make = (id: string, authzRoles: object[]) =>
      api('PUT', `managed/user/${id}`, {
        body: { userName: SUBJECT(id), givenName: 'Per', sn: 'Son', mail: `${id}@example.com`, authzRoles },
      });
    expect((await make('dina', [managed('desk')])).status).toBe(201);
    expect((await make('rhea', [ADMIN])).status).toBe(201);
    expect((await make('olaf', [])).status).toBe(201);
  });
  afterAll(async () => {
    await api('PUT', 'config/authentication', { body: before });
    await api('PUT', 'config/managed', { body: types });
  });

  const asDina = asCertified('dina');
  it.each([
    [
      'gives itself none of their roles',
      () => asDina('PATCH', 'managed/user/dina', patch('/authzRoles/-', ADMIN)),
    ],
    [
      'makes nobody come in as who has more',
      () =>
        asDina('PUT', 'managed/login/mine', { body: { name: 'mine', user: { _ref: 'managed/user/rhea' } } }),
    ],
  ])('%s', async (_title, ask) => {
    expect((await asDina('GET', 'info/login')).body.authorization.roles).toContain('desk');
    expect(await ask()).toMatchObject(refused);
    expect((await asDina('GET', 'config/audit')).status).toBe(403);
  });

  it('gives who has more no name by which somebody else comes in', async () => {
    const renamed = { body: [{ operation: 'replace', field: '/userName', value: SUBJECT('dora') }] };
    expect(await asDina('PATCH', 'managed/user/rhea', renamed)).toMatchObject({
      status: 403,
      body: { detail: { id: 'ACCOUNT_NOT_YOURS' } },
    });
    expect((await asDina('PATCH', 'managed/user/olaf', renamed)).status).toBe(200);
    const ordinary = { body: { name: 'olafs', user: { _ref: 'managed/user/olaf' } } };
    expect((await asDina('PUT', 'managed/login/olafs', ordinary)).status).toBe(201);
  });
});
