import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#json/index.ts';
import type { Api } from '../support/api.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const DAY = 86_400_000;

const repeating = (note: string, fields: JsonObject = {}): JsonObject => ({
  type: 'simple',
  repeatInterval: 150,
  repeatCount: 2,
  invokeService: 'script',
  invokeContext: {
    input: { note },
    script: {
      type: 'text/javascript',
      source: "svc.create('managed/mark', null, { note: object.note });",
    },
  },
  ...fields,
});

describe('simple schedules that repeat', () => {
  let server: TestServer;
  let api: Api;

  beforeAll(async () => {
    server = await startTestServer({
      files: {
        'conf/managed.json': { objects: [{ name: 'mark' }] },
        'conf/schedule-persisted.json': repeating('persisted', {
          persisted: true,
          repeatInterval: String(DAY),
          repeatCount: '-1',
        }),
        'conf/schedule-in-memory.json': repeating('in-memory', { repeatInterval: DAY, repeatCount: 5 }),
        'conf/schedule-unused.json': repeating('unused', {
          enabled: false,
          repeatInterval: 0,
          repeatCount: 0,
        }),
      },
    });
    api = server.api;
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const put = (id: string, fields: JsonObject = {}) =>
    api('PUT', `scheduler/job/${id}`, { body: repeating(id, fields) });
  const act = (id: string, action: string, body: JsonObject = {}) =>
    api('POST', `scheduler/job/${id}?_action=${action}`, { body });
  const found = async (path: string, filter: string) =>
    (await api('GET', `${path}?_queryFilter=${encodeURIComponent(filter)}`)).body.result;
  const ledger = async (schedule: string): Promise<JsonObject[]> =>
    (await found('scheduler/firing', `schedule eq "${schedule}"`)).toSorted(
      (left: { plannedAt: string }, right: { plannedAt: string }) =>
        left.plannedAt.localeCompare(right.plannedAt),
    );
  const completed = (schedule: string, times: number) =>
    server.observed(
      'trigger.completed',
      (said) =>
        said.schedule === schedule &&
        server.observations.filter((each) => each.kind === 'trigger.completed' && each.schedule === schedule)
          .length >= times,
    );

  it.each([true, false])(
    'fire as often as they say, at their intervals (persisted: %s)',
    async (persisted) => {
      const id = `thrice-${persisted}`;
      const { body } = await put(id, { persisted });
      expect(body).toMatchObject({ repeatInterval: 150, repeatCount: 2, startTime: null, persisted });
      expect(body).not.toHaveProperty('firstAt');
      const first = Date.parse(body.nextRunDate);
      await completed(id, 3);
      expect(await found('managed/mark', `note eq "${id}"`)).toHaveLength(3);
      expect((await api('GET', `scheduler/job/${id}`)).status).toBe(404);
      const planned = (await ledger(id)).map(({ plannedAt }) => Date.parse(String(plannedAt)));
      // What waits in memory is registered a moment after the answer.
      const begin = persisted ? first : planned[0]!;
      expect(planned).toEqual([begin, begin + 150, begin + 300]);
    },
  );

  it('whose start has passed fire at once, and go on in the steps from their start', async () => {
    const { body } = await put('late', {
      startTime: '2020-01-01T00:00:00',
      timeZone: 'UTC',
      repeatInterval: DAY,
      repeatCount: -1,
    });
    expect(Date.parse(body.nextRunDate)).toBeLessThanOrEqual(Date.now() + 1000);
    await completed('late', 1);
    expect((await api('GET', 'scheduler/job/late')).body.nextRunDate).toMatch(/T00:00:00.000Z$/);
    expect(await ledger('late')).toHaveLength(1);
    const edited = await put('late', {
      startTime: '2020-01-01T00:00:00',
      timeZone: 'UTC',
      repeatInterval: DAY,
      repeatCount: -1,
      invokeContext: { script: { type: 'text/javascript', source: '1' } },
    });
    expect(edited.body.nextRunDate).toMatch(/T00:00:00.000Z$/);
  });

  it('show their next dates, and why a time is or is not theirs', async () => {
    const body = { type: 'simple', startTime: '2038-03-27T12:00:00', timeZone: 'Europe/Berlin' };
    const preview = await api('POST', 'scheduler/job?_action=nextRunDates', {
      body: { ...body, repeatInterval: DAY, repeatCount: 1 },
    });
    expect(preview.body).toMatchObject({
      dates: [{ localTime: '2038-03-27T12:00:00' }, { localTime: '2038-03-28T13:00:00' }],
      leftOut: [],
    });
    await put('planned', { ...body, repeatInterval: DAY, repeatCount: 1 });
    const why = async (time: string) => (await act('planned', 'why', { time })).body;
    expect(await why('2038-03-28T11:00:00Z')).toMatchObject({ planned: true, outcome: 'future' });
    expect(await why('2038-03-27T12:00:00Z')).toMatchObject({ planned: false, outcome: 'notPlanned' });
    expect(await why('2038-03-29T11:00:00Z')).toMatchObject({ planned: false });
    expect((await act('planned', 'nextRunDates')).body.dates).toHaveLength(2);
  });

  it('of files are taken with numbers and texts, and those of defaults that repeat nothing', async () => {
    const read = async (id: string) => (await api('GET', `scheduler/job/${id}`)).body;
    expect(await read('persisted')).toMatchObject({ repeatInterval: DAY, repeatCount: -1, persisted: true });
    expect(await read('in-memory')).toMatchObject({ repeatInterval: DAY, repeatCount: 5, persisted: false });
    expect(await read('unused')).toMatchObject({ enabled: false, type: 'simple' });
    const [dates] = [(await act('persisted', 'nextRunDates', { count: 2 })).body.dates];
    expect(Date.parse(dates[1].date) - Date.parse(dates[0].date)).toBe(DAY);
  });

  it('that cannot repeat are refused, and an interval without effect is warned of', async () => {
    const refused = await put('refused', { repeatInterval: 0 });
    expect(refused).toMatchObject({ status: 400, body: { detail: { field: '/repeatInterval' } } });
    const warned = await put('warned', { repeatCount: 0, startTime: '2038-01-01T00:00:00' });
    expect(warned.body.warnings).toEqual([expect.stringMatching(/fires once/)]);
  });

  it('are queried by what they repeat', async () => {
    const ids = (await found('scheduler/job', `repeatInterval eq ${DAY}`)).map(
      ({ _id }: { _id: string }) => _id,
    );
    expect(ids).toEqual(expect.arrayContaining(['in-memory', 'persisted']));
  });
});
