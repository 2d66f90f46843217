import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const script = (source: string) => ({ type: 'text/javascript', source });

const FILES = {
  'conf/managed.json': {
    objects: [
      {
        name: 'person',
        schema: {
          required: ['name', 'kind'],
          properties: {
            _id: {
              type: 'string',
              policies: [{ policyId: 'cannot-contain-characters', params: { forbiddenChars: ['/'] } }],
            },
            name: { type: 'string', minLength: 2, policies: [{ policyId: 'unique' }] },
            kind: { type: 'string' },
            age: { type: ['integer', 'null'] },
            size: { type: ['number'] },
            code: { type: 'string', pattern: '^[A-Z]+$' },
            password: {
              type: 'string',
              minLength: 8,
              scope: 'private',
              secureHash: { algorithm: 'SHA-256' },
              policies: [
                { policyId: 'at-least-X-capitals', params: { numCaps: 1 } },
                { policyId: 'at-least-X-numbers', params: { numNums: 1 } },
                { policyId: 'cannot-contain-others', params: { disallowedFields: ['name'] } },
              ],
            },
            address: {
              type: 'object',
              properties: { city: { type: 'string', required: true, minLength: 2 } },
            },
            tags: { type: 'array', items: { type: 'string', minLength: 2 } },
            phone: {
              type: 'string',
              conditionalPolicies: [
                {
                  condition: script("fullObject.kind === 'employee'"),
                  dependencies: ['kind'],
                  policies: [{ policyId: 'valid-phone-format' }],
                },
              ],
              fallbackPolicies: [{ policyId: 'minimum-length', params: { minLength: 3 } }],
            },
            motto: { type: 'string', policies: [{ policyId: 'palindrome', params: { of: 'letters' } }] },
          },
        },
        onCreate: script("object.kind = object.kind || 'guest'; if (object.spoil) { object.code = 'low'; }"),
      },
      {
        name: 'odd',
        schema: { properties: { level: { type: 'string', policies: [{ policyId: 'unheard-of' }] } } },
      },
      {
        name: 'account',
        schema: {
          properties: {
            nick: { type: 'string', policies: [{ policyId: 'no-digits', params: { most: 1 } }] },
            plan: { type: 'string', policies: [{ policyId: 'known-plan' }] },
            broken: { type: 'string', policies: [{ policyId: 'breaks' }] },
            team: {
              type: 'string',
              conditionalPolicies: [
                {
                  condition: { type: 'groovy', source: "fullObject.plan == 'group' && propName == 'team'" },
                  dependencies: ['plan'],
                  policies: [{ policyId: 'minimum-length', params: { minLength: 3 } }],
                },
              ],
            },
          },
        },
      },
      { name: 'plain', schema: { required: ['name'], properties: { name: { type: 'string' } } } },
    ],
  },
  'conf/policy.json': {
    additionalFiles: ['policies/account.groovy', 'policies/palindrome.js'],
    resources: [
      { resource: 'managed/plain/*', properties: [{ name: 'name', policies: [{ policyId: 'not-empty' }] }] },
    ],
  },
  'script/policies/account.groovy': `import java.util.regex.Pattern
// By a method, by a closure, and one that fails.
addPolicy(policyId: 'no-digits', policyExec: 'withoutDigits', policyRequirements: ['NO_DIGITS'], validateOnlyIfPresent: true)
addPolicy policyId: 'known-plan', policyRequirements: ['KNOWN_PLAN'], policyExec: { fullObject, value ->
  value in [null, 'single', 'group'] ? [] : [[policyRequirement: 'KNOWN_PLAN', params: [plan: value, by: fullObject.nick]]]
}
addPolicy(policyId: 'breaks', policyExec: { fullObject, value ->
  if (value != null) throw new IllegalStateException("cannot judge \${value}")
})

List withoutDigits(fullObject, String value, Map params, propName) {
  def digits = Pattern.compile(/\\d/).matcher(value)
  if (digits.count <= params.most) return []
  [[policyRequirement: 'NO_DIGITS', params: [in: propName, method: request.method, failed: failedPolicyRequirements.size()]]]
}
`,
  'script/policies/palindrome.js': `addPolicy({
      policyId: 'palindrome', policyExec: 'isPalindrome', policyRequirements: ['PALINDROME'],
      clientValidation: true, validateOnlyIfPresent: true
    });
    function isPalindrome(fullObject, value, params, propName) {
      var letters = value.replace(/[^a-z]/gi, '').toLowerCase();
      if (letters === letters.split('').reverse().join('')) { return []; }
      return [{ policyRequirement: 'PALINDROME', params: { of: params.of, in: propName, by: fullObject.name,
        method: request.method, failed: this.failedPolicyRequirements.length } }];
    }`,
};

