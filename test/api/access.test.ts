import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NotFoundError } from '../../src/errors/index.ts';
import { type JsonValue, parsePointer } from '../../src/json/index.ts';
import { formatPath, type Request, resource, systemContext } from '../../src/resource/index.ts';
import { requestView } from '../../src/script/index.ts';
import { CONDITION_NAMES } from '../../src/security/access/conditions.ts';
import { AccessRules } from '../../src/security/index.ts';
import type { Api, CallOptions } from '../support/api.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const PASSWORD = 'Passw0rd-of-users';

const toAUser = {
  type: 'relationship',
  reverseRelationship: false,
  validate: true,
  properties: {
    _ref: { type: 'string' },
    _refProperties: { type: 'object', properties: { _id: { type: 'string' } } },
  },
  resourceCollection: [{ path: 'managed/user', query: { queryFilter: 'true', fields: ['userName'] } }],
};
const TYPES = {
  objects: [
    {
      name: 'user',
      onUpdate: {
        type: 'text/javascript',
        source: `if (newObject.mail === 'moved@example.com' && oldObject.userName === 'ada') {
          svc.patch('managed/user/ben', null, [{ operation: 'replace', field: '/endDate', value: '2031-01-01' }]);
          logger.info('ben stays longer');
        }
        if (newObject.mail === 'broken@example.com') { logger.info('breaking'); newObject.nothing.here = 1; }`,
      },
      schema: {
        type: 'object',
        required: ['userName'],
        properties: {
          userName: { type: 'string' },
          password: {
            type: 'string',
            scope: 'private',
            userEditable: true,
            isProtected: true,
            secureHash: { algorithm: 'SHA-256' },
          },
          mail: { type: ['string', 'null'], userEditable: true },
          endDate: { type: ['string', 'null'] },
          accountStatus: { type: ['string', 'null'] },
          nick: {
            type: ['string', 'null'],
            isVirtual: true,
            onRetrieve: { type: 'text/javascript', source: '"nick"' },
          },
          manager: { ...toAUser, returnByDefault: false },
          mentor: { ...toAUser, returnByDefault: true },
          authzRoles: {
            type: 'array',
            returnByDefault: false,
            items: {
              type: 'relationship',
              reverseRelationship: false,
              validate: true,
              properties: {
                _ref: { type: 'string' },
                _refProperties: { type: 'object', properties: { _id: { type: 'string' } } },
              },
              resourceCollection: [
                { path: 'repo/internal/role', query: { queryFilter: 'true', fields: ['_id'] } },
              ],
            },
          },
        },
      },
    },
  ],
};

let server: TestServer;
let api: Api;
const asAda = (method: string, path: string, options: CallOptions = {}) =>
  api(method, path, { user: 'ada', password: PASSWORD, ...options });
const asNobody = (method: string, path: string, options: CallOptions = {}) =>
  api(method, path, { user: 'anonymous', password: 'anonymous', ...options });

/** How many statements wait for a lock. */
async function waiting(): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(server.database.db);
  return rows[0]!.n;
}

/** Others change ada's status while she sends her object as it was. */
async function expectNothingTakenBack(headers: Record<string, string>): Promise<void> {
  const { body: own } = await asAda('GET', 'managed/user/ada');
  const { body: before } = await api('GET', 'repo/managed/user/ada');
  const others = await server.database.db.startTransaction().execute();
  await sql`update managed_object set rev = rev + 1, data = data || '{"accountStatus":"leaving"}'
    where type = 'user' and id = 'ada'`.execute(others);
  const put = asAda('PUT', 'managed/user/ada', { body: own, headers });
  await expect.poll(waiting).toBe(1);
  await others.commit().execute();
  expect((await put).status).toBe(403);
  const { body: after } = await api('GET', 'repo/managed/user/ada');
  expect(after).toEqual({ ...before, _rev: String(Number(before._rev) + 1), accountStatus: 'leaving' });
  await sql`update managed_object set rev = rev + 1, data = data - 'accountStatus'
    where type = 'user' and id = 'ada'`.execute(server.database.db);
}

beforeAll(async () => {
  server = await startTestServer({ files: { 'conf/managed.json': TYPES }, threads: 2 });
  api = server.api;
  for (const name of ['ada', 'ben']) {
    const body = { userName: name, password: PASSWORD, mail: `${name}@example.com`, endDate: '2030-01-01' };
    const { status } = await api('PUT', `managed/user/${name}`, { body });
    expect(status).toBe(201);
  }
});
afterAll(() => server[Symbol.asyncDispose]());

