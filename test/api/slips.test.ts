import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from '../support/api.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const process = (documentation = '') => `<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="t">
<process id="leave" isExecutable="true">
<startEvent id="s"/>
<sequenceFlow id="f" sourceRef="s" targetRef="e"/>
<endEvent id="e"/>${documentation}
</process>
</definitions>`;

const script = (source: string) => ({ type: 'text/javascript', source });

describe('a slip', () => {
  let server: TestServer;
  const api = (...args: Parameters<TestServer['api']>): Promise<Answer> => server.api(...args);
  const get = async (path: string) => (await api('GET', path)).body;
  const hintOf = async (method: string, path: string, body?: unknown) =>
    (await api(method, path, body === undefined ? {} : { body })).body.detail?.hint;

  beforeAll(async () => {
    server = await startTestServer({
      files: {
        'conf/managed.json': {
          objects: [
            {
              name: 'user',
              schema: {
                type: 'object',
                properties: {
                  userName: { type: 'string', searchable: true },
                  department: { type: 'string' },
                  salary: { type: 'string', scope: 'private' },
                  roles: {
                    type: 'array',
                    items: {
                      type: 'relationship',
                      reverseRelationship: true,
                      reversePropertyName: 'members',
                      resourceCollection: [{ path: 'managed/role' }],
                    },
                    relationshipGrantTemporalConstraintsEnforced: false,
                    conditionalAssociation: true,
                    conditionalAssociationField: 'condition',
                  },
                },
              },
            },
            {
              name: 'role',
              schema: {
                type: 'object',
                properties: {
                  name: { type: 'string' },
                  condition: { type: 'string', isConditional: true },
                  members: {
                    type: 'array',
                    items: {
                      type: 'relationship',
                      reverseRelationship: true,
                      reversePropertyName: 'roles',
                      resourceCollection: [{ path: 'managed/user' }],
                    },
                  },
                },
              },
            },
            {
              name: 'badge',
              schema: {
                type: 'object',
                additionalProperties: false,
                properties: { number: { type: 'string' }, colour: { type: 'string' } },
              },
            },
          ],
        },
        'conf/endpoint-greet.json': script('"hello"'),
        'script/nightly.js': '1',
      },
    });
    await api('PUT', 'managed/user/ann', { body: { userName: 'ann', department: 'IT' } });
    await api('PUT', 'managed/user/bo', { body: { userName: 'bo', department: 'HR' } });
    await api('PUT', 'scheduler/job/nightly', {
      body: {
        enabled: false,
        invokeService: 'script',
        schedule: '0 0 2 * * ?',
        invokeContext: {
          script: script(
            'svc.create("managed/badge", "b1", { number: object }); logger.info("made for " + object)',
          ),
          input: 'ann',
        },
      },
    });
    await api('POST', 'workflow/deployment?_action=deploy', {
      body: { name: 'leave.bpmn20.xml', content: process() },
    });
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  describe('in the service of a schedule', () => {
    const body = { invokeService: 'scirpt', enabled: false, schedule: '0 0 2 * * ?' };
    const warning = expect.stringMatching(/'scirpt'.*Did you mean 'script'\?/);

    it('is warned of when the schedule is saved, and not when it is read', async () => {
      const saved = await api('PUT', 'scheduler/job/slip', { body });
      expect([saved.status, saved.body.warnings]).toEqual([201, [warning]]);
      expect(await get('scheduler/job/slip')).not.toHaveProperty('warnings');
    });

    it('is warned of in a configuration, also in its rehearsal, and what was answered can be sent back', async () => {
      const config = { ...body, type: 'cron' };
      const rehearsed = await api('PUT', 'config/schedule/slip?_dryRun=true', { body: config });
      expect(rehearsed.body.result.warnings).toEqual([warning]);
      const saved = await api('PUT', 'config/schedule/slip', { body: config });
      expect(saved.body.warnings).toEqual([warning]);
      expect((await api('PUT', 'config/schedule/slip', { body: saved.body })).status).toBe(200);
      expect(await get('config/schedule/slip')).toMatchObject({ _id: 'schedule/slip', ...config });
      expect(await get('config/schedule/slip')).not.toHaveProperty('warnings');
    });
  });

  describe('in the name of a property', () => {
    it('is stored, unless the type says that it has no other properties', async () => {
      expect((await api('POST', 'managed/user', { body: { userName: 'cy', emial: 'c@x' } })).status).toBe(
        201,
      );
      const refused = await api('POST', 'managed/badge', { body: { numbr: '7' } });
      expect(refused).toMatchObject({
        status: 400,
        body: {
          message: "'numbr' is no property of managed/badge",
          detail: { id: 'MANAGED_UNKNOWN_PROPERTY', field: '/numbr', hint: "Did you mean 'number'?" },
        },
      });
      await api('PUT', 'managed/badge/b7', { body: { number: '7' } });
      const patch = [{ operation: 'add', field: '/color', value: 'red' }];
      expect((await api('PATCH', 'managed/badge/b7', { body: patch })).status).toBe(400);
      expect((await api('PUT', 'managed/badge/b7', { body: { number: '7', colour: 'red' } })).status).toBe(
        200,
      );
    });

    it('is warned of in a filter and a sort key, and private properties are not suggested', async () => {
      const page = await get('managed/user?_queryFilter=usrName+eq+"ann"');
      expect(page).toMatchObject({
        result: [],
        warnings: ["'usrName' is no property of managed/user. Did you mean 'userName'?"],
      });
      expect((await get('managed/user?_queryFilter=true&_sortKeys=deparment')).warnings).toHaveLength(1);
      expect((await get('managed/user?_queryFilter=sallary+pr')).warnings).toEqual([
        "'sallary' is no property of managed/user.",
      ]);
      expect((await get('managed/user?_queryFilter=/+pr')).warnings).toEqual([
        "'' is no property of managed/user.",
      ]);
      expect(await get('managed/user?_queryFilter=userName+eq+"ann"')).not.toHaveProperty('warnings');
      expect((await get('audit/activity?_queryFilter=objctId+pr')).warnings).toEqual([
        "'objctId' is no property of audit/activity. Did you mean 'objectId'?",
      ]);
    });

    it('is warned of by an operation over what a filter finds', async () => {
      const order = { act: 'delete', resource: 'managed/user', dryRun: true };
      const made = (queryFilter: string) => api('POST', 'operation', { body: { ...order, queryFilter } });
      const { body } = await made('!(deparment pr)');
      expect([body.progress.total, body.warnings]).toEqual([
        expect.any(Number),
        ["'deparment' is no property of managed/user. Did you mean 'department'?"],
      ]);
      expect(await get(`operation/${body._id}`)).not.toHaveProperty('warnings');
      const right = await made('!(department pr)');
      expect(right.body).not.toHaveProperty('warnings');
      for (const { _id } of [body, right.body]) await api('POST', `operation/${_id}?_action=cancel`);
    });

    it('is warned of in raw objects of a type, and in configurations', async () => {
      const warnings = async (path: string) => (await get(path)).warnings;
      expect(await warnings('repo/managed/user?_queryFilter=usrName+pr')).toEqual([
        "'usrName' is no property of repo/managed/user. Did you mean 'userName'?",
      ]);
      expect(await warnings('repo/managed/user?_queryFilter=sallary+pr')).toEqual([
        "'sallary' is no property of repo/managed/user.",
      ]);
      expect(await warnings('config?_queryFilter=invokeSevice+pr')).toEqual([
        "'invokeSevice' is no property of config. Did you mean 'invokeService'?",
      ]);
      for (const path of ['repo/managed/user?_queryFilter=userName+pr', 'repo/other?_queryFilter=any+pr']) {
        expect(await warnings(path)).toBeUndefined();
      }
    });

    it.each([
      ['scheduler/firing', 'plannedat', 'plannedAt'],
      ['scheduler/job', 'enabeld', 'enabled'],
      ['scheduler/trigger', 'stat', 'state'],
      ['taskscanner', 'progres/state', 'progress'],
      ['session', 'creatdAt', 'createdAt'],
      ['authentication/lockout', 'blockd', 'blocked'],
    ])('is refused in a filter of %s, whose fields are fixed', async (path, field, meant) => {
      const refused = await api('GET', `${path}?_queryFilter=${field}+pr`);
      expect(refused.status).toBe(400);
      expect(refused.body.detail).toEqual({
        id: 'QUERY_UNKNOWN_FIELD',
        field: `/${field}`,
        hint: `Did you mean '${meant}'?`,
      });
    });
  });

  it.each(['_dryrn', '_dryrun2', 'dryRun', 'dry_run'])(
    'in the name of a rehearsal (%s) makes no real change of it',
    async (parameter) => {
      const before = await get('managed/user/bo');
      const requests: [string, string, unknown][] = [
        ['PATCH', 'managed/user/bo', [{ operation: 'replace', field: '/department', value: 'IT' }]],
        ['PUT', 'managed/user/bo', { userName: 'bo' }],
        ['DELETE', 'managed/user/bo', undefined],
        ['POST', 'scheduler/job?_action=pauseJobs', {}],
      ];
      for (const [method, path, body] of requests) {
        const url = `${path}${path.includes('?') ? '&' : '?'}${parameter}=true`;
        const refused = await api(method, url, body === undefined ? {} : { body });
        expect([method, refused.status, refused.body.detail]).toEqual([
          method,
          400,
          {
            id: 'HTTP_UNKNOWN_PARAMETER',
            field: parameter,
            hint: "Nothing was done. Did you mean '_dryRun'?",
          },
        ]);
      }
      expect(await get('managed/user/bo')).toEqual(before);
      const other = await api('DELETE', 'managed/user/bo?_totally=true');
      expect([other.status, other.body.detail.id]).toEqual([400, 'HTTP_UNKNOWN_PARAMETER']);
    },
  );

  it.each([
    ['GET', 'scheduler/job/nighly', "Did you mean 'nightly'?"],
    ['GET', 'scheduler/trigger/nighly', "Did you mean 'nightly'?"],
    ['GET', 'scheduler/jbo?_queryFilter=true', "Did you mean 'scheduler/job'?"],
    ['GET', 'scheduler/job/nightly/trigger', undefined],
    ['POST', 'scheduler/job/nighly?_action=why', "Did you mean 'nightly'?", { time: '2027-03-27T02:00:00Z' }],
    ['POST', 'scheduler?_action=pausJobs', "Did you mean 'pauseJobs' of scheduler/job?"],
    ['POST', 'workflow/processinstance', "Did you mean 'leave'?", { _key: 'leav' }],
    ['GET', 'endpoint/gret', "Did you mean 'endpoint/greet'?"],
    ['GET', 'config/managd', "Did you mean 'managed'?"],
    ['GET', 'info/logn', "Did you mean 'login'?"],
    ['POST', 'taskscanner?_action=execute&name=schedule/slp', "Did you mean 'schedule/slip'?"],
  ])('in %s %s is told with what was meant', async (method, path, hint, body?: unknown) => {
    expect(await hintOf(method, path, body)).toBe(hint);
  });

  it('in the id of a schedule is warned of by the calendar', async () => {
    const { body } = await api('POST', 'scheduler/job?_action=calendar', {
      body: { ids: ['nighly', 'nightly'] },
    });
    // What is disabled is there.
    expect(body).toMatchObject({
      schedules: [],
      warnings: ["There is no schedule 'nighly'. Did you mean 'nightly'?"],
    });
    const known = await api('POST', 'scheduler/job?_action=calendar', { body: { ids: ['nightly'] } });
    expect(known.body).not.toHaveProperty('warnings');
  });

  it('in the names of the server is told in both languages', async () => {
    for (const type of ['text/javascript', 'groovy']) {
      const body = { type, source: 'openidm.read("managed/user/ann")' };
      const { message } = (await api('POST', 'script?_action=eval', { body })).body;
      expect(message).toMatch(/openidm.*\. The binding is svc here: svc\.read/);
    }
  });

  it('in the file and the action of a script is told in the message, which is all that such errors have', async () => {
    const answers = [
      await api('POST', 'script?_action=eval', { body: { type: 'text/javascript', file: 'nighly.js' } }),
      await api('POST', 'script?_action=evl', { body: script('1') }),
    ];
    expect(answers.map(({ body }) => body.message)).toEqual([
      expect.stringContaining("Did you mean 'nightly.js'?"),
      expect.stringContaining("Did you mean 'eval'?"),
    ]);
  });

  it('in the JSON of a body is shown with its place, and values of the body are not', async () => {
    const { status, body } = await api('POST', 'managed/user', {
      body: '{"userName": "ann",\n "password": "geheim" "x": 1}',
    });
    expect(status).toBe(400);
    expect(body.detail).toMatchObject({ id: 'HTTP_BAD_JSON', line: 2, column: 23 });
    expect(body.detail.excerpt).toBe(' "…": "…"⟶"…": …}');
    expect(JSON.stringify(body)).not.toContain('geheim');
    // To find it costs more than to read what is right, and anybody may send it.
    const long = await api('POST', 'managed/user', { body: `{"":1${',\n"":1'.repeat(25_000)},}` });
    expect([long.status, long.body.detail]).toEqual([
      400,
      { id: 'HTTP_BAD_JSON', parser: expect.stringContaining('line 25001') },
    ]);
    const unquoted = await Promise.all(
      ['', '"mail": "ann@example.com", '].flatMap((more) =>
        [more, ''].map((after) =>
          api('POST', 'managed/user', { body: `{${more}"password": geheim12${after}}` }),
        ),
      ),
    );
    expect(unquoted.map((answer) => answer.body.detail.parser)).toEqual(
      Array(4).fill('Unexpected text in JSON'),
    );
  });

  it.each([
    ['brackets', `${'['.repeat(300)}1${']'.repeat(300)}`],
    ['functions', `${'(function(){'.repeat(1_000)}1${'})'.repeat(1_000)}`],
    ['patterns', `var ${'['.repeat(500)}a${']'.repeat(500)} = 1`],
  ])('of nested %s is refused before the engine sees it, with its place', async (_what, source) => {
    for (const action of ['compile', 'eval']) {
      const { status, body } = await api('POST', `script?_action=${action}`, { body: script(source) });
      expect([status, body.message]).toEqual([
        400,
        expect.stringMatching(/^The script is nested too deeply \(line 1, column [1-9]\d+\)$/),
      ]);
    }
  });

  it('that only the engine finds in a script that was sent is a 400 as well', async () => {
    const source = `/${'('.repeat(400)}${')'.repeat(400)}/.test("a")`;
    expect((await api('POST', 'script?_action=eval', { body: script(source) })).status).toBe(400);
  });

  it('of a reference that leads elsewhere than it is declared to is told, and kept as projects of the field expect', async () => {
    const warning = (id: string) =>
      `members: 'managed/badge/${id}' is in none of the collections that it is declared for: 'managed/user'`;
    const content = { name: 'odd', members: [{ _ref: 'managed/badge/b7' }, { _ref: 'managed/user/ann' }] };
    const saved = await api('PUT', 'managed/role/odd', { body: content });
    expect([saved.status, saved.body.warnings]).toEqual([201, [warning('b7')]]);
    // What was answered comes back as it is.
    const again = await api('PUT', 'managed/role/odd', { body: { ...saved.body, name: 'odder' } });
    expect([again.status, again.body.warnings]).toEqual([200, undefined]);
    const stored = await get('managed/role/odd?_fields=*,members');
    expect(stored).not.toHaveProperty('warnings');
    expect(stored.members.map(({ _ref }: { _ref: string }) => _ref).sort()).toEqual([
      'managed/badge/b7',
      'managed/user/ann',
    ]);
    await api('PUT', 'managed/badge/b8', { body: { number: '8' } });
    const added = await api('POST', 'managed/role/odd/members', { body: { _ref: 'managed/badge/b8' } });
    expect([added.status, added.body.warnings]).toEqual([201, [warning('b8')]]);
    for (const path of ['managed/role/odd', 'managed/badge/b8']) await api('DELETE', path);
  });

  describe('is seen in a rehearsal', () => {
    it('with what each step has made of it, where that is asked for, and the step of each line of the log', async () => {
      const change = [{ operation: 'replace', field: '/department', value: 'HR' }];
      const { body } = await api('PATCH', 'managed/user/ann?_dryRun=true&_trace=values', { body: change });
      const applied = body.trace.find(({ step }: { step: string }) => step === 'applyOperations');
      expect(applied).toMatchObject({ changed: ['/department'], values: { '/department': 'HR' } });
      const plain = await api('PATCH', 'managed/user/ann?_dryRun=true', { body: change });
      expect(JSON.stringify(plain.body.trace)).not.toContain('values');
      const wrong = await api('PATCH', 'managed/user/ann?_dryRun=true&_trace=all', { body: change });
      expect([wrong.status, wrong.body.detail]).toEqual([
        400,
        expect.objectContaining({ id: 'HTTP_BAD_TRACE', field: '_trace' }),
      ]);
    });

    it('with the place in a script that was sent, and no step where it was in none', async () => {
      const source =
        "svc.patch('managed/user/ann', null, [{operation: 'remove', field: '/department'}]);\nnobody.there";
      const { body } = await api('POST', 'script?_action=eval&_dryRun=true', { body: script(source) });
      expect(body.detail.dryRun.at).toEqual({ line: 2, column: expect.any(Number) });
      expect(body.detail.dryRun.changes).toHaveLength(1);
    });

    it('of a firing, which runs the script and keeps nothing', async () => {
      const { body } = await api('POST', 'scheduler/job/nightly?_action=trigger&_dryRun=true');
      expect(body).toMatchObject({ dryRun: true, result: { _id: 'nightly' } });
      expect(body.log).toEqual([expect.objectContaining({ message: 'made for ann' })]);
      expect(body.changes).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ resource: 'managed/badge/b1', operation: 'create' }),
        ]),
      );
      expect((await api('GET', 'managed/badge/b1')).status).toBe(404);
      expect((await get('scheduler/firing?_queryFilter=schedule+eq+"nightly"')).resultCount).toBe(0);
    });

    it('of a deployment, which names the version that there would be', async () => {
      const { body } = await api('POST', 'workflow/deployment?_action=deploy&_dryRun=true', {
        body: { name: 'leave.bpmn20.xml', content: process('<!-- new -->') },
      });
      expect(body.changes).toEqual([
        expect.objectContaining({
          resource: expect.stringMatching(/^workflow\/processdefinition\/leave:2:/),
          operation: 'create',
          after: expect.objectContaining({ version: 2, resourceName: 'leave.bpmn20.xml' }),
        }),
      ]);
    });

    it('of the condition of a role, which names who would get it and lose it', async () => {
      await api('PUT', 'managed/role/it', { body: { name: 'it', condition: '/department eq "IT"' } });
      const { body } = await api('PUT', 'managed/role/it?_dryRun=true', {
        body: { name: 'it', condition: '/department eq "HR"' },
      });
      const change = body.changes.find(({ resource }: { resource: string }) => resource.endsWith('/members'));
      expect(change).toMatchObject({
        after: { conditionalGrants: { collection: 'managed/user', granted: 1, revoked: 1 } },
        gain: ['managed/user/bo'],
        lose: ['managed/user/ann'],
      });
      const few = await api('PUT', 'managed/role/it?_dryRun=true&_changesLimit=0', {
        body: { name: 'it', condition: '/department eq "HR"' },
      });
      expect(few.body.changes).toContainEqual({ ...change, gain: [], lose: [] });
      const wrong = await api('PUT', 'managed/role/it?_dryRun=true&_changesLimit=1001', { body: {} });
      expect([wrong.status, wrong.body.detail]).toEqual([
        400,
        expect.objectContaining({ id: 'HTTP_BAD_CHANGES_LIMIT', field: '_changesLimit' }),
      ]);
    });
  });

  it('of statistics that are gathered late does not show in estimates of few objects', async () => {
    const page = await get(
      'managed/user?_queryFilter=true&_pageSize=1&_totalPagedResultsPolicy=ESTIMATE&_fields=_id',
    );
    expect([page.totalPagedResultsPolicy, page.totalPagedResults]).toEqual(['ESTIMATE', 3]);
  });
});
