import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN_PASSWORD, type CallOptions } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { seededRandom } from '../support/hostile-requests.ts';
import { type HostileTarget, hostileTarget, USER_PASSWORD } from '../support/hostile-target.ts';
import { processFile, workflowApi } from '../support/workflow.ts';
import { end, path, start, tag, user } from '../unit/workflow/engine/bpmn.ts';
import '../support/takes-long.ts';

/** What one request may cost, together with all that it causes. */
let target: HostileTarget;

const asAdmin = (method: string, path: string, options: CallOptions = {}) =>
  target.server.api(method, path, options);
const asEve = (method: string, path: string, options: CallOptions = {}) =>
  asAdmin(method, path, { user: 'eve', password: USER_PASSWORD, ...options });
const evaluate = (source: string) =>
  asAdmin('POST', 'script?_action=eval', { body: { type: 'text/javascript', source } });

beforeAll(async () => {
  target = await hostileTarget();
});
afterAll(() => target?.[Symbol.asyncDispose]());

describe('a request', () => {
  it('writes so many references', async () => {
    const refs = (count: number) =>
      Array.from({ length: count }, (_, n) => ({ _ref: 'managed/user/ada', _refProperties: { n } }));
    const write = (count: number) =>
      asAdmin('PUT', 'managed/role/crowded', {
        body: { name: 'crowded', description: 'Crowded', members: refs(count) },
      });
    const { status, body } = await write(10_001);
    expect([status, body.detail]).toEqual([
      413,
      expect.objectContaining({ id: 'BUDGET_SPENT', expense: 'references', allowed: 10_000 }),
    ]);
    expect((await asAdmin('GET', 'managed/role/crowded')).status).toBe(404);
    expect((await write(200)).status).toBe(201);
    expect((await write(0)).status).toBe(200);
  });
});

describe('a small patch that asks for much', () => {
  const numbers = (length: number) => Array.from({ length }, (_, n) => n);
  const doubling = [
    { operation: 'add', field: '/preferences', value: { l: { a: 'x'.repeat(1_000) }, r: {} } },
    ...numbers(40).map((n) => ({
      operation: 'copy',
      from: n % 2 === 0 ? '/preferences/l' : '/preferences/r',
      field: n % 2 === 0 ? `/preferences/r/c${n}` : `/preferences/l/c${n}`,
    })),
  ];
  const increments = [
    { operation: 'add', field: '/preferences', value: { list: numbers(60_000) } },
    ...numbers(3_000).map(() => ({ operation: 'increment', field: '/preferences/list', value: 1 })),
  ];
  const itself = [{ operation: 'copy', from: '/preferences', field: '/preferences/c' }];

  it.each<[string, object[], number, string]>([
    ['copies that double each time', doubling, 413, 'PATCH_GROWS'],
    ['increments of a long list', increments, 413, 'BUDGET_SPENT'],
    ['a copy into itself', itself, 400, 'PATCH_INVALID'],
    [
      'a move to where it is',
      [{ operation: 'move', from: '/preferences', field: '/preferences' }],
      400,
      'PATCH_INVALID',
    ],
  ])('is refused however it comes: %s', async (_title, operations, code, id) => {
    const before = await asAdmin('GET', 'managed/user/eve');
    const answers = [
      await asEve('PATCH', 'managed/user/eve', { body: operations }),
      await asEve('POST', 'managed/user/eve?_action=patch', { body: operations }),
      await asAdmin('PATCH', 'managed/user/eve?_dryRun=true', { body: operations }),
      await asAdmin('PATCH', 'config/endpoint/echo', { body: operations }),
      await evaluate(`svc.patch('managed/user/eve', null, ${JSON.stringify(operations)})`),
    ];
    // Errors of /script say code, reason and message alone.
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => code));
    expect(answers.slice(0, -1).map(({ body }) => body.detail.id)).toEqual(
      answers.slice(0, -1).map(() => id),
    );
    expect((await asAdmin('GET', 'managed/user/eve')).body).toEqual(before.body);
  });

  it('is refused at the endpoint of a relationship, too', async () => {
    await asAdmin('PATCH', 'managed/user/ada', {
      body: [{ operation: 'replace', field: '/manager', value: { _ref: 'managed/user/ben' } }],
    });
    const patch = (body: unknown) => asAdmin('PATCH', 'managed/user/ada/manager', { body });
    const below = (operation: { field: string; from?: string }) => ({
      ...operation,
      field: operation.field.replace('/preferences', '/_refProperties'),
      ...(operation.from === undefined
        ? {}
        : { from: operation.from.replace('/preferences', '/_refProperties') }),
    });
    expect((await patch(doubling.map(below))).status).toBe(413);
    expect((await patch(increments.map(below))).status).toBe(413);
    expect((await patch(itself.map(below))).status).toBe(400);
  });
});

