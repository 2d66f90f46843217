import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { run } from '../../src/cli/index.ts';
import { ADMIN_PASSWORD } from '../support/api.ts';
import { sendRaw, statusOf } from '../support/raw-http.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

describe('the doors', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  it('are not opened on a port that is taken, which is said in a sentence', async () => {
    const { port } = new URL(server.url);
    // It does not come as far as to the database, where others would see it come and go.
    const environment = { PORT: port, DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' };
    await expect(startTestServer({ environment })).rejects.toThrow(
      `port ${port} of 127.0.0.1 is in use by another program`,
    );
    await expect(
      startTestServer({ environment: { ...environment, SVC_HOST: '203.0.113.9' } }),
    ).rejects.toThrow('203.0.113.9 is no address of this machine');
  });

  const asking = (method: string, path: string, headers = '') =>
    `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n${headers}\r\n`;
  const get = (path: string, headers: Record<string, string> = {}) => fetch(server.url + path, { headers });

  it('let nobody in without credentials, and say nothing of which there are', async () => {
    const { api } = server;
    const denied = {
      code: 401,
      reason: 'Unauthorized',
      message: 'Access Denied',
      detail: { id: 'AUTH_REQUIRED', hint: expect.stringContaining('X-Svc-Username') },
    };
    for (const options of [{ user: null }, { user: 'nobody' }, { password: 'wrong' }, { user: '' }]) {
      const answer = await api('GET', 'managed/user?_queryFilter=true', options);
      expect([answer.status, answer.body]).toEqual([401, denied]);
      expect(answer.headers.get('www-authenticate')).toBeNull();
    }
  });

  it('take HTTP Basic as well as the headers', async () => {
    const basic = Buffer.from(`svc-admin:${ADMIN_PASSWORD}`).toString('base64');
    const response = await get('/svc/managed/user?_queryFilter=true', { Authorization: `Basic ${basic}` });
    expect(response.status).toBe(200);
  });

  it('let only administrators in', async () => {
    await server.api('PUT', 'repo/internal/user/clerk', {
      body: { password: ADMIN_PASSWORD, roles: [{ _ref: 'repo/internal/role/svc-authorized' }] },
    });
    const answer = await server.api('GET', 'managed/user?_queryFilter=true', { user: 'clerk' });
    expect([answer.status, answer.body.message]).toEqual([403, 'Access denied']);
  });

  it('keep passwords as argon2id hashes', async () => {
    const { rows } = await server.database.pool.query(
      "select data from repo_object where type = 'internal/user' and id = 'svc-admin'",
    );
    expect(rows[0].data.password.$crypto).toMatchObject({
      type: 'salted-hash',
      value: { algorithm: 'ARGON2ID' },
    });
    expect(JSON.stringify(rows[0].data)).not.toContain(ADMIN_PASSWORD);
  });

  it('tell whether the node lives, has started and can serve', async () => {
    expect((await get('/health/live')).status).toBe(200);
    expect((await get('/health/started')).status).toBe(200);
    const ready = await get('/health/ready');
    expect([ready.status, await ready.json()]).toMatchObject([
      200,
      {
        state: 'up',
        parts: { database: { state: 'up' }, heartbeat: { state: 'up' }, triggerPoller: { state: 'up' } },
      },
    ]);
  });

  it('tell people how the node is in lines, and programs in JSON', async () => {
    const said: string[] = [];
    const spy = vi.spyOn(console, 'log').mockImplementation((text: string) => void said.push(text));
    try {
      expect(await run(['health', '--url', server.url])).toBe(0);
      expect(await run(['health', '--url', server.url, '--json'])).toBe(0);
    } finally {
      spy.mockRestore();
    }
    expect(said[0]).toMatch(/^✓ node +up\n(.*\n)*✓ database +up/);
    expect(JSON.parse(said[1]!)).toMatchObject({ state: 'up' });
  });

  it('take for this machine only what no proxy on it has handed on', async () => {
    const { host, port } = new URL(server.url);
    const statusFor = async (lines: readonly string[], version = '1.1') =>
      statusOf(
        await sendRaw(
          server.url,
          `GET /metrics HTTP/${version}\r\nConnection: close\r\n${lines.join('\r\n')}\r\n\r\n`,
        ),
      );
    expect(await statusFor([`Host: ${host}`])).toBe(200);
    expect(await statusFor([`Host: localhost:${port}`])).toBe(200);
    expect(await (await get('/health/ready')).json()).toHaveProperty('parts.database');
    const handedOn = [
      'X-Forwarded-For: 203.0.113.8',
      'X-Forwarded-Host: x',
      'Forwarded: for=203.0.113.8',
      'Via: 1.1 proxy',
      'X-Real-IP: 203.0.113.8',
      'CF-Connecting-IP: 203.0.113.8',
    ];
    for (const header of handedOn) expect(await statusFor([`Host: ${host}`, header]), header).toBe(401);
    expect(await statusFor(['Host: id.example.com'])).toBe(401);
    expect(await statusFor([`Host: ${host}`], '1.0')).toBe(401);
  });

  it('show metrics', async () => {
    await get('/svc/managed/user?_queryFilter=true');
    const text = await (await get('/metrics')).text();
    expect(text).toMatch(/svc_http_request_duration_seconds_count\{method="GET",status="401"\} \d+/);
    expect(text).toMatch(/svc_db_pool_size \d+/);
  });

  const post = async (body: Buffer, encoding: string) => {
    const headers = {
      Authorization: `Basic ${Buffer.from(`svc-admin:${ADMIN_PASSWORD}`).toString('base64')}`,
      'Content-Type': 'application/json',
      'Content-Encoding': encoding,
    };
    const url = `${server.url}/svc/script?_action=eval`;
    const response = await fetch(url, { method: 'POST', headers, body: new Uint8Array(body) });
    return { status: response.status, body: await response.json() };
  };
  const evaluated = (source: string) => Buffer.from(JSON.stringify({ type: 'text/javascript', source }));

  it('read bodies that are packed, and tell which packings they know', async () => {
    const body = evaluated('1 + 1');
    expect(await post(gzipSync(body), 'gzip')).toEqual({ status: 200, body: 2 });
    expect(await post(brotliCompressSync(body), 'BR')).toEqual({ status: 200, body: 2 });
    expect(await post(deflateSync(body), 'deflate')).toEqual({ status: 200, body: 2 });
    expect(await post(body, 'identity')).toEqual({ status: 200, body: 2 });
    expect(await post(body, 'zstd')).toMatchObject({
      status: 415,
      body: {
        message: "The Content-Encoding is 'zstd'",
        detail: { hint: expect.stringContaining("'gzip'") },
      },
    });
    expect(await post(body, 'gzip')).toMatchObject({
      status: 400,
      body: { detail: { id: 'HTTP_BAD_ENCODING' } },
    });
    const bomb = gzipSync(evaluated('x'.repeat(20_000_000)));
    expect(await post(bomb, 'gzip')).toMatchObject({
      status: 413,
      body: { message: expect.stringMatching(/1048576/) },
    });
  });

  it('refuse a body that is too large', async () => {
    const answer = await server.api('POST', 'managed/user', { body: { big: 'x'.repeat(1_100_000) } });
    expect([answer.status, answer.body.message]).toEqual([413, expect.stringMatching(/1048576/)]);
  });

  it('answer 404 in the same shape elsewhere', async () => {
    const response = await get('/nowhere');
    expect([response.status, await response.json()]).toMatchObject([404, { code: 404, reason: 'Not Found' }]);
  });

  it('name every request, whoever answers it, and say the same for its safety', async () => {
    const paths = [
      '/svc/nowhere',
      '/svc/info/ping',
      '/health/live',
      '/docs',
      '/metrics',
      '/nowhere',
      '/a/../b',
    ];
    const answers = [
      ...(await Promise.all(paths.map((path) => sendRaw(server.url, asking('GET', path))))),
      await sendRaw(server.url, asking('OPTIONS', '/svc/managed/user')),
      await sendRaw(server.url, asking('GET', '/health/live', 'Expect: the-best\r\n')),
    ];
    for (const answer of answers) {
      expect(answer).toMatch(/^X-Request-Id: [0-9a-f-]{36}\r$/m);
      expect(answer).toMatch(/^X-Content-Type-Options: nosniff\r$/m);
      expect(answer.match(/^Cache-Control:/gm)).toHaveLength(1);
    }
  });

  it('answer HEAD without a body, and pages with a slash behind them', async () => {
    const head = await sendRaw(server.url, asking('HEAD', '/health/live'));
    expect([statusOf(head), head.endsWith('\r\n\r\n')]).toEqual([200, true]);
    expect(head).toMatch(/^Content-Length: 14\r$/m);
    expect([await get('/health/live/'), await get('/metrics/')]).toMatchObject([
      { status: 200 },
      { status: 200 },
    ]);
    const docs = await fetch(`${server.url}/docs/`, { redirect: 'manual' });
    expect([docs.status, docs.headers.get('location')]).toEqual([308, '../docs']);
    expect((await fetch(`${server.url}/health/live`, { method: 'POST' })).status).toBe(404);
  });

  it('refuse what a client expects and they do not know, with a body that says so', async () => {
    const answer = await sendRaw(server.url, asking('GET', '/svc/info/ping', 'Expect: the-best\r\n'));
    expect(statusOf(answer)).toBe(417);
    expect(answer).toContain('"id":"HTTP_EXPECTATION"');
  });

  it('answer with indented JSON on request', async () => {
    const response = await fetch(`${server.url}/svc/repo/internal/role/svc-admin?_prettyPrint=true`, {
      headers: { 'X-Svc-Username': 'svc-admin', 'X-Svc-Password': ADMIN_PASSWORD },
    });
    expect(await response.text()).toMatch(/\n {2}"description"/);
  });
});
