import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#json/index.ts';
import type { Api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import '../support/takes-long.ts';

const script = (source: string) => ({ type: 'text/javascript', source });
const refusesUnlessOpen = (name: string) =>
  `if (object.name === '${name}' && !svc.read('managed/gate/open')) { throw { code: 503, message: 'shut' } }`;
/** More than are delivered in the unit of work of their change. */
const TOO_MANY = 206;
const MANY = 55;

describe('deliveries that are still to be done', () => {
  let server: TestServer;
  let api: Api;

  beforeAll(async () => {
    server = await startTestServer({
      files: {
        'conf/managed.json': {
          objects: [
            { name: 'gate' },
            { name: 'member' },
            { name: 'guest' },
            { name: 'crowd' },
            { name: 'pass' },
            {
              name: 'badge',
              onCreate: script(refusesUnlessOpen('kept')),
              onDelete: script(refusesUnlessOpen('guarded')),
            },
          ],
        },
        'conf/sync.json': {
          mappings: [
            {
              name: 'member_badge',
              source: 'managed/member',
              target: 'managed/badge',
              correlationQuery: {
                type: 'text/javascript',
                file: 'ui/correlateTreeToQueryFilter.js',
                expressionTree: { all: ['name'] },
              },
              properties: [{ source: 'name', target: 'name' }],
              policies: [
                { situation: 'UNASSIGNED', action: 'DELETE' },
                { situation: 'SOURCE_MISSING', action: 'DELETE' },
              ],
            },
            {
              name: 'crowd_nothing',
              source: 'managed/crowd',
              target: 'managed/pass',
              sourceCondition: '/source/never pr',
              policies: [{ situation: 'SOURCE_IGNORED', action: 'IGNORE' }],
            },
            {
              name: 'guest_pass',
              source: 'managed/guest',
              target: 'managed/pass',
              // Asks for something of which the database may say that it cannot be asked.
              linkQualifiers: script(
                "if (object !== null && object.name === 'broken') svc.read('taskscanner/00000000-0000-4000-8000-000000000000'); ['default']",
              ),
              properties: [{ source: 'name', target: 'name' }],
            },
          ],
        },
      },
    });
    api = server.api;
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const put = (id: string, body: object) => api('PUT', `managed/member/${id}`, { body });
  const countBadges = async () =>
    (await server.database.pool.query("select count(*)::int as n from managed_object where type = 'badge'"))
      .rows[0].n;
  const makeMany = async (type: string, count: number) => {
    const each = `svc.create('managed/${type}', 'm' + i, { name: 'm' + i })`;
    const made = await api('POST', 'script?_action=eval', {
      body: script(`for (var i = 0; i < ${count}; i++) ${each}; ${count}`),
    });
    return made.body;
  };
  /** Has each statement that writes into the queue, or makes a job for it, leave a row. */
  const countWrites = () =>
    server.database.pool.query(`
      create table counted (tx xid8, what text);
      create function count_write() returns trigger language plpgsql as $$
        begin insert into counted values (pg_current_xact_id(), tg_argv[0]); return null; end $$;
      create trigger count_writes after insert on sync_outbox for each statement execute function count_write('outbox');
      create trigger count_writes after insert on work_job referencing new table as made for each statement
        execute function count_write('jobs')`);
  /** By each transaction that has put something off. */
  const writes = async () =>
    (
      await server.database.pool.query(`
        select count(*) filter (where what = 'outbox')::int as outbox, count(*) filter (where what = 'jobs')::int as jobs
        from counted group by tx having count(*) filter (where what = 'outbox') > 0 and count(*) filter (where what = 'jobs') > 0`)
    ).rows;
  const waiting = async (): Promise<JsonObject[]> =>
    (await api('GET', 'sync/queue?_queryFilter=true&_sortKeys=sourceId')).body.result;

  it('are tried again after a failure, given up in the end, and tried anew when somebody asks for it', async () => {
    expect((await put('kept', { name: 'kept' })).status).toBe(201);
    expect(await waiting()).toMatchObject([
      {
        mapping: 'member_badge',
        sourceId: 'kept',
        state: 'retrying',
        attempt: 1,
        error: { code: 503, message: 'shut' },
      },
    ]);
    const [{ transactionId }] = (await waiting()) as [JsonObject];
    expect(await waiting()).toMatchObject([{ userId: 'svc-admin' }]);
    const why = (await api('GET', 'sync/why?resource=managed/member/kept')).body.mappings[0];
    expect(why).toMatchObject({ outcome: 'failed', queue: { state: 'retrying', attempt: 1 } });
    await server.database.pool.query(
      "update sync_outbox set attempt = 4, due_at = now() where source_id = 'kept'",
    );
    expect(await makeMany('member', MANY)).toBe(MANY);
    await api('POST', 'sync?_action=deliverAll&mapping=member_badge', { body: {} });
    await server.database.pool.query(
      "update sync_outbox set attempt = 4, due_at = now() where source_id = 'kept'",
    );
    await eventually(waiting, (rows) => rows.length === 1 && rows[0]?.['state'] === 'dead');
    expect(await waiting()).toMatchObject([{ sourceId: 'kept', attempt: 5 }]);
    expect(await countBadges()).toBe(MANY);
    await api('PUT', 'managed/gate/open', { body: {} });
    const retried = await api('POST', 'sync/queue?_action=retry&mapping=member_badge', { body: {} });
    expect(retried.body).toEqual({ status: 'OK', retried: 1, mapping: 'member_badge', sourceId: null });
    await eventually(waiting, (rows) => rows.length === 0);
    expect(await countBadges()).toBe(MANY + 1);
    const filter = encodeURIComponent(
      'sourceObjectId eq "managed/member/kept" and action eq "CREATE" and status eq "SUCCESS"',
    );
    const { body: trail } = await api('GET', `audit/sync?_queryFilter=${filter}`);
    expect(trail.result).toMatchObject([{ userId: 'svc-admin', transactionId }]);
  });

  it('are written once with all of a unit of work, however many do not fit into it', async () => {
    await countWrites();
    expect(await makeMany('crowd', TOO_MANY)).toBe(TOO_MANY);
    expect(await writes()).toEqual([{ outbox: 1, jobs: 1 }]);
    await eventually(waiting, (rows) => rows.length === 0);
  });

  it('leave the change of their source alone whatever the database says against them, and hold up no other', async () => {
    const { pool } = server.database;
    const passes = async () => (await api('GET', 'managed/pass?_queryFilter=true')).body.result;
    await pool.query('alter view svc_scan_run rename to svc_scan_run_away');
    try {
      for (const name of ['broken', 'whole']) {
        expect((await api('PUT', `managed/guest/${name}`, { body: { name } })).status).toBe(201);
      }
      expect(await waiting()).toMatchObject([{ sourceId: 'broken', state: 'retrying', attempt: 1 }]);
      expect(await passes()).toHaveLength(1);
      await pool.query("delete from managed_object where type = 'pass'");
      await pool.query("delete from sync_link where link_type = 'guest_pass'");
      await api('POST', 'sync?_action=deliverAll&mapping=guest_pass', { body: {} });
      await eventually(waiting, (rows) => rows.length === 1 && rows[0]?.['attempt'] !== 0);
      expect(await passes()).toMatchObject([{ name: 'whole' }]);
    } finally {
      await pool.query('alter view svc_scan_run_away rename to svc_scan_run');
    }
    await pool.query('update sync_outbox set is_dead = true');
    const one = 'sync/queue?_action=drop&mapping=guest_pass&sourceId';
    expect((await api('POST', `${one}=somebody`, { body: {} })).body).toMatchObject({ dropped: 0 });
    expect((await api('POST', 'sync/queue?_action=drop&sourceId=broken', { body: {} })).status).toBe(400);
    expect((await api('POST', `${one}=broken`, { body: {} })).body).toMatchObject({ dropped: 1 });
    expect(await waiting()).toEqual([]);
  });

  it('are told of in the log when they have failed, and not when somebody has only rehearsed it', async () => {
    await api('DELETE', 'managed/gate/open');
    await put('kept-too?_dryRun=true', { name: 'kept' });
    await put('kept-again', { name: 'kept' });
    await api('PUT', 'managed/gate/open', { body: {} });
    await server.observed('sync.failed', ({ resource }) => resource === 'managed/member/kept-again');
    const told = server.observations.filter(
      (one) => one.kind === 'sync.failed' && one.resource === 'managed/member/kept-too',
    );
    expect(told).toEqual([]);
    await api('DELETE', 'managed/member/kept-again');
  });

  it('go to the same target when the mapping has learned whether case counts', async () => {
    await put('Ann', { name: 'Ann' });
    const before = await countBadges();
    for (const isSensitive of [false, true]) {
      const change = await api('PATCH', 'config/sync', {
        body: [{ operation: 'replace', field: '/mappings/0/sourceIdsCaseSensitive', value: isSensitive }],
      });
      expect(change.status).toBe(200);
      const name = `Ann ${isSensitive}`;
      await put('Ann', { name });
      const filter = encodeURIComponent(`name eq "${name}"`);
      expect((await api('GET', `managed/badge?_queryFilter=${filter}`)).body.result).toHaveLength(1);
      expect(await countBadges()).toBe(before);
      await server.database.pool.query("update sync_link set first_key = 'ann' where first_id = 'Ann'");
    }
    await api('DELETE', 'managed/member/Ann');
  });

  it('of all source objects are there when somebody asks for them, and of those that are gone', async () => {
    await server.database.pool.query(
      "delete from managed_object where type = 'badge' and data->>'name' = 'm1'",
    );
    await server.database.pool.query("delete from managed_object where type = 'member' and id = 'm2'");
    await server.database.pool.query('delete from sync_link where first_id in ($1, $2)', ['m1', 'm3']);
    const rehearsed = await api('POST', 'sync?_action=deliverAll&mapping=member_badge&_dryRun=true', {
      body: {},
    });
    expect(rehearsed.body.result).toMatchObject({ queued: MANY + 1 });
    expect(await waiting()).toEqual([]);
    const asked = await api('POST', 'sync?_action=deliverAll&mapping=member_badge', { body: {} });
    expect(asked.body).toEqual({ status: 'OK', mapping: 'member_badge', queued: MANY + 1 });
    await eventually(waiting, (rows) => rows.length === 0);
    const { rows } = await server.database.pool.query(
      "select count(distinct data->>'name')::int as names, count(*)::int as n, bool_or(data->>'name' = 'm2') as gone from managed_object where type = 'badge'",
    );
    expect(rows[0]).toEqual({ names: MANY, n: MANY, gone: false });
    const failed = await server.database.pool.query(
      "select count(*)::int as n from sync_state where outcome = 'failed' and mapping = 'member_badge'",
    );
    expect(failed.rows[0].n).toBe(0);
  });

  it('know what a source was that is gone, and keep it sealed', async () => {
    await put('guarded', { name: 'guarded', secret: 'Never-Shown' });
    await server.database.pool.query("delete from sync_link where first_id = 'guarded'");
    await api('DELETE', 'managed/gate/open');
    expect((await api('DELETE', 'managed/member/guarded')).status).toBe(200);
    const { rows } = await server.database.pool.query(
      "select sync_outbox::text as text, old_value from sync_outbox where source_id = 'guarded'",
    );
    expect(rows).toMatchObject([{ old_value: { $crypto: {} } }]);
    expect(rows[0].text).not.toContain('Never-Shown');
    await api('PUT', 'managed/gate/open', { body: {} });
    await server.database.pool.query('update sync_outbox set due_at = now()');
    await api('POST', 'sync?_action=deliverAll&mapping=member_badge', { body: {} });
    await eventually(waiting, (left) => left.length === 0);
    const filter = encodeURIComponent('name eq "guarded"');
    expect((await api('GET', `managed/badge?_queryFilter=${filter}`)).body.result).toEqual([]);
  });

  it('of all take away no more than the mapping allows, and that last', async () => {
    const setCondition = async (value: string) => {
      const body = [{ operation: 'add', field: '/mappings/0/sourceCondition', value }];
      expect((await api('PATCH', 'config/sync', { body })).status).toBe(200);
    };
    const deliverAll = () => api('POST', 'sync?_action=deliverAll&mapping=member_badge', { body: {} });
    const before = await countBadges();
    await setCondition('/source/naem pr');
    await deliverAll();
    const { message } = await server.observed('sync.held');
    expect(message).toContain(`would take away ${before} of ${before} targets`);
    expect(await countBadges()).toBe(before);
    const held = await waiting();
    expect(held).toHaveLength(before);
    expect(held[0]).toMatchObject({ state: 'held', error: { code: 409, id: 'SYNC_THRESHOLD', message } });
    // A mended mapping takes nothing away, and one that is about a few takes those.
    await setCondition('/source/name pr');
    await deliverAll();
    await eventually(waiting, (rows) => rows.length === 0);
    expect(await countBadges()).toBe(before);
    await setCondition('!(/source/name eq "m5")');
    await deliverAll();
    await eventually(waiting, (rows) => rows.length === 0);
    expect(await countBadges()).toBe(before - 1);
    // Somebody has looked at it, and means it.
    await setCondition('/source/naem pr');
    await deliverAll();
    await eventually(waiting, (rows) => rows.every(({ error }) => error !== null));
    const approved = await api('POST', 'sync/queue?_action=approve&mapping=member_badge', { body: {} });
    expect(approved.body).toEqual({ status: 'OK', approved: before - 1, mapping: 'member_badge' });
    await eventually(waiting, (rows) => rows.length === 0);
    expect(await countBadges()).toBe(0);
  });
});
