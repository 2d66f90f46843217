import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { processFile } from '../support/workflow.ts';
import { end, path, start, tag } from '../unit/workflow/engine/bpmn.ts';

/** Fails in the third line, inside a closure that a method of the library calls. */
const FAILING = `def limits = [a: 1]
// A comment, so that lines count.
limits.each { name, limit -> throw new IllegalStateException("no \${name}") }`;

const FILES = {
  'conf/boot/boot.properties': 'javascript.exception.debug.info=true\n',
  'conf/managed.json': {
    objects: [
      { name: 'thing', onCreate: { type: 'groovy', file: 'hooks/thing.groovy' } },
      { name: 'part', onCreate: { type: 'groovy', source: 'def x = null\nx.name' } },
    ],
  },
  'conf/endpoint-failing.json': { type: 'groovy', file: 'failing.groovy' },
  'script/hooks/thing.groovy': FAILING,
  'script/failing.groovy': FAILING,
  'workflow/failing.bpmn20.xml': processFile(
    'failing',
    start() +
      tag('scriptTask', 'work', { scriptFormat: 'groovy' }, `<script><![CDATA[${FAILING}]]></script>`) +
      end() +
      path('s', 'work', 'e'),
  ),
};

describe('An error in a Groovy script tells where it was thrown', () => {
  let server: TestServer;
  let api: Api;

  beforeAll(async () => {
    server = await startTestServer({ files: FILES });
    api = server.api;
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  it('in scripts that a caller sends', async () => {
    const { status, body } = await api('POST', 'script?_action=eval', {
      body: { type: 'groovy', source: FAILING },
    });
    expect([status, body.message]).toEqual([500, expect.stringMatching(/^no a \(\w+#3\)$/)]);
  });

  it('in hooks', async () => {
    const { status, body } = await api('POST', 'managed/thing', { body: {} });
    expect([status, body.message]).toEqual([500, expect.stringMatching(/^no a \(.*thing.groovy#3\)$/)]);
    const inline = await api('POST', 'managed/part', { body: {} });
    expect(inline.body.message).toMatch(/^Cannot get property 'name' on null object \(.*onCreate.*#2\)$/);
  });

  it('in endpoints', async () => {
    const { status, body } = await api('GET', 'endpoint/failing');
    expect([status, body.message]).toEqual([500, expect.stringMatching(/^no a \(.*failing.groovy#3\)$/)]);
  });

  it('in the ledger of schedules', async () => {
    await api('PUT', 'scheduler/job/failing', {
      body: {
        type: 'simple',
        startTime: '2020-01-01T00:00:00',
        invokeService: 'script',
        invokeContext: { script: { type: 'groovy', file: 'failing.groovy' } },
      },
    });
    await server.observed('trigger.failed', (said) => said.schedule === 'failing');
    const { body } = await api('GET', 'scheduler/firing?_queryFilter=schedule+eq+"failing"');
    expect(JSON.stringify(body.result)).toMatch(/no a \(.*failing\.groovy#3\)/);
  });

  it('in script tasks', async () => {
    const { body } = await api('POST', 'workflow/processinstance?_action=create', {
      body: { _key: 'failing' },
    });
    expect(JSON.stringify(body)).toMatch(/no a \([^()]*#3\)/);
  });
});
