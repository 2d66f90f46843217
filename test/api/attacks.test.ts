import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ZipFile } from 'yazl';
import { accessMatrix } from '../support/access-matrix.ts';
import type { Answer, CallOptions } from '../support/api.ts';
import { ADMIN_PASSWORD } from '../support/api.ts';
import { faultOf, type HostileRequest, seededRandom, sendHostile } from '../support/hostile-requests.ts';
import { type HostileTarget, hostileTarget, USER_PASSWORD } from '../support/hostile-target.ts';
import { sendRaw, statusOf } from '../support/raw-http.ts';

/** One server for all attacks: each asserts that it was refused cleanly, the last that nothing was harmed. */
let target: HostileTarget;
let before: unknown;

const asAdmin = (method: string, path: string, options: CallOptions = {}) =>
  target.server.api(method, path, options);
const asEve = (method: string, path: string, options: CallOptions = {}) =>
  asAdmin(method, path, { user: 'eve', password: USER_PASSWORD, ...options });
const asNobody = (method: string, path: string, options: CallOptions = {}) =>
  asAdmin(method, path, { user: 'anonymous', password: 'anonymous', ...options });

/** What the attacks must not change. */
async function crownJewels() {
  const paths = [
    'repo/managed/user/ada',
    'repo/managed/user/ben',
    'repo/internal/user/svc-admin',
    'repo/internal/role/svc-admin',
    'config/managed',
    'config/authentication',
  ];
  return Promise.all(paths.map(async (path) => (await asAdmin('GET', path)).body));
}