describe('a user who has logged in', () => {
  it('is who it says, with the role of users', async () => {
    const { body } = await asAda('GET', 'info/login');
    expect(body).toMatchObject({
      authenticationId: 'ada',
      authorization: {
        id: 'ada',
        component: 'managed/user',
        roles: ['svc-authorized'],
        moduleId: 'MANAGED_USER',
        protectedAttributeList: ['password'],
      },
    });
  });

  it('reads itself, and not what is private', async () => {
    const { status, body } = await asAda('GET', 'managed/user/ada');
    expect([status, body.mail, body.password]).toEqual([200, 'ada@example.com', undefined]);
  });

  it('rehearses what it may do, and sees nothing of others in the report', async () => {
    const move = { body: [{ operation: 'replace', field: '/mail', value: 'moved@example.com' }] };
    const all = await api('PATCH', 'managed/user/ada?_dryRun=true', move);
    expect(all.body.changes.map(({ resource }: { resource: string }) => resource).toSorted()).toEqual([
      'managed/user/ada',
      'managed/user/ben',
    ]);
    expect(all.body.log).toHaveLength(1);
    const { status, body } = await asAda('PATCH', 'managed/user/ada?_dryRun=true', move);
    expect([status, body.dryRun, body.withheld]).toEqual([200, true, true]);
    expect(body.changes).toMatchObject([{ resource: 'managed/user/ada', operation: 'update' }]);
    expect(JSON.stringify(body)).not.toContain('ben');
    expect((await api('GET', 'managed/user/ben')).body.endDate).toBe('2030-01-01');
  });

  it.each([
    ['GET', 'managed/user/ben'],
    ['GET', 'managed/user?_queryFilter=true'],
    ['GET', 'managed/user/ada/authzRoles?_queryFilter=true'],
    ['POST', 'managed/user?_action=create'],
    ['PUT', 'managed/user/ada2'],
    ['DELETE', 'managed/user/ada'],
    ['GET', 'repo/managed/user/ada'],
    ['GET', 'repo/internal/user/svc-admin'],
    ['GET', 'config/managed'],
    ['POST', 'script?_action=eval'],
    ['GET', 'scheduler/job?_queryFilter=true'],
    ['POST', 'scheduler/job?_action=pauseJobs'],
    ['GET', 'cluster'],
    ['GET', 'health/os'],
    ['GET', 'endpoint/echo'],
    ['GET', 'managed/user/ada%2f..%2fben'],
    ['GET', 'managed/user/../user/ben'],
    ['GET', 'MANAGED/user/ben'],
  ])('is refused %s %s', async (method, path) => {
    const { status, body } = await asAda(
      method,
      path,
      method === 'GET' || method === 'DELETE' ? {} : { body: {} },
    );
    expect([status, body.message]).toEqual([403, 'Access denied']);
  });

  it('changes what it may edit of itself', async () => {
    const patched = await asAda('PATCH', 'managed/user/ada', {
      body: [{ operation: 'replace', field: '/mail', value: 'a@example.com' }],
    });
    expect([patched.status, patched.body.mail]).toEqual([200, 'a@example.com']);
    const own = (await asAda('GET', 'managed/user/ada')).body;
    const updated = await asAda('PUT', 'managed/user/ada', { body: { ...own, mail: 'b@example.com' } });
    expect([updated.status, updated.body.mail]).toEqual([200, 'b@example.com']);
  });

  it.each([
    [
      'a property that is not editable',
      'PATCH',
      [{ operation: 'replace', field: '/endDate', value: '2031-01-01' }],
    ],
    [
      'the roles',
      'PATCH',
      [{ operation: 'add', field: '/authzRoles/-', value: { _ref: 'repo/internal/role/svc-admin' } }],
    ],
    [
      'the whole object',
      'PATCH',
      [{ operation: 'replace', field: '', value: { userName: 'ada', accountStatus: 'x' } }],
    ],
    ['by copying', 'PATCH', [{ operation: 'copy', from: '/userName', field: '/accountStatus' }]],
    ['by moving away', 'PATCH', [{ operation: 'move', from: '/endDate', field: '/mail' }]],
    ['what it leaves out of a PUT', 'PUT', { userName: 'ada', mail: 'c@example.com' }],
    [
      'what it adds in a PUT',
      'PUT',
      {
        userName: 'ada',
        mail: 'c@example.com',
        endDate: '2030-01-01',
        authzRoles: [{ _ref: 'repo/internal/role/svc-admin' }],
      },
    ],
  ])('cannot change %s', async (_what, method, body) => {
    const before = (await api('GET', 'repo/managed/user/ada')).body;
    expect((await asAda(method, 'managed/user/ada', { body })).status).toBe(403);
    expect(
      (await asAda('POST', 'managed/user/ada?_action=patch', { body: method === 'PATCH' ? body : [] }))
        .status,
    ).not.toBe(method === 'PATCH' ? 200 : 500);
    expect((await api('GET', 'repo/managed/user/ada')).body).toEqual(before);
  });

  describe('with relationships', () => {
    const FIELDS = '_fields=*,manager,authzRoles';
    beforeAll(async () => {
      const ben = { _ref: 'managed/user/ben' };
      const { status } = await api('PATCH', 'managed/user/ada', {
        body: [
          { operation: 'replace', field: '/manager', value: ben },
          { operation: 'replace', field: '/mentor', value: ben },
          {
            operation: 'replace',
            field: '/authzRoles',
            value: [{ _ref: 'repo/internal/role/svc-authorized' }],
          },
        ],
      });
      expect(status).toBe(200);
    });
    afterAll(() =>
      api('PATCH', 'managed/user/ada', {
        body: ['manager', 'mentor', 'authzRoles'].map((field) => ({ operation: 'remove', field })),
      }),
    );

    it.each([
      ['with null', '', { manager: null }],
      ['with none', '', { authzRoles: [] }],
      ['with another one', '', { manager: { _ref: 'managed/user/ada' } }],
      ['by leaving out what is always shown', '', { mentor: undefined }],
      ['by asking to see it, and leaving it out', '?_fields=manager', {}],
      ['by asking to see part of it', '?_fields=authzRoles/0/_ref', {}],
      ['by asking to see all of them', '?_fields=*_ref', {}],
    ])('cannot change one that is not its to change %s', async (_how, query, change) => {
      const { body: own } = await asAda('GET', 'managed/user/ada');
      const before = (await api('GET', `managed/user/ada?${FIELDS}`)).body;
      const put = await asAda('PUT', `managed/user/ada${query}`, { body: { ...own, ...change } });
      expect(put.status).toBe(403);
      expect((await api('GET', `managed/user/ada?${FIELDS}`)).body).toEqual(before);
    });

    it('sends them back as they were shown', async () => {
      const { body: own } = await asAda('GET', `managed/user/ada?${FIELDS}`);
      const put = await asAda('PUT', `managed/user/ada?${FIELDS}`, {
        body: { ...own, mail: 'shown@example.com' },
      });
      expect([put.status, put.body]).toEqual([
        200,
        { ...own, mail: 'shown@example.com', _rev: expect.any(String) },
      ]);
    });
  });

  it('takes back no change that others make while it is let in', async () => {
    await expectNothingTakenBack({});
    const { body } = await asAda('GET', 'managed/user/ada');
    await expectNothingTakenBack({ 'If-Match': String(Number(body['_rev']) + 1) });
  });

  it('is let in again where others have changed nothing that is not its own', async () => {
    const { body: own } = await asAda('GET', 'managed/user/ada');
    const others = await server.database.db.startTransaction().execute();
    await sql`update managed_object set rev = rev + 1 where type = 'user' and id = 'ada'`.execute(others);
    const put = asAda('PUT', 'managed/user/ada', { body: { ...own, mail: 'second@example.com' } });
    await expect.poll(waiting).toBe(1);
    await others.commit().execute();
    expect([(await put).status, (await put).body.mail]).toEqual([200, 'second@example.com']);
  });

  it('is told which property of its own is not its to change, and nothing of what is somebody else’s', async () => {
    const body = [{ operation: 'replace', field: '/endDate', value: '2030-01-01' }];
    const own = await asAda('PATCH', 'managed/user/ada', { body });
    expect([own.status, own.body.detail]).toEqual([
      403,
      {
        id: 'ACCESS_DENIED',
        field: '/endDate',
        hint: expect.stringMatching(/'endDate' is not userEditable/),
      },
    ]);
    const other = await asAda('PATCH', 'managed/user/ben', { body });
    expect([other.status, other.body.detail.field]).toEqual([403, undefined]);
  });

  it('changes its password only with the old one', async () => {
    const change = [{ operation: 'replace', field: '/password', value: 'Another-Passw0rd' }];
    const denied = await asAda('PATCH', 'managed/user/ada', { body: change });
    expect([denied.status, denied.body.detail.id]).toEqual([403, 'ACCESS_NEEDS_REAUTHENTICATION']);
    const wrong = await asAda('PATCH', 'managed/user/ada', {
      body: change,
      headers: { 'X-Svc-Reauth-Password': 'guess' },
    });
    expect([wrong.status, wrong.body.detail.id]).toEqual([403, 'AUTH_REAUTHENTICATION_FAILED']);
    const right = { 'X-Svc-Reauth-Password': PASSWORD };
    expect((await asAda('PATCH', 'managed/user/ada', { body: change, headers: right })).status).toBe(200);
    await api('PATCH', 'managed/user/ada', {
      body: [{ operation: 'replace', field: '/password', value: PASSWORD }],
    });
  });

  it('asks what the rules for properties are', async () => {
    expect((await asAda('GET', 'policy/managed/user')).status).toBe(200);
  });
});

