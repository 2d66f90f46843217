import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#json/index.ts';
import type { Api } from '../support/api.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const FILES = {
  'conf/managed.json': { objects: [{ name: 'mark' }] },
  'conf/schedule-from-file.json': {
    persisted: true,
    schedule: '0 0 3 * * ?',
    timeZone: 'Europe/Berlin',
    invokeService: 'script',
    invokeContext: { script: { type: 'text/javascript', source: '1' } },
  },
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
    server = await startTestServer({ files: FILES });
    api = server.api;
  });
  afterAll(() => server[Symbol.asyncDispose]());

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
      body: { schedule: '0 0 2 * * ?', invokeService: 'script', timeZone: 'UTC' },
    });
    expect(created.status).toBe(201);
    expect(created.headers.get('etag')).toBeNull();
    expect(created.body).toEqual({
      _id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      enabled: true,
      persisted: true,
      misfirePolicy: 'fireAndProceed',
      schedule: '0 0 2 * * ?',
      type: 'cron',
      invokeService: 'svc.service.script',
      invokeContext: null,
      invokeLogLevel: 'info',
      timeZone: 'UTC',
      startTime: null,
      endTime: null,
      concurrentExecution: false,
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
    expect((await api('GET', `scheduler/job/${created.body._id}`)).body).toEqual(created.body);
    expect((await api('DELETE', `scheduler/job/${created.body._id}`)).body).toEqual(created.body);
    expect((await api('GET', `scheduler/job/${created.body._id}`)).status).toBe(404);
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
    expect((await ledger('once')).map((entry) => entry['outcome'])).toEqual(['misfired', 'fired']);
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
  });

  it('keep what waits when an update does not change their times', async () => {
    const read = (
      await api('PUT', 'scheduler/job/kept', { body: marking('kept', { schedule: '0 0 4 * * ?' }) })
    ).body;
    const updated = await api('PUT', 'scheduler/job/kept', {
      body: { ...read, invokeContext: { input: 1 } },
    });
    expect([updated.status, updated.body.triggers[0]._rev]).toEqual([200, '1']);
    const moved = await api('PUT', 'scheduler/job/kept', { body: { ...read, schedule: '0 0 5 * * ?' } });
    expect(moved.body).toMatchObject({
      nextRunDate: expect.stringMatching(/T05:00/),
      triggers: [{ _rev: '2' }],
    });
  });

  it('of files are there, and follow their files', async () => {
    const read = async () => api('GET', 'scheduler/job/from-file');
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
    await server.observed('schedule.removed');
    expect((await read()).status).toBe(404);
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
    const all = await api('GET', `scheduler/trigger?_queryFilter=${encodeURIComponent('name eq "shown"')}`);
    expect(all.body.result).toEqual([trigger.body]);
  });

  it('can all be paused and resumed', async () => {
    expect((await api('POST', 'scheduler/job?_action=pauseJobs')).body).toEqual({ success: true });
    await api('PUT', 'scheduler/job/paused', { body: marking('paused') });
    expect((await api('GET', 'scheduler/trigger/paused')).body.state).toBe(1);
    expect((await api('POST', 'scheduler/job?_action=resumeJobs')).body).toEqual({ success: true });
    await ran('paused');
    await api('DELETE', 'scheduler/job/paused');
  });

  it('show what runs now, and where', async () => {
    const source = 'var until = Date.now() + 1500; while (Date.now() < until) {}';
    await api('PUT', 'scheduler/job/slow', {
      body: { ...marking('slow'), invokeContext: { script: { type: 'text/javascript', source } } },
    });
    await server.observed('trigger.fired', (said) => said.schedule === 'slow');
    const { body } = await api('POST', 'scheduler/job?_action=listCurrentlyExecutingJobs');
    expect(body).toMatchObject([{ _id: 'slow', nodeId: expect.any(String), fireTime: expect.any(String) }]);
    expect((await api('GET', 'scheduler/trigger/slow')).body).toMatchObject({
      state: 4,
      previous_state: 0,
      acquired: true,
      nodeId: expect.any(String),
    });
    await api('DELETE', 'scheduler/job/slow');
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
    ]) {
      const answer = await api('POST', `scheduler/${path}?_action=validateQuartzCronExpression`, {
        body: { cronExpression: '0 0 12 * * ?' },
      });
      expect(answer.body, path).toEqual({ valid: true });
    }
  });

  it.each<[string, object, RegExp, string]>([
    ['cron text', { schedule: 'every day' }, /every day/, '/schedule'],
    ['time zone', { timeZone: 'Europe/Praque' }, /Europe\/Praque/, '/timeZone'],
    ['start time', { startTime: 'tomorrow' }, /tomorrow/, '/startTime'],
    ['service', { invokeService: '' }, /invokeService/, '/invokeService'],
    ['time that never comes', { schedule: '0 0 0 30 2 ?' }, /never fire/, '/schedule'],
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
