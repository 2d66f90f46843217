/** Callers who may set a property and are not shown it find out nothing of what it was. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { CERTIFICATE, CERTIFICATES } from '../support/credentials.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const PASSWORD = 'Passw0rd-of-users';
const editable = (property: object) => ({ type: 'string', userEditable: true, ...property });
const TYPES = {
  objects: [
    {
      name: 'user',
      schema: {
        properties: {
          userName: { type: 'string' },
          mail: editable({}),
          password: {
            type: 'string',
            scope: 'private',
            userEditable: true,
            secureHash: { algorithm: 'SHA-256' },
            policies: [{ policyId: 'cannot-be-previous-value' }],
          },
          answer: editable({ scope: 'private' }),
          score: editable({ type: 'number', scope: 'private' }),
          words: editable({ type: 'array', scope: 'private' }),
          pin: editable({ encryption: { key: 'svc-sym-default' } }),
          guarded: editable({ scope: 'private', policies: [{ policyId: 're-auth-required' }] }),
          office: { type: 'string', scope: 'private' },
        },
      },
    },
  ],
};
const STORED = {
  userName: 'ada',
  mail: 'ada@example.com',
  answer: 'blue',
  score: 42,
  words: ['one', 'two'],
  pin: '1234',
  guarded: 'amber',
  office: 'Riga',
};

let server: TestServer;
let api: Api;

beforeAll(async () => {
  server = await startTestServer({
    files: {
      'conf/managed.json': TYPES,
      'conf/authentication.json': {
        serverAuthContext: {
          authModules: [
            {
              name: 'MANAGED_USER',
              properties: { queryOnResource: 'managed/user', defaultUserRoles: ['svc-authorized'] },
            },
            { name: 'INTERNAL_USER', properties: { queryOnResource: 'repo/internal/user' } },
            CERTIFICATES,
          ],
        },
      },
    },
    environment: { SVC_TRUSTED_PROXIES: '127.0.0.0/8,::1' },
  });
  api = server.api;
  expect((await api('PUT', 'managed/user/ada', { body: { ...STORED, password: PASSWORD } })).status).toBe(
    201,
  );
});
afterAll(() => server?.[Symbol.asyncDispose]());

const stored = async () =>
  (await server.database.pool.query("select rev, data from managed_object where id = 'ada'")).rows[0];
const asAda = (method: string, path: string, body: unknown) =>
  api(method, path, { user: 'ada', password: PASSWORD, body });
const patch = (operation: object, more = '') => asAda('PATCH', `managed/user/ada${more}`, [operation]);
const put = (change: object, more = '') =>
  asAda('PUT', `managed/user/ada${more}`, { userName: 'ada', mail: 'ada@example.com', ...change });

/** What an answer says apart from the number of a revision and the random part of a seal. */
const told = (answer: { status: number; body: unknown }, rev: number) => ({
  status: answer.status,
  body: JSON.parse(
    JSON.stringify(answer.body, (name, value) => {
      if (name === '_rev') return Number(value) - rev;
      return name === 'sealed' ? typeof value : value;
    }),
  ),
});

describe.each(['', '?_dryRun=true'])('a guess %s', (more) => {
  beforeEach(async () => {
    const { status } = await api('PATCH', 'managed/user/ada', {
      body: Object.entries(STORED).map(([name, value]) => ({
        operation: 'replace',
        field: `/${name}`,
        value,
      })),
    });
    expect(status).toBe(200);
  });

  it.each<[string, unknown, unknown]>([
    ['answer', 'blue', 'green'],
    ['score', 42, 43],
    ['words', ['one', 'two'], ['one']],
    ['pin', '1234', '4321'],
    ['guarded', 'amber', 'brown'],
  ])('at %s is answered alike, right or wrong, by a patch and a PUT', async (name, right, wrong) => {
    for (const ask of [
      (value: unknown) => patch({ operation: 'replace', field: `/${name}`, value }, more),
      (value: unknown) => patch({ operation: 'add', field: `/${name}`, value }, more),
      (value: unknown) => put({ [name]: value }, more),
    ]) {
      const before = await stored();
      const first = told(await ask(right), before.rev);
      const between = await stored();
      const second = told(await ask(wrong), between.rev);
      expect(second).toEqual(first);
      await api('PATCH', 'managed/user/ada', {
        body: [{ operation: 'replace', field: `/${name}`, value: right }],
      });
    }
  });

  it('at an encrypted value makes another seal, right or wrong', async () => {
    const { body: read } = await api('GET', 'managed/user/ada');
    const { body } = await patch({ operation: 'replace', field: '/pin', value: '1234' }, more);
    const shown = more === '' ? body : body.result;
    expect(shown.pin.$crypto.value.sealed).not.toBe(read.pin.$crypto.value.sealed);
    const back = await patch({ operation: 'replace', field: '/pin', value: shown.pin }, '');
    expect(more === '' ? [back.status, back.body._rev] : [back.status]).toEqual(
      more === '' ? [200, body._rev] : [400],
    );
  });

  it('at what is not theirs to change is refused, right or wrong', async () => {
    expect([
      (await put({ office: 'Riga' }, more)).status,
      (await put({ office: 'Oslo' }, more)).status,
    ]).toEqual([403, 403]);
    expect((await put({}, more)).status).toBe(200);
  });

  it.each([
    { operation: 'remove', field: '/answer', value: 'blue' },
    { operation: 'remove', field: '/answer', value: 'green' },
    { operation: 'remove', field: '/words', value: 'one' },
    { operation: 'increment', field: '/score', value: 1 },
    { operation: 'increment', field: '/answer', value: 1 },
    { operation: 'add', field: '/words/-', value: 'three' },
    { operation: 'replace', field: '/answer/x', value: 'y' },
    { operation: 'copy', from: '/mail', field: '/answer' },
    { operation: 'move', from: '/mail', field: '/answer' },
  ])('hidden in an operation that looks at what was is refused: %j', async (operation) => {
    const before = await stored();
    const { status, body } = await patch(operation, more);
    expect([status, body.detail.id]).toEqual([403, 'PATCH_OF_HIDDEN']);
    expect(await stored()).toEqual(before);
  });

  it('is no guess for administrators, who may look', async () => {
    const change = { operation: 'remove', field: '/words', value: 'one' };
    expect((await api('PATCH', `managed/user/ada${more}`, { body: [change] })).status).toBe(200);
    const same = { operation: 'replace', field: '/answer', value: 'blue' };
    const before = await stored();
    expect((await api('PATCH', `managed/user/ada${more}`, { body: [same] })).status).toBe(200);
    expect(await stored()).toEqual(before);
  });
});