describe('what comes through the door', () => {
  const send = (path: string, body: string | Buffer<ArrayBuffer>) =>
    fetch(`${target.server.url}/svc/${path}`, {
      method: 'PUT',
      headers: {
        'X-Svc-Username': 'svc-admin',
        'X-Svc-Password': ADMIN_PASSWORD,
        'Content-Type': 'application/json',
      },
      body,
    }).then(async (answer) => ({
      status: answer.status,
      body: (await answer.json()) as { detail?: { id?: string } },
    }));
  const bytes = (...parts: (string | number)[]) =>
    Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.of(part))));

  it.each<[string, string | Buffer<ArrayBuffer>, number, string]>([
    ['bytes that are no UTF-8', bytes('{"a":"', 0xff, '"}'), 400, 'HTTP_NOT_UTF8'],
    ['half of a character', bytes('{"a":"', 0xc3, '"}'), 400, 'HTTP_NOT_UTF8'],
    ['a character in too many bytes', bytes('{"a":"', 0xc0, 0xaf, '"}'), 400, 'HTTP_NOT_UTF8'],
    ['half a surrogate pair in bytes', bytes('{"a":"', 0xed, 0xa0, 0x80, '"}'), 400, 'HTTP_NOT_UTF8'],
    ['half a surrogate pair', '{"a":"\\ud800"}', 400, 'HTTP_BAD_TEXT'],
    ['half of one in a name', '{"a":{"\\udc00":1}}', 400, 'HTTP_BAD_TEXT'],
    ['a zero character', '{"a":["\\u0000"]}', 400, 'HTTP_BAD_TEXT'],
    ['a number beyond all', '{"a":1e400}', 400, 'HTTP_BAD_NUMBER'],
    ['one below all', '{"a":[{"b":-1e999}]}', 400, 'HTTP_BAD_NUMBER'],
    [
      'more members than an object needs',
      JSON.stringify({ a: Object.fromEntries(Array.from({ length: 20_001 }, (_, at) => [`k${at}`, 1])) }),
      413,
      'HTTP_TOO_MANY_VALUES',
    ],
    ['more values than a body needs', `{"a":[${'0,'.repeat(300_000)}0]}`, 413, 'HTTP_TOO_MANY_VALUES'],
  ])('is not kept as something else: %s', async (_title, body, code, id) => {
    for (const path of ['repo/door/x', 'managed/user/door', 'config/endpoint/door']) {
      const answer = await send(path, body);
      expect([answer.status, answer.body.detail?.id], path).toEqual([code, id]);
    }
  });

  it.each([
    ['%ff', 400],
    ['a%c0%afb', 400],
    ['%ed%a0%80', 400],
    ['%c3', 400],
    ['%c3%bc', 200],
    ['100%', 200],
  ])('is a URL in UTF-8: ?note=%s is %i', async (value, status) => {
    expect((await asAdmin('GET', `info/ping?note=${value}`)).status).toBe(status);
  });

  it('is kept as JSON says: of two members the last counts, numbers are doubles', async () => {
    const text = '{"a":1,"a":2,"n":9007199254740993,"m":1e308,"t":"\\ud83d\\ude00ü"}';
    expect((await send('repo/door/kept', text)).status).toBe(201);
    const { body } = await asAdmin('GET', 'repo/door/kept');
    expect(body).toMatchObject({ a: 2, n: 9007199254740992, m: 1e308, t: '😀ü' });
  });

  it('asks for so many fields', async () => {
    const fields = (count: number) => Array.from({ length: count }, () => 'a').join(',');
    expect((await asAdmin('GET', `managed/user/ada?_fields=${fields(500)}`)).status).toBe(200);
    const { status, body } = await asAdmin('GET', `managed/user/ada?_fields=${fields(501)}`);
    expect([status, body.detail.id]).toEqual([400, 'FIELDS_TOO_MANY']);
  });
});

