import { beforeAll, describe, expect, it } from 'vitest';
import { attackSite, expectRefusal } from '../support/attack-site.ts';
import { USER_PASSWORD } from '../support/hostile-target.ts';

/** One server for all attacks of this file: each asserts that it was refused cleanly, the last that nothing was harmed. */
const site = attackSite();
const { asAdmin, asEve, asNobody } = site;

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
  // A POST without a body is one that a browser sends for any page, with what a proxy or a certificate lets in.
  it.each<[string, Record<string, string>]>([
    ['another site', { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' }],
    ['a neighbour', { 'Sec-Fetch-Site': 'same-site' }],
    ['a file', { Origin: 'null' }],
    ['another port', { Origin: 'http://127.0.0.1:1' }],
  ])('has nothing done for whoever comes in without a session: %s', async (_whose, headers) => {
    const ended = await asAdmin('POST', 'session?_action=endAll', { headers });
    expect([ended.status, ended.body.detail.id]).toEqual([403, 'ACCESS_FORGED_REQUEST']);
    const ours = await asAdmin('POST', 'session?_action=endAll', {
      headers: { ...headers, 'X-Requested-With': 'our page' },
    });
    expect(ours.status).toBe(200);
  });

  it('is not taken for one of ours, nor ours or a program for it', async () => {
    const ours: Record<string, string>[] = [
      { 'Sec-Fetch-Site': 'same-origin' },
      { 'Sec-Fetch-Site': 'none' },
      { Origin: site.target.server.url },
      {},
    ];
    for (const headers of ours) {
      expect((await asAdmin('POST', 'session?_action=endAll', { headers })).status).toBe(200);
    }
  });

  it('is told nothing by this server', async () => {
    const { headers } = await asAdmin('GET', 'info/ping', { headers: { Origin: 'https://evil.example' } });
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('a text that is made to take long', () => {
  const part = `b${'a'.repeat(20_000)}`;
  const text = `b${'a'.repeat(19_999)}c`.repeat(7) + 'a'.repeat(60_000);
  it.each<[string, () => Promise<unknown>]>([
    [
      'a password that nearly holds a name',
      () =>
        asEve('POST', 'policy/managed/user/*?_action=validateObject', {
          body: { password: text, userName: part, givenName: part, sn: part },
        }),
    ],
    [
      'an encoding of blanks',
      () =>
        asNobody('POST', 'info/ping', {
          body: {},
          headers: { 'Content-Encoding': `${'\u00a0'.repeat(20_000)}x` },
        }),
    ],
  ])('keeps the thread from nobody: %s', async (_title, ask) => {
    const startedAt = process.threadCpuUsage();
    await ask();
    expect(process.threadCpuUsage(startedAt).user).toBeLessThan(700_000);
  });
});

describe('a text that is looked for inside of others', () => {
  const text = '***:(?i)A.C[^b]*$ a\\b %_ and more';
  const find = (...looks: readonly string[]) => {
    const filter = looks.map((look) => `value/x co ${JSON.stringify(look)}`).join(' or ');
    return asEve('GET', `draft?_fields=_id&_queryFilter=${encodeURIComponent(filter)}`);
  };

  it('is a text, whatever an expression would mean by it', async () => {
    await asEve('PUT', 'draft/odd', { body: { value: { x: `so ${text}!${'a'.repeat(2_000)}` } } });
    expect((await find(text)).body.resultCount).toBe(1);
    expect((await find('a'.repeat(1_000))).body.resultCount).toBe(1);
    for (const other of ['***:(?i)a.c[^b]*$ and so on', '***=.{4}.{4}.{4}.{4}.{4}', `${'a'.repeat(900)}b`])
      expect((await find(other)).body.resultCount, other).toBe(0);
  });

  it('is so long, and one of so many, that the database has soon done it', async () => {
    const long = await find(`b${'a'.repeat(1_000)}`);
    expect([long.status, long.body.detail.id]).toEqual([400, 'FILTER_TEXT_TOO_LONG']);
    const many = await find(...Array<string>(101).fill('a'));
    expect([many.status, many.body.detail.id]).toEqual([400, 'FILTER_TOO_MANY_CONDITIONS']);
  });
});

describe('after all attacks', () => {
  it('what is worth most is as it was', site.expectUnharmed);
  it('nothing was harmed, and nothing failed inside', site.expectNoFailure);
  it('no password was written anywhere', site.expectNoPassword);
});