describe('nobody', () => {
  it('sees that the server is there, and hardly more', async () => {
    expect((await asNobody('GET', 'info/ping')).status).toBe(200);
    expect((await asNobody('GET', 'info/login')).body.authorization.roles).toEqual(['svc-reg']);
    for (const path of [
      'managed/user/ada',
      'policy/managed/user',
      'repo/internal/user/svc-admin',
      'config',
      'cluster',
    ]) {
      expect((await asNobody('GET', path)).status).toBe(403);
    }
  });

  it('has to say that it is nobody', async () => {
    expect((await api('GET', 'info/ping', { user: null })).status).toBe(401);
  });
});

describe('a mistake of a hook', () => {
  const patch = [{ operation: 'replace', field: '/mail', value: 'broken@example.com' }];

  it.each(['', '?_dryRun=true'])(
    'tells administrators where it is, and nobody else (%s)',
    async (parameters) => {
      const path = `managed/user/ada${parameters}`;
      const told = await api('PATCH', path, { body: patch });
      expect([told.status, told.body.detail]).toEqual([
        500,
        {
          hook: 'user onUpdate',
          script: 'user onUpdate',
          line: 5,
          column: expect.any(Number),
          ...(parameters === ''
            ? {}
            : { log: [expect.objectContaining({ message: 'breaking' })], trace: expect.any(Array) }),
        },
      ]);
      // A rehearsal says all that was gone through, the step that failed last.
      expect(told.body.detail.trace?.at(-1)).toEqual(
        parameters === ''
          ? undefined
          : { step: 'onUpdate', resource: 'managed/user/ada', ms: expect.any(Number) },
      );
      const { status, body } = await asAda('PATCH', path, { body: patch });
      expect([status, body.message, body.detail]).toEqual([500, told.body.message, undefined]);
    },
  );
});

