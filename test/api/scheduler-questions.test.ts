import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { callerAs, callersOf } from '../support/credentials.ts';
import { eventually } from '../support/eventually.ts';
import { scheduleSite } from '../support/schedule-site.ts';

const shipped = JSON.parse(readFileSync(new URL('../../conf/managed.json', import.meta.url), 'utf8'));
const MANAGED = { objects: [...shipped.objects, { name: 'mark' }] };

/** What is asked about all schedules, and about each. */
describe('questions about schedules', () => {
  const site = scheduleSite({ 'conf/managed.json': MANAGED });
  const { createUser, asNobody } = callersOf(() => site.api);
  const asAda = callerAs(() => site.api, 'ada');
  const { put, act, ended } = site;

  beforeAll(async () => {
    await createUser('ada');
  });

  /** Only administrators may ask; nobody else learns anything. */
  const isForAdministrators = async (path: string, body: object = {}) => {
    const statuses = [];
    for (const caller of [site.api, asAda, asNobody]) {
      statuses.push((await caller('POST', path, { body })).status);
    }
    expect(statuses).toEqual([200, 403, 401]);
  };

  it('counts what was fired, whoever counts it meanwhile', async () => {
    await put('counted');
    await act('counted', 'trigger');
    await ended('counted');
    const body = { by: ['schedule', 'outcome'], bucket: '1h', queryFilter: 'schedule eq "counted"' };
    const counted = () => site.api('POST', 'scheduler/firing?_action=aggregate', { body });
    const before = await counted();
    expect(before).toMatchObject({
      status: 200,
      body: {
        bucketSeconds: 3_600,
        by: ['schedule', 'outcome'],
        result: [{ schedule: 'counted', outcome: 'manual', count: 1, failed: 0 }],
        truncated: false,
      },
    });
    const { db } = site.server.database;
    for (let n = 0; n < 4; n++) await sql`select scheduler_roll_firings('0 s', '0 s')`.execute(db);
    expect((await counted()).body.result).toEqual(before.body.result);
    await isForAdministrators('scheduler/firing?_action=aggregate');
    const refused = await site.api('POST', 'scheduler/firing?_action=aggregate', { body: { bucket: '7s' } });
    expect([refused.status, refused.body.detail.id]).toEqual([400, 'SCHED_BAD_AGGREGATE']);
  });

  it('tells the latest outcomes of each schedule that is asked about, the latest first', async () => {
    const latest = (body: object) => site.api('POST', 'scheduler/firing?_action=latest', { body });
    for (const id of ['often', 'once']) await put(id);
    for (const [id, times] of [
      ['often', 1],
      ['often', 2],
      ['often', 3],
      ['once', 1],
    ] as const) {
      await act(id, 'trigger');
      await eventually(
        () => site.ledger(id),
        (entries) => entries.length === times,
      );
    }
    const { body } = await latest({ ids: ['often', 'once', 'never'], count: 2 });
    expect(body.result).toMatchObject([
      {
        schedule: 'often',
        firings: [
          { outcome: 'manual', failed: false },
          { outcome: 'manual', failed: false },
        ],
      },
      { schedule: 'once', firings: [{ outcome: 'manual' }] },
      { schedule: 'never', firings: [] },
    ]);
    const [first, second] = body.result[0].firings;
    expect(first.plannedAt > second.plannedAt).toBe(true);
    expect((await site.api('GET', `scheduler/firing/${first._id}`)).body).toMatchObject(first);
    await isForAdministrators('scheduler/firing?_action=latest', { ids: [] });
    for (const wrong of [{}, { ids: 'often' }, { ids: ['often'], count: 51 }, { ids: [], counts: 1 }]) {
      const { status, body: said } = await latest(wrong);
      expect([status, said.detail.id], JSON.stringify(wrong)).toEqual([400, 'SCHED_BAD_LATEST']);
    }
  });

  it('says what failed in a scan to administrators only, who alone may try it again', async () => {
    const run = 'taskscanner/00000000-0000-4000-8000-000000000000';
    const statuses = [];
    for (const caller of [site.api, asAda, asNobody]) {
      statuses.push((await caller('GET', `${run}/failure?_queryFilter=true`)).status);
      statuses.push((await caller('POST', `${run}?_action=retry`)).status);
    }
    expect(statuses).toEqual([404, 404, 403, 403, 401, 401]);
  });

  it('explains a firing of what is in memory, too, and names where each link is shown', async () => {
    await put('unkept', { persisted: false });
    const { firing } = (await act('unkept', 'trigger')).body;
    await ended('unkept');
    const { plannedAt, node } = (await site.api('GET', `scheduler/firing/${firing}`)).body;
    const why = (await act('unkept', 'why', { time: plannedAt })).body;
    expect(why).toMatchObject({ persisted: false, nodeId: node, outcome: 'manual' });
    expect(why.chain.flatMap(({ ref }: { ref?: string }) => ref ?? [])).toEqual(
      expect.arrayContaining([`cluster/${node}`, `scheduler/firing/${firing}`]),
    );
    expect((await act('counted', 'why', { time: plannedAt })).body).toMatchObject({ persisted: true });
  });

  it('says when all fire, how long they take, and what slots they need', async () => {
    const startTime = '2038-01-01T00:00:00';
    await put('at-two', { schedule: '0 0 2 * * ?', startTime });
    await put('at-three', { schedule: '0 0 3 * * ?', startTime });
    await put('all-the-time', { schedule: '* * * * * ?', startTime });
    await put('not-now', { schedule: '0 0 3 * * ?', startTime });
    await act('not-now', 'pause');
    await put('not-then', { schedule: '0 0 2 1 1 ? 2039' });
    // Three runs of one, two, and nine hours.
    await sql`
      insert into scheduler_firing (planned_at, trigger_id, generation, job_id, outcome, node, started_at, ended_at)
      select at, trigger_id, 1, id, 'fired', 'a', at, at + hours * interval '1 hour'
      from scheduler_job, (values (1, timestamptz '2020-01-01'), (2, '2020-01-02'), (9, '2020-01-03')) run (hours, at)
      where id in ('at-two', 'at-three', 'not-now')`.execute(site.server.database.db);
    const ids = ['at-two', 'at-three', 'all-the-time', 'not-now', 'not-then'];
    const body = { from: '2038-01-01T00:00:00Z', to: '2038-01-02T00:00:00Z', ids };
    const { body: calendar } = await site.api('POST', 'scheduler/job?_action=calendar', { body });
    expect(calendar).toMatchObject({
      truncated: false,
      schedules: [
        { _id: 'all-the-time', words: 'Every second', every: '1 s', tookMs: null },
        { _id: 'at-three', tookMs: 7_200_000, times: ['2038-01-01T03:00:00.000Z'] },
        { _id: 'at-two', tookMs: 7_200_000, times: ['2038-01-01T02:00:00.000Z'] },
        { _id: 'not-now', paused: true, times: ['2038-01-01T03:00:00.000Z'] },
      ],
      slots: { capacity: expect.any(Number), bucketSeconds: 900 },
    });
    const { needed } = calendar.slots;
    expect([needed.length, needed[7], needed[8], needed[12], needed[16], needed[20]]).toEqual([
      96, 0, 1, 2, 1, 0,
    ]);
    const refused = { ...body, to: '2039-01-02T00:00:00Z' };
    const { body: error } = await site.api('POST', 'scheduler/job?_action=calendar', { body: refused });
    expect([error.code, error.detail.id]).toEqual([400, 'SCHED_BAD_CALENDAR']);
    await isForAdministrators('scheduler/job?_action=calendar');
  });

  it('are written over by nobody who has not seen what somebody else has made of them', async () => {
    const body = { schedule: '0 0 2 * * ?', timeZone: 'UTC', invokeService: 'elsewhere' };
    const { _rev: first } = (await site.api('PUT', 'scheduler/job/shared', { body })).body;
    const at = (rev: string) => ({ headers: { 'If-Match': `"${rev}"` } });
    // It goes on as it is declared, whether it waits or not.
    await site.api('POST', 'scheduler/job/shared?_action=pause');
    await site.api('POST', 'scheduler/job/shared?_action=resume');
    const { result } = (await site.api('GET', 'scheduler/job?_queryFilter=_id eq "shared"')).body;
    expect(result).toMatchObject([{ _rev: first }]);
    const changed = await site.api('PUT', 'scheduler/job/shared', {
      body: { ...body, schedule: '0 0 3 * * ?' },
      ...at(first),
    });
    expect(changed.status).toBe(200);
    const second = changed.body._rev;
    expect(second).not.toBe(first);
    for (const late of [
      await site.api('PUT', 'scheduler/job/shared', { body, ...at(first) }),
      await site.api('PUT', 'scheduler/job/shared?_dryRun=true', { body, ...at(first) }),
      await site.api('DELETE', 'scheduler/job/shared', at(first)),
    ]) {
      expect([late.status, late.body.detail]).toEqual([
        412,
        expect.objectContaining({
          id: 'OBJECT_REVISION',
          hint: expect.stringContaining(second),
          revision: second,
        }),
      ]);
    }
    expect((await site.api('GET', 'scheduler/job/shared')).body).toMatchObject({
      _rev: second,
      schedule: '0 0 3 * * ?',
    });
    expect((await site.api('DELETE', 'scheduler/job/shared', at(second))).status).toBe(200);
  });
});
