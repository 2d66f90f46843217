import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { type OperatorSite, ORDINARY, startOperatorSite } from '../support/operator-site.ts';
import { makeDue, processFile } from '../support/workflow.ts';
import {
  boundary,
  caught,
  end,
  message,
  path,
  signal,
  start,
  tag,
  timer,
  user,
} from '../unit/workflow/engine/bpmn.ts';

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
const caller = processFile(
  'caller',
  start() + tag('callActivity', 'call', { calledElement: 'timed' }) + end() + path('s', 'call', 'e'),
);
const told = processFile(
  'told',
  start() + caught('hear', message()) + user('heard') + end() + path('s', 'hear', 'heard', 'e'),
);

const alarmed = processFile(
  'alarmed',
  start() + caught('hear', signal()) + user('heard') + end() + path('s', 'hear', 'heard', 'e'),
);

let site: OperatorSite;
let api: Api;
let workflow: OperatorSite['workflow'];
const act = (path: string, action: string, parameters = '') =>
  api('POST', `workflow/${path}?_action=${action}${parameters}`);
const ofInstance = (id: string, action: string, parameters = '') =>
  act(`processinstance/${id}`, action, parameters);
/** The queue has tried what is due, and has put it off. */
const putOff = (id: string) =>
  eventually(
    async () => {
      const { rows } = await site.server.database.pool.query(
        `select 1 from work_job where data->>'instance' = $1 and node_id is null
         and due_at between now() + interval '1 minute' and now() + interval '10 minutes'`,
        [id],
      );
      return rows.length;
    },
    (count) => count > 0,
  );

beforeAll(async () => {
  site = await startOperatorSite({ timed, caller, told, alarmed });
  ({ api, workflow } = site);
});
afterAll(() => site?.[Symbol.asyncDispose]());

describe('a suspended instance', () => {
  test('completes no task, says who has suspended it, and goes on when it is activated', async () => {
    const id = await workflow.start('timed');
    expect((await ofInstance(id, 'suspend')).body).toEqual({ suspended: true });
    const refused = await workflow.completeAt(id, 'work');
    expect([refused.status, refused.body.detail.id]).toEqual([409, 'WORKFLOW_INSTANCE_SUSPENDED']);
    expect(refused.body.message).toMatch(/is suspended since .* by svc-admin/);
    const shown = await workflow.get(`processinstance/${id}?_fields=*,waitsFor`);
    expect(shown.suspended).toBe(true);
    expect(shown.waitsFor[0]).toMatchObject({
      type: 'suspended',
      at: expect.stringMatching(/Z$/),
      by: 'svc-admin',
      ref: `workflow/processinstance/${id}`,
    });
    expect((await ofInstance(id, 'activate')).body).toEqual({ suspended: false });
    expect((await workflow.completeAt(id, 'work')).status).toBe(200);
  });

  test('keeps its timer waiting, which fires as soon as it is activated', async () => {
    const id = await workflow.start('timed');
    await ofInstance(id, 'suspend');
    await site.server.database.pool.query('update workflow_job set due_at = now() where instance_id = $1', [
      id,
    ]);
    await makeDue(site.server.database.pool, id);
    await putOff(id);
    expect(await workflow.openTasks(id)).toEqual(['work']);
    await ofInstance(id, 'activate');
    await workflow.reached(id, 'escalated');
  });

  test('stands still with what it has called, and as a whole', async () => {
    const id = await workflow.start('caller');
    const [child] = await workflow.list('processinstance', `superProcessInstanceId=${id}`);
    const one = await ofInstance(child._id, 'suspend');
    expect([one.status, one.body.detail]).toMatchObject([
      409,
      { id: 'WORKFLOW_CALLED', hint: `Ask it of '${id}'` },
    ]);
    await ofInstance(id, 'suspend');
    expect((await workflow.completeAt(child._id, 'work')).status).toBe(409);
    await ofInstance(id, 'activate');
    expect((await workflow.completeAt(child._id, 'work')).status).toBe(200);
  });

  test('takes no message, which others that wait for it get', async () => {
    const [first, second] = [await workflow.start('told'), await workflow.start('told')];
    const send = () => api('POST', 'workflow/message?_action=send', { body: { name: 'hello' } });
    await ofInstance(first, 'suspend');
    expect((await send()).body).toEqual({ processInstanceId: second });
    const refused = await send();
    expect([refused.status, refused.body.detail.id]).toEqual([409, 'WORKFLOW_INSTANCE_SUSPENDED']);
    await ofInstance(first, 'activate');
    expect((await send()).body).toEqual({ processInstanceId: first });
  });

  test('hears of a signal when it goes on', async () => {
    const id = await workflow.start('alarmed');
    const send = () => api('POST', 'workflow/signal?_action=send', { body: { name: 'alarm' } });
    await ofInstance(id, 'suspend');
    expect((await send()).body).toEqual({ processInstanceIds: [id] });
    await putOff(id);
    expect(await workflow.openTasks(id)).toEqual([]);
    await ofInstance(id, 'activate');
    await workflow.reached(id, 'heard');
  });

  test('is one in psql as well', async () => {
    const id = await workflow.start('timed');
    const state = async () =>
      (
        await site.server.database.pool.query(
          'select state from svc_process_instance where instance_id = $1',
          [id],
        )
      ).rows;
    await ofInstance(id, 'suspend');
    expect(await state()).toEqual([{ state: 'suspended' }]);
    await ofInstance(id, 'activate');
    expect(await state()).toEqual([{ state: 'running' }]);
  });

  test('can be deleted', async () => {
    const id = await workflow.start('timed');
    await ofInstance(id, 'suspend');
    expect((await api('DELETE', `workflow/processinstance/${id}`)).status).toBe(200);
    const gone = await ofInstance(id, 'activate');
    expect([gone.status, gone.body.detail.id]).toEqual([404, 'WORKFLOW_NOT_RUNNING']);
  });

  test('is told in its history and in the audit, once; rehearsed, nothing happens', async () => {
    const id = await workflow.start('timed');
    const rehearsed = await ofInstance(id, 'suspend', '&_dryRun=true');
    expect(rehearsed.body.changes).toMatchObject([
      { resource: `workflow/processinstance/${id}`, after: { act: { kind: 'suspend' } } },
    ]);
    expect((await workflow.get(`processinstance/${id}`)).suspended).toBeUndefined();
    for (const action of ['suspend', 'suspend', 'activate', 'activate']) await ofInstance(id, action);
    const { events } = await workflow.get(`processinstance/${id}?_fields=events`);
    expect(events).toMatchObject([
      { userId: 'svc-admin', stimulus: { kind: 'suspend', transaction: expect.any(String) } },
      { userId: 'svc-admin', stimulus: { kind: 'activate' } },
    ]);
    const audit = await api(
      'GET',
      `audit/activity?_queryFilter=${encodeURIComponent(`transactionId eq "${events[0].stimulus.transaction}"`)}`,
    );
    expect(audit.body.result).toMatchObject([
      { objectId: `workflow/processinstance/${id}`, userId: 'svc-admin' },
    ]);
  });
});

