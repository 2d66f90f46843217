import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { startMailServer } from '../support/mail-server.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const PAGE = 'https://pages.example.com';

describe('what clients of other servers of the field ask for', () => {
  let server: TestServer;
  let mail: Awaited<ReturnType<typeof startMailServer>>;
  let other: Server;
  let otherUrl: string;
  const asked: { method: string; url: string; headers: Record<string, unknown>; body: string }[] = [];

  beforeAll(async () => {
    mail = await startMailServer();
    other = createServer(async (message, answer) => {
      let body = '';
      for await (const chunk of message) body += String(chunk);
      asked.push({ method: message.method ?? '', url: message.url ?? '', headers: message.headers, body });
      if (message.url === '/gone') return void answer.writeHead(410).end('gone for good');
      if (message.url === '/text')
        return void answer.writeHead(200, { 'Content-Type': 'text/plain' }).end('hi');
      answer.writeHead(200, { 'Content-Type': 'application/json' }).end('{"answer":42}');
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    otherUrl = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const { host, port } = mail.settings;
    server = await startTestServer({
      files: {
        'conf/workflow.json': {
          enabled: true,
          mail: { host, port, starttls: false, from: 'svc@example.com' },
        },
        'conf/endpoint-asks.json': {
          type: 'text/javascript',
          source: `try {
            svc.action('external/rest', 'call', { url: '${otherUrl}/gone', method: 'GET' });
          } catch (error) {
            if (!request.additionalParameters.isCaught) throw error;
            ({ said: error.code + ' ' + error.detail.content });
          }`,
        },
        'conf/servletfilter-cors.json': {
          filterClass: 'org.eclipse.jetty.servlets.CrossOriginFilter',
          urlPatterns: ['/*'],
          initParams: {
            allowedOrigins: PAGE,
            allowedMethods: 'GET,POST,PUT,DELETE,PATCH',
            allowedHeaders: 'accept,x-requested-with,content-type,x-svc-username,x-svc-password',
            allowCredentials: 'true',
          },
        },
      },
      environment: { SVC_EGRESS_ALLOW: '127.0.0.1' },
    });
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    await mail.stop();
    await new Promise((resolve) => other.close(resolve));
  });

  const nobody = { user: 'anonymous', password: 'anonymous' };

  it('shows the rules of a type by its path alone', async () => {
    const ofType = await server.api('GET', 'policy/managed/user');
    const ofNew = await server.api('GET', 'policy/managed/user/*');
    expect([ofType.status, ofType.body.resource]).toEqual([200, 'managed/user']);
    expect(ofType.body.properties.length).toBeGreaterThan(0);
    expect(ofType.body.properties).toEqual(ofNew.body.properties);
    expect((await server.api('GET', 'policy/managed/nothing')).status).toBe(404);
    expect((await server.api('GET', 'policy/managed/user', nobody)).status).toBe(403);
  });

  it('sends a mail after the commit, and none of a request that fails or is rehearsed', async () => {
    const send = (body: object, more = '') =>
      server.api('POST', `external/email?_action=send${more}`, { body });
    const letter = {
      to: 'ann@example.com, bo@example.com',
      subject: 'Hello',
      body: '<p>Hi</p>',
      type: 'text/html',
    };
    expect((await send(letter, '&_dryRun=true')).body.dryRun).toBe(true);
    const sent = await send(letter);
    expect([sent.status, sent.body.status]).toEqual([200, 'OK']);
    await eventually(
      async () => mail.received.length,
      (count) => count === 1,
    );
    expect(mail.received[0]!.to).toEqual(['ann@example.com', 'bo@example.com']);
    expect(mail.received[0]!.content).toMatch(/Subject: Hello/);
    const failing = await server.api('POST', 'script?_action=eval', {
      body: {
        type: 'text/javascript',
        source: `svc.action('external/email', 'sendEmail', { to: 'cy@example.com', subject: 's', body: 'b' });
          throw { code: 400, message: 'after all not' };`,
      },
    });
    expect(failing.status).toBe(400);
    const { rows } = await server.database.pool.query(
      "select count(*)::int as n from work_job where queue = 'workflow-mail'",
    );
    expect(rows).toEqual([{ n: 0 }]);
  });

  it('refuses a mail that says something wrong, with the field', async () => {
    const send = async (body: object) => {
      const { status, body: said } = await server.api('POST', 'external/email?_action=send', { body });
      return [status, said.detail.id];
    };
    expect(await send({ subject: 'to nobody' })).toEqual([400, 'EMAIL_BAD']);
    expect(await send({ to: 'ann@example.com\r\nBcc: all@example.com', subject: 's' })).toEqual([
      400,
      'EMAIL_BAD',
    ]);
    expect(await send({ to: 'ann@example.com', type: 'text/x' })).toEqual([400, 'EMAIL_BAD']);
    expect(await send({ to: 'ann@example.com', templateName: 'welcome' })).toEqual([400, 'EMAIL_BAD']);
    const refused = await server.api('POST', 'external/email?_action=send', { body: {}, ...nobody });
    expect(refused.status).toBe(403);
  });

  it('asks another server, and says what it said', async () => {
    const call = (body: object, more = '', who = {}) =>
      server.api('POST', `external/rest?_action=call${more}`, { body, ...who });
    const answered = await call({
      url: `${otherUrl}/json`,
      method: 'POST',
      headers: { 'X-Topic': 'a' },
      body: '{"q":1}',
      authenticate: { type: 'basic', user: 'u', password: 'p' },
    });
    expect([answered.status, answered.body]).toEqual([200, { answer: 42 }]);
    expect(asked.at(-1)).toMatchObject({
      method: 'POST',
      body: '{"q":1}',
      headers: { 'x-topic': 'a', authorization: 'Basic dTpw', 'content-type': 'application/json' },
    });
    expect((await call({ url: `${otherUrl}/text`, method: 'get' })).body).toMatchObject({
      code: 200,
      body: 'hi',
    });
    const gone = await call({ url: `${otherUrl}/gone`, method: 'GET' });
    expect([gone.status, gone.body.detail]).toEqual([
      502,
      { id: 'EXTERNAL_REST_STATUS', status: 410, content: 'gone for good' },
    ]);
    const caught = await server.api('GET', 'endpoint/asks?isCaught=true');
    expect([caught.status, caught.body]).toEqual([200, { said: '410 gone for good' }]);
    const passed = await server.api('GET', 'endpoint/asks');
    expect([passed.status, passed.body.detail.id]).toEqual([502, 'EXTERNAL_REST_STATUS']);
    expect(JSON.stringify(passed.body)).not.toContain('gone');
    const before = asked.length;
    expect((await call({ url: `${otherUrl}/json`, method: 'GET' }, '&_dryRun=true')).status).toBe(501);
    expect((await call({ url: `${otherUrl}/json`, method: 'GET' }, '', nobody)).status).toBe(403);
    expect((await call({ url: `${otherUrl}/json`, method: 'GET', headers: { Host: 'x' } })).status).toBe(400);
    expect((await call({ url: `${otherUrl}/json`, method: 'GET', headers: { a: 'b\r\nc: d' } })).status).toBe(
      400,
    );
    expect((await call({ url: 'file:///etc/passwd', method: 'GET' })).status).toBe(400);
    expect(asked.length).toBe(before);
    for (const url of ['http://169.254.169.254/latest/meta-data', 'http://10.0.0.1/', 'http://[::1]:1/']) {
      const { status } = await call({ url, method: 'GET' });
      expect(status).toBe(403);
    }
  });

  it('tells nobody a secret that stands in the settings of user interfaces', async () => {
    const secrets = {
      password: 'Told-2-nobody',
      secretKey: 'Told-3-nobody',
      smtpPass: 'Told-4-nobody',
      headers: [{ name: 'X-Api-Key', value: 'Told-5-nobody' }],
      database: 'Server=db;User Id=sa;Password=Told-6-nobody',
    };
    const content = { configuration: { lang: 'de', crm: { url: 'https://crm.example.com', ...secrets } } };
    await server.api('PUT', 'config/ui/configuration', { body: content });
    const { status, body } = await server.api('GET', 'info/uiconfig', nobody);
    expect(status).toBe(200);
    expect(body.configuration).toMatchObject({ lang: 'de', crm: { url: 'https://crm.example.com' } });
    expect(JSON.stringify(body)).not.toContain('nobody');
    expect(body.configuration).toEqual(
      (await server.api('GET', 'config/ui/configuration')).body.configuration,
    );
    await server.api('DELETE', 'config/ui/configuration');
  });

  it('answers what there is none of as it is', async () => {
    expect((await server.api('POST', 'maintenance?_action=status')).body).toEqual({
      maintenanceEnabled: false,
    });
    expect((await server.api('POST', 'maintenance?_action=enable')).status).toBe(501);
    expect((await server.api('GET', 'identityProviders')).body.providers).toEqual([]);
    expect((await server.api('GET', 'security/truststore')).body.aliases).toEqual([]);
    const keystore = await server.api('GET', 'security/keystore');
    expect(keystore.body.aliases).toContain('svc-sym-default');
    expect(JSON.stringify(keystore.body)).not.toMatch(/[A-Za-z0-9+/]{40}/);
    expect((await server.api('GET', 'security/keystore', nobody)).status).toBe(403);
    expect((await server.api('PUT', 'security/keystore', { body: {} })).status).toBe(501);
    const features = await server.api(
      'GET',
      'info/features?_queryFilter=enabled+eq+true&_fields=_id',
      nobody,
    );
    expect(features.body.result).toEqual([{ _id: 'email' }, { _id: 'workflow' }]);
    expect((await server.api('GET', 'info/uiconfig', nobody)).body).toMatchObject({ configuration: {} });
    expect((await server.api('POST', 'system?_action=test')).body).toEqual([]);
    expect((await server.api('GET', 'managed/user?_api')).body).toMatchObject({
      openapi: expect.any(String),
    });
  });

  it('lets pages of the origins that are named ask, and those of no other', async () => {
    const ask = (method: string, headers: Record<string, string>) =>
      fetch(`${server.url}/svc/info/ping`, { method, headers });
    const preflight = {
      'Access-Control-Request-Method': 'PATCH',
      'Access-Control-Request-Headers': 'x-requested-with',
    };
    const allowed = await ask('OPTIONS', { Origin: PAGE, ...preflight });
    expect([allowed.status, Object.fromEntries(allowed.headers)]).toEqual([
      204,
      expect.objectContaining({
        'access-control-allow-origin': PAGE,
        'access-control-allow-methods': expect.stringContaining('PATCH'),
        'access-control-allow-headers': expect.stringContaining('x-requested-with'),
        'access-control-allow-credentials': 'true',
        'cross-origin-resource-policy': 'cross-origin',
        vary: 'Origin',
      }),
    ]);
    for (const origin of ['https://evil.example.com', `${PAGE}.evil.com`, 'null', `${PAGE}:8443`]) {
      for (const method of ['OPTIONS', 'GET']) {
        const { headers } = await ask(method, { Origin: origin, ...preflight });
        expect(headers.get('access-control-allow-origin')).toBe(null);
        expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
      }
    }
    // A refusal is shown to the page as well.
    const refused = await ask('GET', { Origin: PAGE });
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([401, PAGE]);
  });

  it('lets whoever comes from anywhere bring nothing that a browser has kept', async () => {
    await server.project.write('conf/servletfilter-cors.json', {
      initParams: { allowedOrigins: '*', allowCredentials: true },
    });
    await server.observed('config.changed', ({ id }) => id === 'servletfilter/cors');
    const { headers } = await fetch(`${server.url}/svc/info/ping`, {
      headers: { Origin: 'https://any.example.com' },
    });
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('access-control-allow-credentials')).toBe(null);
  });

  it('lets in no page that hides where it is from, though the file names it', async () => {
    await server.project.write('conf/servletfilter-cors.json', {
      initParams: { allowedOrigins: `null,${PAGE}`, allowCredentials: true },
    });
    const letIn = async (origin: string) => {
      const { headers } = await fetch(`${server.url}/svc/info/ping`, { headers: { Origin: origin } });
      return [headers.get('access-control-allow-origin'), headers.get('access-control-allow-credentials')];
    };
    await eventually(
      () => letIn(PAGE),
      ([origin]) => origin === PAGE,
    );
    expect(await letIn('null')).toEqual([null, null]);
  });
});
