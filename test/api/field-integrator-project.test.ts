import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '#json/index.ts';
import { run } from '../../src/cli/index.ts';
import type { Api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { createProject, fixtureFiles } from '../support/project.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { untilDeadLetter, workflowApi } from '../support/workflow.ts';

const PASSWORD = 'Passw0rd-of-users';

describe('a project as an integrator of the field brings it', () => {
  let server: TestServer;
  let api: Api;

  beforeAll(async () => {
    server = await startTestServer({ files: await fixtureFiles('integrator-project') });
    api = server.api;
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const create = async (path: string, body: JsonObject) => {
    const { status, body: made } = await api('POST', path, { body });
    expect([status, made]).toEqual([201, expect.anything()]);
    return made;
  };
  const person = (userName: string, more: JsonObject = {}) =>
    create('managed/user', { userName, sn: 'Berg', password: PASSWORD, ...more });
  const replace = (path: string, field: string, value: unknown) =>
    api('PATCH', path, { body: [{ operation: 'replace', field, value }] });
  const found = async (path: string, filter: string) =>
    (await api('GET', `${path}?_queryFilter=${encodeURIComponent(filter)}`)).body.result;
  const notes = (about: string) => found('managed/note', `about eq "${about}"`);

  it('has no mistakes for config-check, which says where each doubt is', async () => {
    await using project = await createProject(await fixtureFiles('integrator-project'));
    const listen = vi.spyOn(console, 'log').mockImplementation(() => {});
    try {
      expect(await run(['config-check', '--json', '--project', project.location])).toBe(0);
      const { findings } = JSON.parse(listen.mock.calls.flat().join(''));
      expect(
        findings
          .map(({ severity, id, file, line }: JsonObject) => `${severity} ${id} ${file}:${line}`)
          .sort(),
      ).toEqual([
        'warning AUTH_MODULE_DOUBT conf/authentication.json:47',
        'warning MANAGED_BAD_DISPLAY conf/managed.json:21',
        'warning MANAGED_BAD_DISPLAY conf/managed.json:27',
        'warning SCRIPT_GROOVY_DOUBT script/normalize.groovy:3',
        'warning SCRIPT_GROOVY_DOUBT script/toolbox.groovy:12',
        'warning WORKFLOW_BAD_SCRIPT workflow/onboarding.bpmn20.xml:45',
        'warning WORKFLOW_IGNORED_EXTENSION workflow/onboarding.bpmn20.xml:34',
        'warning WORKFLOW_IGNORED_EXTENSION workflow/onboarding.bpmn20.xml:9',
        'warning WORKFLOW_NO_DEFAULT workflow/equipment.bpmn20.xml:13',
      ]);
    } finally {
      listen.mockRestore();
    }
  });

  it('runs hooks and actions of both languages, with what configuration gives them', async () => {
    const site = await create('managed/site', { name: 'Bern' });
    const anna = await person('anna', { site: { _ref: `managed/site/${site._id}` } });
    expect(anna).toMatchObject({ mail: 'anna@example.com', accountStatus: 'active' });
    const long = await api('POST', 'managed/user', { body: { userName: 'x'.repeat(26) } });
    expect([long.status, long.body.message]).toEqual([403, 'A name has at most 25 characters']);
    const path = `managed/user/${anna._id}`;
    expect((await replace(path, '/mail', 'ANNA@Example.com')).body.mail).toBe('anna@example.com');
    const gone = await replace(path, '/accountStatus', 'gone');
    expect([gone.status, gone.body.message]).toEqual([409, 'anna is gone']);
    const people = `managed/site/${site._id}/people?_queryFilter=true`;
    expect((await api('GET', people)).body.resultCount).toBe(1);
    expect((await api('POST', `${path}?_action=vacate`)).body).toMatchObject({ userName: 'anna' });
    expect((await api('GET', people)).body.resultCount).toBe(0);
    expect((await api('DELETE', path)).status).toBe(200);
    expect(await notes('anna')).toMatchObject([{ text: 'left' }]);
  });

  it('stores and finds texts of any length, and shows nobody what is encrypted', async () => {
    const bio = `${'Lorem ipsum '.repeat(8_400)}end`;
    const { _id } = await person('bo', { bio, pin: '1234' });
    for (const filter of [`bio eq ${JSON.stringify(bio)}`, 'bio sw "Lorem ipsum L"', 'bio co "ipsum end"']) {
      const { status, body } = await api('POST', 'script?_action=eval', {
        body: {
          type: 'text/javascript',
          source: "svc.query('managed/user', { _queryFilter: filter }, ['_id']).result",
          filter,
        },
      });
      expect([status, body]).toEqual([200, [expect.objectContaining({ _id })]]);
    }
    expect(JSON.stringify((await api('GET', `managed/user/${_id}`)).body)).not.toContain('1234');
    const { status, body } = await api('GET', 'config/workflow');
    expect([status, JSON.stringify(body)]).toEqual([200, expect.not.stringContaining('a-secret-of')]);
  });

  it('asks the script of the module who may come in, and takes back at once what is taken back', async () => {
    const cy = await person('cy', { employeeType: 'contractor', contract: '7' });
    const path = `managed/user/${cy._id}`;
    const login = () => api('GET', 'info/login', { user: 'cy', password: PASSWORD });
    expect((await login()).body.authorization.roles).toEqual(['svc-authorized', 'contractor']);
    const own = await api('GET', path, { user: 'cy', password: PASSWORD });
    expect([own.status, own.body.userName]).toEqual([200, 'cy']);
    await api('PATCH', path, { body: [{ operation: 'remove', field: '/contract' }] });
    expect((await login()).status).toBe(401);
    await replace(path, '/contract', '8');
    expect((await login()).status).toBe(200);
    await replace(path, '/accountStatus', 'inactive');
    expect((await login()).status).toBe(401);
  });

  it('plans and fires its schedules, by expression and in steps, persisted and in memory', async () => {
    const job = async (id: string) => (await api('GET', `scheduler/job/${id}`)).body;
    expect(await job('nightly')).toMatchObject({
      persisted: true,
      timeZone: 'Europe/Zurich',
      nextRunDate: expect.stringMatching(/T0[01]:30:00/),
    });
    expect(await job('heartbeat')).toMatchObject({ persisted: false, enabled: true });
    expect(await job('reconcile')).toMatchObject({ enabled: false, nextRunDate: null });
    for (const [id, times] of [
      ['thrice', 3],
      ['twice', 2],
    ] as const) {
      const ended = (rows: JsonObject[]) => rows.length === times;
      await eventually(() => notes(id), ended);
    }
    const run = await api('POST', 'scheduler/job/nightly?_action=trigger');
    expect(run.status).toBe(200);
    await eventually(
      () => notes('nightly'),
      (rows: JsonObject[]) => rows.length === 1,
    );
  });

  it('scans for those whose first day has come, each once', async () => {
    await person('dee', { startDate: '2020-01-01T00:00:00Z' });
    await person('eve', { startDate: '2999-01-01T00:00:00Z' });
    const scan = () =>
      api('POST', 'taskscanner?_action=execute&name=schedule/starters&waitForCompletion=true');
    expect(await scan()).toMatchObject({ status: 200, body: { _id: expect.any(String) } });
    expect(await scan()).toMatchObject({ status: 200 });
    expect(await notes('dee')).toMatchObject([{ text: 'welcome to Berg', by: expect.any(String) }]);
    expect(await notes('eve')).toEqual([]);
    const [dee] = await found('managed/user', 'userName eq "dee"');
    expect(dee.welcomed).toEqual({ started: expect.any(String), completed: expect.any(String) });
    expect(await found('taskscanner', 'true')).toHaveLength(2);
  });

  it('serves its endpoints, whose scripts use what the field offers them', async () => {
    await person('fay');
    const { status, body } = await api('GET', 'endpoint/report', { user: 'fay', password: PASSWORD });
    expect(status).toBe(200);
    expect(body.text).toMatch(/^pilot: .*fay;$/);
    expect(body.size).toBe(body.text.split(';').length - 1);
    expect((await api('GET', 'endpoint/toolbox')).body).toEqual({
      command: 'move a+b',
      card: ['bern', 'basel'],
      letter: 'Dear Anna',
      leaf: 'anna',
      parent: 'managed/user',
      json: '[{"role":"staff"}]',
      root: true,
      types: ['byte', 'byte[]'],
      shouted: 'HEY!',
      flagged: true,
      empty: 0,
      named: { policy: 'String' },
      texts: ['[1, 2]', 1],
    });
  });

  it('says of itself what its files name a script of the field for', async () => {
    expect((await api('GET', 'info/ping')).body).toMatchObject({ state: 'ACTIVE_READY' });
    expect((await api('GET', 'info/uiconfig')).body).toMatchObject({ configuration: {} });
    expect((await api('GET', 'info/other')).status).toBe(404);
  });

  it('runs its processes: an escalation ends a called one well, and a script that cannot be is an incident when it is reached', async () => {
    const { start, completeAt, openTasks, get, list } = workflowApi(api);
    const late = async (legacy: boolean) => {
      const id = await start('onboarding', { userName: 'gil', legacy });
      const [called] = await list('processinstance', `superProcessInstanceId=${id}`);
      expect((await completeAt(called._id, 'order', { inTime: false })).status).toBe(200);
      expect(await openTasks(id)).toEqual(['remind']);
      expect((await completeAt(id, 'remind')).status).toBe(200);
      return id;
    };
    const done = await get(`processinstance/history/${await late(false)}`);
    expect([done.endTime, JSON.parse(done.processVariables.items)]).toEqual([
      expect.any(String),
      [{ item: 'desk' }, { item: 'phone' }],
    ]);
    const stuck = await late(true);
    await untilDeadLetter(server, stuck);
    const { waitsFor } = await get(`processinstance/${stuck}?_fields=waitsFor`);
    expect(JSON.stringify(waitsFor)).toMatch(/legacy.*com\.example\.hr\.Client/);
  });
});
