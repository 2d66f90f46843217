import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const js = (source: string, more: object = {}) => ({ type: 'text/javascript', source, ...more });

const file = (path: string, more: object = {}) => ({ type: 'text/javascript', file: path, ...more });
const related = (path: string, reversePropertyName: string) => ({
  type: 'array',
  items: {
    type: 'relationship',
    reverseRelationship: true,
    reversePropertyName,
    resourceCollection: [{ path, query: { queryFilter: 'true' } }],
  },
});

const FILES = {
  'conf/managed.json': {
    objects: [
      {
        name: 'user',
        schema: {
          properties: {
            userName: {
              type: 'string',
              policies: [{ policyId: 'minimum-length', params: { minLength: 3 } }],
            },
          },
        },
        onRetrieve: js(
          "object.effective = require('roles/effectiveRoles').calculateEffectiveRoles(object, 'grants')",
        ),
        onCreate: js("require('stamp').stamp()"),
      },
      { name: 'role' },
      {
        name: 'account',
        schema: {
          properties: {
            user: {
              type: 'relationship',
              resourceCollection: [{ path: 'managed/user', query: { queryFilter: 'true' } }],
            },
          },
        },
      },
      { name: 'joiner', onCreate: file('ui/onCreate-user-set-default-fields.js') },
      {
        name: 'group',
        schema: { properties: { title: { type: 'string' }, people: related('managed/person', 'groups') } },
        onSync: file('roles/update-users-of-role.js', { membersPropName: 'people' }),
      },
      {
        name: 'person',
        schema: {
          properties: {
            groups: related('managed/group', 'people'),
            title: {
              type: 'string',
              isVirtual: true,
              returnByDefault: true,
              onRetrieve: js("(svc.read('managed/group/g') || {}).title || 'none'"),
            },
          },
        },
        onSync: js(
          "svc.create('repo/followed', null, { person: resourceName.leaf(), title: newObject.title })",
        ),
      },
    ],
  },
  'script/tools/loaded.js':
    'function shout(word) { return word.toUpperCase() + company; } var calls = 1; const mark = "!"; object.seen = 1;',
  'script/stamp.js': "exports.stamp = function () { object.stampedBy = company + '/' + request.method; };",
  'conf/script.json': { ECMAScript: {}, properties: { company: 'Example' } },
  'conf/endpoint-guarded.json': js(`
    var authz = require('router-authz');
    if (request.additionalParameters.rules) authz.testAccess(JSON.parse(request.additionalParameters.rules));
    else authz.testAccess();
    'in'`),
  'conf/endpoint-checked.json': js("require('policyFilter').runFilter(); 'passed'", {
    context: 'endpoint/checked*',
  }),
  'conf/endpoint-linkedView.json': js("require('linkedView').fetch(request.resourcePath)", {
    context: 'endpoint/linkedView/*',
  }),
  'conf/sync.json': {
    mappings: [
      {
        name: 'managedUser_systemLdap',
        source: 'managed/user',
        target: 'repo/ldap/account',
        properties: [
          { source: 'userName', target: 'uid' },
          { source: '_id', target: '_id' },
        ],
      },
    ],
  },
};

