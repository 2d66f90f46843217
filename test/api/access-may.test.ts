import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { countStatements } from '../support/count-statements.ts';
import { callerAs, callersOf } from '../support/credentials.ts';
import { watchStretches } from '../support/longest-stretch.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const RULES = new URL('../../script/access.js', import.meta.url);
const TYPES = new URL('../../conf/managed.json', import.meta.url);

let server: TestServer;
let api: Api;
const { asNobody, createUser } = callersOf(() => api);
const asAda = callerAs(() => api, 'ada');

beforeAll(async () => {
  server = await startTestServer();
  api = server.api;
  await createUser('ada');
  await createUser('ben');
});
afterAll(() => server?.[Symbol.asyncDispose]());

const ask = async (body: unknown, caller: typeof asAda = api) => {
  const answer = await caller('POST', 'access?_action=may', { body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body;
};

describe('GET /access', () => {
  it('shows administrators all rules in their order, and nobody else', async () => {
    const { status, body } = await api('GET', 'access');
    expect(status).toBe(200);
    const lines = body.rules.map(({ line }: { line: number }) => line);
    expect(lines).toEqual(lines.toSorted((one: number, other: number) => one - other));
    expect(body.rules).toContainEqual({
      file: 'script/access.js',
      index: expect.any(Number),
      line: expect.any(Number),
      pattern: 'managed/user',
      roles: ['svc-cert'],
      methods: ['patch', 'action'],
      actions: ['patch'],
      excludePatterns: [],
      condition: "restrictPatchToFields(['password'])",
    });
    expect((await asAda('GET', 'access')).body.detail.id).toBe('ACCESS_DENIED');
  });

  it('shows them only to who may evaluate scripts, even where a rule lets others read it', async () => {
    const rules = `var httpAccessConfig = { configs: [
      { pattern: 'access', roles: '*', methods: 'read', actions: '' },
      { pattern: '*', roles: 'svc-admin', methods: '*', actions: '*' } ] };`;
    await using other = await startTestServer({ files: { 'script/access.js': rules } });
    await callersOf(() => other.api).createUser('ada');
    const asked = await callerAs(() => other.api, 'ada')('GET', 'access');
    expect([asked.status, asked.body.rules]).toEqual([403, undefined]);
    expect((await other.api('GET', 'access')).body.rules).toMatchObject([{ index: 0 }, { index: 1 }]);
  });
});

describe('POST /access?_action=may', () => {
  it('says to a user what it may do, and why not, without the rules', async () => {
    expect(
      await ask(
        [
          { method: 'read', path: 'managed/user/ada' },
          { method: 'patch', path: 'managed/user/ada', fields: ['/givenName'] },
          { method: 'patch', path: 'managed/user/ada', fields: ['/department'] },
          { method: 'patch', path: 'managed/user/ada', fields: ['/password'] },
          { method: 'read', path: 'managed/user/ben' },
          { method: 'query', path: 'managed/user' },
          { method: 'action', path: 'managed/user/ada', action: 'patch', fields: ['/sn'] },
          { method: 'action', path: 'script', action: 'eval' },
        ],
        asAda,
      ),
    ).toEqual([
      { granted: true, reason: 'A rule of script/access.js grants it' },
      { granted: true, reason: 'A rule of script/access.js grants it' },
      {
        granted: false,
        id: 'ACCESS_DENIED',
        reason: "'department' is not userEditable: its owner may not change it",
        field: '/department',
      },
      {
        granted: false,
        id: 'ACCESS_NEEDS_REAUTHENTICATION',
        reason: 'Send your password once more in the header X-Svc-Reauth-Password',
      },
      {
        granted: false,
        id: 'ACCESS_DENIED',
        reason: 'The condition of a rule that is meant for it does not hold',
      },
      {
        granted: false,
        id: 'ACCESS_DENIED',
        reason: 'No rule of script/access.js grants it to the roles of the caller',
      },
      { granted: true, reason: 'A rule of script/access.js grants it' },
      {
        granted: false,
        id: 'ACCESS_DENIED',
        reason: 'No rule of script/access.js grants it to the roles of the caller',
      },
    ]);
  });

  it('says to an administrator of somebody else which rule it is, and what its condition says', async () => {
    const [read, patch, query] = await ask([
      { method: 'read', path: 'managed/user/ada', as: 'ada' },
      { method: 'patch', path: 'managed/user/ada', fields: ['/department'], as: 'ada' },
      { method: 'query', path: 'managed/user', as: 'ada' },
    ]);
    expect(read).toMatchObject({
      granted: true,
      rule: { file: 'script/access.js', pattern: '*', roles: ['svc-authorized'] },
      condition: { text: 'ownDataOnly()', result: true },
    });
    expect(patch).toMatchObject({ granted: false, field: '/department', condition: { result: false } });
    expect(query).toMatchObject({ granted: false, rule: { roles: ['svc-admin'] } });
    expect(query).not.toHaveProperty('condition');
    const lines = readFileSync(RULES, 'utf8').split('\n');
    expect(lines.slice(patch.rule.line - 1, patch.rule.line + 8).join('\n')).toContain(patch.condition.text);
  });

  it('reads once what many questions are about', async () => {
    const question = { method: 'update', path: 'managed/user/ada', content: {} };
    let answers: unknown[] = [];
    const statementsFor = (count: number) =>
      countStatements(async () => {
        answers = await ask(Array(count).fill(question), asAda);
      });
    const one = await statementsFor(1);
    expect(one).toBeGreaterThan(0);
    expect(await statementsFor(200)).toBe(one);
    expect(answers).toEqual(Array(200).fill(expect.objectContaining({ granted: false })));
  });

  it('leaves others their turns, however many questions there are, and takes no more fields than it can', async () => {
    const fields = Array.from({ length: 20 }, (_, at) => `/preferences/f${at}`);
    const question = { method: 'patch', path: 'managed/user/ada', fields };
    const body = Array.from({ length: 200 }, () => question);
    await ask(body, asAda);
    const longest = watchStretches();
    expect(await ask(body, asAda)).toHaveLength(200);
    expect(longest()).toBeLessThan(100);
    const more = [...body.slice(1), { ...question, fields: [...fields, '/preferences/more'] }];
    expect(await asAda('POST', 'access?_action=may', { body: more })).toMatchObject({
      status: 400,
      body: { detail: { id: 'ACCESS_BAD_QUESTION' }, message: expect.stringContaining('4001 fields') },
    });
  });

  it('agrees with what becomes of the requests', async () => {
    const requests = [
      ['GET', 'managed/user/ada', 'read'],
      ['GET', 'managed/user/ben', 'read'],
      ['GET', 'managed/role/none', 'read'],
      ['GET', 'info/ping', 'read'],
      ['DELETE', 'managed/user/ada', 'delete'],
      ['GET', 'schema', 'read'],
      ['GET', 'config/managed', 'read'],
    ] as const;
    const answers = await ask(
      requests.map(([, path, method]) => ({ method, path })),
      asAda,
    );
    for (const [index, [verb, path]] of requests.entries()) {
      const { status } = await asAda(verb, `${path}?_dryRun=${verb === 'DELETE'}`);
      expect([path, answers[index].granted]).toEqual([path, status !== 403]);
    }
  });

  it('judges an update by its content', async () => {
    const { body: own } = await asAda('GET', 'managed/user/ada');
    const update = (content: object) => ({ method: 'update', path: 'managed/user/ada', content });
    const answers = await ask([update({ ...own, sn: 'Vogl' }), update({ ...own, department: 'IT' })], asAda);
    expect(answers.map(({ granted }: { granted: boolean }) => granted)).toEqual([true, false]);
  });

  it('says of what nobody has said the content of whether it is granted with any, and that this depends', async () => {
    const questions = [
      { method: 'update', path: 'managed/user/ada' },
      { method: 'patch', path: 'managed/user/ada' },
      { method: 'action', path: 'managed/user/ada', action: 'patch' },
      { method: 'create', path: 'workflow/processinstance' },
      { method: 'update', path: 'managed/user/ben' },
      { method: 'create', path: 'managed/user' },
    ];
    const depends = {
      granted: true,
      dependsOnContent: true,
      reason: expect.stringContaining('some content'),
    };
    const answers = await ask(questions, asAda);
    expect(answers.slice(0, 4)).toEqual([depends, depends, depends, depends]);
    expect(answers.slice(4)).toMatchObject([{ granted: false }, { granted: false }]);
    // Where no condition looks at it, there is nothing to know.
    const [first] = await ask(questions.slice(0, 1));
    expect([first.granted, first.dependsOnContent]).toEqual([true, undefined]);
    const [shown] = await ask([{ ...questions[0], as: 'ada' }]);
    expect(shown).toMatchObject({
      dependsOnContent: true,
      condition: { text: expect.stringContaining('own') },
    });
    expect(shown.condition).not.toHaveProperty('result');
  });

  it('reads no relationship twice, whichever of them each question is about', async () => {
    const { body: own } = await asAda('GET', 'managed/user/ada');
    const about = (more: object) => ({
      method: 'update',
      path: 'managed/user/ada',
      content: { ...own, ...more },
    });
    const manager = { _ref: 'managed/user/ben' };
    const readsOf = (...questions: object[]) => countStatements(() => ask(questions, asAda));
    const apart = [about({ manager }), about({ reports: [] })];
    const reads = await readsOf(...apart);
    expect(reads).toBeGreaterThan(await readsOf(about({ manager })));
    expect(await readsOf(...apart, about({ manager, reports: [] }), ...apart)).toBe(reads);
  });

  it('is asked of others by administrators only, and of those that there are', async () => {
    const body = [{ method: 'read', path: 'info/ping', as: 'ben' }];
    const { status, body: refused } = await asAda('POST', 'access?_action=may', { body });
    expect([status, refused.detail.field]).toEqual([403, '/0/as']);
    const nobody = await api('POST', 'access?_action=may', { body: [{ ...body[0], as: 'bern' }] });
    expect([nobody.status, nobody.body.detail.id]).toEqual([400, 'ACCESS_NOBODY']);
    expect((await asNobody('POST', 'access?_action=may', { body: [] })).status).toBe(401);
    const anonymous = { user: 'anonymous', password: 'anonymous' };
    expect((await api('POST', 'access?_action=may', { body: [], ...anonymous })).status).toBe(403);
  });

  it.each([
    [{}, '', 'The body must be a list of requests'],
    [Array.from({ length: 201 }, () => ({})), '', '201 requests are asked about; 200 are allowed'],
    [[7], '/0', '7 is no request'],
    [[{ method: 'GET', path: 'info/ping' }], '/0/method', '"GET" is no kind of request'],
    [[{ method: 'read' }], '/0/path', 'null is no path'],
    [[{ method: 'read', path: 'info/ping', feilds: [] }], '/0/feilds', "A request has no 'feilds' here"],
    [[{ method: 'read', path: 'info/ping', fields: ['/a'] }], '/0/fields', "'fields' say nothing of 'read'"],
    [[{ method: 'patch', path: 'managed/user/ada', fields: '/a' }], '/0/fields', 'must be a list'],
    [[{ method: 'create', path: 'managed/user', content: [] }], '/0/content', 'must be an object'],
    [[{ method: 'action', path: 'script' }], '/0/action', 'null is no action'],
    [[{ method: 'read', path: 'info/ping', as: 7 }], '/0/as', '7 is no name of a user'],
  ])('refuses %j with its place', async (body, field, message) => {
    const answer = await api('POST', 'access?_action=may', { body });
    expect([answer.status, answer.body.detail.id]).toEqual([400, 'ACCESS_BAD_QUESTION']);
    expect(answer.body.message).toContain(message);
    expect(answer.body.detail.field).toBe(field);
    expect(answer.body.detail.hint).toBeDefined();
  });
});

describe('rules with a script, and filters', () => {
  it('look at no more than 16 MiB for all that is asked about at once', async () => {
    const onlyText = "onlyEditableManagedObjectProperties('thing')";
    const rules = `var httpAccessConfig = { configs: [
      { pattern: 'access', roles: 'svc-authorized', methods: 'action', actions: 'may' },
      { pattern: 'managed/thing/*', roles: '*', methods: 'update', actions: '*', customAuthz: "${onlyText}" },
      { pattern: '*', roles: 'svc-admin', methods: '*', actions: '*' } ] };`;
    const properties = { text: { type: 'string', userEditable: true } };
    const types = JSON.parse(readFileSync(TYPES, 'utf8'));
    types.objects.push({ name: 'thing', schema: { properties } });
    await using other = await startTestServer({
      files: { 'script/access.js': rules, 'conf/managed.json': types },
    });
    await callersOf(() => other.api).createUser('ada');
    for (let n = 0; n < 5; n += 1) await other.api('PUT', `managed/thing/t${n}`, { body: { text: 'x' } });
    await sql`update managed_object set data = jsonb_build_object('text', repeat('x', 4000000))
      where type = 'thing'`.execute(other.database.db);
    const about = (...numbers: number[]) =>
      callerAs(() => other.api, 'ada')('POST', 'access?_action=may', {
        body: numbers.map((n) => ({ method: 'update', path: `managed/thing/t${n}`, content: { text: '' } })),
      });
    expect((await about(0, 1, 2, 3, 0, 1, 2, 3)).body).toHaveLength(8);
    const { status, body } = await about(0, 1, 2, 3, 4);
    expect([status, body.detail]).toMatchObject([413, { id: 'BUDGET_SPENT', expense: 'judgedBytes' }]);
  });

  it('say what they say when the request is made', async () => {
    const rules = `var httpAccessConfig = { configs: [
      { pattern: 'access', roles: 'svc-authorized', methods: 'action', actions: 'may' },
      { pattern: 'info/ping', roles: '*', methods: 'read', actions: '*', customAuthz: '1 + 1 === 3' },
      { pattern: 'info/version', roles: '*', methods: 'read', actions: '*', customAuthz: '1 + 1 === 2' },
      { pattern: 'info/login', roles: '*', methods: 'read', actions: '*' },
      { pattern: '*', roles: 'svc-admin', methods: '*', actions: '*' } ] };`;
    const filter = {
      pattern: 'info/login',
      methods: ['read'],
      onRequest: { type: 'text/javascript', source: "throw { code: 409, message: 'Not today' };" },
    };
    await using other = await startTestServer({
      files: { 'script/access.js': rules, 'conf/router.json': { filters: [filter] } },
    });
    const users = callersOf(() => other.api);
    await users.createUser('ada');
    const path = 'access?_action=may';
    const body = ['info/ping', 'info/version', 'info/login'].map((each) => ({ method: 'read', path: each }));
    const answer = await callerAs(() => other.api, 'ada')('POST', path, { body });
    expect(answer.body).toMatchObject([
      { granted: false, reason: 'The condition of a rule that is meant for it does not hold' },
      { granted: true },
      { granted: false, reason: 'A filter of router.json refuses it: Not today' },
    ]);
  });

  it('change nothing when they are asked', async () => {
    const noting = {
      pattern: 'managed/user/ada',
      methods: ['read'],
      onRequest: {
        type: 'text/javascript',
        source: "svc.create('managed/role', 'noted', { name: 'noted', description: 'x' });",
      },
    };
    expect((await api('PUT', 'config/router', { body: { filters: [noting] } })).status).toBe(200);
    const noted = async () => (await api('GET', 'managed/role/noted')).status;
    const question = { method: 'read', path: 'managed/user/ada' };
    // Asked twice at once, the second would find what the first has made.
    expect(await ask([question, question], asAda)).toMatchObject([{ granted: true }, { granted: true }]);
    expect(await noted()).toBe(404);
    expect((await asAda('GET', 'managed/user/ada')).status).toBe(200);
    expect(await noted()).toBe(200);
  });

  it('say of a read what they say of its answer, and tell what they hide from none by nothing', async () => {
    const hiding = {
      pattern: 'managed/user/.+',
      methods: ['read'],
      onResponse: {
        type: 'text/javascript',
        source: "if (resourcePath.endsWith('ben')) throw { code: 404, message: 'Not here' };",
      },
    };
    expect((await api('PUT', 'config/router', { body: { filters: [hiding] } })).status).toBe(200);
    const paths = ['ben', 'ada', 'none'].map((id) => `managed/user/${id}`);
    const [hidden, shown, none] = await ask(paths.map((path) => ({ method: 'read', path })));
    expect([hidden.granted, shown.granted, none.granted]).toEqual([false, true, false]);
    expect(hidden.reason).toBe('There is nothing, or a filter of router.json refuses it: Not here');
    expect(none.reason).toMatch(/^There is nothing, or a filter of router.json refuses it:/);
  });
});
