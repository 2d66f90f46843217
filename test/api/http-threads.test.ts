import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askAnew } from '../support/anew.ts';
import type { Api, CallOptions } from '../support/api.ts';
import { listenTo } from '../support/event-listener.ts';
import { eventually } from '../support/eventually.ts';
import { longOr } from '../support/long.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import '../support/takes-long.ts';

const PASSWORD = 'Passw0rd-of-users';
/** So many connections meet each of two threads, but for one time in a thousand. */
const MANY = 10;
const ROUNDS = longOr(20, 4);
const PER_MINUTE = 40;
/** Of a network where nobody else is. */
const OUTSIDER = { 'X-Forwarded-For': '198.51.100.7' };

describe('a node with two HTTP threads', () => {
  let server: TestServer;
  let anew: Api;
  const workers: Worker[] = [];
  beforeAll(async () => {
    server = await startTestServer({
      environment: { SVC_HTTP_THREADS: '2', SVC_TRUSTED_PROXIES: '127.0.0.1' },
      openHttpThread: (entry, options) => {
        const worker = new Worker(entry, options);
        workers.push(worker);
        return worker;
      },
    });
    anew = askAnew(server.url);
    const body = { userName: 'eve', givenName: 'E', sn: 'S', mail: 'eve@example.com', password: PASSWORD };
    expect((await anew('PUT', 'managed/user/eve', { body })).status).toBe(201);
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  /** The same of many connections, which each of the threads has some of. */
  const askAll = async (...asked: Parameters<Api>) =>
    Promise.all(Array.from({ length: MANY }, () => anew(...asked)));
  const statuses = async (path: string, options: CallOptions) =>
    new Set((await askAll('GET', path, options)).map(({ status }) => status));
  const EVE = { user: 'eve', password: PASSWORD };

  it('answers by any of them: reads and writes, what runs scripts, and how it is', async () => {
    for (let n = 0; n < MANY; n += 1) {
      const body = { userName: `u${n}`, givenName: 'G', sn: 'S', mail: `u${n}@example.com` };
      expect((await anew('PUT', `managed/user/u${n}`, { body })).status).toBe(201);
      expect((await anew('GET', `managed/user/u${n}`)).body).toMatchObject({ userName: `u${n}` });
      const source = { type: 'text/javascript', source: `svc.read('managed/user/u${n}').userName` };
      expect((await anew('POST', 'script?_action=eval', { body: source })).body).toBe(`u${n}`);
    }
    const ready = await anew('GET', '/health/ready');
    expect(ready.body).toMatchObject({ state: 'up', parts: { http: { state: 'up' } } });
    expect((await anew('GET', '/health/live')).body).toEqual({ state: 'up' });
    expect((await anew('GET', 'info/ping')).body).toMatchObject({ state: 'ACTIVE_READY' });
    expect((await anew('GET', '/metrics')).body).toContain('svc_http_threads 2\n');
    expect((await anew('GET', 'log?_queryFilter=true')).body.resultCount).toBeGreaterThan(0);
  });

  it('shows nothing stale after the answer to a change, by whichever of them it was made', async () => {
    const shipped = await readFile(new URL('../../script/access.js', import.meta.url), 'utf8');
    const rule = (pattern: string) =>
      `{ pattern: '${pattern}', roles: 'svc-authorized', methods: '*', actions: '*' },`;
    const content = shipped.replace('configs: [', `configs: [\n${rule('script')} ${rule('script/*')}`);
    for (let round = 0; round < ROUNDS; round += 1) {
      // Configuration.
      const body = { configuration: { lang: `l${round}` } };
      expect((await anew('PUT', 'config/ui/configuration', { body })).status).toBeLessThan(300);
      const shown = await askAll('GET', 'info/uiconfig');
      expect(new Set(shown.map((answer) => answer.body.configuration.lang))).toEqual(new Set([`l${round}`]));
      // Rules.
      expect((await anew('PUT', 'script/file/access.js', { body: { content } })).status).toBeLessThan(300);
      expect(await statuses('script/file?_queryFilter=true', EVE)).toEqual(new Set([200]));
      expect((await anew('POST', 'script/file/access.js?_action=revertToFile')).status).toBe(200);
      expect(await statuses('script/file?_queryFilter=true', EVE)).toEqual(new Set([403]));
      // What accounts may do.
      const setRoles = (value: unknown) =>
        anew('PATCH', 'managed/user/eve', { body: [{ operation: 'replace', field: '/authzRoles', value }] });
      expect((await setRoles([{ _ref: 'repo/internal/role/svc-admin' }])).status).toBe(200);
      expect(await statuses('managed/user/u0', EVE)).toEqual(new Set([200]));
      expect((await setRoles([])).status).toBe(200);
      expect(await statuses('managed/user/u0', EVE)).toEqual(new Set([403]));
    }
  });

  it('tells listeners of what was changed by any of them, and ends the streams of who may not listen any more', async () => {
    await using first = await listenTo(server.url, 'object:user');
    await using second = await listenTo(server.url, 'object:user/eve', {
      'X-Svc-Username': 'eve',
      'X-Svc-Password': PASSWORD,
    });
    for (let n = 0; n < MANY; n += 1) {
      const body = [{ operation: 'replace', field: '/givenName', value: `E${n}` }];
      const { _rev } = (await anew('PATCH', 'managed/user/eve', { body })).body;
      for (const listener of [first, second])
        await listener.next(({ data }) => data.resource === 'managed/user/eve' && data.rev === _rev);
    }
    const body = [{ operation: 'replace', field: '/accountStatus', value: 'inactive' }];
    await anew('PATCH', 'managed/user/eve', { body });
    await second.ended;
    const back = [{ operation: 'replace', field: '/accountStatus', value: 'active' }];
    await anew('PATCH', 'managed/user/eve', { body: back });
    expect((await anew('GET', '/metrics')).body).toContain('svc_event_streams 1\n');
  });

  it('has each request in the audit once, whichever thread has answered it', async () => {
    for (let n = 0; n < MANY; n += 1) await anew('GET', `managed/user/audited-${n}`);
    const asked = async () => {
      const { rows } = await server.database.pool.query(
        `select count(*)::int as count, count(distinct object_id)::int as different
         from audit_event where topic = 'access' and object_id like 'managed/user/audited-%'`,
      );
      return rows[0];
    };
    expect(await eventually(asked, ({ count }) => count >= MANY)).toEqual({ count: MANY, different: MANY });
  });

  it('lets a client have as many wrong tokens as one thread would', async () => {
    const wrong = { user: null, headers: { ...OUTSIDER, Authorization: 'Bearer none' } };
    const answers = [];
    for (let n = 0; n < 70; n += 1) answers.push((await anew('GET', 'info/login', wrong)).status);
    const refused = answers.filter((status) => status === 429).length;
    // One comes back each second.
    expect(refused).toBeGreaterThan(0);
    expect(answers.slice(0, 60)).toEqual(Array.from({ length: 60 }, () => 401));
  });

  it('counts the bodies of all of them, also of one that dies; that one is replaced', async () => {
    const inRoom = async () =>
      Number(/^svc_http_bodies_bytes (\d+)/m.exec((await anew('GET', '/metrics')).body)?.[1]);
    const { port } = new URL(server.url);
    const credentials = Buffer.from('svc-admin:Correct-Horse-9').toString('base64');
    const sockets = Array.from({ length: MANY }, () => {
      const socket = connect(Number(port), '127.0.0.1').on('error', () => {});
      socket.write(
        `PUT /svc/managed/user/slow HTTP/1.1\r\nHost: x\r\nAuthorization: Basic ${credentials}\r\nContent-Type: application/json\r\nContent-Length: 10000\r\n\r\n{`,
      );
      return socket;
    });
    expect(await eventually(inRoom, (bytes) => bytes === MANY * 10_000)).toBe(MANY * 10_000);
    const [first] = workers;
    await first?.terminate();
    expect(await server.observed('http.threadDied')).toMatchObject({ thread: 1 });
    expect(await eventually(inRoom, (bytes) => bytes < MANY * 10_000)).toBeGreaterThan(0);
    for (const socket of sockets) socket.destroy();
    expect(await eventually(inRoom, (bytes) => bytes === 0)).toBe(0);
    await eventually(
      async () => (await anew('GET', '/metrics')).body,
      (text) => text.includes('svc_http_threads 2\n'),
    );
    expect(await statuses('info/login', EVE)).toEqual(new Set([200]));
  });
});

describe('a bound of requests a minute', () => {
  it('is that of the node, however many threads answer', async () => {
    await using server = await startTestServer({
      environment: { SVC_HTTP_THREADS: '2', SVC_RATE_LIMIT: String(PER_MINUTE) },
    });
    const anew = askAnew(server.url);
    const startedAt = performance.now();
    const answers = await Promise.all(
      Array.from({ length: 3 * PER_MINUTE }, () => anew('GET', 'info/ping', { user: null })),
    );
    const passed = answers.filter(({ status }) => status !== 429).length;
    const cameBack = ((performance.now() - startedAt) / 60_000) * PER_MINUTE;
    expect(passed).toBeGreaterThanOrEqual(PER_MINUTE);
    expect(passed).toBeLessThanOrEqual(PER_MINUTE + cameBack + 1);
  });
});
