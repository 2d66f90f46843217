import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLogSink } from '../../src/observability/index.ts';
import { ADMIN_PASSWORD } from '../support/api.ts';
import { sendRaw, statusOf } from '../support/raw-http.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const ADMIN = { 'X-Svc-Username': 'svc-admin', 'X-Svc-Password': ADMIN_PASSWORD };

/** The tests come from 127.0.0.1, so they are the trusted proxy of the callers they name. */
describe('the door', () => {
  it('lets no secret out into logs, the audit or errors, wherever it was sent', async () => {
    // A new word for each place, so that a leak names where it came from.
    const secret = (place: string) => `Hush-${place}-9`;
    const from = { 'X-Forwarded-For': '203.0.113.99' };
    const user = (password: unknown, more: object = {}) => ({
      userName: 'hush',
      givenName: 'h',
      sn: 'h',
      mail: 'h@example.com',
      password,
      ...more,
    });
    const ask = (method: string, path: string, body: unknown, headers: Record<string, string> = {}) =>
      server.api(method, path, { ...(body === undefined ? {} : { body }), headers: { ...from, ...headers } });
    const scripted = (configurationProperties: object) => ({
      name: 'hush',
      enabled: true,
      connectorRef: { connectorName: 'svc.scripted' },
      configurationProperties: { file: 'a.js', ...configurationProperties },
      objectTypes: {},
    });
    const json = { 'Content-Type': 'application/json' };
    const answers = [
      await ask('GET', 'info/ping', undefined, { 'X-Svc-Password': secret('Header') }),
      await ask('GET', 'info/ping', undefined, {
        'X-Svc-Api-Key': `robot.${secret('ApiKey')}`,
        'X-Svc-Username': '',
        'X-Svc-Password': '',
      }),
      await ask('GET', 'info/ping', undefined, {
        Authorization: `Bearer ${secret('Bearer')}`,
        'X-Svc-Password': 'x',
      }),
      await ask('GET', 'info/login', undefined, { 'X-Svc-Reauth-Password': secret('Reauth') }),
      await ask('GET', 'info/ping', undefined, { Cookie: `session-jwt=${secret('Cookie')}` }),
      await ask('PUT', 'managed/user/hush', user(secret('Created'))),
      await ask('PUT', 'managed/user/hush', user(secret('Replaced'))),
      await ask('PUT', 'managed/user/hush2', user([secret('Type')])),
      await ask('PUT', 'managed/user/hush3', user(secret('Policy'), { mail: 7 })),
      await ask('PUT', 'managed/user/hush4', user('short', { password: secret('x').slice(0, 5) })),
      await ask('PATCH', 'managed/user/hush', [
        { operation: 'replace', field: '/password', value: secret('Patched') },
      ]),
      await ask('PATCH', 'managed/user/hush', [
        { operation: 'increment', field: '/password', value: secret('Increment') },
      ]),
      await ask('PATCH', 'managed/user/hush', [
        { operation: 'remove', field: '/password', value: secret('Removed') },
      ]),
      await ask('POST', 'managed/user/hush?_action=patch', [
        { operation: 'odd', field: '/password', value: secret('Odd') },
      ]),
      await ask(
        'PUT',
        'managed/user/hush5',
        `{"userName":"hush","password":"${secret('Broken')}" nonsense}`,
        json,
      ),
      await ask('PUT', 'managed/user/hush5', `{"password":"${secret('Cut')}`, json),
      await ask('PUT', 'managed/user/hush5', secret('Bare'), json),
      await ask('GET', `managed/user?_queryFilter=password%20eq%20%22${secret('Filter')}%22`, undefined),
      await ask('POST', 'policy/managed/user/hush?_action=validateProperty', {
        password: secret('Validated'),
      }),
      await ask('POST', 'authentication?_action=login', { password: secret('Login') }),
      await ask('PUT', 'config/external.email', {
        host: 'x',
        auth: { username: 'u', password: secret('Mail') },
      }),
      ...(await Promise.all(
        [
          `https://user:${secret('Place')}@h.example.com/`,
          `ht!tp://u:${secret('NoPlace')}@h/x?t=${secret('Query')}`,
        ].flatMap((url) => [
          ask('PUT', 'config/provisioner.openicf/hush', scripted({ allow: [url] })),
          ask(
            'PUT',
            'config/provisioner.openicf/hush',
            scripted({ allow: ['https://a'], tokenEndpoint: url }),
          ),
          ask('POST', 'external/rest?_action=call', { url, method: 'GET' }),
        ]),
      )),
      await ask('POST', 'workflow/processinstance', {
        _key: 'accessRequest',
        role: { password: secret('Form') },
        reason: 'x',
      }),
      await ask('PUT', 'repo/internal/user/hush', { password: secret('Internal'), roles: [] }),
      await ask('PUT', 'managed/user/hush?_dryRun=true', user(secret('Rehearsed'))),
    ];
    const lines: string[] = [];
    const sink = createLogSink({
      level: 'trace',
      nodeId: 'n',
      pretty: false,
      destination: { write: (line) => void lines.push(line) },
    });
    for (const observation of server.observations) sink.observe(observation);
    sink.flush();
    // The audit writes what it was told before it is asked.
    await expect
      .poll(async () => (await ask('GET', 'audit/access?_queryFilter=true', undefined)).body.resultCount)
      .toBeGreaterThan(10);
    const rows = await server.database.pool.query<{ event: string }>('select event::text from audit_event');
    const told = {
      lines,
      answers: answers.map(({ body }) => JSON.stringify(body)),
      rows: rows.rows.map(({ event }) => event),
    };
    const leaks = Object.entries(told).flatMap(([where, texts]) =>
      texts.flatMap((text) =>
        [...new Set(text.match(/Hush-\w+-9|"Hush-|Correct-Horse/g) ?? [])].map(
          (found) => `${where}: ${found}: ${text.slice(0, 300)}`,
        ),
      ),
    );
    expect(leaks).toEqual([]);
    expect(rows.rows.length).toBeGreaterThan(10);
  });

  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer({
      environment: {
        SVC_TRUSTED_PROXIES: '127.0.0.0/8',
        SVC_PUBLIC_PATH: '/identity',
        SVC_RATE_LIMIT: '100',
        SVC_REQUEST_TIMEOUT: '3',
      },
    });
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const get = (path: string, headers: Record<string, string> = {}) => fetch(server.url + path, { headers });

  it.each([
    '/svc/info/ping',
    '/svc/nowhere',
    '/nowhere',
    '/health/live',
    '/metrics',
    '/docs',
    '/docs/docs.js',
  ])('sends secure headers with %s', async (path) => {
    const { headers } = await get(path, ADMIN);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    const policy = headers.get('content-security-policy');
    expect(policy).toMatch(/default-src '(none|self)'.*frame-ancestors 'none'/);
    for (const part of ['object-src', 'base-uri', 'form-action']) expect(policy).toContain(`${part} 'none'`);
    expect(headers.get('cache-control')).toMatch(path.startsWith('/docs') ? /^no-cache$/ : /no-store/);
    expect(headers.get('content-type')).toMatch(/;\s*charset=utf-8|^application\/json$/i);
    expect([headers.get('server'), headers.get('x-powered-by')]).toEqual([null, null]);
    expect(headers.get('strict-transport-security')).toBeNull();
  });

  it('writes down whom it turns away, and never more than a line for many', async () => {
    const told = () => server.observations.filter(({ kind }) => kind === 'http.refused');
    const before = told().length;
    const twice = 'GET /svc/info/ping HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 203.0.113.5\r\nHost: y\r\n\r\n';
    expect(statusOf(await sendRaw(server.url, twice))).toBe(400);
    expect(statusOf(await sendRaw(server.url, 'NONSENSE\r\n\r\n'))).toBe(400);
    expect(told().slice(before)).toMatchObject([
      { status: 400, why: 'HTTP_HEADER_TWICE', address: '203.0.113.5' },
      { status: 400, why: 'HTTP_UNREADABLE', address: expect.stringMatching(/127\.0\.0\.1|::1/) },
    ]);
    const metrics = await (await get('/metrics', ADMIN)).text();
    expect(metrics).toContain('svc_http_refused_total{why="HTTP_HEADER_TWICE"} 1');
    const lines: string[] = [];
    const sink = createLogSink({
      level: 'info',
      nodeId: 'n',
      pretty: false,
      destination: { write: (line) => void lines.push(line) },
    });
    for (const observation of [...told(), ...told()]) sink.observe(observation);
    sink.flush();
    expect(lines.filter((line) => line.includes('HTTP_HEADER_TWICE'))).toHaveLength(1);
  });

  it('answers what comes without TLS where TLS was meant, and leads nobody on', async () => {
    const plain = { 'X-Forwarded-Proto': 'http', ...ADMIN };
    const answer = await fetch(`${server.url}/svc/info/ping`, { headers: plain, redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([200, null]);
  });

  it('is found below the path that a proxy has it at, whether the proxy takes that away or not', async () => {
    const from = { ...ADMIN, 'X-Forwarded-For': '198.51.100.9', 'Content-Type': 'application/json' };
    const ask = (path: string, options: RequestInit & { headers?: Record<string, string> } = {}) =>
      fetch(server.url + path, { redirect: 'manual', ...options, headers: { ...from, ...options.headers } });
    for (const base of ['', '/identity']) {
      const id = `below${base.length}`;
      const made = await ask(`${base}/svc/repo/linked/${id}`, { method: 'PUT', body: '{"a":1}' });
      expect([made.status, made.headers.get('location')]).toEqual([
        201,
        `${server.url}/identity/svc/repo/linked/${id}`,
      ]);
      const document = (await (await ask(`${base}/docs/openapi.json`)).json()) as { servers: unknown };
      expect(document.servers).toEqual([{ url: '/identity/svc' }]);
      expect((await ask(`${base}/health/live`)).status).toBe(200);
    }
    for (const root of ['/', '/identity', '/identity/']) {
      const led = await ask(root, { headers: { Accept: 'text/html' } });
      expect([root, led.status, led.headers.get('location')]).toEqual([root, 302, '/identity/console']);
    }
    expect((await ask('/identityx/svc/info/ping')).status).toBe(404);
    const login = (scheme: string) =>
      ask('/identity/svc/authentication?_action=login', {
        method: 'POST',
        headers: { 'X-Forwarded-Proto': scheme },
      });
    const overTls = (await login('https')).headers.get('set-cookie');
    expect(overTls).toMatch(
      /^__Secure-session-jwt=[^;]+; Path=\/identity\/; HttpOnly; SameSite=Strict; Secure$/,
    );
    expect((await login('http')).headers.get('set-cookie')).toMatch(
      /^session-jwt=[^;]+; Path=\/identity\/; /,
    );
    const me = await fetch(`${server.url}/svc/info/login`, {
      headers: {
        Cookie: overTls?.split(';')[0] ?? '',
        'X-Forwarded-Proto': 'https',
        'X-Forwarded-For': '198.51.100.9',
      },
    });
    expect(await me.json()).toMatchObject({ authenticationId: 'svc-admin' });
  });

  it('knows no TRACE and lists no folder', async () => {
    const answer = await sendRaw(
      server.url,
      'TRACE /svc/info/ping HTTP/1.1\r\nHost: x\r\nX-Svc-Api-Key: shown.again\r\nConnection: close\r\n\r\n',
    );
    expect(statusOf(answer)).toBeGreaterThanOrEqual(400);
    expect(answer).not.toContain('shown.again');
    for (const path of [
      '/',
      '/docs/docs',
      '/.git/config',
      '/docs/../package.json',
      '/conf/',
      '/script/access.js',
    ])
      expect((await get(path, ADMIN)).status).toBe(404);
  });

  it('takes no transaction id from strangers', async () => {
    const { headers } = await get('/svc/info/ping', { 'X-Svc-TransactionId': 'mine' });
    expect(headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/);
  });

  it('tells browsers to stay with TLS where a trusted proxy ends it', async () => {
    const { headers } = await get('/svc/info/ping', { ...ADMIN, 'X-Forwarded-Proto': 'https' });
    expect(headers.get('strict-transport-security')).toBe('max-age=31536000; includeSubDomains');
    const spoofed = await get('/svc/info/ping', { ...ADMIN, 'X-Forwarded-Proto': 'https, http' });
    expect(spoofed.headers.get('strict-transport-security')).toBeNull();
  });

  it('takes the address of a caller from a trusted proxy, and not what the caller made up', async () => {
    const response = await get('/svc/info/login', {
      ...ADMIN,
      'X-Forwarded-For': '198.51.100.1, 203.0.113.7, 127.0.0.9',
    });
    expect(((await response.json()) as { authorization: object }).authorization).toMatchObject({
      ipAddress: '203.0.113.7',
    });
    const withPort = await get('/svc/info/login', { ...ADMIN, 'X-Forwarded-For': '66.6.6.1, 1.2.3.4:5555' });
    expect(((await withPort.json()) as { authorization: object }).authorization).toMatchObject({
      ipAddress: '1.2.3.4',
    });
  });

  it('leaves out of scripts and the audit whatever header may hold a secret, by its name', async () => {
    const hidden = Object.fromEntries(
      [
        'X-OpenIDM-Password',
        'X-Old-Passwd',
        'X-Auth-Token',
        'X-Client-Secret',
        'X-Amz-Authorization',
        'X-Db-Credential',
        'X-Own-Cookie',
        'X-Api-Key',
        'apikey',
      ].map((name) => [name, `Hidden-in-${name}`]),
    );
    const shown = { 'X-Plain': 'plainly-shown', 'X-OpenIDM-Username': 'ada' };
    const response = await fetch(`${server.url}/svc/script?_action=eval`, {
      method: 'POST',
      headers: { ...ADMIN, ...hidden, ...shown, 'Content-Type': 'application/json' },
      body: JSON.stringify({ type: 'text/javascript', source: 'JSON.stringify(context.http.headers)' }),
    });
    const seen = (await response.json()) as string;
    expect(seen).toContain('plainly-shown');
    expect(seen).not.toContain('Hidden-in');
    expect(seen).toContain('x-openidm-username');
    const id = response.headers.get('x-request-id');
    const audited = async () =>
      (
        await server.database.pool.query<{ event: string }>(
          'select event::text from audit_event where transaction_id = $1',
          [id],
        )
      ).rows.map(({ event }) => event);
    await expect.poll(async () => (await audited()).join()).toContain('plainly-shown');
    expect((await audited()).join()).not.toContain('Hidden-in');
  });

  it('lets a caller name the host of its links only where it names the server that it reached', async () => {
    const create = async (id: string, host: string) => {
      const body = '{"a":1}';
      const answer = await sendRaw(
        server.url,
        `PUT /svc/repo/linked/${id} HTTP/1.1\r\nHost: ${host}\r\nX-Svc-Username: svc-admin\r\nX-Svc-Password: ${ADMIN_PASSWORD}\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
      return /^location: (.*)\r$/im.exec(String(answer))?.[1];
    };
    const { host, port } = new URL(server.url);
    expect(await create('own', host)).toBe(`http://${host}/identity/svc/repo/linked/own`);
    expect(await create('local', `localhost:${port}`)).toBe(
      `http://localhost:${port}/identity/svc/repo/linked/local`,
    );
    for (const evil of [
      'evil.example',
      `evil.example:${port}`,
      '127.0.0.1:1',
      `localhost.evil.example:${port}`,
    ]) {
      expect(await create(`evil${evil.length}`, evil)).toBe(`/identity/svc/repo/linked/evil${evil.length}`);
    }
  });

  it('shows metrics and parts of readiness to administrators, and not through a proxy on this machine', async () => {
    const far = { 'X-Forwarded-For': '203.0.113.8' };
    expect((await get('/metrics')).status).toBe(401);
    expect((await get('/metrics', far)).status).toBe(401);
    const nobody = { 'X-Svc-Username': 'anonymous', 'X-Svc-Password': 'anonymous', ...far };
    expect((await get('/metrics', nobody)).status).toBe(403);
    expect((await get('/metrics', { ...ADMIN, ...far })).status).toBe(200);
    expect(await (await get('/health/ready')).json()).toEqual({ state: 'up' });
    expect(await (await get('/health/ready', { ...ADMIN, ...far })).json()).toHaveProperty('parts.database');
    const probe = await get('/health/ready', far);
    expect([probe.status, await probe.json()]).toEqual([200, { state: 'up' }]);
    expect((await get('/health/live', far)).status).toBe(200);
  });

  it('lets a client make so many requests a minute, and leaves others and probes alone', async () => {
    const flood = { 'X-Forwarded-For': '203.0.113.66' };
    const refused: Response[] = [];
    const statuses: number[] = [];
    // While they come, more are allowed.
    while (refused.length === 0) {
      const answers = await Promise.all(Array.from({ length: 110 }, () => get('/nowhere', flood)));
      refused.push(...answers.filter(({ status }) => status === 429));
      statuses.push(...answers.map(({ status }) => status));
    }
    expect(statuses.filter((status) => status === 404).length).toBeGreaterThanOrEqual(100);
    expect(Number(refused[0]!.headers.get('retry-after'))).toBe(1);
    expect(await refused[0]!.json()).toMatchObject({ code: 429, detail: { id: 'HTTP_RATE_LIMIT' } });
    expect((await get('/health/live', flood)).status).toBe(200);
    expect((await get('/nowhere', { 'X-Forwarded-For': '203.0.113.67' })).status).toBe(404);
  });

  it('lets a key make so many, wherever they come from, and leaves other keys alone', async () => {
    const keyOf = async (id: string) =>
      (await server.api('PUT', `apikey/${id}`, { body: { roles: ['svc-scim'] } })).body.key as string;
    const [busy, quiet] = [await keyOf('busy'), await keyOf('quiet')];
    let addresses = 0;
    const find = (key: string) =>
      get('/scim/v2/ServiceProviderConfig', {
        Authorization: `Bearer ${key}`,
        'X-Forwarded-For': `198.18.${(addresses >> 8) & 255}.${addresses++ & 255}`,
      });
    const refused: Response[] = [];
    while (refused.length === 0) {
      const answers = await Promise.all(Array.from({ length: 110 }, () => find(busy)));
      refused.push(...answers.filter(({ status }) => status === 429));
    }
    expect(Number(refused[0]!.headers.get('retry-after'))).toBe(1);
    expect(await refused[0]!.json()).toMatchObject({ status: '429', detail: expect.stringContaining('1 s') });
    expect((await find(quiet)).status).toBe(200);
  });

  it('begins what one connection sends at once one after the other, and ends it where that is too much', async () => {
    const admin = `Host: x\r\nX-Svc-Username: svc-admin\r\nX-Svc-Password: ${ADMIN_PASSWORD}\r\n`;
    const slow = (last: string) => {
      const source = `const end = Date.now() + 300; while (Date.now() < end); ${last}`;
      const body = JSON.stringify({ type: 'text/javascript', source });
      return `POST /svc/script?_action=eval HTTP/1.1\r\n${admin}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    };
    const statuses = (answers: string) => [...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, code]) => code);
    const read = `GET /svc/repo/turns/one HTTP/1.1\r\n${admin}Connection: close\r\n\r\n`;
    expect(statuses(await sendRaw(server.url, slow("svc.create('repo/turns', 'one', {})") + read))).toEqual([
      '200',
      '200',
    ]);
    const probes = 'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(300);
    const answers = await sendRaw(server.url, slow('') + probes);
    expect(statuses(answers)).toEqual([...Array.from({ length: 101 }, () => '200'), '429']);
    expect(answers).toContain('"id":"HTTP_PIPELINE_CROWDED"');
  });

  it.each([
    ['what is no message', '', 'NONSENSE\r\n\r\n'],
    ['too many headers', '', `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(40_000)}\r\n\r\n`],
    ['a body that is no body', '', 'PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nZ\r\n'],
    ['more than it has said', 'Connection: close\r\n', 'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n'],
  ])('answers a request that is carried out before it refuses %s behind it', async (what, header, behind) => {
    const path = `repo/before/${encodeURIComponent(what)}`;
    const from = { 'X-Forwarded-For': '203.0.113.68' };
    const headers = Object.entries({ Host: 'x', ...ADMIN, ...from }).map(
      (entry) => `${entry.join(': ')}\r\n`,
    );
    const admin = `${headers.join('')}${header}`;
    const put = `PUT /svc/${path} HTTP/1.1\r\n${admin}If-None-Match: *\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`;
    expect(statusOf(await sendRaw(server.url, put + behind))).toBe(201);
    expect((await server.api('GET', path, { headers: from })).status).toBe(200);
  });

  it.each([
    ['the headers', 'GET /svc/info/ping HTTP/1.1\r\nHost: x\r\nX-Slow: '],
    [
      'the body',
      `PUT /svc/repo/slow/one HTTP/1.1\r\nHost: x\r\nX-Svc-Username: svc-admin\r\nX-Svc-Password: ${ADMIN_PASSWORD}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`,
    ],
  ])('does not wait for a client that sends %s too slowly', async (_what, start) => {
    expect(statusOf(await sendRaw(server.url, start))).toBe(408);
  });
});