type Failure = { property: string; policyRequirements: { policyRequirement: string; params?: object }[] };

describe('policies', () => {
  let server: TestServer;
  let api: Api;

  beforeAll(async () => {
    server = await startTestServer({ files: FILES });
    api = server.api;
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const failed = (body: { detail?: { failedPolicyRequirements: Failure[] } }) =>
    (body.detail?.failedPolicyRequirements ?? []).map(({ property, policyRequirements }) => [
      property,
      policyRequirements[0]!.policyRequirement,
    ]);
  const post = (body: object) => api('POST', 'managed/person', { body });
  const patch = (id: string, ...body: object[]) => api('PATCH', `managed/person/${id}`, { body });

  it('may be written in Groovy, as methods, closures and conditions', async () => {
    const account = (body: object) => api('POST', 'managed/account', { body });
    expect(await account({ nick: 'anna1', plan: 'group', team: 'red' })).toMatchObject({ status: 201 });
    const refused = await account({ nick: 'anna12', plan: 'gold', team: 'r' });
    expect(refused.status).toBe(403);
    expect(refused.body['detail']).toMatchObject({
      failedPolicyRequirements: [
        {
          property: 'nick',
          policyRequirements: [
            { policyRequirement: 'NO_DIGITS', params: { in: 'nick', method: 'create', failed: 0 } },
          ],
        },
        {
          property: 'plan',
          policyRequirements: [{ policyRequirement: 'KNOWN_PLAN', params: { plan: 'gold', by: 'anna12' } }],
        },
      ],
    });
    expect(failed((await account({ plan: 'group', team: 'r' })).body)).toEqual([['team', 'MIN_LENGTH']]);
    const described = (await api('GET', 'policy/managed/account/*')).body as { properties: object[] };
    expect(described.properties).toContainEqual(
      expect.objectContaining({ name: 'nick', policyRequirements: expect.arrayContaining(['NO_DIGITS']) }),
    );
  });

  it('in Groovy that fail say what failed', async () => {
    const broken = await api('POST', 'managed/account', { body: { broken: 'x' } });
    expect(broken.body).toMatchObject({ code: 500, message: 'cannot judge x' });
  });

  it('refuse what the schema does not allow, with one entry per rule', async () => {
    const refused = await post({ age: 1.5, code: 'low', password: 'short' });
    expect(refused.body).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message: 'Policy validation failed',
      detail: {
        hint: expect.stringMatching(/^name is required; age has the wrong type; /),
        result: false,
        failedPolicyRequirements: [
          { policyRequirements: [{ policyRequirement: 'REQUIRED' }], property: 'name' },
          {
            policyRequirements: [
              {
                policyRequirement: 'VALID_TYPE',
                params: { invalidType: 'number', validTypes: ['integer', 'null'] },
              },
            ],
            property: 'age',
          },
          {
            policyRequirements: [{ policyRequirement: 'MATCH_REGEXP', regexp: '^[A-Z]+$' }],
            property: 'code',
          },
          {
            policyRequirements: [{ policyRequirement: 'MIN_LENGTH', params: { minLength: 8 } }],
            property: 'password',
          },
          { policyRequirements: [{ policyRequirement: 'AT_LEAST_X_CAPITAL_LETTERS' }], property: 'password' },
          { policyRequirements: [{ policyRequirement: 'AT_LEAST_X_NUMBERS' }], property: 'password' },
        ],
      },
    });
  });

  it('list every rule of a password that is null', async () => {
    const refused = await post({ name: 'null', password: null });
    expect(failed(refused.body)).toEqual([
      ['password', 'REQUIRED'],
      ['password', 'MIN_LENGTH'],
      ['password', 'VALID_TYPE'],
      ['password', 'AT_LEAST_X_CAPITAL_LETTERS'],
      ['password', 'AT_LEAST_X_NUMBERS'],
      ['password', 'CANNOT_CONTAIN_OTHERS'],
    ]);
  });

  it('see the defaults of hooks, and what hooks spoil', async () => {
    expect((await post({ name: 'default' })).body).toMatchObject({ kind: 'guest' });
    expect(failed((await post({ name: 'spoiled', spoil: true })).body)).toEqual([['code', 'MATCH_REGEXP']]);
  });

  it('accept integers and numbers for what they are', async () => {
    expect((await post({ name: 'numbers', age: 3, size: 1.5 })).status).toBe(201);
  });

  it('go into objects and arrays', async () => {
    const refused = await post({ name: 'nested', address: {}, tags: ['ok', 'x', 5] });
    expect(failed(refused.body)).toEqual([
      ['address/city', 'REQUIRED'],
      ['tags[1]', 'MIN_LENGTH'],
      ['tags[2]', 'VALID_TYPE'],
    ]);
  });

  it('hold for updates and patches: what changes, what goes, what another field forbids', async () => {
    await api('PUT', 'managed/person/p1', { body: { name: 'Paula', kind: 'guest', password: 'Secret-123' } });
    const put = await api('PUT', 'managed/person/p1', { body: { kind: 'guest' } });
    expect([put.status, failed(put.body)]).toEqual([403, [['name', 'REQUIRED']]]);
    const removed = await patch('p1', { operation: 'remove', field: '/name' });
    expect(removed.body).toMatchObject({ code: 403, message: 'Failed policy validation' });
    const bad = await patch('p1', { operation: 'replace', field: '/password', value: 'xPaula123' });
    expect(bad.body.detail.failedPolicyRequirements).toEqual([
      {
        policyRequirements: [
          { policyRequirement: 'CANNOT_CONTAIN_OTHERS', params: { disallowedFields: 'name' } },
        ],
        property: 'password',
      },
    ]);
    expect((await patch('p1', { operation: 'add', field: '/age', value: 7 })).status).toBe(200);
    expect((await api('GET', 'managed/person/p1')).body).toMatchObject({ name: 'Paula', age: 7 });
  });

  it('do not stand in the way of a stored hash that comes back', async () => {
    const source = `var p = svc.read('managed/person/p1'); p.size = 2; svc.update('managed/person/p1', null, p).size`;
    const answer = await api('POST', 'script?_action=eval', { body: { type: 'text/javascript', source } });
    expect(answer.body).toBe(2);
  });

  it('keep unique values unique, also when fifty come at once, and whatever the value holds', async () => {
    for (const name of ['Uma "the \\ one"', 'plain']) {
      const answers = await Promise.all(Array.from({ length: 50 }, () => post({ name })));
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
      const refused = answers.filter(({ status }) => status === 403);
      expect(failed(refused[0]!.body)).toEqual([['name', 'UNIQUE']]);
      expect(refused[0]!.body.detail.hint).toBe('name must be unique');
      expect(refused).toHaveLength(49);
    }
    await api('PUT', 'managed/person/u1', { body: { name: 'mine' } });
    expect((await api('PUT', 'managed/person/u1', { body: { name: 'mine', kind: 'x' } })).status).toBe(200);
  });

  it('apply under conditions, and fall back where none holds', async () => {
    expect(failed((await post({ name: 'c1', kind: 'employee', phone: 'none' })).body)).toEqual([
      ['phone', 'VALID_PHONE_FORMAT'],
    ]);
    expect(failed((await post({ name: 'c2', kind: 'guest', phone: '1a' })).body)).toEqual([
      ['phone', 'MIN_LENGTH'],
    ]);
    expect((await post({ name: 'c3', kind: 'guest', phone: 'none' })).status).toBe(201);
  });

  it('may be scripts of the project', async () => {
    const refused = await post({ name: 'custom', motto: 'not one' });
    expect(refused.body.detail.failedPolicyRequirements).toEqual([
      {
        policyRequirements: [
          {
            policyRequirement: 'PALINDROME',
            params: { of: 'letters', in: 'motto', by: 'custom', method: 'create', failed: 0 },
          },
        ],
        property: 'motto',
      },
    ]);
    expect((await post({ name: 'custom', motto: 'Never odd or even' })).status).toBe(201);
  });

  it('that nobody declares are an error of the configuration', async () => {
    const answer = await api('POST', 'managed/odd', { body: { level: 'x' } });
    expect([answer.status, answer.body.message]).toEqual([500, "There is no policy 'unheard-of'"]);
  });

  it('hold for internal users as policy.json says, from inside as well', async () => {
    await using shipped = await startTestServer();
    const put = (id: string, body: object) => shipped.api('PUT', `repo/internal/user/${id}`, { body });
    expect(failed((await put('weak', { password: 'weak' })).body)).toEqual([
      ['password', 'MIN_LENGTH'],
      ['password', 'AT_LEAST_X_CAPITAL_LETTERS'],
      ['password', 'AT_LEAST_X_NUMBERS'],
    ]);
    expect((await put('none', {})).status).toBe(403);
    expect((await put('strong', { password: 'Strong-123' })).status).toBe(201);
    expect((await put('strong', { password: 'weaker' })).status).toBe(403);
    const twin = { userName: 'strong', givenName: 'S', sn: 'Trong', mail: 's@example.com' };
    expect(failed((await shipped.api('POST', 'managed/user', { body: twin })).body)).toEqual([
      ['userName', 'UNIQUE'],
    ]);
    const source = `try { svc.create('repo/internal/user', 'inside', { password: 'weak' }); } catch (e) { e.code }`;
    const inside = await shipped.api('POST', 'script?_action=eval', {
      body: { type: 'text/javascript', source },
    });
    expect(inside.body).toBe(403);
    expect((await shipped.api('PUT', 'repo/elsewhere/x', { body: {} })).status).toBe(201);
  });

  it('that cannot be are refused with their configuration', async () => {
    const policies = [{ policyId: 'regexpMatches', params: { regexp: '(' } }];
    const resources = [{ resource: 'managed/plain/*', properties: [{ name: 'name', policies }] }];
    const refused = await api('PUT', 'config/policy', { body: { resources } });
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([
      400,
      expect.stringContaining("'(' is not a regular expression"),
    ]);
  });

  it('are switched off by a boot property', async () => {
    await using lenient = await startTestServer({
      files: { ...FILES, 'conf/boot/boot.properties': 'svc.policy.enforcement.enabled=false\n' },
    });
    expect((await lenient.api('POST', 'managed/person', { body: { age: 'old' } })).status).toBe(201);
    const asked = await lenient.api('POST', 'policy/managed/person/*?_action=validateObject', { body: {} });
    expect(asked.body.result).toBe(false);
  });

  describe('asked for', () => {
    const validate = (path: string, action: string, body: object) =>
      api('POST', `policy/${path}?_action=${action}`, { body });

    it('validate an object that is not stored, and one that is', async () => {
      await api('PUT', 'managed/person/own', { body: { name: 'owner' } });
      const fine = await validate('managed/person/*', 'validateObject', { name: 'nobody', kind: 'x' });
      expect(fine.body).toEqual({ result: true, failedPolicyRequirements: [] });
      const taken = await validate('managed/person/-', 'validateObject', { name: 'owner', kind: 'x' });
      expect(taken.body).toMatchObject({ result: false, failedPolicyRequirements: [{ property: 'name' }] });
      const own = await validate('managed/person/own', 'validateObject', { name: 'owner', kind: 'x' });
      expect(own.body.result).toBe(true);
    });

    it('validate single properties', async () => {
      expect((await validate('managed/person/*', 'validateProperty', { code: 'AB' })).body.result).toBe(true);
      expect((await validate('managed/person/*', 'validateProperty', { code: 'ab' })).body.result).toBe(
        false,
      );
      await api('PUT', 'managed/person/own2', { body: { name: 'Owner2' } });
      const other = await validate('managed/person/own2', 'validateProperty', { password: 'X1-Owner2' });
      expect(other.body).toMatchObject({ result: false });
    });

    it('describe themselves', async () => {
      const { body } = await api('GET', 'policy/managed/plain/*');
      expect(body).toEqual({
        _id: '*',
        resource: 'managed/plain/*',
        properties: [
          {
            name: 'name',
            policies: [
              { policyId: 'not-empty', policyRequirements: ['REQUIRED'] },
              { policyId: 'required', policyRequirements: ['REQUIRED'] },
              { policyId: 'valid-type', params: { types: ['string'] }, policyRequirements: ['VALID_TYPE'] },
            ],
            policyRequirements: ['REQUIRED', 'VALID_TYPE'],
          },
        ],
      });
      expect((await api('GET', 'policy')).body).toMatchObject({
        _id: '',
        resources: [{ resource: 'managed/plain/*' }],
        policies: expect.arrayContaining([
          {
            policyId: 'minimum-length',
            policyRequirements: ['MIN_LENGTH'],
            params: { minLength: { type: 'integer', required: true, description: expect.any(String) } },
          },
          { policyId: 'required', policyRequirements: ['REQUIRED'], params: {} },
        ]),
      });
      expect((await api('GET', 'policy/managed/odd/*')).status).toBe(500);
      const rules = (await api('GET', 'policy/managed/person/*')).body.properties;
      const motto = rules.find(({ name }: { name: string }) => name === 'motto');
      expect(motto.policies[1]).toMatchObject({
        policyId: 'palindrome',
        policyRequirements: ['PALINDROME'],
        policyFunction: expect.stringContaining('function isPalindrome'),
      });
    });

    it('know nothing against paths without rules, and no other action', async () => {
      expect((await validate('elsewhere/x', 'validateObject', { a: 1 })).body.result).toBe(true);
      expect((await validate('managed/plain/*', 'dance', {})).status).toBe(400);
      expect((await api('DELETE', 'policy/managed/plain/*')).status).toBe(501);
    });

    it('are none of a type that there is not', async () => {
      for (const path of ['policy/managed/plan', 'policy/managed/plan/*']) {
        const { status, body } = await api('GET', path);
        expect([status, body.detail.hint]).toEqual([404, "Did you mean 'plain'?"]);
      }
      expect((await validate('managed/plan/*', 'validateObject', {})).status).toBe(404);
    });
  });
});
