import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Api, CallOptions } from '../support/api.ts';
import { type OperatorSite, ORDINARY, startOperatorSite } from '../support/operator-site.ts';
import { processFile } from '../support/workflow.ts';
import { boundary, end, path, start, tag, timer, user } from '../unit/workflow/engine/bpmn.ts';

const timed = processFile(
  'timed',
  start() +
    user('work') +
    boundary('late', 'work', timer('PT1H')) +
    user('escalated') +
    end() +
    path('s', 'work', 'e') +
    path('late', 'escalated', 'e'),
);

const decided = processFile(
  'decided',
  start() +
    tag(
      'scriptTask',
      'decide',
      { scriptFormat: 'javascript' },
      "<script>execution.setVariable('verdict', 'no')</script>",
    ) +
    user('after') +
    end() +
    path('s', 'decide', 'after', 'e'),
);

let site: OperatorSite;
let api: Api;
let workflow: OperatorSite['workflow'];
let id: string;
const patch = (operations: unknown, options: CallOptions = {}, parameters = '') =>
  api('PATCH', `workflow/processinstance/${id}${parameters}`, { body: operations, ...options });
const set = (name: string, value: unknown) => ({
  operation: 'replace',
  field: `/processVariables/${name}`,
  value,
});
const variables = async () => (await workflow.get(`processinstance/${id}`)).processVariables;

