/** What callers send for the server to run, with its own rights: those who may evaluate scripts, and nobody else. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Api } from '../support/api.ts';
import { PASSWORD } from '../support/credentials.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { processFile } from '../support/workflow.ts';
import { end, path, start, user } from '../unit/workflow/engine/bpmn.ts';

/** May do anything with schedules, scans, processes, objects and configurations, and evaluate no script. */
const DESK = [
  ...['scheduler/*', 'taskscanner', 'taskscanner/*', 'workflow/*', 'managed/*', 'config/*'],
  ...['system', 'system/*'],
]
  .map((pattern) => `{ pattern: '${pattern}', roles: 'desk', methods: '*', actions: '*' },`)
  .join('\n');

const caller = (username: string, ...roles: string[]) => ({
  name: 'STATIC_USER',
  properties: {
    username,
    password: PASSWORD,
    queryOnResource: 'repo/internal/user',
    defaultUserRoles: ['svc-authorized', ...roles],
  },
});

const FILES = {
  'conf/managed.json': { objects: [{ name: 'note' }, { name: 'secret' }] },
  'conf/authentication.json': {
    serverAuthContext: {
      authModules: [
        { name: 'INTERNAL_USER', properties: { queryOnResource: 'repo/internal/user' } },
        caller('desk', 'desk'),
        caller('nobody-much'),
      ],
    },
  },
  'conf/notes.json': { shown: 1 },
  'script/access.js': readFileSync(new URL('../../script/access.js', import.meta.url), 'utf8').replace(
    '\n    // Their tasks and processes.',
    `\n${DESK}`,
  ),
  'data/hr.csv': 'id,last\n1,Moe\n',
  'script/there.js': '1;',
  'script/other.js': '2;',
};

const javascript = (source: string) => ({ type: 'text/javascript', source });
const schedule = (invokeContext: object = { script: javascript('1') }, more: object = {}) => ({
  enabled: false,
  schedule: '0 0 2 * * ?',
  timeZone: 'UTC',
  persisted: true,
  invokeService: 'script',
  invokeContext,
  ...more,
});
const scan = (source: string) => ({
  waitForCompletion: true,
  scan: {
    object: 'managed/note',
    _queryFilter: '!(/task/completed pr)',
    taskState: { started: '/task/started', completed: '/task/completed' },
  },
  task: { script: javascript(source) },
});
const deployment = (name = 'Plain') => ({
  name: 'plain.bpmn20.xml',
  content: processFile('plain', start() + user('work') + end() + path('s', 'work', 'e'), { name }),
});
const transform = [
  { operation: 'transform', field: '/n', value: { script: javascript("svc.read('managed/secret/s').n") } },
];

/** The file of a system. */
const HR = {
  name: 'hr',
  connectorRef: { connectorName: 'org.forgerock.openicf.csvfile.CSVFileConnector' },
  configurationProperties: { csvFile: 'data/hr.csv', headerUid: 'id' },
};

let server: TestServer;
let api: Api;
const as = (name: string, method: string, to: string, body?: unknown): Promise<Answer> =>
  api(method, to, { user: name, password: PASSWORD, ...(body === undefined ? {} : { body }) });
const desk = (method: string, to: string, body?: unknown) => as('desk', method, to, body);
const done = async (answer: Promise<Answer>) => {
  const { status, body } = await answer;
  expect([status, status < 300 ? {} : body]).toEqual([status, {}]);
  return body;
};

beforeAll(async () => {
  server = await startTestServer({ files: FILES, threads: 2 });
  api = server.api;
  await done(api('PUT', 'managed/secret/s', { body: { n: 'hidden' } }));
  await done(api('PUT', 'managed/note/n', { body: { n: 1 } }));
  await done(api('PUT', 'scheduler/job/there', { body: schedule() }));
  await done(
    api('PUT', 'scheduler/job/scanning', { body: schedule(scan('true'), { invokeService: 'taskscanner' }) }),
  );
  await done(api('PUT', 'config/schedule/kept', { body: schedule() }));
  await done(api('POST', 'workflow/deployment?_action=deploy', { body: deployment() }));
});
afterAll(() => server?.[Symbol.asyncDispose]());

