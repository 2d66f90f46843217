import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CallOptions } from '../support/api.ts';
import { type HostileTarget, hostileTarget, USER_PASSWORD } from '../support/hostile-target.ts';

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
afterAll(() => target[Symbol.asyncDispose]());

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
    ['a move to where it is', [{ operation: 'move', from: '/mail', field: '/mail' }], 400, 'PATCH_INVALID'],
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