beforeAll(async () => {
  const rules = readFileSync(new URL('../../script/access.js', import.meta.url), 'utf8').replace(
    /configs: *\[/,
    "configs: [{ pattern: 'workflow/processinstance/*', roles: 'svc-tasks-manager', methods: 'patch' },",
  );
  site = await startOperatorSite({ timed, decided }, { 'script/access.js': rules });
  ({ api, workflow } = site);
  id = await workflow.start('timed', {
    who: 'Anna',
    list: [1, 2],
    when: '2026-01-01T00:00:00.000Z',
    old: 'x',
  });
});
afterAll(() => site?.[Symbol.asyncDispose]());

describe('a patch of an instance', () => {
  test('sets, removes and reaches into variables, and answers the instance with its new revision', async () => {
    const before = await workflow.get(`processinstance/${id}`);
    const { status, body, headers } = await patch(
      [
        set('who', 'Bea'),
        { operation: 'add', field: '/processVariables/list/-', value: 3 },
        { operation: 'remove', field: '/processVariables/old' },
        set('fresh', { deep: true }),
      ],
      { headers: { 'If-Match': `"${before._rev}"` } },
    );
    expect(status).toBe(200);
    expect(body.processVariables).toEqual({
      who: 'Bea',
      list: [1, 2, 3],
      fresh: { deep: true },
      when: Date.parse('2026-01-01'),
    });
    expect(Number(body._rev)).toBe(Number(before._rev) + 1);
    expect(headers.get('etag')).toBe(`"${body._rev}"`);
    const types = await site.server.database.pool.query(
      "select type from workflow_variable where instance_id = $1 and name = 'when'",
      [id],
    );
    expect(types.rows).toEqual([{ type: 'date' }]);
  });

  test('of a revision that is over is a 412 and changes nothing', async () => {
    const answer = await patch([set('who', 'Eve')], { headers: { 'If-Match': '"0"' } });
    expect([answer.status, answer.body.detail.id]).toEqual([412, 'WORKFLOW_OUTDATED']);
    expect(await variables()).toMatchObject({ who: 'Bea' });
  });

  test.each([
    [{ operation: 'replace', field: '/businessKey', value: 'b' }],
    [{ operation: 'replace', field: '/processVariables', value: {} }],
    [{ operation: 'replace', field: '/processVariables/svccontext', value: {} }],
    [{ operation: 'copy', from: '/name', field: '/processVariables/who' }],
  ])('with %j is refused as a whole', async (operation) => {
    const answer = await patch([set('who', 'Eve'), operation]);
    expect([answer.status, answer.body.detail.id]).toEqual([400, 'WORKFLOW_NOT_PATCHABLE']);
    expect(await variables()).toMatchObject({ who: 'Bea' });
  });

  test('that changes nothing leaves the revision', async () => {
    const { _rev } = await workflow.get(`processinstance/${id}`);
    expect((await patch([set('who', 'Bea')])).body._rev).toBe(_rev);
  });

  test('is rehearsed, told in the history, and for administrators', async () => {
    const rehearsed = (await patch([set('who', 'Cleo')], {}, '?_dryRun=true')).body;
    expect(rehearsed.result.processVariables).toMatchObject({ who: 'Cleo' });
    expect(await variables()).toMatchObject({ who: 'Bea' });
    for (const options of ORDINARY) expect((await patch([set('who', 'Eve')], options)).status).toBe(403);
    const { events, eventsHint } = await workflow.get(`processinstance/${id}?_fields=events`);
    expect(events).toMatchObject([
      {
        userId: 'svc-admin',
        stimulus: { kind: 'variables', set: ['fresh', 'list', 'who'], removed: ['old'] },
      },
    ]);
    expect(eventsHint).toContain('what operators do');
  });

  test('by others, where a rule lets them, leaves what belongs to the process', async () => {
    const authzRoles = ['svc-authorized', 'svc-tasks-manager'].map((role) => ({
      _ref: `repo/internal/role/${role}`,
    }));
    const password = 'Passw0rd-of-users';
    const person = {
      userName: 'meg',
      givenName: 'Meg',
      sn: 'Test',
      mail: 'meg@example.com',
      password,
      authzRoles,
    };
    await api('PUT', 'managed/user/meg', { body: person });
    const instance = await workflow.start('decided', { note: 'old' });
    const asMeg = (operations: unknown) =>
      api('PATCH', `workflow/processinstance/${instance}`, { body: operations, user: 'meg', password });
    expect((await asMeg([set('note', 'new')])).status).toBe(200);
    for (const operation of [
      set('verdict', 'yes'),
      { operation: 'remove', field: '/processVariables/verdict' },
    ]) {
      const answer = await asMeg([set('note', 'newer'), operation]);
      expect([answer.status, answer.body.detail.id]).toEqual([400, 'WORKFLOW_NOT_WRITABLE']);
    }
    expect((await workflow.get(`processinstance/${instance}`)).processVariables).toEqual({
      note: 'new',
      verdict: 'no',
    });
  });

  test('of an instance that has ended is a 404', async () => {
    const ended = await workflow.start('timed');
    await workflow.completeAt(ended, 'work');
    const answer = await api('PATCH', `workflow/processinstance/${ended}`, { body: [set('who', 'Eve')] });
    expect([answer.status, answer.body.detail.id]).toEqual([404, 'WORKFLOW_NOT_RUNNING']);
  });
});

describe('a timer', () => {
  const timerOf = async (instance: string): Promise<string> => {
    const { waitsFor } = await workflow.get(`processinstance/${instance}?_fields=waitsFor`);
    return waitsFor.find(({ type }: { type: string }) => type === 'timer').jobId;
  };
  const execute = (job: string, parameters = '', options: CallOptions = {}) =>
    api('POST', `workflow/job/${job}?_action=execute${parameters}`, options);

  test('fires now when it is executed, and its caller is told what came of it', async () => {
    const instance = await workflow.start('timed');
    const job = await timerOf(instance);
    expect(await workflow.get(`job/${job}`)).toMatchObject({
      elementId: 'late',
      jobType: 'timer',
      isDeadLetter: false,
    });
    expect((await execute(job, '&_dryRun=true')).status).toBe(200);
    expect(await workflow.openTasks(instance)).toEqual(['work']);
    expect((await execute(job, '&wait=20s')).body).toEqual({
      executed: job,
      jobType: 'timer',
      outcome: 'completed',
    });
    expect(await workflow.openTasks(instance)).toEqual(['escalated']);
    const { events } = await workflow.get(`processinstance/${instance}?_fields=events`);
    expect(events).toMatchObject([
      { userId: 'svc-admin', stimulus: { kind: 'execute', element: 'late', job } },
    ]);
    expect((await execute(job)).body.detail.id).toBe('WORKFLOW_NO_JOB');
  });

  test('of a suspended instance waits, and others than administrators execute none', async () => {
    const instance = await workflow.start('timed');
    const job = await timerOf(instance);
    for (const options of ORDINARY) {
      expect((await execute(job, '', options)).status).toBe(403);
      expect((await api('GET', `workflow/job/${job}`, options)).status).toBe(403);
    }
    await api('POST', `workflow/processinstance/${instance}?_action=suspend`);
    const answer = await execute(job);
    expect([answer.status, answer.body.detail.id]).toEqual([409, 'WORKFLOW_INSTANCE_SUSPENDED']);
  });
});