describe('modules that are shipped', () => {
  let server: TestServer;
  let api: Api;

  beforeAll(async () => {
    server = await startTestServer({ files: FILES });
    api = server.api;
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const value = async (source: string) => {
    const { status, body } = await api('POST', 'script?_action=eval', { body: js(source) });
    if (status !== 200) throw new Error(JSON.stringify(body));
    return body;
  };

  it('lib/lodash works, in many runs of one script and fresh in each', async () => {
    const source = `
      var _ = require('lib/lodash');
      var seen = _.VERSION.split('.')[0] + typeof _.leak;
      _.leak = 1;
      [seen, _.chunk([1, 2, 3], 2), _.get({ a: [{ b: 7 }] }, 'a[0].b'), _.sortBy([3, 1, 2]), _.template('hi <%= n %>')({ n: 'x' })]`;
    for (let round = 0; round < 6; round++) {
      expect(await value(source)).toEqual(['4undefined', [[1, 2], [3]], 7, [1, 2, 3], 'hi x']);
    }
  });

  it('lib/handlebars compiles templates', async () => {
    const source = `
      var handlebars = require('lib/handlebars');
      handlebars.registerHelper('shout', function (text) { return text.toUpperCase(); });
      handlebars.compile('{{#each people}}{{shout name}}, {{/each}}{{{raw}}}{{escaped}}')(
        { people: [{ name: 'a' }, { name: 'b' }], raw: '<', escaped: '<' })`;
    for (let round = 0; round < 3; round++) expect(await value(source)).toBe('A, B, <&lt;');
  });

  it('lib/handlebars can be loaded from where the installation would keep it', async () => {
    const source = `load(identityServer.getInstallLocation() + '/bin/defaults/script/lib/handlebars.js');
      Handlebars.compile('{{a}}!')({ a: 1 })`;
    expect(await value(source)).toBe('1!');
  });

  it('can be replaced by a file of the same path in a source', async () => {
    expect(await value("require('lib/handlebars.js').VERSION")).toMatch(/^\d/);
    await server.project.write('script/lib/handlebars.js', "exports.VERSION = 'ours'");
    expect(await value("require('lib/handlebars').VERSION")).toBe('ours');
  });

  it('see the variables of the script that requires them, and change its object', async () => {
    const { body } = await api('POST', 'managed/user', { body: { userName: 'jane' } });
    expect(body).toMatchObject({ stampedBy: 'Example/create' });
  });

  it('may be plain files as well, which load evaluates in the global scope', async () => {
    const load = (path: string) => `load(${path}); shout('a') + calls + mark + object.seen`;
    const loaded = (source: string, more: object = {}) =>
      api('POST', 'script?_action=eval', { body: { ...js(source), object: {}, ...more } });
    expect((await loaded(load("'tools/loaded.js'"))).body).toBe('AExample1!1');
    expect((await loaded(load("identityServer.getProjectLocation() + '/script/tools/loaded.js'"))).body).toBe(
      'AExample1!1',
    );
    expect((await loaded('typeof shout + typeof mark')).body).toBe('undefinedundefined');
    for (const path of ['nowhere.js', '/etc/passwd', '../conf/../.env', 'tools/../../.svc/keys']) {
      const { status, body } = await loaded(`load('${path}')`);
      expect([status, body.message]).toEqual([
        404,
        expect.stringContaining('is in none of the script sources'),
      ]);
    }
  });

  it('roles/effectiveRoles leaves out grants and roles that are not in effect', async () => {
    const over = [{ duration: '2001-01-01T00:00:00Z/2002-01-01T00:00:00Z' }];
    await api('PUT', 'managed/role/r1', { body: {} });
    await api('PUT', 'managed/role/r2', { body: { temporalConstraints: over } });
    const grants = [
      { _ref: 'managed/role/r1' },
      { _ref: 'managed/role/r2' },
      { _ref: 'managed/role/r1', _refProperties: { temporalConstraints: over } },
      { _ref: 'managed/role/none' },
    ];
    await api('PUT', 'managed/user/granted', { body: { userName: 'granted', grants } });
    const { body } = await api('GET', 'managed/user/granted');
    expect(body.effective).toEqual([{ _ref: 'managed/role/r1' }]);
  });

  it.each<[string, number]>([
    ['', 200],
    ['[{"pattern":"*","roles":"svc-admin","methods":"read","actions":"*"}]', 200],
    ['[{"pattern":"*","roles":"svc-admin","methods":"create,update","actions":"*"}]', 403],
    ['[{"pattern":"*","roles":"svc-authorized-nobody","methods":"*","actions":"*"}]', 403],
    ['[{"pattern":"a/*","roles":"*","methods":"*","actions":"*"}]', 200],
    ['[{"pattern":"a","roles":"*","methods":"*","actions":"*"}]', 403],
    ['[{"pattern":"*","roles":"*","methods":"*","actions":"*","excludePatterns":"x,a/*"}]', 403],
    [
      '[{"pattern":"*","roles":"*","methods":"*","actions":"*","customAuthz":"hasRole(\\"svc-admin\\") && request.method === \\"read\\""}]',
      200,
    ],
    ['[{"pattern":"*","roles":"*","methods":"*","actions":"*","customAuthz":"ownDataOnly()"}]', 403],
  ])('router-authz with the rules %s answers %i', async (rules, status) => {
    const query = rules === '' ? '' : `?rules=${encodeURIComponent(rules)}`;
    expect((await api('GET', `endpoint/guarded/a/b${query}`)).status).toBe(status);
  });

  it('roles/effectiveRoles finds none where the type has no such property, whenever an object is read', async () => {
    expect((await api('PUT', 'managed/user/plain', { body: { userName: 'plain' } })).status).toBe(201);
    const read = await api('GET', 'managed/user/plain');
    expect([read.status, read.body]).toEqual([200, expect.objectContaining({ effective: [] })]);
    const page = await api('GET', `managed/user?_queryFilter=${encodeURIComponent('userName eq "plain"')}`);
    expect([page.status, page.body.result]).toEqual([200, [expect.objectContaining({ effective: [] })]]);
    expect((await api('DELETE', 'managed/user/plain')).status).toBe(200);
  });

  it('policyFilter refuses what breaks a policy, with the requirements', async () => {
    const refused = await api('POST', 'endpoint/checked/managed/user', { body: { userName: 'x' } });
    expect([refused.status, refused.body]).toMatchObject([
      403,
      { detail: { result: false, failedPolicyRequirements: [{ property: 'userName' }] } },
    ]);
    expect((await api('POST', 'endpoint/checked/managed/user', { body: { userName: 'long' } })).status).toBe(
      200,
    );
  });

  it('linkedView shows an object with what it is linked to', async () => {
    await api('PUT', 'managed/user/linked', { body: { userName: 'linked', grants: [] } });
    const { body } = await api('GET', 'endpoint/linkedView/managed/user/linked');
    expect(body).toMatchObject({
      userName: 'linked',
      linkedTo: [
        {
          resourceName: 'repo/ldap/account/linked',
          content: { uid: 'linked' },
          linkQualifier: 'default',
        },
      ],
    });
    expect((await api('GET', 'endpoint/linkedView/managed/user/none')).status).toBe(404);
  });

  it('roles/temporalConstraints tells what is in effect from what never comes back', async () => {
    const source = `var temporal = require('roles/temporalConstraints');
      ['2001-01-01T00:00:00Z/2002-01-01T00:00:00Z', '2001-01-01T00:00:00/2999-01-01T00:00:00', '2998-01-01T00:00:00Z/2999-01-01T00:00:00Z']
        .map(function (duration) {
          var constraints = [{ duration: duration }];
          return [temporal.isInEffect(constraints), temporal.areConstraintsExpired({ temporalConstraints: constraints })];
        })
        .concat([[temporal.isInEffect([]), temporal.areConstraintsExpired({})]])`;
    expect(await value(source)).toEqual([
      [false, true],
      [true, false],
      [false, false],
      [true, false],
    ]);
  });

  it('auth/populateAsManagedUserFromRelationship makes who comes in the active user of their account', async () => {
    const comesIn = async (id: string) => {
      const authorization = { component: 'managed/account', id, roles: ['svc-authorized'] };
      const script = file('auth/populateAsManagedUserFromRelationship.js', { security: { authorization } });
      const { status, body } = await api('POST', 'script?_action=eval', { body: script });
      return status === 200 ? body.authorization : status;
    };
    const authzRoles = [{ _ref: 'repo/internal/role/svc-tasks-manager' }];
    for (const [id, accountStatus] of [
      ['busy', 'active'],
      ['gone', 'inactive'],
    ]) {
      await api('PUT', `managed/user/${id}`, {
        body: { userName: id, accountStatus, authzRoles, grants: [] },
      });
      const account = await api('PUT', `managed/account/of-${id}`, {
        body: { user: { _ref: `managed/user/${id}` } },
      });
      expect(account.status).toBe(201);
    }
    await api('PUT', 'managed/account/of-nobody', { body: {} });
    expect(await comesIn('of-busy')).toMatchObject({
      component: 'managed/user',
      id: 'busy',
      roles: ['svc-authorized', expect.stringContaining('svc-tasks-manager')],
    });
    expect(await Promise.all(['of-gone', 'of-nobody', 'nobody'].map(comesIn))).toEqual([401, 401, 401]);
  });

  it('ui/onCreate-user-set-default-fields gives what nobody has said, and no more', async () => {
    const made = await api('PUT', 'managed/joiner/new', { body: {} });
    expect(made.body).toMatchObject({
      accountStatus: 'active',
      authzRoles: [{ _ref: 'repo/internal/role/svc-authorized' }],
    });
    const said = { accountStatus: 'inactive', authzRoles: [] };
    expect((await api('PUT', 'managed/joiner/known', { body: said })).body).toMatchObject(said);
  });

  it('roles/update-users-of-role and roles/apply-temporal-constraint have those checked whom they concern', async () => {
    await api('PUT', 'managed/group/g', { body: { title: 'old' } });
    await api('PUT', 'managed/person/in', { body: { groups: [{ _ref: 'managed/group/g' }] } });
    await api('PUT', 'managed/person/out', { body: {} });
    const followed = async () => {
      const { body } = await api('GET', 'repo/followed?_queryFilter=true');
      for (const { _id, _rev } of body.result) {
        const { status } = await api('DELETE', `repo/followed/${_id}`, {
          headers: { 'If-Match': `"${_rev}"` },
        });
        expect(status).toBe(200);
      }
      return body.result.map(({ person, title }: { person: string; title: string }) => [person, title]);
    };
    await followed();
    const renamed = [{ operation: 'replace', field: '/title', value: 'new' }];
    expect((await api('PATCH', 'managed/group/g', { body: renamed })).status).toBe(200);
    expect(await followed()).toEqual([['in', 'new']]);
    const applies = (object: object) =>
      api('POST', 'script?_action=eval', { body: file('roles/apply-temporal-constraint.js', { object }) });
    for (const object of [
      { resource: 'managed/person/in' },
      { resource: 'managed/group/g', property: 'people' },
      { resource: 'managed/person/none' },
      { resource: 'managed/group/none', property: 'people' },
    ])
      expect((await applies(object)).status).toBe(200);
  });

  it('crypto makes texts that nobody guesses, of the kinds of characters that are wanted', async () => {
    const make = (rules: object[], length: number) =>
      value(`require('crypto').generateRandomString(${JSON.stringify(rules)}, ${length})`);
    const kinds = ['UPPERCASE', 'LOWERCASE', 'INTEGERS', 'SPECIAL'].map((rule) => ({ rule, minimum: 1 }));
    const made = await Promise.all([1, 2, 3].map(() => make(kinds, 16)));
    expect(new Set(made).size).toBe(3);
    for (const text of made) expect(text).toMatch(/^(?=.*[A-Z])(?=.*[a-z])(?=.*\d)(?=.*[^A-Za-z\d]).{16}$/);
    const few = [
      { rule: 'INTEGERS', minimum: 2, maximum: 2 },
      { rule: 'SPECIAL', minimum: 0, maximum: 0 },
      { rule: 'UPPERCASE', minimum: 0 },
    ];
    expect(await make(few, 6)).toMatch(/^(?=(?:\D*\d){2}\D*$)[A-Z\d]{6}$/);
    await expect(make([{ rule: 'UPERCASE', minimum: 1 }], 4)).rejects.toThrow(/no rule 'UPERCASE'/);
    await expect(make([{ rule: 'INTEGERS', minimum: 5 }], 4)).rejects.toThrow(/more than 4 characters/);
    await expect(make([{ rule: 'INTEGERS', minimum: 1, maximum: 2 }], 4)).rejects.toThrow(/no room for 4/);
    await expect(make([{ rule: 'INTEGERS', minimum: 1 }], 1e9)).rejects.toThrow(/from 0 to 1024/);
    const groovy = {
      type: 'groovy',
      source: "svc.generateRandomString([[rule: 'INTEGERS', minimum: 1]], 9).size()",
    };
    expect((await api('POST', 'script?_action=eval', { body: groovy })).body).toBe(9);
  });

  it('util knows the small things', async () => {
    const source = `var util = require('util');
      [util.isObject({}), util.isObject([]), util.isEmpty({}), util.isEmpty('a'), util.clone({ a: [1] }), util.format('%s is %j', 'a', { b: 1 }, 'more')]`;
    expect(await value(source)).toEqual([true, false, true, false, { a: [1] }, 'a is {"b":1} more']);
  });
});
