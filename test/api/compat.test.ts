import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#json/index.ts';
import { ADMIN_PASSWORD } from '../support/api.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const PROCESS = `<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:activiti="http://activiti.org/bpmn"
  targetNamespace="urn:test"><process id="greeting" name="Greeting" isExecutable="true">
  <startEvent id="start"/>
  <sequenceFlow id="a" sourceRef="start" targetRef="greet"/>
  <scriptTask id="greet" scriptFormat="groovy"><script>
    def found = openidm.read('repo/greeting/one')
    execution.setVariable('greeting', found == null ? 'nobody' : found.text)
  </script></scriptTask>
  <sequenceFlow id="b" sourceRef="greet" targetRef="wait"/>
  <userTask id="wait" name="\${openidm.read('repo/greeting/one').text}"/>
  <sequenceFlow id="c" sourceRef="wait" targetRef="end"/>
  <endEvent id="end"/>
</process></definitions>`;

const FILES = {
  'conf/endpoint-greet.json': { type: 'text/javascript', file: 'greet.js' },
  'script/greet.js': `
    if (typeof openidm === 'undefined') throw { code: 500, message: 'there is no openidm' };
    ({ name: openidm.read('repo/greeting/one').text, node: identityServer.getProperty('openidm.greeting.word') });`,
  'conf/endpoint-groovy.json': {
    type: 'groovy',
    source: "[found: openidm.query('repo/greeting', [_queryFilter: 'true']).result.size()]",
  },
  'workflow/greeting.bpmn20.xml': PROCESS,
};

const PROPERTIES = 'openidm.greeting.word=hello\nsvc.greeting.other=ours\nopenidm.my.secret.token=hidden\n';

interface Call {
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

async function ask(server: TestServer, method: string, path: string, { body, headers = {} }: Call = {}) {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: {
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
    body: (text === '' ? undefined : JSON.parse(text)) as any,
  };
}

const THEIRS = { 'X-OpenIDM-Username': 'svc-admin', 'X-OpenIDM-Password': ADMIN_PASSWORD };
const BASIC = {
  Authorization: `Basic ${Buffer.from(`svc-admin:${ADMIN_PASSWORD}`).toString('base64')}`,
};

describe('a server that understands the names of another one', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer({
      files: { ...FILES, 'conf/boot/boot.properties': `svc.compat=openidm\n${PROPERTIES}` },
    });
    const made = await ask(server, 'PUT', '/openidm/repo/greeting/one', {
      headers: { ...THEIRS, 'If-None-Match': '*' },
      body: { text: 'Anna' },
    });
    expect(made.status).toBe(201);
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const theirs = (method: string, path: string, { body, headers = {} }: Call = {}) =>
    ask(server, method, `/openidm/${path}`, { body, headers: { ...THEIRS, ...headers } });
  const evaluate = async (source: string, type = 'text/javascript', globals: JsonObject = {}) =>
    (await theirs('POST', 'script?_action=eval', { body: { type, source, globals } })).body;

  it('answers the same resources at both places, and says where by the name that was asked', async () => {
    const path = 'managed/user?_action=create';
    const body = { userName: 'kim', givenName: 'Kim', sn: 'Two', mail: 'kim@example.com' };
    const made = await theirs('POST', path, { body });
    expect([made.status, made.headers.get('location')]).toEqual([
      201,
      `${server.url}/openidm/managed/user/${made.body._id}`,
    ]);
    const read = await server.api('GET', `managed/user/${made.body._id}`);
    expect(read.body).toEqual(made.body);
    expect((await ask(server, 'GET', '/openidmx/info/ping', { headers: THEIRS })).status).toBe(404);
    expect((await ask(server, 'GET', '/OPENIDM/info/ping', { headers: THEIRS })).status).toBe(404);
  });

  it('takes names and passwords from both kinds of headers, and refuses both at once', async () => {
    const login = async (path: string, headers: Record<string, string>) =>
      (await ask(server, 'GET', path, { headers })).status;
    expect(await login('/svc/info/login', THEIRS)).toBe(200);
    expect(await login('/openidm/info/login', THEIRS)).toBe(200);
    expect(await login('/openidm/info/login', { ...THEIRS, 'X-OpenIDM-Password': 'wrong' })).toBe(401);
    expect(await login('/openidm/info/login', { 'X-OpenIDM-Username': 'svc-admin' })).toBe(401);
    expect(
      await login('/openidm/info/login', {
        ...THEIRS,
        'X-Svc-Username': 'anonymous',
        'X-Svc-Password': 'anonymous',
      }),
    ).toBe(400);
  });

  it('judges a request by the same rules, and records it by the same names, at whichever place it comes', async () => {
    const nobody = { 'X-OpenIDM-Username': 'anonymous', 'X-OpenIDM-Password': 'anonymous' };
    const paths = ['managed/user?_queryFilter=true', 'config/managed', 'repo/internal/user/svc-admin'];
    for (const path of paths) {
      for (const place of ['/svc', '/openidm']) {
        expect((await ask(server, 'GET', `${place}/${path}`, { headers: nobody })).status).toBe(403);
        expect((await ask(server, 'GET', `${place}/${path}`)).status).toBe(401);
      }
      for (const twisted of ['//', '/%2e%2e/svc/', '/../svc/', '/./']) {
        const { status } = await ask(server, 'GET', `/openidm${twisted}${path}`, { headers: nobody });
        expect([400, 403, 404]).toContain(status);
      }
    }
    await theirs('PUT', 'repo/greeting/two', { headers: { 'If-None-Match': '*' }, body: { text: 'Bo' } });
    const { rows } = await server.database.pool.query(
      `select distinct object_id from audit_event where topic = 'activity' and object_id like '%greeting/two'`,
    );
    expect(rows).toEqual([{ object_id: 'repo/greeting/two' }]);
    const { rows: leaks } = await server.database.pool.query(
      'select count(*)::int as n from audit_event where position($1 in event::text) > 0',
      [ADMIN_PASSWORD],
    );
    expect(leaks).toEqual([{ n: 0 }]);
  });

  it('locks a name out whichever of the headers it was guessed by', async () => {
    const guess = (path: string, headers: Record<string, string>) => ask(server, 'GET', path, { headers });
    const statuses: number[] = [];
    for (let at = 0; at < 12; at++) {
      const own = { 'X-Svc-Username': 'nemo', 'X-Svc-Password': `${at}` };
      const other = { 'X-OpenIDM-Username': 'nemo', 'X-OpenIDM-Password': `${at}` };
      const [path, headers] = at % 2 === 0 ? ['/svc/info/login', own] : ['/openidm/info/login', other];
      statuses.push((await guess(path as string, headers as Record<string, string>)).status);
    }
    expect(statuses).toContain(429);
    expect(
      (
        await guess('/openidm/info/login', {
          'X-OpenIDM-Username': 'nemo',
          'X-OpenIDM-Password': 'x',
        })
      ).status,
    ).toBe(429);
  });

  it('calls the resources by both names in scripts of both languages, and properties, too', async () => {
    expect((await theirs('GET', 'endpoint/greet')).body).toMatchObject({ name: 'Anna', node: 'hello' });
    expect((await theirs('GET', 'endpoint/groovy')).body.found).toBeGreaterThan(0);
    expect(await evaluate("openidm['delete'] === svc.delete && typeof(openidm) !== 'undefined'")).toBe(true);
    const property = (name: string) => evaluate(`identityServer.getProperty('${name}')`);
    expect(await property('svc.greeting.word')).toBe('hello');
    expect(await property('openidm.greeting.other')).toBe('ours');
    expect(await property('openidm.config.crypto.alias')).toBe('svc-sym-default');
    for (const name of ['openidm.my.secret.token', 'svc.my.secret.token', 'openidm.keys', 'wrenidm.keys']) {
      expect(await property(name)).toBe(null);
    }
  });

  it('lets no variable of a caller or of the configuration stand before the resources', async () => {
    const globals = { openidm: { read: 'forged' } };
    expect(await evaluate('typeof openidm.read', 'text/javascript', globals)).toBe('function');
    expect(await evaluate("openidm.read('repo/greeting/one').text", 'groovy', globals)).toBe('Anna');
    // Of one run nothing is left for the next.
    await evaluate("openidm = { read: function () { return 'forged'; } }; 1");
    expect(await evaluate("openidm.read('repo/greeting/one').text")).toBe('Anna');
  });

  it('runs processes that ask by the other name, whatever somebody calls a variable', async () => {
    const started = await theirs('POST', 'workflow/processinstance?_action=create', {
      body: { _key: 'greeting', openidm: 'forged' },
    });
    const clean =
      started.status === 201
        ? started
        : await theirs('POST', 'workflow/processinstance?_action=create', { body: { _key: 'greeting' } });
    expect(clean.status).toBe(201);
    const path = `workflow/processinstance/${clean.body._id}`;
    const tasks = await theirs(
      'GET',
      `workflow/taskinstance?_queryId=filtered-query&processInstanceId=${clean.body._id}`,
    );
    expect(tasks.body.result).toMatchObject([{ name: 'Anna' }]);
    expect((await theirs('DELETE', path)).status).toBe(200);
    const history = await theirs('GET', `workflow/processinstance/history/${clean.body._id}`);
    expect(history.body.deleteReason).toBe('Deleted by openidm.');
  });

  it('begins a session for who logs in with headers, and for nobody who asks for none', async () => {
    const login = await theirs('GET', 'info/login');
    const cookie = login.headers.get('set-cookie');
    expect(cookie).toMatch(/^session-jwt=.*HttpOnly; SameSite=Strict/);
    const session = { Cookie: String(cookie).split(';')[0]! };
    const again = await ask(server, 'GET', '/openidm/info/login', { headers: session });
    expect([again.status, again.body.authenticationId]).toEqual([200, 'svc-admin']);
    expect(again.headers.get('set-cookie')).toBe(null);
    const forged = await ask(server, 'POST', '/openidm/managed/user?_action=create', {
      headers: session,
      body: {},
    });
    expect([forged.status, forged.body.detail.id]).toEqual([403, 'ACCESS_FORGED_REQUEST']);
    const noSession = await theirs('GET', 'info/login', { headers: { 'X-OpenIDM-NoSession': 'true' } });
    expect(noSession.headers.get('set-cookie')).toBe(null);
    expect((await theirs('GET', 'info/ping')).headers.get('set-cookie')).toBe(null);
    const wrong = await theirs('GET', 'info/login', { headers: { 'X-OpenIDM-Password': 'wrong' } });
    expect([wrong.status, wrong.headers.get('set-cookie')]).toEqual([401, null]);
    // A browser sends these of its own accord, so whoever's page has it ask is given none.
    const basic = await ask(server, 'GET', '/openidm/info/login', { headers: BASIC });
    expect([basic.status, basic.headers.get('set-cookie')]).toEqual([200, null]);
    const ours = await ask(server, 'GET', '/svc/info/login', { headers: THEIRS });
    expect(ours.headers.get('set-cookie')).toBe(null);
  });

  it('says of a wrong password that is shown once more what clients look for', async () => {
    const { status, body } = await theirs('GET', 'info/ping', {
      headers: { 'X-OpenIDM-Reauth-Password': 'wrong' },
    });
    expect([status, body.message]).toEqual([403, 'Reauthentication failed for svc-admin']);
  });
});

describe('a server that understands its own names alone', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ files: { ...FILES, 'conf/boot/boot.properties': PROPERTIES } });
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  it('has nothing of another server', async () => {
    for (const path of ['info/ping', 'info/login', 'managed/user?_queryFilter=true', '']) {
      expect((await ask(server, 'GET', `/openidm/${path}`, { headers: THEIRS })).status).toBe(404);
      expect((await ask(server, 'GET', `/openidm/${path}`, { headers: BASIC })).status).toBe(404);
    }
    expect((await ask(server, 'GET', '/svc/info/login', { headers: THEIRS })).status).toBe(401);
    const evaluate = async (source: string, type: string) =>
      (await server.api('POST', 'script?_action=eval', { body: { type, source } })).body;
    expect(await evaluate('typeof openidm', 'text/javascript')).toBe('undefined');
    expect(await evaluate("binding.hasVariable('openidm')", 'groovy')).toBe(false);
    expect(await evaluate("identityServer.getProperty('svc.greeting.word')", 'text/javascript')).toBe(null);
    const own = await server.api('GET', 'info/login');
    expect([own.status, own.headers.get('set-cookie')]).toEqual([200, null]);
    const again = await server.api('GET', 'info/ping', { headers: { 'X-OpenIDM-Reauth-Password': 'wrong' } });
    expect(again.status).toBe(200);
  });

  it('does not start with another word, or a place where something else is answered', async () => {
    const start = (text: string) => startTestServer({ files: { 'conf/boot/boot.properties': text } });
    await expect(start('svc.compat=yes\n')).rejects.toThrow(/'svc.compat' is 'yes'/);
    await expect(start('svc.compat=openidm\nopenidm.context.path=/console\n')).rejects.toThrow(
      /'openidm.context.path' is '\/console'/,
    );
  });
});
