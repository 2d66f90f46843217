import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Api, CallOptions } from '../support/api.ts';
import { type OperatorSite, ORDINARY, startOperatorSite } from '../support/operator-site.ts';
import { processFile, untilDeadLetter } from '../support/workflow.ts';
import { end, path, start, tag, user } from '../unit/workflow/engine/bpmn.ts';

const script = `function mailOf(person) {
  return person.mail
}
if (execution.getVariable('mended') !== true) mailOf(null)`;
const fragile = processFile(
  'fragile',
  start() +
    tag(
      'scriptTask',
      'mail',
      { scriptFormat: 'javascript', 'flowable:async': true },
      `<script><![CDATA[${script}]]></script>`,
    ) +
    user('after') +
    end() +
    path('s', 'mail', 'after', 'e'),
);

let site: OperatorSite;
let server: OperatorSite['server'];
let api: Api;
let workflow: OperatorSite['workflow'];
let instance: string;
let letter: string;
const retry = (parameters: string, options: CallOptions = {}) =>
  api('POST', `workflow/job/deadletter/${letter}?_action=retry${parameters}`, options);
const fail = async () => {
  instance = await workflow.start('fragile', { who: 'Anna' });
  await untilDeadLetter(server, instance);
  [{ _id: letter }] = await workflow.list('job/deadletter', `processInstanceId=${instance}`);
};
const mend = () =>
  api('PATCH', `workflow/processinstance/${instance}`, {
    body: [{ operation: 'add', field: '/processVariables/mended', value: true }],
  });

beforeAll(async () => {
  site = await startOperatorSite({ fragile });
  ({ server, api, workflow } = site);
  await fail();
});
afterAll(() => site?.[Symbol.asyncDispose]());

describe('a dead letter', () => {
  const at = () => `workflow/job/deadletter/${letter}?_fields=*,failure`;

  test('tells where its script failed, by which calls, how often, and with which variables', async () => {
    const { failure } = (await api('GET', at())).body;
    expect(failure).toMatchObject({
      attempts: 3,
      code: 500,
      message: expect.stringContaining("'mail' of null"),
      at: 'fragile/mail:2:16',
      script: 'fragile/mail',
      line: 2,
      column: 16,
      variables: { who: 'Anna' },
    });
    expect(failure.stack.split('\n')).toEqual([
      expect.stringMatching(/^at mailOf \(fragile\/mail:2:\d+\)$/),
      expect.stringMatching(/^at .* \(fragile\/mail:4:\d+\)$/),
    ]);
  });

  test('tells it to administrators alone', async () => {
    for (const options of ORDINARY) {
      expect((await api('GET', at(), options)).status).toBe(403);
      expect((await retry('&wait=5s', options)).status).toBe(403);
    }
  });
});

describe('a retry', () => {
  test.each(['31s', '-1s', 'soon', '5', ''])(
    'that is to wait %j is refused, and nothing is tried',
    async (wait) => {
      const answer = await retry(`&wait=${wait}`);
      expect([answer.status, answer.body.detail.id]).toEqual([400, 'WORKFLOW_BAD_PARAMETER']);
      expect((await workflow.get(`job/deadletter/${letter}`))._id).toBe(letter);
    },
  );

  test('that waits answers that the run has failed again, and where', async () => {
    const { status, body } = await retry('&wait=20s');
    expect([status, body]).toMatchObject([
      200,
      {
        'Successfully retried dead letter job': letter,
        outcome: 'failed',
        failure: { attempts: 1, line: 2, at: 'fragile/mail:2:16' },
      },
    ]);
  });

  test('that is rehearsed waits for nothing', async () => {
    const { body } = await retry('&wait=20s&_dryRun=true');
    expect(body.result).toEqual({ 'Successfully retried dead letter job': letter });
    expect(body.effects).toContain('wait for the job');
    expect((await workflow.get(`job/deadletter/${letter}`))._id).toBe(letter);
  });

  test('that has not ended in time is pending, and goes on', async () => {
    await mend();
    // Who has the lock of the instance keeps its job from being done.
    const client = await server.database.pool.connect();
    try {
      await client.query('begin');
      await client.query('select from workflow_state where instance_id = $1 for update', [instance]);
      expect((await retry('&wait=200ms')).body).toMatchObject({ outcome: 'pending' });
    } finally {
      await client.query('rollback');
      client.release();
    }
    await workflow.reached(instance, 'after');
  });

  test('that waits answers that the run is completed, and the process stands at what comes next', async () => {
    await fail();
    await mend();
    expect((await retry('&wait=20s')).body).toMatchObject({ outcome: 'completed' });
    expect(await workflow.openTasks(instance)).toEqual(['after']);
  });
});
