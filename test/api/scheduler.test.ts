import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#json/index.ts';
import type { Api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { WATCHFUL } from '../support/project.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const FILES = {
  'conf/managed.json': { objects: [{ name: 'mark' }, { name: 'gate' }] },
  'conf/schedule-from-file.json': {
    persisted: true,
    schedule: '0 0 3 * * ?',
    timeZone: 'Europe/Berlin',
    invokeService: 'script',
    invokeContext: { script: { type: 'text/javascript', source: '1' } },
  },
  'conf/schedule-without-script.json': { schedule: '0 0 3 * * ?', invokeService: 'script' },
};

const MARK = {
  type: 'text/javascript',
  source: "svc.create('managed/mark', null, { note: object.note, by: context.security.authenticationId });",
};

const marking = (note: string, fields: JsonObject = {}): JsonObject => ({
  type: 'cron',
  schedule: '* * * * * ?',
  timeZone: 'UTC',
  invokeService: 'script',
  invokeContext: { input: { note }, script: MARK },
  ...fields,
});

describe('schedules over HTTP', () => {
  let server: TestServer;
  let api: Api;

  beforeAll(async () => {
    server = await startTestServer({ files: { 'conf/boot/boot.properties': WATCHFUL, ...FILES } });
    api = server.api;
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const ran = (schedule: string) =>
    server.observed('trigger.completed', (said) => said.schedule === schedule);
  const marks = async (note: string) =>
    (await api('GET', `managed/mark?_queryFilter=${encodeURIComponent(`note eq "${note}"`)}`)).body.result;
  const ledger = async (schedule: string) =>
    (
      await sql<
        Record<string, unknown>
      >`select * from svc_firing where schedule = ${schedule} order by planned_at`.execute(server.database.db)
    ).rows;

  it('are created with an id of the server and read back with all fields, triggers and next date', async () => {
    const created = await api('POST', 'scheduler/job', {
      body: { schedule: '0 0 2 * * ?', invokeService: 'elsewhere', timeZone: 'UTC' },
    });
    expect(created.status).toBe(201);
    expect(created.headers.get('etag')).toBe(`"${created.body._rev}"`);
    const { warnings, ...job } = created.body;
    expect(warnings).toEqual([expect.stringMatching(/No run will find the service 'elsewhere'/)]);
    expect(job).toEqual({
      _id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      _rev: expect.stringMatching(/^[0-9a-f]{16}$/),
      enabled: true,
      persisted: true,
      misfirePolicy: 'fireAndProceed',
      schedule: '0 0 2 * * ?',
      type: 'cron',
      invokeService: 'svc.service.elsewhere',
      invokeContext: null,
      invokeLogLevel: 'info',
      timeZone: 'UTC',
      startTime: null,
      endTime: null,
      concurrentExecution: false,
      words: 'At 02:00',
      triggers: [
        {
          _id: `scheduler-service-group_$x$x$_${created.body._id}`,
          _rev: '1',
          serialized: expect.any(String),
          name: created.body._id,
          group: 'scheduler-service-group',
          previous_state: -1,
          state: 0,
          acquired: false,
          nodeId: null,
        },
      ],
      nextRunDate: expect.stringMatching(/T02:00:00.000Z$/),
      previousRunDate: null,
    });
    expect((await api('GET', `scheduler/job/${job._id}`)).body).toEqual(job);
    expect((await api('DELETE', `scheduler/job/${job._id}`)).body).toEqual(job);
    expect((await api('GET', `scheduler/job/${job._id}`)).status).toBe(404);
  });

  it('are created over HTTP and by scripts under an id of their own, once', async () => {
    const body = { schedule: '0 0 2 * * ?', invokeService: 'elsewhere' };
    const made = await api('POST', 'scheduler/job?_action=create', { body });
    expect([made.status, made.body._id]).toEqual([201, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
    const onlyNew = { body, headers: { 'If-None-Match': '*' } };
    expect((await api('PUT', `scheduler/job/${made.body._id}`, onlyNew)).status).toBe(412);
    expect((await api('PUT', 'scheduler/job/named', onlyNew)).status).toBe(201);
    const onlyOld = { body, headers: { 'If-Match': '*' } };
    expect((await api('PUT', 'scheduler/job/nobody', onlyOld)).status).toBe(404);
    const source = `svc.action('scheduler/job', 'create', { schedule: '0 0 2 * * ?', invokeService: 'elsewhere',
      invokeContext: { input: [1] } }, {})`;
    const byScript = await api('POST', 'script?_action=eval', { body: { type: 'text/javascript', source } });
    expect(byScript.body).toMatchObject({ persisted: true, invokeContext: { input: [1] } });
    expect((await api('GET', `scheduler/job/${byScript.body._id}`)).status).toBe(200);
    expect((await api('DELETE', 'scheduler/job/nobody')).status).toBe(404);
    expect((await api('DELETE', 'scheduler/job')).status).toBe(400);
    expect((await api('GET', 'scheduler/job?_queryId=all')).status).toBe(400);
  });

  it('tell who saves them what clocks will skip and show twice', async () => {
    const save = async (fields: JsonObject) =>
      (await api('PUT', 'scheduler/job/clocks', { body: marking('clocks', fields) })).body.warnings;
    const autumn = {
      startTime: '2038-10-01T00:00:00',
      schedule: '0 30 2 * * ?',
      endTime: '2038-11-30T00:00:00',
    };
    expect(await save({ ...autumn, timeZone: 'Europe/Berlin' })).toEqual([
      expect.stringMatching(/show twice .* from 2038-10-31T02:00:00 to 2038-10-31T03:00:00: .*T02:30:00$/),
    ]);
    expect((await api('GET', 'scheduler/job/clocks')).body).not.toHaveProperty('warnings');
    expect(await save({ schedule: '0 30 2 * * ?' })).toBeUndefined();
    const file = { ...FILES['conf/schedule-from-file.json'], schedule: '0 30 2 * * ?', enabled: false };
    await api('PUT', 'config/schedule/clocks-file', { body: file });
    await server.observed('config.warned', (said) =>
      said.message.includes('schedule-clocks-file.json: Clocks'),
    );
    await api('DELETE', 'config/schedule/clocks-file');
  });

  it('fire at their times, and the ledger says so', async () => {
    await api('PUT', 'scheduler/job/ticking', { body: marking('ticking') });
    await ran('ticking');
    const [mark] = await marks('ticking');
    expect(mark.by).toMatch(/^Scheduled ticking-\d{4}-/);
    await api('DELETE', 'scheduler/job/ticking');
    const [entry] = await ledger('ticking');
    expect(entry).toMatchObject({
      // On a busy machine the first one may come a second late.
      outcome: expect.stringMatching(/^(fired|late)$/),
      failed: false,
      node: expect.any(String),
    });
    expect((entry!['planned_at'] as Date).getMilliseconds()).toBe(0);
    expect(Number(entry!['late_ms'])).toBeGreaterThanOrEqual(0);
  });

  it('of the type simple fire once and are gone', async () => {
    const created = await api('PUT', 'scheduler/job/once', {
      body: {
        type: 'simple',
        startTime: '2020-01-01T00:00:00',
        invokeService: 'script',
        invokeContext: { input: { note: 'once' }, script: MARK },
      },
    });
    expect(created.status).toBe(201);
    await ran('once');
    expect(await marks('once')).toHaveLength(1);
    expect((await api('GET', 'scheduler/job/once')).status).toBe(404);
    expect((await ledger('once')).map((entry) => entry['outcome'])).toEqual([
      'misfired',
      expect.stringMatching(/^(fired|late)$/),
    ]);
  });

  it('whose script fails leave no effects, and their error in the ledger', async () => {
    const source =
      "svc.create('managed/mark', null, { note: 'failing' }); console.log('before'); throw new Error('on purpose');";
    await api('PUT', 'scheduler/job/failing', {
      body: {
        type: 'simple',
        invokeService: 'script',
        startTime: '2020-01-01T00:00:00',
        invokeContext: { script: { type: 'text/javascript', source } },
      },
    });
    await server.observed('trigger.failed', (said) => said.schedule === 'failing');
    expect(await marks('failing')).toEqual([]);
    const entry = (await ledger('failing')).at(-1)!;
    expect(entry).toMatchObject({
      failed: true,
      error: { code: 500, message: expect.stringMatching(/on purpose/) },
      log: [{ level: 'info', message: 'before' }],
    });
  });

  it('go on after a run that failed, and do not repeat it', async () => {
    const invokeContext = { script: { type: 'text/javascript', source: "throw new Error('again');" } };
    await api('PUT', 'scheduler/job/stubborn', { body: marking('stubborn', { invokeContext }) });
    const entries = await eventually(
      () => ledger('stubborn'),
      ({ length }) => length >= 2,
    );
    await api('DELETE', 'scheduler/job/stubborn');
    expect(entries.every((entry) => entry['failed'] === true && entry['attempt'] === 1)).toBe(true);
  });

  it('give a script null where there is no input, and the other keys of its reference', async () => {
    const source = "svc.create('managed/mark', null, { note: 'bare', input: object === null, extra });";
    const invokeContext = { script: { type: 'text/javascript', source, extra: { deep: [1] } } };
    await api('PUT', 'scheduler/job/bare', {
      body: marking('bare', { type: 'simple', startTime: '2020-01-01T00:00:00', invokeContext }),
    });
    await ran('bare');
    expect(await marks('bare')).toMatchObject([{ input: true, extra: { deep: [1] } }]);
  });

  it('that invoke what nobody offers fail with the names there are', async () => {
    await api('PUT', 'scheduler/job/unserved', {
      body: { type: 'simple', invokeService: 'scirpt', startTime: '2020-01-01T00:00:00' },
    });
    await server.observed('trigger.failed', (said) => said.schedule === 'unserved');
    expect((await ledger('unserved')).at(-1)).toMatchObject({
      error: { message: expect.stringMatching(/scirpt/), detail: { hint: expect.stringMatching(/script/) } },
    });
  });

  it('that are disabled are registered and have no trigger', async () => {
    const { body } = await api('PUT', 'scheduler/job/off', { body: marking('off', { enabled: false }) });
    expect(body).toMatchObject({ enabled: false, triggers: [], nextRunDate: null });
    expect((await api('GET', 'scheduler/trigger/off')).status).toBe(404);
    const past = { enabled: false, schedule: '0 0 0 1 1 ? 2020' };
    expect((await api('PUT', 'scheduler/job/past', { body: marking('past', past) })).status).toBe(201);
  });

  it('keep what waits when an update does not change their times', async () => {
    const read = (
      await api('PUT', 'scheduler/job/kept', { body: marking('kept', { schedule: '0 0 4 * * ?' }) })
    ).body;
    const updated = await api('PUT', 'scheduler/job/kept', {
      body: { ...read, invokeContext: { ...read.invokeContext, input: 1 } },
    });
    expect([updated.status, updated.body.triggers[0]._rev]).toEqual([200, '1']);
    const moved = await api('PUT', 'scheduler/job/kept', { body: { ...read, schedule: '0 0 5 * * ?' } });
    expect(moved.body).toMatchObject({
      nextRunDate: expect.stringMatching(/T05:00/),
      triggers: [{ _rev: '2' }],
    });
  });

  it('of files are there, and follow their files; one that can never run is left out', async () => {
    const read = async () => api('GET', 'scheduler/job/from-file');
    const refused = await server.observed('config.refused', ({ id }) => id === 'schedule/without-script');
    expect(refused.findings).toEqual([expect.stringMatching(/no 'script'/)]);
    expect((await api('GET', 'scheduler/job/without-script')).status).toBe(404);
    expect((await read()).body).toMatchObject({ persisted: true, timeZone: 'Europe/Berlin' });
    await server.project.write('conf/schedule-from-file.json', {
      ...FILES['conf/schedule-from-file.json'],
      schedule: '0 30 3 * * ?',
    });
    await server.observed('schedule.registered', ({ schedule }) => schedule === 'from-file');
    await server.observed(
      'config.changed',
      ({ id, change }) => id === 'schedule/from-file' && change === 'changed',
    );
    expect((await read()).body.schedule).toBe('0 30 3 * * ?');
    await server.project.remove('conf/schedule-from-file.json');
    await server.observed('schedule.removed', ({ schedule }) => schedule === 'from-file');
    expect((await read()).status).toBe(404);
  });

  it('are refused in the configuration as they are over REST, and know all that those know', async () => {
    const body = { ...FILES['conf/schedule-from-file.json'], priority: 9, coalesce: true };
    const zone = { ...body, timeZone: 'Europe/Praque' };
    const refused = await api('PUT', 'config/schedule/prior', { body: zone });
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([400, expect.stringMatching(/Praque/)]);
    const bare = await api('PUT', 'config/schedule/prior', { body: { ...body, invokeContext: null } });
    expect([bare.status, JSON.stringify(bare.body)]).toEqual([400, expect.stringMatching(/no 'script'/)]);
    expect((await api('GET', 'config/schedule/prior')).status).toBe(404);
    expect((await api('PUT', 'config/schedule/prior', { body })).status).toBe(201);
    expect((await api('GET', 'scheduler/job/prior')).body).toMatchObject({ priority: 9, coalesce: true });
    await api('DELETE', 'config/schedule/prior');
  });

  it('are queried by any of their fields, also those of their triggers', async () => {
    await api('PUT', 'scheduler/job/queried', { body: marking('queried', { schedule: '0 0 6 * * ?' }) });
    const query = async (filter: string) =>
      (await api('GET', `scheduler/job?_queryFilter=${encodeURIComponent(filter)}`)).body.result.map(
        (row: { _id: string }) => row._id,
      );
    expect(await query('invokeContext/input/note eq "queried"')).toEqual(['queried']);
    expect(await query('_id eq "queried" and persisted eq true and triggers/0/state eq 0')).toEqual([
      'queried',
    ]);
    expect(await query('triggers/0/nodeId pr')).toEqual([]);
    const ids = await api('GET', 'scheduler/job?_queryId=query-all-ids');
    expect(ids.body.result).toContainEqual({ _id: 'queried' });
  });

  it('show their triggers, read only, by either name', async () => {
    await api('PUT', 'scheduler/job/shown', { body: marking('shown', { schedule: '0 0 6 * * ?' }) });
    const trigger = await api('GET', 'scheduler/trigger/shown');
    expect(trigger.body).toMatchObject({ _rev: '1', name: 'shown', state: 0, acquired: false, nodeId: null });
    expect((await api('GET', `scheduler/trigger/${trigger.body._id}`)).body).toEqual(trigger.body);
    expect((await api('GET', `repo/scheduler/triggers/${trigger.body._id}`)).body).toEqual(trigger.body);
    expect((await api('DELETE', 'scheduler/trigger/shown')).status).toBe(501);
    expect((await api('PUT', 'scheduler/trigger/shown', { body: {} })).status).toBe(501);
    expect((await api('POST', 'scheduler/trigger', { body: {} })).status).toBe(501);
    expect((await api('GET', 'scheduler/trigger')).status).toBe(400);
    expect((await api('GET', 'scheduler/trigger/nobody')).status).toBe(404);
    const all = await api('GET', `scheduler/trigger?_queryFilter=${encodeURIComponent('name eq "shown"')}`);
    expect(all.body.result).toEqual([trigger.body]);
  });

  it('can all be paused and resumed', async () => {
    expect((await api('POST', 'scheduler/job?_action=pauseJobs')).body).toEqual({ success: true });
    await api('PUT', 'scheduler/job/paused', { body: marking('paused') });
    expect((await api('GET', 'scheduler/trigger/paused')).body).toMatchObject({
      state: 1,
      previous_state: -1,
    });
    expect((await api('GET', 'scheduler/job/paused')).body.nextRunDate).toMatch(/Z$/);
    expect((await api('POST', 'scheduler/job?_action=RESUMEJOBS')).body).toEqual({ success: true });
    await ran('paused');
    await api('DELETE', 'scheduler/job/paused');
  });

  it('show what runs now, and where', async () => {
    const source = "while (svc.read('managed/gate/slow') === null) {}";
    const invokeContext = { script: { type: 'text/javascript', source, timeout: 120_000 } };
    await api('PUT', 'scheduler/job/slow', { body: marking('slow', { invokeContext }) });
    await server.observed('trigger.fired', (said) => said.schedule === 'slow');
    const once = { type: 'simple', startTime: '2020-01-01T00:00:00', persisted: false, invokeContext };
    await api('PUT', 'scheduler/job/slow-here', { body: marking('slow', once) });
    await server.observed('trigger.misfired', (said) => said.schedule === 'slow-here');
    // A run of another test may still be on its way to its end.
    const running = async () =>
      (await api('POST', 'scheduler/job?_action=listCurrentlyExecutingJobs')).body.filter(
        ({ _id }: { _id: string }) => _id.startsWith('slow'),
      );
    const body = await running();
    const run = {
      type: 'cron',
      invokeService: 'svc.service.script',
      nodeId: expect.any(String),
      fireInstanceId: expect.stringMatching(/^-?\d+\.\d+\.\d+$/),
      scheduledFireTime: expect.stringMatching(/Z$/),
      fireTime: expect.stringMatching(/Z$/),
    };
    expect(body).toMatchObject([
      { _id: 'slow', persisted: true, concurrentExecution: false, ...run },
      { _id: 'slow-here', persisted: false, ...run, type: 'simple' },
    ]);
    const busy = `persisted eq true and triggers/0/nodeId pr and triggers/0/state gt 0 and triggers/0/nodeId eq "${body[0].nodeId}"`;
    const found = await api('GET', `scheduler/job?_queryFilter=${encodeURIComponent(busy)}`);
    expect(found.body.result).toMatchObject([{ _id: 'slow' }]);
    expect((await api('GET', 'scheduler/acquiredTriggers')).body).toMatchObject({
      [body[0].nodeId]: ['scheduler-service-group_$x$x$_slow'],
    });
    expect((await api('GET', 'scheduler/trigger/slow')).body).toMatchObject({
      state: 4,
      previous_state: 0,
      acquired: true,
      nodeId: expect.any(String),
    });
    await api('DELETE', 'scheduler/job/slow');
    expect(await running()).toMatchObject([{ _id: 'slow', nodeId: body[0].nodeId }, { _id: 'slow-here' }]);
    await api('PUT', 'managed/gate/slow', { body: {} });
  });

  it('can be rehearsed', async () => {
    const { body } = await api('PUT', 'scheduler/job/rehearsed?_dryRun=true', { body: marking('rehearsed') });
    expect(body).toMatchObject({
      dryRun: true,
      changes: [{ resource: 'scheduler/job/rehearsed', operation: 'create' }],
    });
    expect((await api('GET', 'scheduler/job/rehearsed')).status).toBe(404);
  });

  it('say whether a cron expression is legal', async () => {
    const validate = async (cronExpression: unknown) =>
      (await api('POST', 'scheduler?_action=validateQuartzCronExpression', { body: { cronExpression } }))
        .body;
    expect(await validate('0 0 12 * * ?')).toEqual({ valid: true });
    expect(await validate('0 0 12 * * *')).toMatchObject({ valid: false });
    expect(await validate(5)).toMatchObject({ code: 400 });
    for (const path of [
      'job',
      'job/any',
      'trigger',
      'trigger/any',
      'firing',
      'firing/any',
      'waitingTriggers',
      'waitingTriggers/any',
      'unknown',
      'unknown/any',
      'job/any/deep',
      'trigger/any/deep',
      'firing/any/deep',
    ]) {
      const answer = await api('POST', `scheduler/${path}?_action=validateQuartzCronExpression`, {
        body: { cronExpression: '0 0 12 * * ?' },
      });
      expect(answer.body, path).toEqual({ valid: true });
    }
    expect((await api('POST', 'scheduler?_action=dance')).status).toBe(400);
    expect((await api('POST', 'scheduler/unknown?_action=dance')).status).toBe(404);
    expect((await api('GET', 'scheduler/unknown')).status).toBe(404);
    for (const path of ['job/any/deep', 'trigger/any/deep', 'firing/any/deep']) {
      expect((await api('GET', `scheduler/${path}`)).status).toBe(404);
      const put = await api('PUT', `scheduler/${path}`, { body: marking('deep') });
      expect(put.body).toMatchObject({ code: 404, message: `Resource 'scheduler/${path}' not found` });
    }
  });

  it('tell which of their members have no meaning', async () => {
    const body = { ...marking('misspelt'), enabeld: false };
    const { status, body: saved } = await api('PUT', 'scheduler/job/misspelt', { body });
    expect([status, saved.warnings]).toEqual([
      201,
      ["'enabeld' has no meaning here. Did you mean 'enabled'?"],
    ]);
    const again = await api('PUT', 'scheduler/job/misspelt', { body: saved });
    expect(again.body).not.toHaveProperty('warnings');
  });

  it('take the id of a body, which must be that of the address', async () => {
    const named = await api('POST', 'scheduler/job', {
      body: { _id: 'bearing-id', ...marking('bearing-id') },
    });
    expect(named).toMatchObject({ status: 201, body: { _id: 'bearing-id' } });
    const again = await api('POST', 'scheduler/job', {
      body: { _id: 'bearing-id', ...marking('bearing-id') },
    });
    expect(again.status).toBe(412);
    for (const [method, path, _id] of [
      ['POST', 'scheduler/job', 7],
      ['PUT', 'scheduler/job/bearing-id', 'other'],
      ['PUT', 'scheduler/job/new', 'other'],
      ['PUT', 'repo/thing/new', 'other'],
      ['POST', 'repo/thing', ['x']],
      ['PUT', 'config/endpoint/new', 'endpoint/other'],
    ] as const) {
      const answer = await api(method, path, { body: { _id, ...marking('named') } });
      expect(answer.body, path).toMatchObject({ code: 400, detail: { field: '/_id' } });
    }
    expect((await api('GET', 'scheduler/job/new')).status).toBe(404);
  });

  it.each<[string, object, RegExp, string]>([
    ['cron text', { schedule: 'every day' }, /every day/, '/schedule'],
    ['time zone', { timeZone: 'Europe/Praque' }, /Europe\/Praque/, '/timeZone'],
    ['start time', { startTime: 'tomorrow' }, /tomorrow/, '/startTime'],
    ['service', { invokeService: '' }, /invokeService/, '/invokeService'],
    ['script', { invokeContext: { script: '1 + 1' } }, /must be an object/, '/invokeContext/script'],
    ['script that is none', { invokeContext: { input: 1 } }, /no 'script'/, '/invokeContext/script'],
    ['context that is none', { invokeContext: null }, /no 'script'/, '/invokeContext/script'],
    ['flag', { enabled: 'yes' }, /"yes"/, '/enabled'],
    ['time that never comes', { schedule: '0 0 0 30 2 ?' }, /never fire/, '/schedule'],
    ['year that is over', { schedule: '0 0 0 1 1 ? 2020' }, /never fire/, '/schedule'],
    ['end that is over', { endTime: '2020-01-01T00:00:00' }, /never fire/, '/schedule'],
    [
      'end before its only time',
      { type: 'simple', endTime: '2020-01-01T00:00:00' },
      /never fire/,
      '/schedule',
    ],
  ])('are refused with a bad %s, and nothing is stored', async (_title, fields, message, field) => {
    const answer = await api('PUT', 'scheduler/job/bad', { body: { ...marking('bad'), ...fields } });
    expect(answer.body).toMatchObject({
      code: 400,
      message: expect.stringMatching(message),
      detail: { field },
    });
    expect((await api('GET', 'scheduler/job/bad')).status).toBe(404);
  });

  it('are not patched, and know their actions', async () => {
    const patch = await api('PATCH', 'scheduler/job/off', { body: [{ operation: 'remove', field: '/x' }] });
    expect(patch.status).toBe(501);
    expect((await api('POST', 'scheduler/job?_action=dance')).status).toBe(400);
    expect((await api('GET', 'scheduler/job')).status).toBe(400);
  });
});
