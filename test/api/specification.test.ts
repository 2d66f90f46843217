/** Sentences of the specification that are easily read past, each to the letter. */
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN_PASSWORD, type Api } from '../support/api.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

describe('to the letter', () => {
  let server: TestServer;
  let api: Api;

  beforeAll(async () => {
    server = await startTestServer({
      files: {
        'script/told.groovy': '[told: 1]',
        'script/told.js': '({ told: 1 });',
        'conf/endpoint-throwing.json': {
          type: 'text/javascript',
          source: 'throw { code: Number(request.additionalParameters.code), message: "as asked" };',
        },
      },
    });
    api = server.api;
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  it('the action create of schedules makes the id, and takes none', async () => {
    const schedule = {
      schedule: '0 0 2 * * ?',
      invokeService: 'script',
      invokeContext: { script: { type: 'text/javascript', source: '1' } },
    };
    const named = await api('POST', 'scheduler/job?_action=create', { body: { ...schedule, _id: 'mine' } });
    expect([named.status, named.body.detail]).toEqual([400, expect.objectContaining({ field: '/_id' })]);
    expect((await api('GET', 'scheduler/job/mine')).status).toBe(404);
    const made = await api('POST', 'scheduler/job?_action=create', { body: schedule });
    expect([made.status, made.body._id]).toEqual([
      201,
      expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}/),
    ]);
  });

  it.each([
    'scheduler/trigger',
    'scheduler/trigger/x',
    'repo/scheduler/triggers',
    'repo/scheduler/triggers/x',
  ])('%s takes no action and no change', async (path) => {
    for (const action of ['pause', 'trigger', 'run']) {
      const { status } = await api('POST', `${path}?_action=${action}`, { body: {} });
      expect([action, status]).toEqual([action, 501]);
    }
    expect((await api('PUT', `${path.replace(/\/x$/, '')}/x`, { body: {} })).status).toBe(501);
  });

  it.each([
    [408, 'Request Time-out'],
    [413, 'Request Entity Too Large'],
    [414, 'Request-URI Too Large'],
    [416, 'Requested range not satisfiable'],
    [418, '(Unused)'],
    [422, 'Unprocessable Content'],
    [423, 'Locked'],
    [426, 'Upgrade Required'],
    [451, 'Unavailable For Legal Reasons'],
    [504, 'Gateway Time-out'],
    [505, 'HTTP Version not supported'],
    [507, 'Insufficient Storage'],
    [511, 'Network Authentication Required'],
  ])('%i is %s, in the body and in the status line', async (code, reason) => {
    expect(await statusLine(`endpoint/throwing?code=${code}`)).toEqual({
      line: [code, reason],
      body: expect.objectContaining({ code, reason, message: 'as asked' }),
    });
  });

  it('a script that is sent to /script says its type, also where the name of its file does', async () => {
    for (const reference of [{ source: '1' }, { file: 'told.groovy' }, { file: 'told.js' }]) {
      const { status, body } = await api('POST', 'script?_action=eval', { body: reference });
      expect([reference, status, body]).toEqual([reference, 400, expect.anything()]);
    }
    for (const reference of [
      { type: 'groovy', file: 'told.groovy' },
      { type: 'text/javascript', file: 'told.js' },
    ]) {
      expect((await api('POST', 'script?_action=eval', { body: reference })).body).toEqual({ told: 1 });
    }
  });

  /** What fetch does not show: the phrase beside the status. */
  function statusLine(path: string): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const headers = { 'X-Svc-Username': 'svc-admin', 'X-Svc-Password': ADMIN_PASSWORD };
      request(`${server.url}/svc/${path}`, { headers }, (response) => {
        const { statusCode, statusMessage } = response;
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () =>
          resolve({ line: [statusCode, statusMessage], body: JSON.parse(Buffer.concat(parts).toString()) }),
        );
        response.on('error', reject);
      })
        .on('error', reject)
        .end();
    });
  }
});