it('a rehearsal tells nobody whether a password is the one that they have', async () => {
  const rehearse = async (value: string) =>
    (await patch({ operation: 'replace', field: '/password', value }, '?_dryRun=true')).status;
  expect([await rehearse(PASSWORD), await rehearse('Another-Horse-1')]).toEqual([200, 200]);
  expect((await patch({ operation: 'replace', field: '/password', value: PASSWORD })).status).toBe(403);
});

it('what one is not shown can be removed as a whole, whatever it was', async () => {
  for (const _time of ['there', 'gone']) {
    const { rev } = await stored();
    const { status, body } = await patch({ operation: 'remove', field: '/answer' });
    expect([status, body._rev]).toEqual([200, String(rev + 1)]);
  }
  expect((await stored()).data).not.toHaveProperty('answer');
});

describe('a caller with a certificate', () => {
  const NAMED = 'managed/user?_action=patch&_queryFilter=userName+eq+"ada"';
  const password = (value: string) => [{ operation: 'replace', field: '/password', value }];
  const asDevice = (method: string, path: string, body: unknown = password('Another-Horse-1')) =>
    api(method, path, { user: null, headers: CERTIFICATE, body });

  it.each<[string, string, unknown, number, string | undefined]>([
    ['PATCH', 'managed/user', undefined, 400, 'RESOURCE_IS_A_COLLECTION'],
    ['PATCH', 'managed/user/ada', undefined, 403, 'ACCESS_DENIED'],
    [
      'PATCH',
      `authentication/certificate/${encodeURIComponent('CN=device-7, O=Example')}`,
      undefined,
      403,
      'ACCESS_DENIED',
    ],
    ['POST', 'managed/user?_action=patch', undefined, 400, 'QUERY_WHICH'],
    ['POST', 'managed/user?_action=patch&_queryFilter=userName+eq+"nobody"', undefined, 404, undefined],
    ...[
      'mail eq "ada@example.com"',
      'userName sw "a"',
      'userName eq "ada" and mail sw "a"',
      '!(userName eq "ada")',
      'mail pr',
    ].map((filter): [string, string, unknown, number, string | undefined] => [
      'POST',
      `managed/user?_action=patch&_queryFilter=${encodeURIComponent(filter)}`,
      undefined,
      403,
      'QUERY_NOT_A_NAME',
    ]),
    [
      'POST',
      'managed/user?_action=patch&_queryId=get-by-field-value&field=mail&value=x',
      undefined,
      403,
      'QUERY_NOT_A_NAME',
    ],
    ['POST', NAMED, [{ operation: 'replace', field: '/mail', value: 'x@example.com' }], 403, 'ACCESS_DENIED'],
    ['POST', NAMED, [], 403, 'ACCESS_DENIED'],
    ['POST', NAMED, [{ operation: 'remove', field: '/password', value: PASSWORD }], 403, 'PATCH_OF_HIDDEN'],
  ])('is told what is wrong with %s %s %j, which changes nothing', async (method, path, body, status, id) => {
    const before = await stored();
    const answer = await asDevice(method, path, body);
    expect([answer.status, answer.body.detail?.id]).toEqual([status, id]);
    expect(await stored()).toEqual(before);
  });

  it('sets the password of the user whom it names, and is shown nothing of that user', async () => {
    const { rev } = await stored();
    const answer = await asDevice('POST', NAMED);
    expect([answer.status, answer.body]).toEqual([200, { _id: 'ada', _rev: String(rev + 1) }]);
    const declared = await asDevice(
      'POST',
      'managed/user?_action=patch&_queryId=for-userName&uid=ada',
      password('Another-Horse-3'),
    );
    expect([declared.status, declared.body._id]).toEqual([200, 'ada']);
    const shown = await api('POST', NAMED, { body: password('Another-Horse-2') });
    expect(shown.body).toMatchObject({ _id: 'ada', mail: expect.any(String) });
  });
});
