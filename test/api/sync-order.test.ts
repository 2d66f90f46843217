import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#json/index.ts';
import type { Api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const script = (source: string) => ({ type: 'text/javascript', source });
const mapping = (name: string, more: object = {}) => ({
  name,
  source: 'managed/member',
  target: `managed/${name}`,
  properties: [{ source: 'name', target: 'name' }],
  ...more,
});
// The second stands first: it is not the file that says which comes first.
const MAPPINGS = [mapping('second', { delivery: { after: ['first'] } }), mapping('first'), mapping('other')];

describe('a mapping that comes after another one', () => {
  let server: TestServer;
  let api: Api;
  beforeAll(async () => {
    const gate = `if (object.name !== 'welcome' && !svc.read('managed/gate/open')) { throw { code: 503, message: 'shut' } }`;
    server = await startTestServer({
      files: {
        'conf/managed.json': {
          objects: [
            { name: 'gate' },
            { name: 'member' },
            { name: 'first', onCreate: script(gate) },
            { name: 'second' },
            { name: 'other' },
          ],
        },
        'conf/sync.json': { mappings: MAPPINGS },
      },
    });
    api = server.api;
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const put = (name: string) => api('PUT', `managed/member/${name}`, { body: { name } });
  const targets = async (name: string) => {
    const { rows } = await server.database.pool.query(
      "select type from managed_object where type in ('first', 'second', 'other') and data->>'name' = $1 order by 1",
      [name],
    );
    return rows.map(({ type }) => type);
  };
  const queue = async (): Promise<JsonObject[]> =>
    (await api('GET', 'sync/queue?_queryFilter=true&_sortKeys=mapping')).body.result;
  const of = (one: JsonObject) => [one['mapping'], one['sourceId'], one['state']];

  it('delivers an object in the same unit of work where that has gone well', async () => {
    await put('welcome');
    expect(await targets('welcome')).toEqual(['first', 'other', 'second']);
    expect(await queue()).toEqual([]);
  });

  it('waits with an object until the other one has delivered it, and holds up no others', async () => {
    await put('late');
    expect(await targets('late')).toEqual(['other']);
    expect((await queue()).map(of)).toEqual([
      ['first', 'late', 'retrying'],
      ['second', 'late', 'waiting'],
    ]);
    await put('welcome');
    await server.database.pool.query(
      "update sync_outbox set due_at = clock_timestamp() where mapping = 'second'",
    );
    await api('PUT', 'managed/gate/open', { body: {} });
    await server.database.pool.query("update sync_outbox set is_dead = true where mapping = 'first'");
    expect((await api('POST', 'sync/queue?_action=retry&mapping=first', { body: {} })).body).toMatchObject({
      retried: 1,
    });
    await eventually(queue, ({ length }) => length === 0);
    expect(await targets('late')).toEqual(['first', 'other', 'second']);
    await api('DELETE', 'managed/gate/open');
  });

  it('goes on without it once somebody drops what was given up', async () => {
    await put('dropped');
    await server.database.pool.query("update sync_outbox set is_dead = true where mapping = 'first'");
    expect((await api('POST', 'sync?_action=deliverAll&mapping=other', { body: {} })).status).toBe(200);
    await eventually(queue, (rows) => !rows.some((one) => one['mapping'] === 'other'));
    expect((await queue()).map(of)).toEqual([
      ['first', 'dropped', 'dead'],
      ['second', 'dropped', 'waiting'],
    ]);
    await api('POST', 'sync/queue?_action=drop&mapping=first', { body: {} });
    await eventually(queue, ({ length }) => length === 0);
    expect(await targets('dropped')).toEqual(['other', 'second']);
  });

  it.each([
    [{ after: ['frist'] }, /no such mapping.*Did you mean 'first'/],
    [{ after: ['elsewhere'] }, /changes of managed\/gate/],
    [{ after: ['second'] }, /wait for one another/],
    [{ after: ['other'] }, /wait for one another/],
    ['atached', /attached/],
  ])('cannot be delivered as %j', async (delivery, says) => {
    const elsewhere = { ...mapping('elsewhere'), source: 'managed/gate', target: 'managed/other' };
    const circle = { ...mapping('other'), delivery: { after: ['second'] } };
    const mappings = [mapping('second', { delivery }), mapping('first'), circle, elsewhere];
    const { status, body } = await api('PUT', 'config/sync', { body: { mappings } });
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringMatching(says)]);
  });

  it('tells for how long the one has been due that nobody gets to', async () => {
    const age = async () => {
      const metrics = await (await fetch(`${server.url}/metrics`)).text();
      return Number(/^svc_sync_oldest_seconds (\S+)/m.exec(metrics)?.[1]);
    };
    const { pool } = server.database;
    await pool.query('delete from sync_outbox');
    await eventually(age, (seconds) => seconds === 0);
    await pool.query(
      "insert into sync_outbox (mapping, source_id, due_at) values ('nobody', 'x', now() - interval '1 hour')",
    );
    await eventually(age, (seconds) => seconds >= 3_600);
    await pool.query('delete from sync_outbox');
  });
});