describe('a suspended definition', () => {
  test('starts nothing, and keeps all of its instances from going on', async () => {
    const id = await workflow.start('timed');
    const [{ _id: definition }] = await workflow.list('processdefinition', 'key=timed');
    expect((await act(`processdefinition/${definition}`, 'suspend')).body).toEqual({ suspended: true });
    const started = await api('POST', 'workflow/processinstance', { body: { _key: 'timed' } });
    expect([started.status, started.body.detail.id]).toEqual([409, 'WORKFLOW_SUSPENDED']);
    expect((await workflow.completeAt(id, 'work')).body.detail.hint).toContain(
      `processdefinition/${definition}?_action=activate`,
    );
    await ofInstance(id, 'suspend');
    expect((await ofInstance(id, 'activate')).body).toEqual({ suspended: true });
    expect(await workflow.get(`processdefinition/${definition}`)).toMatchObject({
      suspended: true,
      suspendedBy: 'svc-admin',
    });
    await site.server.database.pool.query('update workflow_job set due_at = now() where instance_id = $1', [
      id,
    ]);
    await makeDue(site.server.database.pool, id);
    await putOff(id);
    expect((await act(`processdefinition/${definition}`, 'activate')).body).toEqual({ suspended: false });
    await workflow.reached(id, 'escalated');
    await workflow.start('timed');
  });
});

test('only administrators suspend and activate', async () => {
  const id = await workflow.start('timed');
  const [{ _id: definition }] = await workflow.list('processdefinition', 'key=timed');
  for (const options of ORDINARY) {
    for (const at of [`processinstance/${id}`, `processdefinition/${definition}`]) {
      for (const action of ['suspend', 'activate']) {
        expect((await api('POST', `workflow/${at}?_action=${action}`, options)).status).toBe(403);
      }
    }
  }
});
