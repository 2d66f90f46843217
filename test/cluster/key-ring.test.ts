import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { createSchemaDatabase } from '../support/migrated-database.ts';
import type { TestDatabase } from '../support/postgres.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import '../support/takes-long.ts';

const ALIASES = ['svc-sym-default', 'svc-jwtsessionhmac-key'];

const keysOf = (...numbers: number[]) => numbers.map((number) => Buffer.alloc(32, number).toString('base64'));
const ring = (...numbers: number[]) =>
  Object.fromEntries(ALIASES.map((alias) => [alias, keysOf(...numbers)]));

describe('nodes with key rings of their own', () => {
  let database: TestDatabase;
  const servers: TestServer[] = [];

  beforeAll(async () => {
    database = await createSchemaDatabase();
  });
  afterAll(async () => {
    for (const server of servers) await server[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  /** @param keys none for a data directory that is empty */
  const start = async (keys?: object, name?: string, files?: Record<string, unknown>, more: object = {}) => {
    const environment = {
      SVC_KEYS: keys === undefined ? '' : JSON.stringify(keys),
      ...(name === undefined ? {} : { SVC_NODE_ID: name }),
      ...more,
    };
    const server = await startTestServer({
      database: shared,
      environment,
      ...(files === undefined ? {} : { files }),
    });
    servers.push(server);
    return server;
  };
  const shared: TestDatabase = {
    get url() {
      return database.url;
    },
    name: '',
    [Symbol.asyncDispose]: async () => {},
  };
  const leave = async () => {
    for (const server of servers.splice(0)) await server[Symbol.asyncDispose]();
  };

  it('do not come in where they have no key in common with the node that is there', async () => {
    const first = await start(ring(1));
    const refused = await start().catch((error: Error) => error.message);
    expect(refused).toMatch(
      /keys\.json, which was made just now.*no key of 'svc-jwtsessionhmac-key', 'svc-sym-default' in common with the live node.*SVC_KEYS or keys\.json of the others/s,
    );
    for (const keys of [
      ring(2),
      { 'svc-jwtsessionhmac-key': keysOf(1) },
      { ...ring(1), 'svc-jwtsessionhmac-key': keysOf(2) },
    ]) {
      await expect(start(keys)).rejects.toThrow(/SVC_KEYS: the key ring has no key of .* in common/);
    }
    const { rows } = await first.database.pool.query(
      "select node as name, keys from svc_node where state = 'running'",
    );
    expect(rows).toHaveLength(1);
    // Nor does one of its name, which is refused, tell of keys that it has not.
    await expect(start(ring(2), rows[0].name)).rejects.toThrow(/another live node is called/);
    expect(
      (await first.database.pool.query('select keys from svc_node where node = $1', [rows[0].name])).rows,
    ).toEqual([{ keys: rows[0].keys }]);
    await expect(start(ring(2))).rejects.toThrow(/in common/);
  });

  it('are no more than one where several start at once, each with a ring that it has made', async () => {
    await leave();
    const started = await Promise.allSettled([start(), start()]);
    expect(started.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const [{ reason }] = started.filter((one) => one.status === 'rejected') as [PromiseRejectedResult];
    expect(reason.message).toMatch(/which was made just now/);
    await leave();
  });

  it('have their keys changed one after the other, and know the sessions of each other all the while', async () => {
    await leave();
    const session = async (server: TestServer) => {
      const { headers } = await server.api('POST', 'authentication?_action=login', {
        headers: { 'X-Svc-Session': 'true' },
      });
      return headers.get('set-cookie')?.split(';')[0];
    };
    const knows = async (server: TestServer, cookie: string) =>
      (await server.api('GET', 'info/login', { user: null, headers: { cookie } })).status;
    let before = await start(ring(1));
    for (const keys of [ring(1, 2), ring(2, 1), ring(2)]) {
      const cookie = await session(before);
      const next = await start(keys);
      expect(cookie).toBeTruthy();
      expect(await knows(next, cookie!)).toBe(200);
      const back = await session(next);
      expect(await knows(before, back!)).toBe(200);
      await servers.shift()![Symbol.asyncDispose]();
      before = next;
    }
  });

  it('fail a schedule whose secret they cannot open once and for that time only, and say which key they lack', async () => {
    await leave();
    await database[Symbol.asyncDispose]();
    database = await createSchemaDatabase();
    const scheduler = { scheduler: { executePersistentSchedules: false } };
    const first = await start(ring(1, 2), 'a', { 'conf/scheduler.json': scheduler });
    const second = await start(ring(2), 'b');
    const invokeContext = {
      script: {
        type: 'text/javascript',
        source: 'password.length',
        globals: { password: 'open-sesame' },
      },
    };
    const body = {
      schedule: '0 0 0 1 1 ?',
      timeZone: 'UTC',
      persisted: true,
      invokeService: 'script',
      invokeContext,
    };
    expect((await first.api('PUT', 'scheduler/job/secretive', { body })).status).toBe(201);
    const { rows: keys } = await first.database.pool.query(
      "select key from svc_key where alias = 'svc-sym-default'",
    );
    const firings = () =>
      first.database.pool.query(
        "select failed, node, error from svc_firing where schedule = 'secretive' order by planned_at",
      );
    await first.api('POST', 'scheduler/job/secretive?_action=trigger');
    const { rows: failed } = await eventually(firings, ({ rows }) => rows.length > 0);
    expect(failed).toHaveLength(1);
    expect(failed[0]).toMatchObject({ failed: true, node: 'b' });
    expect(JSON.stringify(failed[0].error)).toContain(keys[0].key);
    expect((await first.api('GET', 'scheduler/job/secretive')).body.triggers[0].state).toBe(0);
    await second[Symbol.asyncDispose]();
    servers.splice(servers.indexOf(second), 1);
    await start(ring(2, 1), 'b');
    await first.api('POST', 'scheduler/job/secretive?_action=trigger');
    const { rows: both } = await eventually(firings, ({ rows }) => rows.length > 1);
    expect(both[1]).toMatchObject({ failed: false, node: 'b' });
  });

  it('end a scan whose secret they cannot open, and say which key they lack', async () => {
    await leave();
    await database[Symbol.asyncDispose]();
    database = await createSchemaDatabase();
    const files = { 'conf/managed.json': { objects: [{ name: 'item' }] } };
    const first = await start(ring(1, 2), 'a', files, { SVC_ROLES: 'api' });
    await start(ring(2), 'b', files);
    expect((await first.api('PUT', 'managed/item/one', { body: {} })).status).toBe(201);
    const scan = {
      scan: {
        object: 'managed/item',
        taskState: { started: '/task/started', completed: '/task/completed' },
      },
      task: {
        script: {
          type: 'text/javascript',
          source: 'password.length > 0',
          globals: { password: 'open-sesame' },
        },
      },
    };
    expect((await first.api('POST', 'taskscanner?_action=execute', { body: scan })).status).toBe(200);
    const { pool } = first.database;
    const { rows } = await eventually(
      async () => {
        // It is tried some times, whenever that was to be.
        await pool.query('update work_job set due_at = clock_timestamp() where node_id is null');
        return pool.query('select state, failures, error from svc_scan_run');
      },
      (found) => found.rows[0]?.state === 'ERROR',
    );
    const keys = await pool.query("select key from svc_key where alias = 'svc-sym-default'");
    expect(rows[0]).toMatchObject({ failures: 0 });
    expect(JSON.stringify(rows[0].error)).toContain(keys.rows[0].key);
  });
});