describe('references that lead back and forth', () => {
  it('are not written out until nothing is left', async () => {
    const managed = (id: string) =>
      asAdmin('PATCH', `managed/user/${id}`, {
        body: [{ operation: 'replace', field: '/manager', value: { _ref: 'managed/user/ada' } }],
      });
    const ids = Array.from({ length: 30 }, (_, n) => `report${n}`);
    for (const id of ids) {
      const body = { userName: id, givenName: id, sn: 'x', mail: `${id}@example.com` };
      expect((await asAdmin('PUT', `managed/user/${id}`, { body })).status).toBe(201);
      expect((await managed(id)).status).toBe(200);
    }
    const fields = (times: number) => `${'reports/*/manager/'.repeat(times)}mail`;
    expect((await asAdmin('GET', `managed/user/ada?_fields=${fields(2)}`)).status).toBe(200);
    const { status, body } = await asAdmin('GET', `managed/user/ada?_fields=${fields(12)}`);
    expect([status, body.detail.expense]).toEqual([413, 'nodes']);
    for (const id of ids) await asAdmin('DELETE', `managed/user/${id}`);
  });
});

describe('a name', () => {
  const letters = seededRandom(54);
  // What repeats itself would be packed until it fits.
  const long = Array.from({ length: 9_000 }, () => Math.floor(letters() * 36).toString(36)).join('');

  const user = { userName: 'long', givenName: 'x', sn: 'x', mail: 'x@example.com' };
  it.each<[string, string, unknown, number, string]>([
    ['managed/user', 'POST', { _id: long, ...user }, 400, 'OBJECT_BAD_ID'],
    [`repo/${long}`, 'POST', {}, 413, 'DB_TEXT_TOO_LONG'],
    ['workflow/processinstance', 'POST', { _key: 'asked', _businessKey: long }, 400, 'WORKFLOW_TOO_LONG'],
  ])('is too long to be looked up by: %#', async (path, method, body, code, id) => {
    const answer = await asAdmin(method, path, { body });
    expect([answer.status, answer.body.detail.id]).toEqual([code, id]);
  });

  it('of any length keeps nothing from the audit', async () => {
    expect((await asAdmin('GET', 'info/login', { user: long, password: 'x' })).status).toBe(401);
    const recorded = () =>
      asAdmin('GET', 'audit/authentication?_queryFilter=true&_sortKeys=-timestamp&_pageSize=20');
    const { body } = await eventually(recorded, (answer) =>
      answer.body.result.some(({ userId }: { userId: string }) => userId === long),
    );
    expect(body.resultCount).toBeGreaterThan(0);
  });
});