describe('what runs with the rights of the server', () => {
  const BROUGHT: readonly (readonly [
    what: string,
    method: string,
    to: string,
    body: unknown,
    field: string,
  ])[] = [
    ['a new schedule', 'PUT', 'scheduler/job/new?', schedule(), '/invokeService'],
    ['one of the action create', 'POST', 'scheduler/job?_action=create&', schedule(), '/invokeService'],
    [
      'another script',
      'PUT',
      'scheduler/job/there?',
      schedule({ script: javascript('2') }),
      '/invokeContext',
    ],
    [
      'a reference to a file',
      'PUT',
      'scheduler/job/there?',
      schedule({ script: { type: 'text/javascript', file: 'script/other.js' } }),
      '/invokeContext',
    ],
    [
      'another input of a script',
      'PUT',
      'scheduler/job/there?',
      schedule({ script: javascript('1'), input: { all: true } }),
      '/invokeContext',
    ],
    [
      'another service',
      'PUT',
      'scheduler/job/there?',
      schedule(scan('true'), { invokeService: 'taskscanner' }),
      '/invokeService',
    ],
    [
      'another script of a scan',
      'PUT',
      'scheduler/job/scanning?',
      schedule(scan('2; true'), { invokeService: 'taskscanner' }),
      '/invokeContext',
    ],
    ['a scan', 'POST', 'taskscanner?_action=execute&', scan('true'), '/task/script'],
    ['a process', 'POST', 'workflow/deployment?_action=deploy&', deployment('Other'), '/content'],
    ['a transformation', 'PATCH', 'managed/note/n?', transform, '/value/script'],
    ['one of a configuration', 'PATCH', 'config/notes?', transform, '/value/script'],
    ['an endpoint', 'PUT', 'config/endpoint/made?', javascript('1'), '/type'],
    [
      'a hook',
      'PATCH',
      'config/managed?',
      [{ operation: 'add', field: '/objects/0/onRead', value: javascript('1') }],
      '/objects/0/onRead',
    ],
    [
      'a schedule of the configuration',
      'PUT',
      'config/schedule/kept?',
      schedule({ script: javascript('2') }),
      '/invokeContext/script/source',
    ],
    [
      'a schedule under another name',
      'PUT',
      'config/notes?',
      { invokeService: 'taskscanner', invokeContext: scan('true') },
      '/invokeService',
    ],
    ...['testConfig', 'createFullConfig', 'createConfiguration'].map(
      (action) =>
        [
          `a file of a system that is tried by ${action}`,
          'POST',
          `system?_action=${action}&`,
          HR,
          '/configurationProperties',
        ] as const,
    ),
  ];

  it.each(BROUGHT)(
    'is brought by those who may evaluate scripts: %s',
    async (_what, method, to, body, field) => {
      for (const dryRun of ['', '_dryRun=true']) {
        const refused = await desk(method, to + dryRun, body);
        expect([refused.status, refused.body.detail]).toEqual([
          403,
          { id: 'SCRIPT_NOT_ALLOWED', field, hint: expect.stringContaining('script/access.js') },
        ]);
        const ordinary = await as('nobody-much', method, to + dryRun, body);
        expect([ordinary.status, ordinary.body.detail.id]).toEqual([403, 'ACCESS_DENIED']);
      }
      await done(api(method, `${to}_dryRun=true`, { body }));
    },
  );

  it('is a connector for nobody else, and its tests stay theirs who may ask for them', async () => {
    expect(await done(desk('POST', 'system?_action=availableConnectors'))).toHaveProperty('connectorRef');
    expect(await done(desk('POST', 'system?_action=test'))).toEqual([]);
  });

  it('is not even looked at when it is not theirs to bring', async () => {
    const body = { _id: 'another', objects: [] };
    const whole = await api('PUT', 'config/managed', { body });
    expect([whole.status, whole.body.detail.id]).toEqual([400, 'OBJECT_ID_MISMATCH']);
    const refused = await desk('PUT', 'config/managed', body);
    expect([refused.status, refused.body.detail.id]).toEqual([403, 'SCRIPT_NOT_ALLOWED']);
  });

  it('is left as it is by who may otherwise change what runs it', async () => {
    const job = await done(desk('GET', 'scheduler/job/there'));
    const later = { ...job, schedule: '0 0 3 * * ?', enabled: true, concurrentExecution: true };
    expect(await done(desk('PUT', 'scheduler/job/there', later))).toMatchObject({ schedule: '0 0 3 * * ?' });
    for (const action of ['pause', 'resume', 'trigger']) {
      await done(desk('POST', `scheduler/job/there?_action=${action}`));
    }
    await done(desk('POST', 'taskscanner?_action=execute&name=schedule/scanning'));
    expect(await done(desk('POST', 'workflow/deployment?_action=deploy', deployment()))).toMatchObject({
      unchanged: true,
    });
    const kept = await done(desk('GET', 'config/schedule/kept'));
    await done(desk('PUT', 'config/schedule/kept', { ...kept, schedule: '0 0 4 * * ?' }));
    await done(desk('PUT', 'config/notes', { shown: 2 }));
    await done(desk('DELETE', 'config/schedule/kept'));
    await done(desk('DELETE', 'scheduler/job/there'));
  });

  it('keeps the secrets beside it when only the times change, and nobody finds them out by that', async () => {
    const script = { ...javascript('password.length'), globals: { password: 'hunter-1' } };
    await done(api('PUT', 'scheduler/job/secretive', { body: schedule({ script }) }));
    const { triggers, nextRunDate, previousRunDate, ...job } = await done(
      desk('GET', 'scheduler/job/secretive'),
    );
    expect(JSON.stringify(job)).not.toContain('hunter-1');
    await done(desk('PUT', 'scheduler/job/secretive', { ...job, schedule: '0 0 3 * * ?' }));
    // Right or wrong, a guess is another script.
    for (const password of ['hunter-1', 'hunter-2']) {
      const guess = schedule({ script: { ...script, globals: { password } } });
      const { status, body } = await desk('PUT', 'scheduler/job/secretive?_dryRun=true', guess);
      expect([status, body.detail.id]).toEqual([403, 'SCRIPT_NOT_ALLOWED']);
    }
  });

  it('does not come back by a process that was taken away', async () => {
    const [process] = (
      await done(api('GET', 'workflow/processdefinition?_queryId=query-all-ids'))
    ).result.filter(({ _id }: { _id: string }) => _id.startsWith('plain:'));
    await done(desk('DELETE', `workflow/processdefinition/${process._id}`));
    const again = await desk('POST', 'workflow/deployment?_action=deploy', deployment());
    expect([again.status, again.body.detail.id]).toEqual([403, 'SCRIPT_NOT_ALLOWED']);
  });

  it('is tried again by anybody who may try scans again, and its words are not for them', async () => {
    await done(api('PATCH', 'managed/note/n', { body: [{ operation: 'remove', field: '/task' }] }));
    const words = scan("throw new Error('words of the script')");
    const failed = await done(api('POST', 'taskscanner?_action=execute', { body: words }));
    const retry = `taskscanner/${failed._id}?_action=retry`;
    const whole = (await done(api('POST', `${retry}&_dryRun=true`))).result;
    expect(whole.tried).toEqual([
      { objectID: 'managed/note/n', outcome: 'failed', error: expect.stringContaining('words') },
    ]);
    const told = await done(desk('POST', `${retry}&_dryRun=true`));
    expect(told).toMatchObject({ withheld: true, result: { total: 1, objects: ['managed/note/n'] } });
    expect(told.result.tried).toEqual([{ objectID: 'managed/note/n', outcome: 'failed' }]);
    const retried = await done(desk('POST', retry));
    const run = await eventually(
      () => api('GET', `taskscanner/${retried._id}`),
      ({ body }) => body.progress.state === 'COMPLETED',
    );
    expect(run.body.progress).toMatchObject({ failures: 1 });
    expect(run.body.errors[0].error.message).toContain('words of the script');

    // What a scan that everybody may see has come to is told to them as well, but for these words.
    const failures = `taskscanner/${retried._id}/failure?_queryFilter=`;
    const kind = { code: 500, reason: 'Internal Server Error' };
    const [failure] = (await done(desk('GET', `${failures}true`))).result;
    expect(failure).toMatchObject({ _id: 'managed/note/n', message: null, error: kind });
    expect(
      (await done(desk('GET', `${failures}${encodeURIComponent('message co "words"')}`))).result,
    ).toEqual([]);
    const quoted = `${failures}${encodeURIComponent('error/message co "words"')}`;
    expect((await desk('GET', quoted)).body.result ?? []).toEqual([]);
    for (const path of [`taskscanner/${retried._id}`, 'taskscanner', `${failures}true`]) {
      const shown = await done(desk('GET', path));
      expect(JSON.stringify(shown), path).not.toContain('words of the script');
    }
    expect((await done(api('GET', `${failures}true`))).result[0].message).toContain('words of the script');
  });
});
