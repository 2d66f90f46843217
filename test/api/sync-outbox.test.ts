import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#json/index.ts';
import type { Api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const script = (source: string) => ({ type: 'text/javascript', source });
/** Also where a machine has much else to do. */
const PATIENT = { timeout: 240_000 };
const refusesUnlessOpen = (name: string) =>
  `if (object.name === '${name}' && !svc.read('managed/gate/open')) { throw { code: 503, message: 'shut' } }`;
/** More than are delivered in the unit of work of their change. */
const MANY = 206;

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
              correlationQuery: script("({ _queryFilter: 'name eq ' + JSON.stringify(source.name) })"),
              properties: [{ source: 'name', target: 'name' }],
              policies: [
                { situation: 'UNASSIGNED', action: 'DELETE' },
                { situation: 'SOURCE_MISSING', action: 'DELETE' },
              ],
            },
          ],
        },
      },
    });
    api = server.api;
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const put = (id: string, body: object) => api('PUT', `managed/member/${id}`, { body });
  const countBadges = async () =>
    (await server.database.pool.query("select count(*)::int as n from managed_object where type = 'badge'"))
      .rows[0].n;
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
    const why = (await api('GET', 'sync/why?resource=managed/member/kept')).body.mappings[0];
    expect(why).toMatchObject({ outcome: 'failed', queue: { state: 'retrying', attempt: 1 } });
    await server.database.pool.query(
      "update sync_outbox set attempt = 4, due_at = now() where source_id = 'kept'",
    );
    // What does not fit into one unit of work is delivered by a job, which finds the other one, too.
    const made = await api('POST', 'script?_action=eval', {
      body: {
        ...PATIENT,
        ...script(
          `for (var i = 0; i < ${MANY}; i++) svc.create('managed/member', 'm' + i, { name: 'm' + i }); ${MANY}`,
        ),
      },
    });
    expect(made.body).toBe(MANY);
    await eventually(waiting, (rows) => rows.length === 1 && rows[0]?.['state'] === 'dead');
    expect(await waiting()).toMatchObject([{ sourceId: 'kept', attempt: 5 }]);
    expect(await countBadges()).toBe(MANY);
    await api('PUT', 'managed/gate/open', { body: {} });
    const retried = await api('POST', 'sync/queue?_action=retry&mapping=member_badge', { body: {} });
    expect(retried.body).toEqual({ status: 'OK', retried: 1, mapping: 'member_badge' });
    await eventually(waiting, (rows) => rows.length === 0);
    expect(await countBadges()).toBe(MANY + 1);
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
      "select count(*)::int as n from sync_state where outcome = 'failed'",
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
});
