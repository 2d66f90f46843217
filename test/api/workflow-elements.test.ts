import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { makeDue, processFile, untilDeadLetter, workflowApi } from '../support/workflow.ts';
import { end, path, start, tag, user } from '../unit/workflow/engine/bpmn.ts';

const PASSWORD = 'Passw0rd-of-users';
const shape = (id: string, x: number) =>
  `<bpmndi:BPMNShape id="${id}_shape" bpmnElement="${id}"><dc:Bounds x="${x}" y="20" width="100" height="80"/></bpmndi:BPMNShape>`;
const drawn = `<bpmndi:BPMNDiagram xmlns:bpmndi="http://www.omg.org/spec/BPMN/20100524/DI"
  xmlns:dc="http://www.omg.org/spec/DD/20100524/DC" id="diagram"><bpmndi:BPMNPlane id="plane" bpmnElement="fragile">
  ${shape('check', 20)}${shape('break', 160)}</bpmndi:BPMNPlane></bpmndi:BPMNDiagram></definitions>`;
const fragile = processFile(
  'fragile',
  start() +
    user('check', { name: 'Check "it" <here>', 'flowable:assignee': 'ann' }) +
    tag(
      'scriptTask',
      'break',
      { scriptFormat: 'javascript', 'flowable:async': true },
      '<script>if (execution.getVariable("ok") !== true) throw { code: 500, message: "Broken" }</script>',
    ) +
    end() +
    path('s', 'check', 'break', 'e'),
).replace('</definitions>', drawn);
const called = processFile('called', start() + user('inside') + end() + path('s', 'inside', 'e'));
const caller = processFile(
  'caller',
  start() + tag('callActivity', 'call', { calledElement: 'called' }) + end() + path('s', 'call', 'e'),
);

let server: TestServer;
let api: Api;
let workflow: ReturnType<typeof workflowApi>;
let definition: string;
let running: string;
let failed: string;
const asAnn = { user: 'ann', password: PASSWORD };
const plain = async (at: string, options: { user: string; password: string }) => {
  const headers = { 'X-Svc-Username': options.user, 'X-Svc-Password': options.password };
  const answer = await fetch(`${server.url}/svc/workflow/${at}`, { headers });
  return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() };
};
const admin = { user: 'svc-admin', password: 'Correct-Horse-9' };

beforeAll(async () => {
  server = await startTestServer({
    files: {
      'workflow/fragile.bpmn20.xml': fragile,
      'workflow/called.bpmn20.xml': called,
      'workflow/caller.bpmn20.xml': caller,
    },
  });
  ({ api } = server);
  workflow = workflowApi(api);
  const person = { userName: 'ann', givenName: 'Ann', sn: 'Test', mail: 'ann@example.com' };
  const authzRoles = [{ _ref: 'repo/internal/role/svc-authorized' }];
  await api('PUT', 'managed/user/ann', { body: { ...person, password: PASSWORD, authzRoles } });
  running = await workflow.start('fragile');
  failed = await workflow.start('fragile');
  const done = await workflow.start('fragile', { ok: true });
  for (const id of [failed, done]) await workflow.completeAt(id, 'check');
  await makeDue(server.database.pool, done);
  await untilDeadLetter(server, failed);
  definition = `processdefinition/${encodeURIComponent((await workflow.list('processdefinition', 'key=fragile'))[0]._id)}`;
});
afterAll(() => server?.[Symbol.asyncDispose]());

describe('a process file', () => {
  it('is shown to administrators as it was deployed', async () => {
    const { status, type, text } = await plain(`${definition}?_mimeType=application/xml`, admin);
    expect([status, type, text]).toEqual([200, 'application/xml', fragile]);
    const named = await plain(`${definition}?_fields=xml&_mimeType=application/xml`, admin);
    expect(named.text).toBe(fragile);
    expect((await plain(`${definition}?_mimeType=application/xml`, asAnn)).status).toBe(403);
    expect((await plain(`${definition}?_mimeType=text/plain`, admin)).status).toBe(400);
  });

  it('is not shown to those who may only start the process, nor to nobody', async () => {
    expect((await api('GET', `workflow/${definition}`, asAnn)).status).toBe(200);
    const refused = await api('GET', `workflow/${definition}?_fields=xml`, asAnn);
    expect([refused.status, refused.body.detail.id]).toEqual([403, 'ACCESS_DENIED']);
    const anonymous = { user: 'anonymous', password: 'anonymous' };
    expect((await api('GET', `workflow/${definition}?_fields=xml`, anonymous)).status).toBe(403);
  });
});