function expectRefusal({ status, body }: Answer, ...statuses: number[]): void {
  expect(statuses, JSON.stringify(body)).toContain(status);
  expect(body).toMatchObject({ code: status, reason: expect.any(String), message: expect.any(String) });
  expect(JSON.stringify(body)).not.toMatch(/node_modules|\.ts:\d|syntax error|relation "|pg_|at \S+ \(/);
}

beforeAll(async () => {
  target = await hostileTarget();
  before = await crownJewels();
});
afterAll(() => target[Symbol.asyncDispose]());

describe('the access matrix', () => {
  it('of docs/access-matrix.md is what anonymous, a user and an administrator meet', async () => {
    const page = await readFile(new URL('../../docs/access-matrix.md', import.meta.url), 'utf8');
    const documented = page.split('\n').filter((line) => line.startsWith('|'));
    expect(await accessMatrix(target)).toEqual(documented);
  });
});

describe('injection into SQL', () => {
  const TEXTS = [
    "' OR '1'='1", "'; DROP TABLE managed_object; --", '" or 1=1 --', "') UNION SELECT password FROM managed_object --",
    "\\'; select sleep(10); --", '$$; select 1; $$', '%27%20or%201=1', "x' || (select version()) || '", '*/ or /*', '\u02bc or 1=1', '{"$gt":""}', '1e1000',
  ]; // biome-ignore format: a list of texts
  it.each(TEXTS)('finds nothing by the name %s', async (text) => {
    const filter = encodeURIComponent(`userName eq ${JSON.stringify(text)}`);
    const { status, body } = await asAdmin('GET', `managed/user?_queryFilter=${filter}`);
    expect([status, body.resultCount]).toEqual([200, 0]);
    expectRefusal(await asAdmin('GET', `managed/user/${encodeURIComponent(text)}`), 400, 404);
  });
  it.each(TEXTS)('neither sorts, selects nor pages by %s', async (text) => {
    const it = encodeURIComponent(text);
    for (const parameter of ['_sortKeys', '_fields']) {
      const answer = await asAdmin('GET', `managed/user?_queryFilter=false&${parameter}=${it}`);
      if (answer.status !== 200) expectRefusal(answer, 400);
    }
    expectRefusal(
      await asAdmin('GET', `managed/user?_queryFilter=true&_pageSize=1&_pagedResultsCookie=${it}`),
      400,
    );
    expectRefusal(await asAdmin('GET', `managed/user?_queryFilter=true&_pageSize=${it}`), 400);
    expectRefusal(await asAdmin('GET', `managed/user?_queryId=${it}`), 400, 404);
  });
  it.each([
    'userName eq', 'userName eq "a', '((((', 'a eq 1 and', "userName eq 'ada'; drop table x", 'userName like "%"', 'true) or (true', '1=1',
    'userName eq "a" union select 1', '! ! !', 'userName eq {"a":1}', 'not', `${'('.repeat(5000)}true${')'.repeat(5000)}`, `${'!('.repeat(3000)}true${')'.repeat(3000)}`,
    Array.from({ length: 1500 }, (_, n) => `a eq ${n}`).join(' or '),
  ])('reads no filter such as %j', async (filter) => {
    expectRefusal(await asAdmin('GET', `managed/user?_queryFilter=${encodeURIComponent(filter)}`), 400, 414, 431);
  }); // biome-ignore format: a list of filters
});

describe('patterns that never end', () => {
  it.each(['(a+)+$', '(a|aa)+$', '(.*a){20}$', '^(([a-z])+.)+[A-Z]([a-z])+$', '(?=(a+))a*b\\1'])(
    '%s is plain text',
    async (pattern) => {
      const startedAt = performance.now();
      const filter = encodeURIComponent(
        `userName co ${JSON.stringify(pattern)} or mail sw ${JSON.stringify('a'.repeat(3000))}`,
      );
      expect((await asAdmin('GET', `managed/user?_queryFilter=${filter}`)).body.resultCount).toBe(0);
      expect(performance.now() - startedAt).toBeLessThan(60_000);
    },
  );
  it.each(['mail', 'userName'])('a long value of %s is judged in no time', async (name) => {
    const startedAt = performance.now();
    const value = `${'a@'.repeat(50_000)}!`;
    const answer = await asEve('PATCH', 'managed/user/eve', {
      body: [{ operation: 'replace', field: `/${name}`, value }],
    });
    expect([200, 400, 403]).toContain(answer.status);
    expect(performance.now() - startedAt).toBeLessThan(60_000);
  });
});

describe('paths', () => {
  it.each([
    '/svc/../svc/config/managed', '/svc/%2e%2e/svc/config', '/svc/managed/user/./ada', '/svc/managed/user/%2e%2e/ada', '/svc/managed\\user', '/svc/managed/user/%00',
    '/svc/managed/user/%C0%AF', '/svc/managed/user/%', '/svc/managed/user/%0d%0aX:%20y', '/svc/managed/user/%ff', '//evil.example/svc/%2e%2e/x', '/docs/../../package.json', '/docs/%2e%2e/%2e%2e/package.json',
    '/svc/..;/config', '/docs/..%2f..%2fpackage.json', '/docs/....//package.json', '/svc/managed//user/ada', '/svc/Config/managed', '/svc/config%2fmanaged', '/svc;x=1/config/managed', '/svc/config/managed%3f',
  ])('%s leads nowhere for a user', async (path) => {
    const request: HostileRequest = { method: 'GET', path, headers: { 'X-Svc-Username': 'eve', 'X-Svc-Password': USER_PASSWORD }, body: undefined };
    const answer = await sendHostile(target.server.url, request);
    expect([400, 403, 404]).toContain(answer.status);
    expect(faultOf(request, answer)).toBeUndefined();
    expect(answer.text).not.toContain('dependencies');
  }); // biome-ignore format: a list of paths
  it('longer than any are 414, and headers beyond measure 431', async () => {
    const long: HostileRequest = {
      method: 'GET',
      path: `/svc/managed/user/${'a'.repeat(20_000)}`,
      headers: {},
      body: undefined,
    };
    expect(
      statusOf(
        await sendRaw(target.server.url, `GET ${long.path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`),
      ),
    ).toBe(414);
    expect(
      statusOf(
        await sendRaw(target.server.url, `GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(40_000)}\r\n\r\n`),
      ),
    ).toBe(431);
    const many = Array.from({ length: 150 }, (_, n) => `X-${n}: y\r\n`).join('');
    expect(
      statusOf(
        await sendRaw(target.server.url, `GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${many}\r\n`),
      ),
    ).toBe(431);
  });
});

describe('smuggling', () => {
  const SECOND = 'GET /svc/config/managed HTTP/1.1\r\nHost: x\r\n\r\n';
  it.each([
    [
      'two lengths',
      'POST /svc/info/ping HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nContent-Length: 44\r\n\r\n',
    ],
    [
      'a length and chunks',
      'POST /svc/info/ping HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    [
      'an odd encoding',
      'POST /svc/info/ping HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n',
    ],
    [
      'two encodings',
      'POST /svc/info/ping HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n',
    ],
    ...[
      'gzip, chunked',
      'identity, chunked',
      'chunked, gzip',
      'chunked, chunked',
      'identity',
      'chunked;q=1',
      '\vchunked',
      '',
    ].map((encoding): [string, string] => [
      `the transfer encoding '${encoding}'`,
      `POST /svc/info/ping HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: ${encoding}\r\n\r\n0\r\n\r\n`,
    ]),
    ...['', 'Connection: keep-alive\r\n'].map((connection): [string, string] => [
      `chunks in HTTP/1.0 and '${connection.trim()}'`,
      `POST /svc/info/ping HTTP/1.0\r\nHost: x\r\n${connection}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ]),
    ['a list of lengths', 'POST /svc/info/ping HTTP/1.1\r\nHost: x\r\nContent-Length: 2, 2\r\n\r\n{}'],
    ['a star for a path', 'GET * HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a path of no kind', 'GET svc/info/ping HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a whole URL with a way out', 'GET http://x/svc/../config HTTP/1.1\r\nHost: x\r\n\r\n'],
    [
      'a space before the colon',
      'POST /svc/info/ping HTTP/1.1\r\nHost: x\r\nContent-Length : 5\r\n\r\nhello',
    ],
    ['a folded header', 'GET /svc/info/ping HTTP/1.1\r\nHost: x\r\nX: a\r\n b: c\r\n\r\n'],
    ['a bare line feed', 'GET /svc/info/ping HTTP/1.1\nHost: x\n\n'],
    [
      'a bad chunk',
      'POST /svc/info/ping HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\nx\r\n0\r\n\r\n',
    ],
    ['a negative length', 'POST /svc/info/ping HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n'],
    ['a signed length', 'POST /svc/info/ping HTTP/1.1\r\nHost: x\r\nContent-Length: +5\r\n\r\nhello'],
    ['two hosts', 'GET /svc/info/ping HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n'],
    ['no host', 'GET /svc/info/ping HTTP/1.1\r\n\r\n'],
    ['a host that is a path', 'GET /svc/info/ping HTTP/1.1\r\nHost: x/../y\r\n\r\n'],
    ['a host with a user', 'GET /svc/info/ping HTTP/1.1\r\nHost: a@b\r\n\r\n'],
    [
      'two users',
      'GET /svc/info/ping HTTP/1.1\r\nHost: x\r\nX-Svc-Username: eve\r\nX-Svc-Username: svc-admin\r\n\r\n',
    ],
    [
      'two credentials',
      'GET /svc/info/ping HTTP/1.1\r\nHost: x\r\nAuthorization: Basic a\r\nAuthorization: Basic b\r\n\r\n',
    ],
    ['a zero byte', 'GET /svc/info/ping HTTP/1.1\r\nHost: x\r\nX: a\u0000b\r\n\r\n'],
    ['another protocol', 'GET /svc/info/ping HTTP/9.9\r\nHost: x\r\n\r\n'],
    ['no method', '/svc/info/ping HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['an unknown method', 'BREW /svc/info/ping HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a fragment', 'GET /svc/info/ping#x HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['another scheme', 'GET file:///etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a way out of the path', 'GET /svc/info/../config HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a backslash and a body', 'POST /svc/info\\ping HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}'],
  ])('with %s gets through nowhere', async (what, message) => {
    const answer = await sendRaw(target.server.url, message + SECOND);
    expect(statusOf(answer), what).toBe(400);
    expect(answer).toMatch(/^Connection: close\r$/im);
    // One answer to one message: what was smuggled in behind it was not read as a request.
    expect(answer.match(/HTTP\/1\.1 \d{3}/g)).toHaveLength(1);
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))).toMatchObject({
      code: 400,
      message: expect.any(String),
    });
  });
  it('as a tunnel is cut off', async () => {
    const answer = await sendRaw(target.server.url, 'CONNECT db:5432 HTTP/1.1\r\nHost: db:5432\r\n\r\n');
    expect([0, 400]).toContain(statusOf(answer));
  });
});

describe('bodies', () => {
  const deep = (open: string, close: string, levels: number) => open.repeat(levels) + close.repeat(levels);
  it.each([
    ['endless arrays', deep('[', ']', 100_000)],
    ['endless objects', `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`],
    ['just too deep', `${'{"a":'.repeat(300)}1${'}'.repeat(300)}`],
    ['an array', '[]'], ['a text', '"x"'], ['null', 'null'], ['two objects', '{}{}'], ['a comment', '{/*x*/}'], ['a trailing comma', '{"a":1,}'],
    ['single quotes', "{'a':1}"], ['NaN', '{"a":NaN}'], ['half a surrogate', '{"userName":"\\ud800"}'], ['a zero character', '{"userName":"a\\u0000b"}'], ['nothing', ' '],
  ])('that are %s are refused', async (_what, body) => {
    expectRefusal(await asAdmin('POST', 'managed/user', { body }), 400, 403);
    expectRefusal(await asAdmin('PUT', 'repo/attack/body', { body }), 400, 403);
  }); // biome-ignore format: a list of bodies
  it.each(['text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/json; charset=utf-7', 'application/json, text/html', 'text/json', 'application/x-json'])('of type %s are refused', async (type) => {
    expectRefusal(await asAdmin('POST', 'managed/user', { body: '{"userName":"x"}', headers: { 'Content-Type': type } }), 400, 415);
  }); // biome-ignore format: a list of types
});

describe('prototypes', () => {
  const POLLUTION =
    '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"a":{"__proto__":{"polluted":true}}}';
  it.each(['repo/attack/proto', 'managed/user/proto'])('are not changed by an object at %s', async (path) => {
    const answer = await asAdmin('PUT', path, { body: POLLUTION });
    expect([201, 400, 403]).toContain(answer.status);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    const seen = await asAdmin('POST', 'script?_action=eval', {
      body: { type: 'text/javascript', source: '({}).polluted === undefined' },
    });
    expect(seen.body).toBe(true);
    await asAdmin('DELETE', path);
  });
  it.each([
    '/__proto__/polluted',
    '/constructor/prototype/polluted',
    '/a/__proto__/polluted',
    '__proto__',
    '/__proto__',
  ])('are not changed by a patch of %s', async (field) => {
    const answer = await asEve('PATCH', 'managed/user/eve', {
      body: [{ operation: 'add', field, value: { polluted: true } }],
    });
    expectRefusal(answer, 400, 403);
    await asAdmin('PUT', 'repo/attack/patched', { body: { a: {} } });
    const op = { operation: 'add', field, value: 1 };
    expectRefusal(await asAdmin('PATCH', 'repo/attack/patched', { body: [op] }), 501);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
  it.each([
    '_fields=__proto__',
    '_fields=constructor/name',
    '_queryFilter=__proto__/x%20pr',
    '_queryFilter=constructor%20pr',
    '_sortKeys=__proto__&_queryFilter=true',
  ])('are not shown by ?%s', async (query) => {
    const { status, body } = await asAdmin(
      'GET',
      query.includes('Filter') ? `managed/user?${query}&_pageSize=1` : `managed/user/ada?${query}`,
    );
    expect(status).toBeLessThan(500);
    expect(JSON.stringify(body)).not.toMatch(/native code|\[object|Object"/);
  });
  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'])(
    'lend no resource the name %s',
    async (name) => {
      for (const path of [
        name,
        `managed/${name}/x`,
        `info/${name}`,
        `config/${name}`,
        `endpoint/${name}`,
        `health/${name}`,
        `audit/${name}`,

        `scheduler/job/${name}`,
        `workflow/${name}`,
      ]) {
        expectRefusal(await asAdmin('GET', path), 400, 404, 501);
      }
      expectRefusal(await asAdmin('POST', `managed/user?_action=${name}`, { body: {} }), 400, 501);
      expectRefusal(await asAdmin('POST', `authentication?_action=${name}`, { body: {} }), 400);
    },
  );
});

describe('an ordinary user who wants more', () => {
  const ROLE = { _ref: 'repo/internal/role/svc-admin' };
  it.each<[string, string, string, unknown]>([
    [
      'roles of its own',
      'PATCH',
      'managed/user/eve',
      [{ operation: 'add', field: '/authzRoles/-', value: ROLE }],
    ],
    [
      'roles in an object',
      'PATCH',
      'managed/user/eve',
      [{ operation: 'add', field: '', value: { authzRoles: [ROLE] } }],
    ],
    [
      'roles by copying',
      'PATCH',
      'managed/user/eve',
      [{ operation: 'copy', from: '/mail', field: '/authzRoles' }],
    ],
    [
      'roles by an odd pointer',
      'PATCH',
      'managed/user/eve',
      [{ operation: 'add', field: 'authzRoles/0', value: ROLE }],
    ],
    [
      'roles by a script',
      'PATCH',
      'managed/user/eve',
      [
        {
          operation: 'transform',
          field: '/mail',
          value: { script: { type: 'text/javascript', source: 'svc.read("config/managed")' } },
        },
      ],
    ],
    [
      'roles by an action',
      'POST',
      'managed/user/eve?_action=patch',
      [{ operation: 'add', field: '/authzRoles/-', value: ROLE }],
    ],
    ['roles as an edge', 'POST', 'managed/user/eve/authzRoles', ROLE],
    ['granted roles', 'POST', 'managed/user/eve/roles', { _ref: 'managed/role/x' }],
    [
      'granted roles by patch',
      'PATCH',
      'managed/user/eve',
      [{ operation: 'add', field: '/roles/-', value: { _ref: 'managed/role/x' } }],
    ],
    [
      'to be a manager',
      'PATCH',
      'managed/user/eve',
      [{ operation: 'add', field: '/reports/-', value: { _ref: 'managed/user/ada' } }],
    ],
    [
      'another id',
      'PATCH',
      'managed/user/eve',
      [{ operation: 'replace', field: '/_id', value: 'svc-admin' }],
    ],
    [
      'another revision',
      'PATCH',
      'managed/user/eve',
      [{ operation: 'replace', field: '/_rev', value: '99' }],
    ],
    [
      'a hash of its own making',
      'PATCH',
      'managed/user/eve',
      [
        {
          operation: 'replace',
          field: '/password',
          value: { $crypto: { type: 'salted-hash', value: { algorithm: 'SHA-256', data: 'AAAA' } } },
        },
      ],
    ],
    [
      'effective roles',
      'PATCH',
      'managed/user/eve',
      [{ operation: 'replace', field: '/effectiveRoles', value: [] }],
    ],
    [
      'another account status',
      'PATCH',
      'managed/user/eve',
      [{ operation: 'replace', field: '/accountStatus', value: 'x' }],
    ],
    [
      'all by PUT',
      'PUT',
      'managed/user/eve',
      { userName: 'eve', givenName: 'e', sn: 'x', mail: 'e@example.com', authzRoles: [ROLE] },
    ],
    [
      'another user',
      'PUT',
      'managed/user/mallory',
      { userName: 'mallory', givenName: 'm', sn: 'm', mail: 'm@example.com' },
    ],
    [
      "another's object",
      'PATCH',
      'managed/user/ada',
      [{ operation: 'replace', field: '/mail', value: 'eve@example.com' }],
    ],
    ["another's end", 'DELETE', 'managed/user/ada', undefined],
    ['an internal user', 'PUT', 'repo/internal/user/eve', { roles: [ROLE], password: 'x' }],
    [
      'raw objects',
      'PATCH',
      'repo/managed/user/eve',
      [{ operation: 'add', field: '/authzRoles', value: [ROLE] }],
    ],
    ['a script', 'POST', 'script?_action=eval', { type: 'text/javascript', source: '1' }],
    ['a compiled script', 'POST', 'script?_action=compile', { type: 'text/javascript', source: '1' }],
    ['other rules', 'PUT', 'config/authentication', {}],
    ['a schedule', 'PUT', 'scheduler/job/eve', { enabled: true, type: 'simple', invokeService: 'script' }],
    ['a pause of all', 'POST', 'scheduler/job?_action=pauseJobs', {}],
    ['a scan', 'POST', 'taskscanner?_action=execute&name=x', {}],
    [
      'a process file',
      'POST',
      'workflow/deployment?_action=deploy',
      { name: 'x.bpmn20.xml', content: '<x/>' },
    ],
    ['a process nobody offers', 'POST', 'workflow/processinstance', { _key: 'x' }],
    ['a message to processes', 'POST', 'workflow/message?_action=send', { name: 'x' }],
    ["another's task", 'POST', 'workflow/taskinstance/x?_action=complete', {}],
    ['a role', 'POST', 'managed/role', { name: 'x', description: 'x' }],
    ['an endpoint', 'POST', 'endpoint/echo?_action=x', {}],
    ['an entry of the audit', 'POST', 'audit/access', {}],
    [
      'another address of its own without its password',
      'PATCH',
      'managed/user/eve',
      [{ operation: 'replace', field: '/mail', value: 'elsewhere@example.com' }],
    ],
  ])('does not get %s', async (_what, method, path, body) => {
    const options = body === undefined ? {} : { body };
    expectRefusal(await asEve(method, path, options), 403);
    expectRefusal(await asNobody(method, path, options), 403);
    expectRefusal(
      await asEve('POST', path.includes('?') ? path : `${path}?_dryRun=true`, {
        ...options,
        headers: path.includes('?') ? {} : { 'X-HTTP-Method-Override': method },
      }),
      403,
    );
  });
  it.each([
    ['_ref', 'managed/user/ada'],
    ['_refResourceId', 'ada'],
    ['_refError', true],
    ['_anything', 'x'],
  ])('keeps nothing in its own object that nobody may edit: %s', async (name, value) => {
    const { body } = await asEve('GET', 'managed/user/eve');
    expectRefusal(await asEve('PUT', 'managed/user/eve', { body: { ...body, [name]: value } }), 403);
    expect((await asEve('PUT', 'managed/user/eve', { body })).status).toBe(200);
    expect(await asEve('GET', 'managed/user/eve')).toMatchObject({ body });
  });
  it.each([
    'managed/user/ada', 'managed/user?_queryFilter=true', 'managed/user?_queryId=query-all-ids', 'managed/user?_queryFilter=password%20pr', 'managed/user/ada/manager', 'managed/role?_queryFilter=true', 'repo/internal/user?_queryFilter=true',
    'repo/internal/role/svc-admin', 'config', 'config/authentication', 'audit/access?_queryFilter=true', 'audit/authentication?_queryFilter=true', 'scheduler/job?_queryFilter=true', 'scheduler/trigger?_queryFilter=true', 'repo/scheduler/triggers?_queryFilter=true',
    'taskscanner', 'workflow/processinstance?_queryId=query-all-ids', 'workflow/taskinstance?_queryId=query-all-ids', 'workflow/deployment?_queryFilter=true', 'cluster', 'health/memory', 'health/os', 'health/jdbc',
  ])('does not read %s', async (path) => {
    expectRefusal(await asEve('GET', path), 403);
    expectRefusal(await asNobody('GET', path), 403);
  }); // biome-ignore format: a list of paths
  it.each(['_fields=password', '_fields=*,password', '_fields=*_ref/*', '_fields=manager/*', '_fields=reports/*/password', '_fields=authzRoles/*', '_fields=roles/*/members/*', '_fields=/', '_fields=*/*/*'])('sees no secret of itself or others with %s', async (fields) => {
    const { status, body } = await asEve('GET', `managed/user/eve?${fields}`);
    expect([200, 400, 403]).toContain(status);
    expect(JSON.stringify(body)).not.toMatch(/\$crypto|argon2|SHA-256|ben@example\.com|ada@example\.com/i);
  }); // biome-ignore format: a list of selections
  it('sees no hash of its own password, even if it is an internal user', async () => {
    const own = { user: 'inner', password: USER_PASSWORD };
    const roles = [{ _ref: 'repo/internal/role/svc-authorized' }];
    await asAdmin('PUT', 'repo/internal/user/inner', { body: { password: USER_PASSWORD, roles } });
    expect((await asAdmin('GET', 'info/login', own)).body.authorization.component).toBe('repo/internal/user');
    expectRefusal(await asAdmin('GET', 'repo/internal/user/inner', own), 403);
    expectRefusal(
      await asAdmin('PUT', 'repo/internal/user/inner', { ...own, body: { password: 'Other-Passw0rd' } }),
      403,
    );
    await asAdmin('DELETE', 'repo/internal/user/inner', { headers: { 'If-Match': '*' } });
  });
  it("acts in nobody else's name by what it completes a task with", async () => {
    const admin = { authenticationId: 'svc-admin', authorization: { id: 'svc-admin', roles: ['svc-admin'] } };
    const [definition] = (
      await asAdmin('GET', 'workflow/processdefinition?_queryId=filtered-query&key=asked')
    ).body.result;
    const started = await asEve('POST', 'workflow/processinstance', {
      body: { _processDefinitionId: definition._id, svccontext: admin },
    });
    const open = `workflow/taskinstance?_queryId=filtered-query&processInstanceId=${started.body._id}`;
    const [task] = (await asAdmin('GET', open)).body.result;
    const body = {
      svccontext: admin,
      context: { security: admin },
      svc: {},
      execution: {},
      who: 'svc-admin',
    };
    expect((await asEve('POST', `workflow/taskinstance/${task._id}?_action=complete`, { body })).status).toBe(
      200,
    );
    const ended = await asAdmin('GET', `workflow/processinstance/history/${started.body._id}`);
    expect(ended.body.processVariables.who).toBe('eve function function');
  });
  it('learns from the rules for passwords what is in its own object, and nothing of others', async () => {
    const ask = async (id: string) => {
      const body = { password: 'Passw0rd with ada, eve and Test' };
      const answer = await asEve('POST', `policy/managed/user/${id}?_action=validateProperty`, { body });
      return JSON.stringify(answer.body);
    };
    expect(await ask('eve')).toContain('CANNOT_CONTAIN_OTHERS');
    expect(await ask('ada')).toBe(await ask('nobody'));
    expect(await ask('ada')).not.toContain('CANNOT_CONTAIN_OTHERS');
  });
  it.each(['validateProperty', 'validateObject'])(
    'learns by %s from no rule which users there are',
    async (action) => {
      const ask = async (userName: string) =>
        (await asEve('POST', `policy/managed/user/*?_action=${action}`, { body: { userName } })).body;
      for (const taken of ['ada', 'svc-admin']) expect(await ask(taken)).toEqual(await ask('nobody'));
      const told = await asAdmin('POST', `policy/managed/user/*?_action=${action}`, {
        body: { userName: 'ada' },
      });
      expect(JSON.stringify(told.body)).toContain('UNIQUE');
    },
  );
});

describe('a page of somebody else', () => {
  let cookie: string;
  beforeAll(async () => {
    const login = await asAdmin('POST', 'authentication?_action=login', { body: {} });
    cookie = login.headers.get('set-cookie')!.split(';', 1)[0]!;
    expect(login.headers.get('set-cookie')).toMatch(/HttpOnly; SameSite=Strict/);
  });
  it.each<[string, string, unknown]>([
    ['POST', 'managed/user', { userName: 'csrf' }], ['PUT', 'managed/user/csrf', { userName: 'csrf' }], ['PATCH', 'managed/user/ada', [{ operation: 'replace', field: '/mail', value: 'x@example.com' }]], ['DELETE', 'managed/user/ada', undefined],
    ['POST', 'script?_action=eval', { type: 'text/javascript', source: '1' }], ['PUT', 'config/x', {}],
  ])('cannot use a session for %s %s', async (method, path, body) => {
    expectRefusal(await asAdmin(method, path, { user: null, headers: { Cookie: cookie }, ...(body === undefined ? {} : { body }) }), 403);
  }); // biome-ignore format: a list of requests
  it('is told nothing by this server', async () => {
    const { headers } = await asAdmin('GET', 'info/ping', { headers: { Origin: 'https://evil.example' } });
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('process files', () => {
  const XML = '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="x">';
  it.each([
    [
      'a billion laughs',
      `<!DOCTYPE d [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>${XML}<process id="x" name="&b;"/></definitions>`,
    ],
    [
      'a file of this machine',
      `<!DOCTYPE d [<!ENTITY a SYSTEM "file:///etc/passwd">]>${XML}<process id="x" name="&a;"/></definitions>`,
    ],
    [
      'a document elsewhere',
      `<!DOCTYPE d SYSTEM "http://127.0.0.1/x.dtd">${XML}<process id="x"/></definitions>`,
    ],
    ['endless elements', `${XML}${'<process>'.repeat(20_000)}`],
    [
      'endless attributes',
      `${XML}<process id="x" ${Array.from({ length: 20_000 }, (_, n) => `a${n}="1"`).join(' ')}`,
    ],
    ['half a file', `${XML}<process id="x"><startEvent id="a"`],
    ['no XML', 'BM\u0001\u0002'],
    ['a name that climbs', '<x/>'],
  ])('with %s are refused', async (what, content) => {
    const name = what === 'a name that climbs' ? '../../evil.bpmn20.xml' : 'evil.bpmn20.xml';
    const answer = await asAdmin('POST', 'workflow/deployment?_action=deploy', { body: { name, content } });
    expectRefusal(answer, 400, 413);
    expect(JSON.stringify(answer.body)).not.toContain('root:');
  });
  it.each([
    'not a zip',
    'UEsDBBQAAAAIAA==',
    Buffer.from(`PK\u0003\u0004${'\u00ff'.repeat(60)}`, 'latin1').toString('base64'),
  ])('in an archive such as %j are refused', async (content) => {
    expectRefusal(
      await asAdmin('POST', 'workflow/deployment?_action=deploy', { body: { name: 'evil.bar', content } }),
      400,
    );
  });
});

describe('an archive', () => {
  it.each([
    ['one huge file', 1, 100_000_000],
    ['many files', 3_000, 10],
  ])('an archive that bursts into %s is refused', async (_what, files, bytes) => {
    const zip = new ZipFile();
    const content = Buffer.alloc(bytes, ' ');
    for (let n = 0; n < files; n++) zip.addBuffer(content, `${n}.bpmn20.xml`, { compressionLevel: 1 });
    zip.end();
    const archive = (await buffer(zip.outputStream)).toString('base64');
    const answer = await asAdmin('POST', 'workflow/deployment?_action=deploy', {
      body: { name: 'bomb.bar', content: archive },
    });
    expectRefusal(answer, 400, 413);
  });
});

describe('what is worth most', () => {
  it('is as it was', async () => {
    expect(await crownJewels()).toEqual(before);
  });
});

describe('random requests', () => {
  it('1,500 of them find no 500, no leak and no unhandled rejection', async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown) => void unhandled.push(error);
    process.on('unhandledRejection', note);
    const random = seededRandom(20_261_121);
    const faults: unknown[] = [];
    let left = 1_500;
    const send = async () => {
      while (left-- > 0) {
        const request = target.next(random);
        const answer = await sendHostile(target.server.url, request);
        const fault = faultOf(request, answer);
        if (fault !== undefined) faults.push({ fault, request, answer });
      }
    };
    await Promise.all([send(), send(), send(), send()]);
    process.off('unhandledRejection', note);
    expect(faults).toEqual([]);
    expect(unhandled).toEqual([]);
  });
});

describe('after all attacks', () => {
  it('nothing was harmed, and nothing failed inside', async () => {
    const failed = target.server.observations.filter(({ kind }) => kind === 'http.failed');
    expect(failed).toEqual([]);
    const ready = await fetch(`${target.server.url}/health/ready`);
    expect(ready.status).toBe(200);
    expect(
      (await asAdmin('GET', 'managed/user?_queryFilter=userName%20eq%20%22mallory%22')).body.resultCount,
    ).toBe(0);
    expect((await asAdmin('GET', 'info/login')).body.authorization.roles).toContain('svc-admin');
  });

  it('no password was written anywhere', () => {
    const said = JSON.stringify(target.server.observations.map(({ ...all }) => all));
    for (const secret of [ADMIN_PASSWORD, USER_PASSWORD]) expect(said).not.toContain(secret);
  });
});
