// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are expressions of process files
/** Times and numbers that JSON can write and Postgres cannot keep are told to whoever sent them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../support/server.ts';
import { processFile } from '../support/workflow.ts';
import { caught, end, path, start, tag, user } from '../unit/workflow/engine/bpmn.ts';

const files = {
  due: processFile('due', start() + user('u', { 'flowable:dueDate': '${t}' }) + end() + path('s', 'u', 'e')),
  wait: processFile(
    'wait',
    start() +
      caught('u', tag('timerEventDefinition', '', {}, '<timeDate>${t}</timeDate>')) +
      end() +
      path('s', 'u', 'e'),
  ),
  ranked: processFile(
    'ranked',
    start() + user('u', { 'flowable:priority': '${t}' }) + end() + path('s', 'u', 'e'),
  ),
};
const TIMES = [1e300, -8.64e15, 8.64e15, { $date: 1e300 }, '-271821-04-20T00:00:00Z'];

describe('a value beyond what Postgres keeps', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer({
      files: Object.fromEntries(
        Object.entries(files).map(([name, text]) => [`workflow/${name}.bpmn20.xml`, text]),
      ),
    });
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const begin = (key: string, t: unknown) =>
    server.api('POST', 'workflow/processinstance', { body: { _key: key, t } });

  it.each(TIMES)('is no due date and no time of a timer: %j', async (value) => {
    for (const key of ['due', 'wait']) {
      const { status, body } = await begin(key, value);
      expect([key, status, body.detail?.id]).toEqual([key, 400, 'WORKFLOW_BAD_TIMER']);
    }
  });

  it.each([2_147_483_648, 1e300, -1e300])('is no priority: %j', async (value) => {
    const { status, body } = await begin('ranked', value);
    expect([status, body.detail?.id]).toEqual([400, 'WORKFLOW_BAD_PRIORITY']);
    expect((await begin('ranked', 2_147_483_647)).status).toBe(201);
  });

  it.each(['0000-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'])('may be asked for: %s', async (at) => {
    for (const place of ['scheduler/firing?_queryFilter=plannedAt', 'audit/access?_queryFilter=timestamp']) {
      for (const operator of ['eq', 'gt', 'ge', 'lt', 'le']) {
        const { status } = await server.api('GET', `${place}${encodeURIComponent(` ${operator} "${at}"`)}`);
        expect([place, operator, status]).toEqual([place, operator, 200]);
      }
    }
  });
});