describe('the rules of script/access.js', () => {
  const rules = (extra: string) => `
    function small(limit) { return request.content.amount < limit; }
    function isOrdinary() { return request.content.userName === 'ada'; }
    var httpAccessConfig = { configs: [
      { pattern: '*', roles: 'svc-admin', methods: '*', actions: '*' },
      ${extra}
    ] };`;

  it('are read again when the file changes, in every thread', async () => {
    await server.project.write(
      'script/access.js',
      rules(`{ pattern: 'endpoint/echo', roles: 'svc-authorized', methods: 'action', actions: 'try', customAuthz: 'small(100)' },
             { pattern: 'endpoint/*', roles: 'svc-authorized', methods: '*', actions: 'other', excludePatterns: 'endpoint/echo' },
             { pattern: 'managed/user/*', roles: 'svc-authorized', methods: 'read', actions: '', customAuthz: 'ownDataOnly() || request.additionalParameters.pass === "yes"' },
             { pattern: 'scheduler/job/*', roles: 'svc-authorized', methods: 'action', actions: 'trigger' },
             { pattern: 'managed/user/*', roles: 'svc-authorized', methods: 'update', actions: '', customAuthz: 'isOrdinary() && onlyEditableManagedObjectProperties("user", [])' }`),
    );
    await expect.poll(async () => (await asAda('GET', 'policy/managed/user')).status).toBe(403);
    expect((await asAda('POST', 'endpoint/echo?_action=try', { body: { amount: 99 } })).status).toBe(200);
    expect((await asAda('POST', 'endpoint/echo?_action=try', { body: { amount: 100 } })).status).toBe(403);
    // Routes are met whatever their case, and so what is left out is left out in any.
    for (const path of ['endpoint/echo', 'endpoint/ECHO', 'Endpoint/Echo', 'ENDPOINT/echo/']) {
      const body = { amount: 1 };
      expect((await asAda('POST', `${path}?_action=other`, { body })).status).toBe(403);
      expect((await asAda('PUT', path, { body })).status).toBe(403);
    }
    expect((await asAda('GET', 'managed/user/ada')).status).toBe(200);
    expect((await asAda('GET', 'managed/user/ben')).status).toBe(403);
    expect((await asAda('GET', 'managed/user/ben?pass=yes')).status).toBe(200);
    await expectNothingTakenBack({});
  });

  it('judge an object that was created anew under its id, which begins at revision 0 again, by what it is now', async () => {
    const path = 'managed/user/anew';
    const make = (userName: string) => api('PUT', path, { body: { userName, password: PASSWORD } });
    const asAnew = (method: string, to: string, options: CallOptions = {}) =>
      api(method, to, { user: 'anew', password: PASSWORD, ...options });
    expect((await make('anew')).body._rev).toBe('0');
    expect((await asAnew('GET', path)).status).toBe(200);
    expect((await api('DELETE', path)).status).toBe(200);
    expect((await make('somebody')).body._rev).toBe('0');
    const stale = { headers: { 'If-Match': '"0"' }, body: { userName: 'anew' } };
    expect((await asAnew('PUT', path, stale)).status).toBe(401);
    expect((await asAda('PUT', path, stale)).status).toBe(403);
    expect((await api('DELETE', path)).status).toBe(200);
  });

  it('tell who may trigger a schedule, and evaluate no scripts, nothing of what its script says', async () => {
    const script = { type: 'text/javascript', source: "throw 'words of the script'" };
    const body = { schedule: '0 0 0 1 1 ?', invokeService: 'script', invokeContext: { script } };
    expect((await api('PUT', 'scheduler/job/telling', { body })).status).toBe(201);
    const trigger = 'scheduler/job/telling?_action=trigger';
    const whole = await api('POST', `${trigger}&_dryRun=true`);
    expect([whole.status, JSON.stringify(whole.body)]).toEqual([
      500,
      expect.stringContaining('words of the'),
    ]);
    const { status, body: told } = await asAda('POST', `${trigger}&_dryRun=true`);
    expect([status, told.detail]).toEqual([500, { id: 'SCHED_REHEARSAL_FAILED' }]);
    expect(JSON.stringify(told)).not.toContain('words');
    expect((await asAda('POST', trigger)).status).toBe(200);
    expect((await api('DELETE', 'scheduler/job/telling')).status).toBe(200);
  });

  it('stay in force when the file becomes nonsense', async () => {
    await server.project.write('script/access.js', 'var httpAccessConfig = {');
    const { findings } = await server.observed('config.refused', ({ id }) => id === 'script/access.js');
    expect(findings).toEqual([
      "script/access.js:1:25  Unexpected token: the '{' of line 1, column 24 is never closed",
    ]);
    expect((await asAda('GET', 'managed/user/ada')).status).toBe(200);
    expect((await asAda('GET', 'managed/user/ben')).status).toBe(403);
    // It is said once, however often the file is looked at.
    for (const alias of ['seen', 'seen-again']) {
      await server.project.write(`conf/endpoint-${alias}.json`, { type: 'text/javascript', source: '1' });
      await server.observed('config.changed', ({ id }) => id === `endpoint/${alias}`);
    }
    const body = { type: 'text/javascript', source: '2' };
    expect((await api('PUT', 'config/endpoint/made', { body })).status).toBe(201);
    expect((await api('GET', 'endpoint/made')).body).toBe(2);
    const said = server.observations.filter(
      (one) =>
        (one.kind === 'config.refused' && one.findings[0] === findings[0]) || one.kind === 'loop.failed',
    );
    expect(said).toMatchObject([{ kind: 'config.refused' }]);
    await server.project.remove('script/access.js');
    await expect.poll(async () => (await asAda('GET', 'policy/managed/user')).status).toBe(200);
  });

  it('follow the configuration as before when a file that was nonsense is what it was', async () => {
    const shipped = (await api('GET', 'config/script')).body;
    const properties = async (reader: string) => {
      const body = { ...shipped, properties: { ...shipped.properties, reader } };
      const { status } = await api('PUT', 'config/script', { body });
      return status;
    };
    // No script has a part in it, so the rules of the main thread decide.
    const asked = async () => (await asAda('GET', 'scheduler/job?_queryFilter=true')).status;
    const own = rules(`{ pattern: 'scheduler/job', roles: reader, methods: 'query', actions: '' }`);
    expect(await properties('svc-authorized')).toBeLessThan(300);
    await server.project.write('script/access.js', own);
    await expect.poll(async () => (await asAda('GET', 'policy/managed/user')).status).toBe(403);
    expect(await asked()).toBe(200);
    const nonsense = 'var httpAccessConfig = [';
    await server.project.write('script/access.js', nonsense);
    await server.observed(
      'config.refused',
      ({ id, findings }) => id === 'script/access.js' && /\[/.test(findings[0] ?? ''),
    );
    await server.project.write('script/access.js', own);
    expect(await properties('nobody')).toBeLessThan(300);
    expect(await asked()).toBe(403);
    expect(await properties('svc-authorized')).toBeLessThan(300);
    await server.project.remove('script/access.js');
    await expect.poll(async () => (await asAda('GET', 'policy/managed/user')).status).toBe(200);
  });
});

const NO_PAGES = {
  pagedResultsCookie: null,
  totalPagedResultsPolicy: 'NONE',
  totalPagedResults: -1,
} as const;

describe('conditions', () => {
  const field = fc.constantFrom(
    '/mail',
    'mail',
    '/mail/x',
    '/endDate',
    '/password',
    '',
    '/',
    '/_id',
    '/nick',
    '/unknown',
  );
  const pointer = field.map((text) => parsePointer(text));
  const operation = fc.record(
    {
      operation: fc.constantFrom('add', 'replace', 'remove', 'copy', 'move'),
      field,
      from: field,
      value: fc.constant('x'),
    },
    { requiredKeys: ['operation', 'field'] },
  );
  const content = fc.record(
    {
      userName: fc.constantFrom('ada', 'eve'),
      mail: fc.constantFrom('b@example.com', 'x', null),
      endDate: fc.constantFrom('2030-01-01', '2031-01-01', null),
      password: fc.constant('x'),
      nick: fc.constantFrom('nick', 'x'),
      mentor: fc.constantFrom(null, { _ref: 'managed/user/ben' }),
      authzRoles: fc.constantFrom(null, [], [{ _ref: 'repo/internal/role/svc-admin' }]),
      accountStatus: fc.constantFrom(null, 'active'),
      extra: fc.constant({ a: [1, { b: null }] }),
      _id: fc.constant('ada'),
      _refResourceId: fc.constant('eve'),
    },
    { requiredKeys: [] },
  );
  const path = fc.constantFrom(['managed', 'user', 'ada'], ['managed', 'user', 'ben']);
  const fields = fc.constantFrom([], [['authzRoles', '0']], [['*_ref']], [['mail']]);
  const common = { path, fields, parameters: fc.constant({}) };
  const request = fc.oneof(
    fc.record({
      ...common,
      method: fc.constant('patch'),
      revision: fc.constant(null),
      operations: fc.array(
        fc.record({ operation: fc.constant('replace'), field: pointer, value: fc.constant('x') }),
        { minLength: 1, maxLength: 3 },
      ),
    }),
    fc.record({ ...common, method: fc.constant('update'), revision: fc.constant(null), content }),
    fc.record({
      ...common,
      method: fc.constant('action'),
      action: fc.constantFrom('patch', 'patch', 'command'),
      content: fc.oneof(fc.array(operation, { maxLength: 3 }), fc.constant({}), fc.constant(null)),
    }),
  );
  const condition = fc.constantFrom(
    'ownDataOnly()',
    "onlyEditableManagedObjectProperties('user', [])",
    "onlyEditableManagedObjectProperties('user', ['endDate', 'extra'])",
    "onlyEditableManagedObjectProperties('nothing', [])",
    "restrictPatchToFields(['mail', 'password'])",
    'reauthIfProtectedAttributeChange()',
    '!ownDataOnly() || restrictPatchToFields("mail,nick")',
    'hasRole("svc-authorized") && !hasRole("svc-admin")',
    'disallowCommandAction() && disallowQueryExpression()',
  );

  it('are decided alike by the server and by auth/customAuthz.js', async () => {
    const native = new AccessRules({
      properties: (type) => TYPES.objects.find(({ name }) => name === type)?.schema.properties as never,
      processRules: () => undefined,
      decideByScript: () => Promise.reject(new Error('No condition here needs a script')),
    });
    const { body: login } = await asAda('GET', 'info/login');
    const context = { ...systemContext(login), client: { ...systemContext().client, isExternal: true } };
    const read = async (_context: unknown, asked: Request) => {
      const { status, body } = await api('GET', `${formatPath(asked.path)}?_fields=${asked.fields.join()}`);
      if (status !== 200) throw new NotFoundError('none');
      return resource(null, null, body);
    };
    const decideNatively = async (text: string, asked: Request) => {
      const rule = { pattern: '*', roles: '*', methods: '*', actions: '*', customAuthz: text };
      native.replace({ config: { configs: [rule] }, text: '' });
      return native.grants(context, asked, read).catch((error) => error.code);
    };
    const decideByScript = async (text: string, asked: Request) => {
      const source = `var { ${CONDITION_NAMES.join(', ')} } = require('auth/customAuthz').of(asked, caller); (${text});`;
      const { status, body } = await api('POST', 'script?_action=eval', {
        body: {
          type: 'text/javascript',
          source,
          asked: requestView(asked),
          caller: { security: { authenticationId: 'ada', authorization: login.authorization } },
        },
      });
      return status === 200 ? body : status;
    };
    await fc.assert(
      fc.asyncProperty(request, condition, async (asked, text) => {
        expect(await decideNatively(text, asked as Request)).toBe(
          await decideByScript(text, asked as Request),
        );
      }),
      { numRuns: 150 },
    );
  });

  it('restrictPatchToFields grants no patch without operations, which would only read', async () => {
    const rules = new AccessRules({
      properties: () => undefined,
      processRules: () => undefined,
      decideByScript: () => Promise.reject(new Error('No condition here needs a script')),
    });
    const customAuthz = "restrictPatchToFields(['password'])";
    rules.replace({
      config: { configs: [{ pattern: '*', roles: '*', methods: '*', actions: '*', customAuthz }] },
      text: '',
    });
    const patch = {
      method: 'action',
      action: 'patch',
      path: ['managed', 'user'],
      fields: [],
      parameters: {},
    };
    const decide = (content: JsonValue) =>
      rules.grants(systemContext(), { ...patch, content } as Request, () =>
        Promise.reject(new NotFoundError('none')),
      );
    expect([await decide([]), await decide([{ operation: 'remove', field: '/password' }])]).toEqual([
      false,
      true,
    ]);
  });

  it.each(['isMyTask()', 'canUpdateTask()'])(
    'take nobody for a user who only has the name of one: %s',
    async (text) => {
      const task = { assignee: 'ada', candidates: { candidateUsers: ['ada'] } };
      expect((await api('PUT', 'repo/ui/task', { body: task })).status).toBeLessThan(300);
      const asked = { method: 'read', path: ['repo', 'ui', 'task'], fields: [], parameters: {} } as const;
      const decided = await Promise.all(
        ['managed/user', 'repo/internal/user', 'openid', 'authentication/api-key'].map(async (component) => {
          const security = { authenticationId: 'ada', authorization: { id: 'ada', component, roles: [] } };
          const rules = new AccessRules({
            properties: () => undefined,
            processRules: () => undefined,
            decideByScript: () => Promise.reject(new Error('No condition here needs a script')),
          });
          const rule = { pattern: '*', roles: '*', methods: '*', actions: '*', customAuthz: text };
          rules.replace({ config: { configs: [rule] }, text: '' });
          const native = await rules.grants(systemContext(security), asked, async (_context, request) => {
            if (request.method !== 'query') return resource(null, null, task);
            const found = [resource('ada', '0', { userName: 'ada' })];
            return { kind: 'query', result: found, ...NO_PAGES };
          });
          const source = `var { isMyTask, canUpdateTask } = require('auth/customAuthz').of(asked, caller); (${text});`;
          const { body } = await api('POST', 'script?_action=eval', {
            body: { type: 'text/javascript', source, asked: requestView(asked), caller: { security } },
          });
          return [native, body];
        }),
      );
      // An internal user is not the managed user of that name either.
      expect(decided).toEqual([
        [true, true],
        [false, false],
        [false, false],
        [false, false],
      ]);
    },
  );
});
