import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { managedChanged, managedWith } from '../support/managed-config.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { WATCHFUL } from '../support/project.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const keyOf = (number: number) => Buffer.alloc(32, number).toString('base64');

describe('the configuration over HTTP', () => {
  let test: TestDatabase;
  let server: TestServer;
  let other: TestServer;
  let api: Api;

  beforeAll(async () => {
    test = await createTestDatabase();
    const files = {
      'conf/managed.json': managedWith(),
      'conf/boot/boot.properties': WATCHFUL,
    };
    const ring = (...numbers: number[]) => ({
      SVC_KEYS: JSON.stringify({
        'svc-sym-default': numbers.map(keyOf),
        'svc-jwtsessionhmac-key': [keyOf(9)],
      }),
    });
    server = await startTestServer({ files, database: test, environment: ring(1, 2) });
    // What is encrypted where it is stored, it cannot open: it leaves persisted schedules to the first.
    const scheduler = { scheduler: { executePersistentSchedules: false } };
    other = await startTestServer({
      files: { ...files, 'conf/scheduler.json': scheduler },
      database: test,
      environment: ring(2),
    });
    api = server.api;
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    await other[Symbol.asyncDispose]();
    await test[Symbol.asyncDispose]();
  });

  const ready = async (node: TestServer) => {
    const { status, json } = await fetch(`${node.url}/health/ready`).then(async (answer) => ({
      status: answer.status,
      json: (await answer.json()) as { parts: Record<string, { state: string; detail?: string }> },
    }));
    return { status, ...json.parts['keys'] };
  };

  it('is warned of by a node that lacks a key which the rest have in use', async () => {
    const { node } = await other.observed('crypto.keysDiffer', ({ alias }) => alias === 'svc-sym-default');
    // One that is busy may be silent for a while.
    await expect.poll(async () => (await api('GET', `cluster/${node}`)).body.state).toBe('running');
  });

  it('is in force on all nodes when a script that has changed it is answered', async () => {
    const { db } = server.database;
    await sql`insert into cluster_node (name, configuration, seen_at)
      values ('behind', 'as it was', now() + interval '1 hour')`.execute(db);
    let isBehind = true;
    const schedule = { enabled: false, type: 'cron', schedule: '0 0 0 1 1 ?', invokeService: 'script' };
    const invokeContext = { script: { type: 'text/javascript', source: '1' } };
    const content = JSON.stringify({ ...schedule, invokeContext });
    const source = `svc.create('config/schedule', 'by-script', ${content})._id`;
    const asked = { type: 'text/javascript', source };
    const answered = api('POST', 'script?_action=eval', { body: asked }).then(({ status }) => ({
      status,
      isBehind,
    }));
    await expect.poll(async () => (await api('GET', 'config/schedule/by-script')).status).toBe(200);
    isBehind = false;
    await sql`delete from cluster_node where name = 'behind'`.execute(db);
    expect(await answered).toEqual({ status: 200, isBehind: false });
    await api('DELETE', 'config/schedule/by-script');
  });

  it('knows what is in the memory of another node, which fires it; its own comes first', async () => {
    const job = {
      schedule: '0 0 0 1 1 ?',
      persisted: false,
      invokeService: 'script',
      invokeContext: { script: { type: 'text/javascript', source: '1' } },
    };
    const put = (node: TestServer, body: object, headers = {}) =>
      node.api('PUT', 'scheduler/job/local', { body, headers });
    const read = async (node: TestServer) => (await node.api('GET', 'scheduler/job/local')).body;
    const { nodeId: there } = (await put(other, job)).body;
    const { node: otherName } = await other.observed('node.named', () => true);
    expect(there).toBe(otherName);
    expect(await read(server)).toMatchObject({
      persisted: false,
      nodeId: there,
      triggers: [{ nodeId: null }],
    });
    const found = await api('GET', `scheduler/job?_queryFilter=nodeId+eq+"${there}"`);
    expect(found.body.result).toMatchObject([{ _id: 'local', nodeId: there }]);
    expect((await api('GET', 'scheduler/trigger/local')).status).toBe(404);

    expect((await put(server, { ...job, priority: 7 })).status).toBe(200);
    expect(await read(other)).toMatchObject({ priority: 7, nodeId: there });
    const { firing } = (await api('POST', 'scheduler/job/local?_action=trigger')).body;
    const entry = () => api('GET', `scheduler/firing/${firing}`);
    const ended = await eventually(entry, ({ status }) => status === 200);
    expect(ended.body).toMatchObject({ outcome: 'manual', node: there });
    const why = async (node: TestServer) =>
      (await node.api('POST', 'scheduler/job/local?_action=why', { body: { time: new Date() } })).body;

    const own = await put(server, job, { 'If-None-Match': '*' });
    expect([own.status, (await put(server, job, { 'If-None-Match': '*' })).status]).toEqual([201, 412]);
    const here = own.body.nodeId;
    expect([(await read(server)).nodeId, (await read(other)).nodeId]).toEqual([here, there]);
    expect([(await why(server)).nodeId, (await why(other)).nodeId]).toEqual([here, there]);
    const listed = await api('GET', 'scheduler/job?_queryFilter=_id+eq+"local"');
    expect(listed.body.result).toMatchObject([{ nodeId: here }]);
    for (const nodeId of [here, there]) {
      expect((await api('DELETE', 'scheduler/job/local')).body).toMatchObject({ nodeId });
    }
    expect((await api('GET', 'scheduler/job/local')).status).toBe(404);
  });

  it('has a pause that holds for schedules in memory too, on every node', async () => {
    const job = {
      schedule: '0 0 0 1 1 ?',
      persisted: false,
      invokeService: 'script',
      invokeContext: { script: { type: 'text/javascript', source: '1' } },
    };
    await other.api('PUT', 'scheduler/job/there', { body: job });
    const stateThere = async () => (await other.api('GET', 'scheduler/job/there')).body.triggers[0].state;
    await api('POST', 'scheduler/job?_action=pauseJobs');
    await eventually(stateThere, (state) => state === 1);
    await api('POST', 'scheduler/job?_action=resumeJobs');
    await eventually(stateThere, (state) => state === 0);
  });

  it('changes at once here, and on every other node', async () => {
    const changed = await api('PUT', 'config/managed', { body: managedWith('gadget') });
    expect([changed.status, changed.body]).toMatchObject([200, { _id: 'managed', ...managedWith('gadget') }]);
    expect((await api('PUT', 'managed/gadget/g1', { body: {} })).status).toBe(201);
    await managedChanged(other);
    expect((await other.api('GET', 'managed/gadget/g1')).status).toBe(200);
  });

  it('is encrypted with no key that those who have stored something lack: such a node is not ready', async () => {
    const used = await api('POST', 'script?_action=eval', {
      body: { type: 'text/javascript', source: "svc.isEncrypted(svc.encrypt('x', null, 'svc-sym-default'))" },
    });
    expect([used.status, used.body]).toEqual([200, true]);
    expect((await ready(server)).state).toBe('up');
    const lacking = await ready(other);
    expect(lacking).toMatchObject({ status: 503, state: 'down' });
    expect(lacking.detail).toMatch(/lacks key \w{12} of 'svc-sym-default', under which .* has stored values/);
    const refused = await other.api('POST', 'script?_action=eval', {
      body: { type: 'text/javascript', source: "svc.encrypt('x', null, 'svc-sym-default')" },
    });
    expect([refused.status, refused.body.message]).toEqual([500, expect.stringMatching(/lacks key/)]);
    const { rows } = await server.database.pool.query('select key, encrypting, lacking from svc_key');
    expect(rows).toEqual([
      {
        key: expect.stringMatching(/^\w{12}$/),
        encrypting: [expect.any(String)],
        lacking: [expect.any(String)],
      },
    ]);
    expect(rows[0].encrypting).not.toEqual(rows[0].lacking);
    // What one node encrypts again would be under an older key for the other.
    const rotated = await api('POST', 'key?_action=rotate');
    expect([rotated.status, rotated.body.detail.id]).toEqual([409, 'CRYPTO_NODES_DIFFER']);
  });
});
