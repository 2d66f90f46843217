import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { COMMON_RING } from '../support/key-ring.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

describe('the cluster over HTTP', () => {
  let test: TestDatabase;
  let server: TestServer;
  let other: TestServer;
  let name: string;
  let otherName: string;

  beforeAll(async () => {
    test = await createTestDatabase();
    server = await startTestServer({ database: test });
    other = await startTestServer({ database: test });
    name = (await server.observed('node.named')).node;
    otherName = (await other.observed('node.named')).node;
    await server.api('PUT', 'managed/user/eve', { body: EVE });
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    await other[Symbol.asyncDispose]();
    await test[Symbol.asyncDispose]();
  });

  const EVE = {
    userName: 'eve',
    givenName: 'Eve',
    sn: 'E',
    mail: 'eve@example.com',
    password: 'Passw0rd-of-users',
  };
  const asEve = { user: 'eve', password: EVE.password };
  const node = async (of: string) => (await server.api('GET', `cluster/${of}?_fields=*`)).body;
  const job = {
    schedule: '0 0 0 1 1 ?',
    invokeService: 'script',
    invokeContext: { script: { type: 'text/javascript', source: '1' } },
  };

  it('shows of each node what clients of the field expect, and what it says of itself where it is asked for', async () => {
    const plain = (await server.api('GET', 'cluster')).body.results;
    expect(plain).toHaveLength(2);
    for (const shown of plain)
      expect(Object.keys(shown)).toEqual(['instanceId', 'startup', 'shutdown', 'state']);

    const { results } = (
      await eventually(
        () => server.api('GET', 'cluster?_fields=*'),
        ({ body }) => body.results.every(({ ready }: { ready?: boolean }) => ready === true),
      )
    ).body;
    expect(results).toEqual(
      [name, otherName].map((instanceId) =>
        expect.objectContaining({
          instanceId,
          state: 'running',
          roles: ['api', 'worker'],
          version: expect.any(String),
          ready: true,
          configuration: expect.stringMatching(/^[0-9a-f]{64}$/),
          keys: expect.objectContaining({ 'svc-sym-default': [expect.any(String)] }),
          parts: expect.arrayContaining([expect.objectContaining({ name: 'heartbeat', ok: true })]),
          figures: expect.objectContaining({
            firings: 0,
            firingSlots: 10,
            jobs: 0,
            lockWaits: 0,
            auditLost: 0,
          }),
        }),
      ),
    );
    expect(new Set(results.map(({ configuration }: { configuration: string }) => configuration)).size).toBe(
      1,
    );
  });

  it('names keys and the nodes that have them, and shows no key', async () => {
    const listed = await server.api('GET', 'key?_queryFilter=alias+eq+"svc-sym-default"');
    expect(listed.status, JSON.stringify(listed.body)).toBe(200);
    const { result } = listed.body;
    expect(result).toEqual([
      {
        _id: `svc-sym-default:${result[0].key}`,
        alias: 'svc-sym-default',
        key: expect.stringMatching(/^[0-9a-f]{12}$/),
        encrypting: [name, otherName].toSorted(),
        nodes: [name, otherName].toSorted(),
        lacking: [],
        isStoredUnder: false,
      },
    ]);
    const text = "svc.encrypt('x', null, 'svc-sym-default')";
    await server.api('POST', 'script?_action=eval', { body: { type: 'text/javascript', source: text } });
    const used = await server.api('GET', `key/${result[0]._id}`);
    expect(used.body).toMatchObject({
      isStoredUnder: true,
      firstUsedBy: name,
      firstUsedAt: expect.any(String),
    });
    const all = JSON.stringify((await server.api('GET', 'key?_queryFilter=true')).body);
    for (const key of Object.values(JSON.parse(COMMON_RING)).flat()) expect(all).not.toContain(key);
    const unknown = await server.api('GET', 'key?_queryFilter=allias+eq+"x"');
    expect([unknown.status, unknown.body.detail.id]).toEqual([400, 'QUERY_UNKNOWN_FIELD']);
    expect((await server.api('GET', 'key/svc-sym-default')).status).toBe(404);
  });

  it('names the node that was meant', async () => {
    const { status, body } = await server.api('GET', `cluster/${name}x`);
    expect([status, body.detail.hint]).toEqual([404, `Did you mean '${name}'?`]);
    expect((await server.api('POST', `cluster/${name}x?_action=drain`)).status).toBe(404);
    expect((await server.api('POST', `cluster/${name}?_action=drian`)).body.detail.id).toBe('ACTION_UNKNOWN');
  });

  it('is for administrators', async () => {
    for (const path of [
      'cluster',
      `cluster/${name}`,
      'cluster/event?_queryFilter=true',
      'cluster/event/1',
      'key?_queryFilter=true',
      'key/x:y',
    ]) {
      expect((await server.api('GET', path, asEve)).status).toBe(403);
      expect((await fetch(`${server.url}/svc/${path}`)).status).toBe(401);
    }
    for (const action of ['drain', 'resume']) {
      expect((await server.api('POST', `cluster/${name}?_action=${action}`, asEve)).status).toBe(403);
      expect(
        (await fetch(`${server.url}/svc/cluster/${name}?_action=${action}`, { method: 'POST' })).status,
      ).toBe(401);
    }
    expect((await node(name)).drained).toBeUndefined();
  });

  it('changes nothing where a drain is rehearsed', async () => {
    const { body } = await server.api('POST', `cluster/${otherName}?_action=drain&_dryRun=true`);
    expect(body).toMatchObject({ dryRun: true, changes: [{ resource: `cluster/${otherName}` }] });
    expect((await node(otherName)).drained).toBeUndefined();
  });

  it('drains a node, which claims nothing and is not ready until it is resumed; that is audited', async () => {
    const drained = await server.api('POST', `cluster/${otherName}?_action=drain`);
    expect([drained.status, drained.body]).toEqual([200, { instanceId: otherName, drained: true }]);
    const told = await eventually(
      () => node(otherName),
      ({ drained }) => drained?.isDone === true,
    );
    expect(told).toMatchObject({ state: 'running', ready: false, drained: { by: 'svc-admin' } });
    expect(told.parts).toContainEqual({
      name: 'drain',
      ok: false,
      detail: expect.stringMatching(/^drained since/),
      since: expect.any(String),
    });
    expect((await fetch(`${other.url}/health/ready`)).status).toBe(503);
    expect((await fetch(`${server.url}/health/ready`)).status).toBe(200);

    await server.api('PUT', 'scheduler/job/where', { body: job });
    for (let run = 0; run < 5; run++) {
      const { firing } = (await server.api('POST', 'scheduler/job/where?_action=trigger')).body;
      const ended = await eventually(
        () => server.api('GET', `scheduler/firing/${firing}`),
        ({ status }) => status === 200,
      );
      expect(ended.body.node).toBe(name);
    }

    expect((await server.api('POST', `cluster/${name}?_action=drain`)).status).toBe(200);
    await eventually(
      () => node(name),
      ({ drained }) => drained?.isDone === true,
    );
    const waiting = (await server.api('POST', 'scheduler/job/where?_action=trigger')).body.firing;
    await server.api('POST', `cluster/${otherName}?_action=resume`);
    const ended = await eventually(
      () => server.api('GET', `scheduler/firing/${waiting}`),
      ({ status }) => status === 200,
    );
    expect(ended.body.node).toBe(otherName);
    await server.api('POST', `cluster/${name}?_action=resume`);
    await eventually(
      () => fetch(`${server.url}/health/ready`),
      ({ status }) => status === 200,
    );

    const { body } = await server.api(
      'GET',
      `audit/activity?_queryFilter=objectId+eq+"cluster/${otherName}"&_sortKeys=timestamp`,
    );
    expect(body.result).toMatchObject([
      { userId: 'svc-admin', before: { drained: false }, after: { drained: true } },
      { userId: 'svc-admin', before: { drained: true }, after: { drained: false } },
    ]);
  });

  it('tells the story of its nodes, in pages and by filter', async () => {
    const story = `cluster/event?_queryFilter=node+eq+"${otherName}"&_sortKeys=_id`;
    const { result } = (await server.api('GET', story)).body;
    expect(result).toMatchObject([
      { kind: 'joined', node: otherName, epoch: expect.any(Number) },
      { kind: 'drained', by: 'svc-admin' },
      { kind: 'resumed', by: 'svc-admin' },
    ]);
    expect((await server.api('GET', `cluster/event/${result[1]._id}`)).body).toMatchObject({
      kind: 'drained',
    });
    const paged = (await server.api('GET', `${story}&_pageSize=2`)).body;
    expect([paged.resultCount, paged.pagedResultsCookie]).toEqual([2, expect.any(String)]);
    const unknown = await server.api('GET', 'cluster/event?_queryFilter=knid+eq+"joined"');
    expect([unknown.status, unknown.body.detail.id]).toEqual([400, 'QUERY_UNKNOWN_FIELD']);
    for (const id of ['0', 'x', '99999999999999999999']) {
      expect((await server.api('GET', `cluster/event/${id}`)).status).toBe(404);
    }
  });

  it('keeps the last ten thousand events', async () => {
    const { pool } = server.database;
    await pool.query(
      "insert into cluster_event (node, kind, epoch) select 'flood', 'joined', 1 from generate_series(1, 12000)",
    );
    await pool.query("select cluster_note_event('flood', 'left', 1, null, null)");
    const { rows } = await pool.query(
      'select count(*)::int as count, min(kind) filter (where id = (select max(id) from cluster_event)) as last from cluster_event',
    );
    expect(rows).toEqual([{ count: 10_000, last: 'left' }]);
  });
});
