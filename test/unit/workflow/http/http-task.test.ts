import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '#json/index.ts';
import { BpmnError, type DelegateCall } from '../../../../src/workflow/engine/index.ts';
import { processGuard, runHttpTask } from '../../../../src/workflow/http/index.ts';
import { givenFields } from '../engine/given-fields.ts';

let server: Server;
let base: string;
let answer: RequestListener;
const local = processGuard(['127.0.0.0/8']);

beforeAll(async () => {
  server = createServer((request, response) => answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function run(fields: JsonObject, guard = local, scope: JsonObject = {}) {
  const variables: Record<string, JsonValue> = {};
  const transients: Record<string, JsonValue> = {};
  const call = {
    element: 'ask',
    kind: 'http',
    name: 'http',
    fields: await givenFields('http', { requestUrl: `${base}/thing`, ...fields }, scope),
    execution: {
      setVariable: (name: string, value: JsonValue) => {
        variables[name] = value;
      },
      setTransientVariable: (name: string, value: JsonValue) => {
        transients[name] = value;
      },
    },
  } as unknown as DelegateCall;
  await runHttpTask(call, guard, 'a-request/0');
  return { variables, transients };
}

const reply = (status: number, body = '', headers = {}) => {
  answer = (_request, response) => response.writeHead(status, headers).end(body);
};

/** An expression of a process file. */
const $ = (expression: string) => `\${${expression}}`;

describe('a task of type http', () => {
  test('sends what its fields say and keeps the answer', async () => {
    let seen: IncomingMessage | undefined;
    let body = '';
    answer = async (request, response) => {
      seen = request;
      body = await text(request);
      response.writeHead(201, 'Made', { 'X-Kind': 'test' }).end('{"id":7}');
    };
    const { variables } = await run({
      requestMethod: 'post',
      requestHeaders: 'Content-Type: application/json\nX-Token: abc',
      requestBody: { name: 'Ada' },
      saveResponseVariableAsJson: 'true',
      responseVariableName: 'made',
      saveResponseParameters: 'true',
      saveRequestVariables: 'true',
    });
    expect(seen).toMatchObject({ method: 'POST', url: '/thing' });
    expect(seen!.headers).toMatchObject({
      'content-type': 'application/json',
      'x-token': 'abc',
      'x-svc-transactionid': 'a-request/0',
    });
    expect(body).toBe('{"name":"Ada"}');
    expect(variables).toMatchObject({
      made: { id: 7 },
      askRequestMethod: 'POST',
      askRequestUrl: `${base}/thing`,
      askResponseProtocol: 'HTTP/1.1',
      askResponseStatusCode: 201,
      askResponseReason: 'Made',
      askResponseHeaders: expect.stringContaining('x-kind: test'),
    });
  });

  test('stores the body under its own name when no other is given, or for this step alone', async () => {
    reply(200, 'Grüße', { 'Content-Type': 'text/plain; charset=utf-8' });
    expect((await run({})).variables).toEqual({ askResponseBody: 'Grüße' });
    const { variables, transients } = await run({
      saveResponseParametersTransient: 'true',
      resultVariablePrefix: 'x',
    });
    expect([variables, transients]).toEqual([{}, { xResponseBody: 'Grüße' }]);
  });

  test('takes any status for an answer, unless it is to fail or to be handled', async () => {
    reply(404, 'gone');
    expect((await run({})).variables).toEqual({ askResponseBody: 'gone' });
    await expect(run({ failStatusCodes: '500, 4XX' })).rejects.toMatchObject({
      code: 500,
      message: `'${base}/thing' of 'ask' answered 404 Not Found`,
      detail: { id: 'WORKFLOW_HTTP_STATUS', status: 404 },
    });
    const handled = await run({ failStatusCodes: '4XX', handleStatusCodes: '404' }).catch((error) => error);
    expect(handled).toBeInstanceOf(BpmnError);
    expect(handled.code).toBe('HTTP404');
  });

  test('may go on when there is no answer', async () => {
    const { variables } = await run({ requestUrl: 'http://127.0.0.1:1/', ignoreException: 'true' });
    expect(variables['askErrorMessage']).toContain("'http://127.0.0.1:1/' could not be reached");
  });

  test('follows redirects, without secrets to another place', async () => {
    const other = createServer((request, response) =>
      response.end(
        `${request.method} ${request.headers.authorization ?? request.headers['x-api-key'] ?? 'no secret'}`,
      ),
    ).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const elsewhere = `http://127.0.0.1:${(other.address() as AddressInfo).port}/`;
    answer = (request, response) => {
      if (request.url === '/here') response.end(`${request.method} ${request.headers.authorization}`);
      else response.writeHead(302, { Location: request.url === '/thing' ? '/here' : elsewhere }).end();
    };
    const fields = {
      requestMethod: 'POST',
      requestHeaders: 'Authorization: secret\nX-Api-Key: key',
      requestBody: 'x',
    };
    expect((await run(fields)).variables['askResponseBody']).toBe('GET secret');
    expect((await run({ ...fields, requestUrl: `${base}/away` })).variables['askResponseBody']).toBe(
      'GET no secret',
    );
    const { variables } = await run({ ...fields, disallowRedirects: 'true', saveResponseParameters: 'true' });
    expect(variables['askResponseStatusCode']).toBe(302);
    other.close();
  });

  test('gives up on endless redirects, silence and floods', async () => {
    answer = (_request, response) => response.writeHead(302, { Location: '/again' }).end();
    await expect(run({})).rejects.toMatchObject({
      message: expect.stringContaining('redirects more than 5'),
    });
    answer = () => {};
    await expect(run({ requestTimeout: '50' })).rejects.toMatchObject({
      code: 504,
      message: `'${base}/thing' did not answer within 50 ms`,
    });
    reply(200, 'x'.repeat(5_000_001));
    await expect(run({})).rejects.toMatchObject({
      message: expect.stringContaining('more than 5000000 bytes'),
    });
  });

  test.each<[JsonObject, string]>([
    [{ requestUrl: '' }, 'has no requestUrl'],
    [{ requestUrl: 'file:///etc/passwd' }, 'no http or https address'],
    [{ requestUrl: 'thing' }, 'no http or https address'],
    [{ requestMethod: 'TRACE' }, "the method 'TRACE'"],
    [{ requestTimeout: 'soon' }, "the requestTimeout 'soon'"],
    [{ requestHeaders: 'no colon' }, "the request header 'no colon'"],
    [{ requestHeaders: 'Authorization: ours\nX: y\nauthorization: theirs' }, "'authorization' twice"],
    [{ requestHeaders: 'X: y\nContent-Length: 0' }, "'Content-Length', which is the server's own"],
    [{ requestHeaders: 'Accept' }, "the request header 'Accept'"],
    [{ requestUrl: 'http://127.0.0.1/a\nb' }, 'control characters in the requestUrl'],
    [{ saveResponseVariableAsJson: 'true' }, 'no JSON'],
  ])('refuses %j', async (fields, message) => {
    reply(200, 'no json');
    await expect(run(fields)).rejects.toMatchObject({ message: expect.stringContaining(message) });
  });
});

describe('the headers of a task of type http', () => {
  test.each(['a\r\nX-Admin: 1', 'a\nX-Admin: 1', '\nX-Admin: 1', 'a\r', 'a\u0000b', 'Ł'])(
    'are none of whoever sets a variable to %j',
    async (value) => {
      let asked = 0;
      answer = (_request, response) => response.end(String(++asked));
      const requestHeaders = `Accept: text/plain\nX-Name: Miss ${$('name')}`;
      await expect(run({ requestHeaders }, local, { name: value })).rejects.toMatchObject({
        message: expect.stringContaining("in the request header 'X-Name'"),
        detail: { id: 'WORKFLOW_HTTP_TASK', element: 'ask' },
      });
      const line = run({ requestHeaders: `Accept: text/plain\n${$('line')}` }, local, {
        line: `X-Name: ${value}`,
      });
      await expect(line).rejects.toMatchObject({ detail: { id: 'WORKFLOW_HTTP_TASK' } });
      expect(asked).toBe(0);
    },
  );

  test.each<[string, JsonValue]>([
    ['lines', 'X-One: 1\n\nX-Two: a:b'],
    ['an object', { 'X-One': 1, 'X-Two': 'a:b' }],
    ['a list', ['X-One: 1', { 'X-Two': 'a:b' }]],
  ])('are those of one variable where the process gives it the whole field, as %s', async (_kind, given) => {
    let seen: IncomingMessage | undefined;
    answer = (request, response) => {
      seen = request;
      response.end();
    };
    await run({ requestHeaders: `\n  ${$('given')}\n` }, local, { given });
    expect(seen!.headers).toMatchObject({ 'x-one': '1', 'x-two': 'a:b' });
  });

  test('may have expressions in their names and values, and lines that give nothing', async () => {
    let seen: IncomingMessage | undefined;
    answer = (request, response) => {
      seen = request;
      response.end();
    };
    const requestHeaders = `X-${$('name')}: ${$("name == 'One' ? 'yes: ' : 'no'")}${$('name')}\n${$('none')}`;
    await run({ requestHeaders }, local, { name: 'One', none: null });
    expect(seen!.headers).toMatchObject({ 'x-one': 'yes: One' });
  });
});

describe('the guard', () => {
  const strict = processGuard();

  test.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0/',
    'http://[::1]/',
    'http://[::]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::127.0.0.1]/',
    'http://[64:ff9b::169.254.169.254]/',
    'http://[2002:a9fe:a9fe::1]/',
    'http://169.254.169.254/latest/meta-data/',
    'http://[fe80::1]/',
    'http://[fd00:ec2::254]/',
    'http://100.100.100.200/',
    'http://localhost/',
    'http://224.0.0.1/',
  ])('refuses %s', async (requestUrl) => {
    await expect(run({ requestUrl }, strict)).rejects.toMatchObject({
      code: 500,
      detail: { id: 'WORKFLOW_HTTP_DENIED' },
    });
  });

  test('is not sent where a value would move the host that the process names', async () => {
    let asked = 0;
    answer = (_request, response) => response.end(String(++asked));
    const requestUrl = `http://api.example.com${$('path')}`;
    const path = `.${base.slice('http://'.length)}/`;
    await expect(run({ requestUrl }, local, { path })).rejects.toMatchObject({
      message: expect.stringContaining(`'${path}'`),
      detail: { id: 'WORKFLOW_HTTP_TASK', element: 'ask' },
    });
    await run({ requestUrl: `${base}${$('path')}` }, local, { path: '/thing' });
    expect(asked).toBe(1);
  });

  test('looks at redirects too, and at names when they are resolved for the connection', async () => {
    answer = (_request, response) => response.writeHead(302, { Location: 'http://169.254.169.254/' }).end();
    await expect(run({})).rejects.toMatchObject({ detail: { id: 'WORKFLOW_HTTP_DENIED' } });
    answer = (_request, response) => response.writeHead(302, { Location: 'http://[::1]:1/' }).end();
    await expect(run({})).rejects.toMatchObject({ detail: { id: 'WORKFLOW_HTTP_DENIED' } });
  });

  test.each(['http://[', 'http://%zz/', '//:0:0/', 'http://a:99999/'])(
    'says of a redirect to %s that it is no address',
    async (location) => {
      answer = (_request, response) => response.writeHead(302, { Location: location }).end();
      await expect(run({})).rejects.toMatchObject({
        code: 503,
        message: expect.stringContaining('which is no address'),
        detail: { id: 'WORKFLOW_HTTP_FAILED' },
      });
    },
  );

  test.each([
    ['10.0.0.7', false],
    ['172.31.255.1', false],
    ['192.168.1.1', false],
    ['100.64.0.1', false],
    ['168.63.129.16', false],
    ['192.0.0.192', false],
    ['198.18.0.1', false],
    ['fd12:3456::1', false],
    ['fec0::1', false],
    ['64:ff9b:1::a9fe:a9fe', false],
    ['64:ff9b::10.0.0.7', false],
    ['0:0:0:0:0:ffff:127.0.0.1', false],
    ['64:ff9b::1', false],
    ['64:ff9b::8.8.8.8', true],
    ['2606:4700::1111', true],
    ['93.184.216.34', true],
    ['fe80::1%eth0', false],
  ])('of %s says %s', (address, allowed) => {
    expect(strict.isAllowed(address)).toBe(allowed);
  });

  test('can be told otherwise, and says what it cannot read', () => {
    expect(processGuard(['169.254.169.254', '::1/128']).isAllowed('169.254.169.254')).toBe(true);
    for (const network of ['example.com', '10.0.0.0/33', '::1/129', '10.0.0.0/x']) {
      expect(() => processGuard([network])).toThrow(`'${network}' in http.allow`);
    }
  });
});
