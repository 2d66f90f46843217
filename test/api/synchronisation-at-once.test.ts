import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LOCK } from '#database/index.ts';
import type { JsonObject } from '#json/index.ts';
import type { Api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import '../support/takes-long.ts';

const text = { type: 'string' };
const list = (path: string, reverse: string) => ({
  type: 'array',
  items: {
    type: 'relationship',
    reverseRelationship: true,
    reversePropertyName: reverse,
    resourceCollection: [{ path }],
  },
});
const script = (source: string) => ({ type: 'text/javascript', source });

describe('a synchronisation of what changes at once', () => {
  let server: TestServer;
  let api: Api;

  beforeAll(async () => {
    server = await startTestServer({
      threads: 2,
      files: {
        'conf/managed.json': {
          objects: [
            {
              name: 'worker',
              schema: { properties: { name: text, teams: list('managed/team', 'members') } },
            },
            {
              name: 'team',
              schema: { properties: { name: text, members: list('managed/worker', 'teams') } },
            },
            { name: 'desk' },
            { name: 'copy' },
          ],
        },
        'conf/sync.json': {
          mappings: [
            {
              name: 'worker_desk',
              source: 'managed/worker',
              target: 'managed/desk',
              properties: [
                { source: 'name', target: 'name' },
                { source: 'n', target: 'n' },
                {
                  source: 'teams',
                  target: 'teams',
                  transform: script('source.map(function (ref) { return ref._ref; }).sort()'),
                },
              ],
            },
            ...[
              ['desk', 'copy'],
              ['copy', 'desk'],
            ].map(([from, to]) => ({
              name: `${from}_${to}`,
              source: `managed/${from}`,
              target: `managed/${to}`,
              links: 'desk_copy',
              properties: [{ source: 'n', target: 'n' }],
            })),
          ],
        },
      },
    });
    api = server.api;
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const put = async (path: string, body: object) =>
    expect((await api('PUT', `managed/${path}`, { body })).status).toBe(201);
  const desksOf = async (name: string): Promise<JsonObject[]> =>
    (await api('GET', `managed/desk?_queryFilter=${encodeURIComponent(`name eq "${name}"`)}`)).body.result;

  it('follows the edges of an object, whichever end has changed them', async () => {
    for (const team of ['a', 'b']) await put(`team/${team}`, { name: team });
    await put('worker/w', { name: 'w', teams: [{ _ref: 'managed/team/a' }] });
    expect(await desksOf('w')).toMatchObject([{ teams: ['managed/team/a'] }]);
    const joined = await api('POST', 'managed/team/b/members?_action=create', {
      body: { _ref: 'managed/worker/w' },
    });
    expect(joined.status).toBe(201);
    expect(await desksOf('w')).toMatchObject([{ teams: ['managed/team/a', 'managed/team/b'] }]);
    expect((await api('DELETE', 'managed/team/a')).status).toBe(200);
    expect(await desksOf('w')).toMatchObject([{ teams: ['managed/team/b'] }]);
  });

  it('makes one target, and ends with what the source is in the end', async () => {
    await put('worker/many', { name: 'many', n: 0 });
    const changes = Array.from({ length: 24 }, (_, n) =>
      api('PATCH', 'managed/worker/many', { body: [{ operation: 'replace', field: '/n', value: n + 1 }] }),
    );
    const answers = await Promise.all(changes);
    expect(answers.map(({ status }) => status).every((status) => status === 200)).toBe(true);
    const { body: source } = await api('GET', 'managed/worker/many');
    const [desk, ...others] = await desksOf('many');
    expect([others, desk?.['n']]).toEqual([[], source.n]);
    const failed = await server.database.pool.query('select count(*)::int as n from sync_outbox');
    expect(failed.rows[0].n).toBe(0);
  });

  it('reads a source when nobody else delivers it any more', async () => {
    const { pool } = server.database;
    await put('worker/late', { name: 'late', n: 0 });
    const other = await pool.connect();
    try {
      await other.query('begin');
      await other.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
        LOCK.deliveryOf('worker_desk', 'late'),
      ]);
      const asked = api(
        'POST',
        'sync?_action=performAction&mapping=worker_desk&action=UPDATE&sourceId=late',
        { body: {} },
      );
      const waiting = async () =>
        (
          await pool.query(
            "select from pg_locks join pg_database d on d.oid = database where locktype = 'advisory' and not granted and datname = current_database()",
          )
        ).rowCount;
      await eventually(waiting, (count) => count === 1);
      await other.query(
        `update managed_object set data = data || '{"n": 1}' where type = 'worker' and id = 'late'`,
      );
      await other.query('commit');
      expect((await asked).status).toBe(200);
    } finally {
      other.release(true);
    }
    expect(await desksOf('late')).toMatchObject([{ n: 1 }]);
  });

  it('keeps both ends of a pair equal when both are written', async () => {
    await put('worker/pair', { name: 'pair', n: 0 });
    const [desk] = await desksOf('pair');
    const { rows: links } = await server.database.pool.query(
      "select second_id from sync_link where link_type = 'desk_copy' and first_id = $1",
      [desk?.['_id']],
    );
    const set = (path: string, value: number) =>
      api('PATCH', `managed/${path}`, { body: [{ operation: 'replace', field: '/n', value }] });
    const both = Array.from({ length: 10 }, (_, n) => [
      set(`desk/${desk?.['_id']}`, 100 + n),
      set(`copy/${links[0].second_id}`, 200 + n),
    ]);
    const statuses = (await Promise.all(both.flat())).map(({ status }) => status);
    expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
    const { rows } = await server.database.pool.query(
      "select type, data->>'n' as n from managed_object where id in ($1, $2) order by type",
      [desk?.['_id'], links[0].second_id],
    );
    expect(rows.map(({ type }) => type)).toEqual(['copy', 'desk']);
    expect(rows[0].n).toBe(rows[1].n);
  });
});