describe('what is kept as one', () => {
  it.each<[number, string]>([
    [2 ** 22, `svc.create('managed/role', null, {name: 'large', description: text})`],
    [
      2 ** 18,
      `svc.update('managed/user/ben', null, Object.assign(svc.read('managed/user/ben'), {preferences: {text: text}}))`,
    ],
    [2 ** 22, `svc.create('repo/large', 'x', {text: text})`],
    [2 ** 22, `svc.create('config', 'endpoint/large', {type: 'text/javascript', source: text})`],
    [2 ** 22, `svc.create('workflow/processinstance', null, {_key: 'asked', text: text})`],
  ])('has a size: beyond %d bytes %s is refused', async (allowed, call) => {
    const { status, body } = await evaluate(`const text = 'x'.repeat(4200000); ${call}; 'kept'`);
    expect([status, body.message]).toEqual([413, expect.stringMatching(`bytes; ${allowed} are allowed`)]);
  });

  it('is one of several of a process, which have a size together', async () => {
    const grow = (name: string, length: number) => `execution.setVariable('${name}', 'x'.repeat(${length}))`;
    const body =
      start() +
      user('wait') +
      tag(
        'scriptTask',
        'grow',
        { scriptFormat: 'javascript' },
        `<script>${grow("v' + count + '", 4_000_000)}</script>`,
      ) +
      end() +
      path('s', 'wait', 'grow', 'wait');
    const deployed = await asAdmin('POST', 'workflow/deployment?_action=deploy', {
      body: { name: 'growing.bpmn20.xml', content: processFile('growing', body) },
    });
    expect([deployed.status, deployed.body]).toEqual([200, expect.anything()]);
    const workflow = workflowApi(asAdmin);
    const instance = await workflow.start('growing', { count: 0 });
    for (const count of [1, 2, 3, 4]) {
      expect((await workflow.completeAt(instance, 'wait', { count })).status).toBe(200);
    }
    const refused = await workflow.completeAt(instance, 'wait', { count: 5 });
    expect([refused.status, refused.body.detail]).toEqual([
      413,
      expect.objectContaining({ id: 'WORKFLOW_VARIABLES_TOO_LARGE', allowed: 2 ** 24 }),
    ]);
    // What is there goes on.
    expect((await workflow.completeAt(instance, 'wait', { count: 4 })).status).toBe(200);
    expect((await asAdmin('DELETE', `workflow/processinstance/${instance}`)).status).toBe(200);
  });

  it('may be larger where its type says so, and may shrink whatever the type says', async () => {
    const managed = (await asAdmin('GET', 'config/managed')).body;
    const { _id, ...config } = managed;
    const withSize = (maxSize?: number) => ({
      ...config,
      objects: config.objects.map((type: { name: string }) =>
        type.name === 'user' && maxSize !== undefined ? { ...type, maxSize } : type,
      ),
    });
    const set = (length: number) =>
      evaluate(
        `svc.patch('managed/user/ben', null, [{operation: 'replace', field: '/notes', value: 'x'.repeat(${length})}]); 'kept'`,
      );
    expect((await asAdmin('PUT', 'config/managed', { body: withSize(5_000) })).status).toBe(200);
    expect((await set(10_000)).status).toBe(413);
    expect((await asAdmin('PUT', 'config/managed', { body: withSize(50_000) })).status).toBe(200);
    expect((await set(10_000)).body).toBe('kept');
    expect((await asAdmin('PUT', 'config/managed', { body: withSize(5_000) })).status).toBe(200);
    expect((await set(11_000)).status).toBe(413);
    expect((await set(9_000)).body).toBe('kept');
    expect((await asAdmin('PUT', 'config/managed', { body: withSize() })).status).toBe(200);
  });

  it('is shown by a rehearsal as far as there is room, and by name beyond', async () => {
    const source = `for (let i = 0; i < 6; i++) svc.create('repo/rehearsed', 'r' + i, {text: 'x'.repeat(1000000)}); 'done'`;
    const { status, body } = await asAdmin('POST', 'script?_action=eval&_dryRun=true', {
      body: { type: 'text/javascript', source },
    });
    expect([status, body.truncated, body.changes.length]).toEqual([200, true, 6]);
    expect(body.changes.map(({ truncated }: { truncated?: true }) => truncated ?? false)).toEqual([
      false,
      false,
      false,
      false,
      true,
      true,
    ]);
    expect(body.changes[5]).toMatchObject({
      resource: 'repo/rehearsed/r5',
      operation: 'create',
      after: null,
    });
  });

  it('is in the audit as far as there is room, with what was left out', async () => {
    const fields = Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [`f${n}`, 'x'.repeat(50)]));
    await asAdmin('PUT', 'repo/audited/x', { body: { small: 1, fields: {}, password: 'a' } });
    await asAdmin('PUT', 'repo/audited/x', {
      body: { small: 2, photo: 'x'.repeat(400_000), fields, password: 'b' },
    });
    const { body } = await asAdmin(
      'GET',
      `audit/activity?_queryFilter=${encodeURIComponent('objectId eq "repo/audited/x" and operation eq "UPDATE"')}`,
    );
    const [entry] = body.result;
    expect(entry).toMatchObject({ truncated: true, passwordChanged: true, after: { small: 2 } });
    expect(entry.after.photo).toMatch(/^\(4000\d\d bytes left out\)$/);
    expect(entry.changedFields).toHaveLength(1_000);
    expect(JSON.stringify(entry).length).toBeLessThan(600_000);
  });
});

describe('the budget of a request', () => {
  it('is shared by all the patches that its scripts make', async () => {
    const operations = JSON.stringify(
      Array.from({ length: 3_000 }, () => ({ operation: 'increment', field: '/n', value: 1 })),
    );
    const patches = (times: number) =>
      `svc.patch('managed/user/ben', null, [{operation: 'add', field: '/n', value: 0}]);
       for (let i = 0; i < ${times}; i++) svc.patch('managed/user/ben', null, ${operations}); 'done'`;
    expect(await evaluate(patches(2))).toMatchObject({ status: 200, body: 'done' });
    const { status, body } = await evaluate(patches(4));
    expect([status, body.message]).toEqual([413, expect.stringMatching(/more than 10000 patch operations/)]);
    // Nothing of it was kept: 6,000 from before.
    expect((await asAdmin('GET', 'managed/user/ben')).body.n).toBe(6_000);
  });

  it('is not refilled by surviving a refusal', async () => {
    const { status, body } = await evaluate(
      `let calls = 0, refused = 0;
       for (let i = 0; i < 50200; i++) { try { identityServer.getWorkingLocation(); calls++; } catch (error) { refused++; } }
       [calls, refused]`,
    );
    expect([status, body]).toEqual([200, [50_000, 200]]);
    const log = await evaluate("for (;;) logger.trace('x')");
    expect([log.status, log.body.message]).toEqual([
      422,
      expect.stringMatching(/more than 50000 calls of scripts/),
    ]);
  });
});
