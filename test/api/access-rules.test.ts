import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NotFoundError } from '../../src/errors/index.ts';
import { type JsonValue, parsePointer } from '../../src/json/index.ts';
import { formatPath, type Request, resource, systemContext } from '../../src/resource/index.ts';
import { requestView } from '../../src/script/index.ts';
import { CONDITION_NAMES } from '../../src/security/access/conditions.ts';
import { AccessRules } from '../../src/security/index.ts';
import { expectNothingTakenBack, startAccessSite, TYPES } from '../support/access-site.ts';
import type { Api, CallOptions } from '../support/api.ts';
import { callerAs, PASSWORD } from '../support/credentials.ts';
import { runs } from '../support/long.ts';
import type { TestServer } from '../support/server.ts';
import '../support/takes-long.ts';

let server: TestServer;
let api: Api;
const asAda = callerAs(() => api, 'ada');

beforeAll(async () => {
  server = await startAccessSite();
  api = server.api;
});
afterAll(() => server?.[Symbol.asyncDispose]());

describe('the rules of script/access.js', () => {
  const rules = (extra: string) => `
    function small(limit) { return request.content.amount < limit; }
    function isOrdinary() { return request.content.userName === 'ada'; }
    var httpAccessConfig = { configs: [
      { pattern: '*', roles: 'svc-admin', methods: '*', actions: '*' },
      ${extra}
    ] };`;

  const strict =
    rules(`{ pattern: 'endpoint/echo', roles: 'svc-authorized', methods: 'action', actions: 'try', customAuthz: 'small(100)' },
             { pattern: 'endpoint/*', roles: 'svc-authorized', methods: '*', actions: 'other', excludePatterns: 'endpoint/echo' },
             { pattern: 'managed/user/*', roles: 'svc-authorized', methods: 'read', actions: '', customAuthz: 'ownDataOnly() || request.additionalParameters.pass === "yes"' },
             { pattern: 'scheduler/job/*', roles: 'svc-authorized', methods: 'action', actions: 'trigger' },
             { pattern: 'managed/user/*', roles: 'svc-authorized', methods: 'update', actions: '', customAuthz: 'isOrdinary() && onlyEditableManagedObjectProperties("user", [])' }`);

  it('are read again when the file changes, in every thread', async () => {
    await server.project.write('script/access.js', strict);
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
    await expectNothingTakenBack(server, {});
  });

  it('are in no thread those of the installation because the file is away for a moment', async () => {
    const move = { body: [{ operation: 'replace', field: '/mail', value: 'ada@example.com' }] };
    expect((await asAda('PATCH', 'managed/user/ada', move)).status).toBe(403);
    await server.project.remove('script/access.js');
    // Threads look at what has changed now.
    const body = { type: 'text/javascript', source: '3' };
    expect((await api('PUT', 'config/endpoint/meanwhile', { body })).status).toBe(201);
    await server.project.write('script/access.js', strict);
    await expect.poll(async () => (await asAda('PATCH', 'managed/user/ada', move)).status).toBe(403);
    for (let time = 0; time < 10; time++) {
      expect((await asAda('PATCH', 'managed/user/ada', move)).status).toBe(403);
    }
    expect((await asAda('GET', 'policy/managed/user')).status).toBe(403);
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

  it('that only a script can decide say who brings what the server is to run', async () => {
    const body = {
      schedule: '0 0 0 1 1 ?',
      invokeService: 'script',
      invokeContext: { script: { file: 'x' } },
    };
    const make = () => asAda('PUT', 'scheduler/job/brought?_dryRun=true', { body });
    const granted = (evaluates: boolean) =>
      rules(`{ pattern: 'scheduler/job', roles: 'svc-authorized', methods: 'create', actions: '' },
             { pattern: 'scheduler/job/*', roles: 'svc-authorized', methods: 'action', actions: 'trigger' },
             { pattern: 'script', roles: 'svc-authorized', methods: 'action', actions: 'eval', customAuthz: 'request.action.length > 0 === ${evaluates}' }`);
    await server.project.write('script/access.js', granted(true));
    await expect.poll(async () => (await make()).status).toBe(200);
    await server.project.write('script/access.js', granted(false));
    await expect.poll(async () => (await make()).body.detail?.id).toBe('SCRIPT_NOT_ALLOWED');
    await server.project.write('script/access.js', strict);
    await expect.poll(async () => (await make()).body.detail?.id).toBe('ACCESS_DENIED');
  });

  it('stay in force when the file becomes nonsense', async () => {
    await server.project.write('script/access.js', 'var httpAccessConfig = {');
    const { findings } = await server.observed('config.refused', ({ id }) => id === 'script/access.js');
    expect(findings).toEqual([
      "script/access.js:1:25  Unexpected token: the '{' of line 1, column 24 is never closed",
    ]);
    expect((await asAda('GET', 'managed/user/ada')).status).toBe(200);
    expect((await asAda('GET', 'managed/user/ben')).status).toBe(403);
    const refused = async () => (await api('GET', 'config/_refused')).body.refused;
    expect(await refused()).toEqual([
      {
        _id: 'script/access.js',
        since: expect.any(String),
        findings: [
          expect.objectContaining({
            id: 'SCRIPT_NOT_COMPILED',
            file: 'script/access.js',
            line: 1,
            column: 25,
          }),
        ],
      },
    ]);
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
    await expect.poll(refused).toEqual([]);
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
      adminRole: 'svc-admin',
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
      { numRuns: runs(150) },
    );
  });

  it('restrictPatchToFields grants no patch without operations, which would only read', async () => {
    const rules = new AccessRules({
      adminRole: 'svc-admin',
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
            adminRole: 'svc-admin',
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
