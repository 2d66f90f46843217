import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { callerAs, callersOf } from '../support/credentials.ts';
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

  it('says what failed in a scan to administrators only, who alone may try it again', async () => {
    const run = 'taskscanner/00000000-0000-4000-8000-000000000000';
    const statuses = [];
    for (const caller of [site.api, asAda, asNobody]) {
      statuses.push((await caller('GET', `${run}/failure?_queryFilter=true`)).status);
      statuses.push((await caller('POST', `${run}?_action=retry`)).status);
    }
    expect(statuses).toEqual([404, 404, 403, 403, 401, 401]);
  });
});