describe('a picture as SVG', () => {
  const picture = async (at: string) => {
    const { status, type, text } = await plain(`${at}?_fields=diagram&_mimeType=image/svg%2Bxml`, admin);
    expect([status, type]).toEqual([200, 'image/svg+xml']);
    const named = await plain(`${at}?_fields=diagramSvg&_mimeType=image/svg%2Bxml`, admin);
    expect(named.text).toBe(text);
    return text;
  };

  it('names its elements, and has neither scripts nor references to elsewhere', async () => {
    const svg = await picture(definition);
    expect(svg).toContain('data-element-id="check" class="userTask"');
    expect(svg).toContain('Check &quot;it&quot; &lt;here&gt;');
    expect(svg).not.toMatch(
      /<script|<foreignObject|<image|<use|href=|\son\w+=|\sstyle=|<style|url\(|@import/i,
    );
  });

  it('says where an instance stands, and where it cannot go on', async () => {
    expect(await picture(`processinstance/${running}`)).toContain('"check" class="userTask active"');
    expect(await picture(`processinstance/${failed}`)).toContain('"break" class="scriptTask active failed"');
  });
});

describe('statistics of a definition', () => {
  const statistics = (body?: unknown, caller = {}) =>
    api('POST', `workflow/${definition}?_action=statistics`, { body, ...caller });

  it('tell of each element what goes on now, and what went on', async () => {
    const { status, body } = await statistics();
    expect([status, body.message]).toEqual([200, undefined]);
    const of = (id: string) => body.elements.find(({ element }: { element: string }) => element === id);
    expect(of('check')).toEqual({
      element: 'check',
      name: 'Check "it" <here>',
      running: 1,
      failed: 0,
      waiting: 0,
      entered: 3,
      left: 2,
      durationMs: { p50: expect.any(Number), p95: expect.any(Number), max: expect.any(Number) },
    });
    expect(of('break')).toMatchObject({ running: 1, failed: 1 });
  });

  it('count what was entered and left within the time that is asked for', async () => {
    const { body } = await statistics({ from: '2020-01-01T00:00:00Z', to: '2020-02-01T00:00:00Z' });
    expect(body).toMatchObject({ from: '2020-01-01T00:00:00.000Z', to: '2020-02-01T00:00:00.000Z' });
    const none = { entered: 0, left: 0, durationMs: { p50: null, p95: null, max: null } };
    expect(body.elements).toMatchObject([
      { element: 'break', failed: 1, ...none },
      { element: 'check', running: 1, ...none },
    ]);
  });

  it.each([
    [{ from: 'yesterday' }, 'WORKFLOW_BAD_PARAMETER'],
    [{ from: 7 }, 'WORKFLOW_BAD_FIELD'],
    [{ since: '2020-01-01' }, 'WORKFLOW_BAD_FIELD'],
    [{ from: '2020-02-01', to: '2020-01-01' }, 'WORKFLOW_BAD_FIELD'],
    [[], 'WORKFLOW_BAD_FIELD'],
  ])('are refused where they are asked for with %j', async (body, id) => {
    const answer = await statistics(body);
    expect([answer.status, answer.body.detail.id]).toEqual([400, id]);
  });

  it('are for administrators, and of definitions that there are', async () => {
    expect((await statistics({}, asAnn)).status).toBe(403);
    expect((await statistics({}, { user: 'anonymous', password: 'anonymous' })).status).toBe(403);
    const none = await api('POST', 'workflow/processdefinition/none:1:1?_action=statistics');
    expect([none.status, none.body.detail.id]).toEqual([404, 'WORKFLOW_NO_DEFINITION']);
  });
});

describe('a dead letter', () => {
  it('tells administrators how often it was tried, and where its script failed', async () => {
    const [letter] = await workflow.list('job/deadletter', `processInstanceId=${failed}`);
    const at = `workflow/job/deadletter/${letter._id}?_fields=*,failure`;
    const { body } = await api('GET', at);
    expect(body).toMatchObject({
      elementId: 'break',
      failure: {
        attempts: 3,
        code: 500,
        message: expect.stringContaining('Broken'),
        at: expect.stringMatching(/^fragile\/break/),
      },
    });
    expect((await api('GET', at, asAnn)).status).toBe(403);
    expect((await api('GET', at, { user: 'anonymous', password: 'anonymous' })).status).toBe(403);
  });
});

describe('the activities of an instance', () => {
  it('say where it was, when, who was at it, and what job stands there', async () => {
    const { activities } = await workflow.get(`processinstance/${failed}?_fields=activities`);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(activities.map(({ element }: { element: string }) => element)).toEqual(['s', 'check', 'break']);
    expect(activities[1]).toEqual({
      element: 'check',
      name: 'Check "it" <here>',
      kind: 'userTask',
      entered: time,
      left: time,
      reason: null,
      executionId: expect.any(String),
      actor: 'ann',
      taskId: expect.any(String),
      job: null,
      calledInstanceId: null,
    });
    const letters = await workflow.list('job/deadletter', `processInstanceId=${failed}`);
    expect(activities[2]).toMatchObject({
      entered: null,
      left: null,
      job: { id: letters[0]._id, isDeadLetter: true },
    });
  });

  it('name the instance that was called', async () => {
    const id = await workflow.start('caller');
    const { activities } = await workflow.get(`processinstance/${id}?_fields=activities`);
    const [child] = await workflow.list('processinstance', `superProcessInstanceId=${id}`);
    expect(activities.at(-1)).toMatchObject({ element: 'call', calledInstanceId: child._id });
  });

  it('are for administrators', async () => {
    const at = `workflow/processinstance/${failed}?_fields=activities`;
    expect((await api('GET', at, asAnn)).status).toBe(403);
    expect((await api('GET', at, { user: 'anonymous', password: 'anonymous' })).status).toBe(403);
  });
});
