import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LogRing } from '../../src/observability/index.ts';
import type { Api } from '../support/api.ts';
import { callerAs, callersOf } from '../support/credentials.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let api: Api;
const { asNobody, createUser } = callersOf(() => api);
const asAda = callerAs(() => api, 'ada');

beforeAll(async () => {
  server = await startTestServer();
  api = server.api;
  await createUser('ada');
});
afterAll(() => server?.[Symbol.asyncDispose]());

const says = (source: string) =>
  api('POST', 'script?_action=eval', { body: { type: 'text/javascript', source } });

describe('/log', () => {
  it('has the lines of the log of the node, the newest first where that is asked for', async () => {
    await says("logger.warn('one of ours'); logger.debug('for nobody'); logger.warn('two of ours')");
    await server.observed('script.logged', ({ message }) => message === 'two of ours');
    const { status, body } = await api('GET', 'log?_queryFilter=msg+co+"of+ours"&_sortKeys=-_id');
    expect(status).toBe(200);
    expect(body.result).toMatchObject([
      {
        level: 'warn',
        kind: 'script.logged',
        msg: 'two of ours',
        time: expect.stringMatching(/^\d{4}-.*Z$/),
      },
      { level: 'warn', msg: 'one of ours' },
    ]);
    expect((await api('GET', 'log?_queryFilter=msg+eq+"for+nobody"')).body.result).toEqual([]);
  });

  it('is for administrators', async () => {
    expect((await asAda('GET', 'log?_queryFilter=true')).status).toBe(403);
    expect((await asNobody('GET', 'log?_queryFilter=true')).status).toBe(401);
  });

  it('is not there for scripts', async () => {
    const { status, body } = await says("svc.query('log', {_queryFilter: 'true'})");
    expect([status, body.message]).toEqual([503, 'The log is not to be had where scripts run']);
  });
});

describe('what a node keeps of its log', () => {
  const warned = (message: string) => ({ kind: 'config.warned', message }) as const;

  it('has bounds, by lines and by characters', () => {
    const ring = new LogRing('n');
    for (let index = 0; index < 10_050; index++) ring.observe(warned(`line ${index}`));
    expect([ring.lines.length, ring.lines[0]?.number]).toEqual([10_000, 51]);
    for (let index = 0; index < 10; index++) ring.observe(warned(String(index).repeat(1_000_000)));
    expect(ring.lines.length).toBeLessThan(10);
  });

  it('has no password', () => {
    const ring = new LogRing('n');
    ring.observe({ kind: 'admin.created', username: 'a', password: 'shown-once' });
    expect(ring.lines).toEqual([]);
  });
});
