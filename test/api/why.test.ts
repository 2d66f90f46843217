import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Api, CallOptions } from '../support/api.ts';
import { asAnn, asNobody, type OperatorSite, startOperatorSite } from '../support/operator-site.ts';
import { processFile } from '../support/workflow.ts';
import { boundary, end, path, start, tag, timer, user } from '../unit/workflow/engine/bpmn.ts';

const offered = processFile(
  'offered',
  start() +
    tag('userTask', 'decide', {
      'flowable:candidateUsers': 'ann',
      'flowable:candidateGroups': 'deciders',
      'flowable:dueDate': '2020-01-01T00:00:00Z',
    }) +
    boundary('late', 'decide', timer('PT1H')) +
    end() +
    path('s', 'decide', 'e') +
    path('late', 'e'),
);
const nobodys = processFile('nobodys', start() + user('lost') + end() + path('s', 'lost', 'e'));
const granting = processFile(
  'granting',
  start() +
    tag(
      'scriptTask',
      'grant',
      { scriptFormat: 'javascript' },
      "<script>svc.patch('managed/user/ann', null, [{ operation: 'add', field: '/roles/-', value: { _ref: 'managed/role/auditor' } }])</script>",
    ) +
    end() +
    path('s', 'grant', 'e'),
);

let site: OperatorSite;
let api: Api;
let workflow: OperatorSite['workflow'];
const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
const texts = (answer: { body: { chain: { text: string }[] } }) => answer.body.chain.map(({ text }) => text);

beforeAll(async () => {
  site = await startOperatorSite({ offered, nobodys, granting });
  ({ api, workflow } = site);
  for (const name of ['auditor', 'other']) {
    await api('PUT', `managed/role/${name}`, { body: { name, description: name } });
  }
});
afterAll(() => site?.[Symbol.asyncDispose]());

describe('why a task is there', () => {
  const why = (task: string, options: CallOptions = {}) =>
    api('POST', `workflow/taskinstance/${task}?_action=why`, options);
  const begin = async (key: string) => {
    const instance = await workflow.start(key);
    const [{ _id: task }] = await workflow.tasks(instance);
    return { instance, task };
  };

  test('is told administrators: who could take it, what it has come by, and what is to come, in the order of time', async () => {
    const { instance, task } = await begin('offered');
    const answer = await why(task);
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        outcome: 'offered',
        why: 'Nobody has claimed it; ann, the role deciders can',
        chain: [
          { at: '2020-01-01T00:00:00.000Z', text: 'it was due' },
          {
            at: instant,
            text: 'the process was started by svc-admin',
            ref: `workflow/processinstance/${instance}`,
          },
          {
            at: instant,
            text: "the process came to 'decide', and the task was created, offered to ann, the role deciders",
          },
          {
            at: instant,
            text: "the timer 'late' fires, which takes the task away",
            ref: expect.stringMatching(/^workflow\/job\//),
          },
        ],
      },
    ]);
  });

  test('is told those who could take it, without what is not for them to see', async () => {
    const { task } = await begin('offered');
    const { status, body } = await why(task, asAnn);
    expect([status, body.outcome]).toEqual([200, 'offered']);
    expect(JSON.stringify(body)).not.toContain('ref');
    expect(JSON.stringify(body)).not.toContain('svc-admin');
    expect((await why(task, asNobody)).status).toBe(403);
    const { task: others } = await begin('nobodys');
    expect((await why(others, asAnn)).status).toBe(403);
  });

  test('changes with who has it, and with what keeps it from being completed', async () => {
    const { instance, task } = await begin('offered');
    await api('POST', `workflow/taskinstance/${task}?_action=claim`, { body: { userId: 'ann' } });
    const claimed = await why(task, asAnn);
    expect(claimed.body.outcome).toBe('claimed');
    expect(claimed.body.why).toBe(
      'ann has it, and has not completed it; put back, it is for ann, the role deciders',
    );
    expect(texts(claimed)).toContain('ann took it');
    await api('POST', `workflow/processinstance/${instance}?_action=suspend`);
    const suspended = await why(task);
    expect(suspended.body.outcome).toBe('suspended');
    expect(suspended.body.chain.at(-2)).toEqual({
      at: instant,
      text: 'the process was suspended by svc-admin, and goes on when it is activated',
      ref: `workflow/processinstance/${instance}`,
    });
  });

  test('says of a task that nobody can take that somebody must be named', async () => {
    const { task } = await begin('nobodys');
    expect((await why(task)).body).toMatchObject({ outcome: 'unassigned' });
    await workflow.complete(task);
    expect((await why(task)).status).toBe(404);
  });
});

describe('why a user has a role', () => {
  const explain = (role: string, options: CallOptions = {}) =>
    api('POST', 'managed/user/ann?_action=explain', { body: { role }, ...options });

  test('names who granted it, when, and the process that did it', async () => {
    const missing = (await explain('auditor')).body;
    expect(missing).toMatchObject({ outcome: 'notGranted', chain: [] });
    const instance = await workflow.start('granting');
    const { body } = await explain('auditor');
    expect(body).toMatchObject({
      outcome: 'granted',
      why: 'It is granted by hand',
      chain: [
        {
          at: instant,
          text: `granted by hand by svc-admin through workflow/processinstance/${instance}`,
          ref: expect.stringMatching(/^audit\/activity\//),
        },
      ],
    });
  });

  test('names the time span of a grant that is over', async () => {
    const duration = '2020-01-01T00:00:00.000Z/2020-02-01T00:00:00.000Z';
    await api('PATCH', 'managed/user/ann', {
      body: [
        {
          operation: 'add',
          field: '/roles/-',
          value: { _ref: 'managed/role/other', _refProperties: { temporalConstraints: [{ duration }] } },
        },
      ],
    });
    const { body } = await explain('other');
    expect(body.outcome).toBe('notInEffect');
    expect(body.chain[0].text).toBe(`granted by hand for a time by svc-admin, in effect ${duration}`);
  });

  test('names no process and no one to whom these are not shown', async () => {
    const { status, body } = await explain('auditor', asAnn);
    expect([status, body.outcome]).toEqual([200, 'granted']);
    expect(body.chain).toEqual([{ at: instant, text: 'granted by hand' }]);
    expect((await explain('auditor', asNobody)).status).toBe(403);
  });
});

describe('why a node works, or does not', () => {
  const why = (node: string, options: CallOptions = {}) =>
    api('POST', `cluster/${node}?_action=why`, options);

  test('tells that it is ready, then by whom it was drained', async () => {
    const [{ instanceId: node }] = (await api('GET', 'cluster')).body.results;
    await expect.poll(async () => (await why(node)).body.outcome).toBe('working');
    expect(texts(await why(node))).toContain('it joined the cluster');
    await api('POST', `cluster/${node}?_action=drain`);
    const { body } = await why(node);
    expect([body.outcome, body.why]).toEqual([
      'drained',
      'It was drained by svc-admin, and claims nothing until it is resumed',
    ]);
    expect(body.chain).toContainEqual({
      at: instant,
      text: 'it was drained by svc-admin',
      ref: expect.stringMatching(/^cluster\/event\/\d+$/),
    });
    await api('POST', `cluster/${node}?_action=resume`);
    expect((await why('nowhere')).status).toBe(404);
    for (const options of [asAnn, asNobody]) expect((await why(node, options)).status).toBe(403);
  });
});
