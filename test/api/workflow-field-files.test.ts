// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are expressions of process files
/** Process files as users of the field write them: whole files, in its namespaces, each driven over REST to its end. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { workflowApi } from '../support/workflow.ts';

const head = `<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:activiti="http://activiti.org/bpmn" xmlns:flowable="http://flowable.org/bpmn" xmlns:bpmndi="http://www.omg.org/spec/BPMN/20100524/DI" xmlns:omgdc="http://www.omg.org/spec/DD/20100524/DC" xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" expressionLanguage="http://www.w3.org/1999/XPath" targetNamespace="Examples" typeLanguage="http://www.w3.org/2001/XMLSchema">`;
const file = (body: string) => `${head}${body}</definitions>`;
const f = (from: string, to: string, cond = '') =>
  `<sequenceFlow id="f_${from}_${to}" sourceRef="${from}" targetRef="${to}">${cond === '' ? '' : `<conditionExpression xsi:type="tFormalExpression"><![CDATA[${cond}]]></conditionExpression>`}</sequenceFlow>`;
const p = (...ids: string[]) =>
  ids
    .slice(1)
    .map((id, n) => f(ids[n]!, id))
    .join('');
const groovy = (id: string, source: string, more = 'activiti:autoStoreVariables="false"') =>
  `<scriptTask id="${id}" name="${id}" scriptFormat="groovy" ${more}><script><![CDATA[${source}]]></script></scriptTask>`;
const proc = (id: string, body: string, attrs = '') =>
  `<process id="${id}" name="${id}" isExecutable="true" ${attrs}>${body}</process>`;

/** What these tests look at of tasks and instances. */
interface Shown {
  readonly name: string;
  readonly assignee: string | null;
  readonly deleteReason: string | null;
  readonly processVariables: Record<string, string>;
}

let server: TestServer;
let api: Api;
let workflow: ReturnType<typeof workflowApi>;
const vars = async (id: string) => (await workflow.get(`processinstance/history/${id}`)).processVariables;
const inst = (id: string) => workflow.get(`processinstance/history/${id}`);
const ended = (id: string) =>
  eventually(
    () => inst(id),
    (i) => i.endTime !== null,
  );
const deploy = async (key: string, xml: string) => {
  const r = await api('POST', 'workflow/deployment?_action=deploy', {
    body: { name: `${key}.bpmn20.xml`, content: xml },
  });
  expect(r.status, JSON.stringify(r.body)).toBe(200);
  return r.body;
};
const begin = async (key: string, xml: string, body: Record<string, unknown> = {}) => {
  await deploy(key, xml);
  return workflow.start(key, body);
};
const done = async (id: string, el: string, b: Record<string, unknown> = {}) => {
  const r = await workflow.completeAt(id, el, b);
  expect(r.status, JSON.stringify(r.body)).toBe(200);
};
const message = (name: string, more = {}) =>
  api('POST', 'workflow/message?_action=send', { body: { name, ...more } });
const signal = (name: string, more = {}) =>
  api('POST', 'workflow/signal?_action=send', { body: { name, ...more } });

beforeAll(async () => {
  server = await startTestServer({
    files: {
      'service/delegates.js': `export const delegates = {
      greet: async ({ execution, fields }) => { execution.setVariable('greeting', fields.text + ' ' + fields.who); return 'r'; },
      notifier: async ({ execution, fields, eventName, task }) => { execution.setVariable('notified', [eventName, fields.note ?? null, task?.name ?? null]); },
    };`,
    },
  });
  ({ api } = server);
  workflow = workflowApi(api);
  for (const userName of ['kermit', 'fozzie', 'gonzo'])
    await api('POST', 'managed/user', {
      body: { userName, givenName: userName, sn: 'X', mail: `${userName}@example.com` },
    });
});
afterAll(() => server[Symbol.asyncDispose]());

test('a boundary timer that does not interrupt repeats beside its task', async () => {
  const id = await begin(
    'b01',
    file(
      proc(
        'b01',
        `<startEvent id="s"/><userTask id="t" name="T"/><boundaryEvent id="bt" attachedToRef="t" cancelActivity="false"><timerEventDefinition><timeCycle>R2/PT0.2S</timeCycle></timerEventDefinition></boundaryEvent>${groovy('rem', 'def n = execution.getVariable("n") ?: 0\nexecution.setVariable("n", n + 1)')}<endEvent id="e"/><endEvent id="e2"/>${p('s', 't', 'e')}${p('bt', 'rem', 'e2')}`,
      ),
    ),
  );
  await eventually(
    () => vars(id),
    (v) => v.n === 2,
  );
  await done(id, 't');
  await ended(id);
});
test('a Groovy script raises BPMN errors by any of the names of their class', async () => {
  for (const [n, imp] of [
    'import org.activiti.engine.delegate.BpmnError',
    'import org.flowable.engine.delegate.BpmnError',
    '',
  ].entries()) {
    const cls = imp === '' ? 'org.flowable.engine.delegate.BpmnError' : 'BpmnError';
    const key = `b04${n}`;
    const id = await begin(
      key,
      file(
        `<error id="err" errorCode="NO_MANAGER"/>` +
          proc(
            key,
            `<startEvent id="s"/>${groovy('g', `${imp}\nthrow new ${cls}("NO_MANAGER", "no manager")`)}<boundaryEvent id="be" attachedToRef="g"><errorEventDefinition errorRef="err"/></boundaryEvent><userTask id="fix"/><endEvent id="e"/>${p('s', 'g', 'e')}${p('be', 'fix', 'e')}`,
          ),
      ),
    );
    expect(await workflow.openTasks(id)).toEqual(['fix']);
  }
});
test('a cancelled transaction undoes what was done', async () => {
  const id = await begin(
    'b07',
    file(
      proc(
        'b07',
        `<startEvent id="s"/><transaction id="tx"><startEvent id="s1"/><serviceTask id="book" flowable:expression="\${execution.setVariable('booked', true)}"/><boundaryEvent id="cb" attachedToRef="book"><compensateEventDefinition/></boundaryEvent><serviceTask id="unbook" isForCompensation="true" flowable:expression="\${execution.setVariable('booked', false)}"/><userTask id="pay"/><exclusiveGateway id="gw" default="f_gw_ok"/><endEvent id="ok"/><endEvent id="no"><cancelEventDefinition/></endEvent><association id="as" sourceRef="cb" targetRef="unbook"/>${p('s1', 'book', 'pay', 'gw', 'ok')}${f('gw', 'no', '${paid == false}')}</transaction><boundaryEvent id="can" attachedToRef="tx"><cancelEventDefinition/></boundaryEvent><userTask id="sorry"/><endEvent id="e"/>${p('s', 'tx', 'e')}${p('can', 'sorry', 'e')}`,
      ),
    ),
  );
  await done(id, 'pay', { paid: false });
  expect(await workflow.openTasks(id)).toEqual(['sorry']);
  expect((await vars(id)).booked).toBe(false);
});
test('a call activity maps in and out, and catches the error of what it called', async () => {
  await deploy(
    'child10',
    file(
      `<error id="bad" errorCode="BAD"/>` +
        proc(
          'child10',
          `<startEvent id="s"/><userTask id="ct" activiti:assignee="\${who}"/><exclusiveGateway id="g" default="f_g_ok"/><endEvent id="ok"/><endEvent id="ko"><errorEventDefinition errorRef="bad"/></endEvent>${p('s', 'ct', 'g', 'ok')}${f('g', 'ko', '${fail == true}')}`,
        ),
    ),
  );
  const xml = file(
    `<error id="bad" errorCode="BAD"/>` +
      proc(
        'b10',
        `<startEvent id="s" activiti:initiator="me"/><callActivity id="call" name="Call" calledElement="child10" flowable:businessKey="\${me}-child" flowable:inheritBusinessKey="false"><extensionElements><activiti:in source="person" target="who"/><activiti:in sourceExpression="\${count + 1}" target="more"/><activiti:out source="result" target="childResult"/><activiti:out sourceExpression="\${more * 2}" target="twice"/></extensionElements></callActivity><boundaryEvent id="be" attachedToRef="call"><errorEventDefinition errorRef="bad"/></boundaryEvent><userTask id="after"/><userTask id="failed"/><endEvent id="e"/>${p('s', 'call', 'after', 'e')}${p('be', 'failed', 'e')}`,
      ),
  );
  const id = await begin('b10', xml, { person: 'kermit', count: 2 });
  const [child] = await workflow.list('processinstance', `superProcessInstanceId=${id}`);
  expect(child).toMatchObject({
    businessKey: 'svc-admin-child',
    processVariables: { who: 'kermit', more: 3 },
  });
  await done(child._id, 'ct', { result: { a: [1] }, fail: false });
  expect(await vars(id)).toMatchObject({ childResult: { a: [1] }, twice: 6 });
  expect(await workflow.openTasks(id)).toEqual(['after']);
  const id2 = await workflow.start('b10', { person: 'kermit', count: 2 });
  const [child2] = await workflow.list('processinstance', `superProcessInstanceId=${id2}`);
  await done(child2._id, 'ct', { fail: true });
  expect(await workflow.openTasks(id2)).toEqual(['failed']);
});
test('approvers in parallel are enough at sixty percent', async () => {
  const id = await begin(
    'b11',
    file(
      proc(
        'b11',
        `<startEvent id="s"/>${groovy('g', "execution.setVariable('approvers', ['kermit', 'fozzie', 'gonzo'])")}<userTask id="ap" name="Approve \${approver}" activiti:assignee="\${approver}"><multiInstanceLoopCharacteristics isSequential="false" activiti:collection="\${approvers}" activiti:elementVariable="approver"><completionCondition>\${nrOfCompletedInstances/nrOfInstances &gt;= 0.6}</completionCondition></multiInstanceLoopCharacteristics></userTask><endEvent id="e"/>${p('s', 'g', 'ap', 'e')}`,
      ),
    ),
  );
  const tasks = await workflow.tasks(id);
  expect(tasks.map((t: Shown) => [t.name, t.assignee])).toEqual([
    ['Approve kermit', 'kermit'],
    ['Approve fozzie', 'fozzie'],
    ['Approve gonzo', 'gonzo'],
  ]);
  const read = await workflow.get(`taskinstance/${tasks[1]._id}`);
  expect(read.variables).toMatchObject({
    approver: 'fozzie',
    loopCounter: 1,
    nrOfInstances: 3,
    nrOfActiveInstances: 3,
    nrOfCompletedInstances: 0,
  });
  const counters = { nrOfInstances: 3, nrOfActiveInstances: 3, nrOfCompletedInstances: 0, loopCounter: 2 };
  expect(await vars(id)).toMatchObject(counters);
  // Whoever completes one cannot count for the others.
  await workflow.complete(tasks[0]._id, { nrOfCompletedInstances: 9 });
  expect(await workflow.tasks(id)).toHaveLength(2);
  const [listed] = await workflow.list('processinstance', `processInstanceId=${id}`);
  expect(listed.processVariables).toMatchObject({ nrOfActiveInstances: 2, nrOfCompletedInstances: 1 });
  await workflow.complete(tasks[2]._id);
  await ended(id);
  const hist = await workflow.list('taskinstance/history', `processInstanceId=${id}&_sortKeys=_id`);
  expect(hist.map((t: Shown) => t.deleteReason)).toEqual([null, expect.any(String), null]);
});
test('a script runs as often as an expression says, one round after the other', async () => {
  const id = await begin(
    'b12',
    file(
      proc(
        'b12',
        `<startEvent id="s"/><scriptTask id="m" scriptFormat="groovy"><multiInstanceLoopCharacteristics isSequential="true"><loopCardinality>\${n}</loopCardinality></multiInstanceLoopCharacteristics><script>execution.setVariable("sum", (execution.getVariable("sum") ?: 0) + loopCounter)</script></scriptTask><endEvent id="e"/>${p('s', 'm', 'e')}`,
      ),
    ),
    { n: 4 },
  );
  expect((await vars(id)).sum).toBe(6);
});
test('listeners of each kind run in their order', async () => {
  const id = await begin(
    'b14',
    file(
      proc(
        'b14',
        `<extensionElements><flowable:executionListener event="start" expression="\${execution.setVariable('log', 'start')}"/><flowable:executionListener event="end" class="org.example.Notifier"><flowable:field name="note" stringValue="bye"/></flowable:executionListener></extensionElements><startEvent id="s"/><sequenceFlow id="fl" sourceRef="s" targetRef="t"><extensionElements><activiti:executionListener event="take" class="org.activiti.engine.impl.bpmn.listener.ScriptExecutionListener"><activiti:field name="script"><activiti:string><![CDATA[execution.setVariable('log', execution.getVariable('log') + ',take')]]></activiti:string></activiti:field><activiti:field name="language" stringValue="groovy"/></activiti:executionListener></extensionElements></sequenceFlow><userTask id="t" name="Tee" activiti:assignee="kermit"><extensionElements><activiti:taskListener event="create" class="org.activiti.engine.impl.bpmn.listener.ScriptTaskListener"><activiti:field name="script"><activiti:string><![CDATA[task.setVariable('log', task.getVariable('log') + ',' + task.eventName); task.execution.setVariable('x', task.getAssignee())]]></activiti:string></activiti:field><activiti:field name="language" stringValue="groovy"/></activiti:taskListener><flowable:taskListener event="assignment" expression="\${task.setVariable('asg', task.assignee)}"/><flowable:taskListener event="complete" delegateExpression="\${notifier}"/><flowable:taskListener event="delete" expression="\${task.setVariable('log', log.concat(',').concat(task.eventName))}"/></extensionElements></userTask><endEvent id="e"/>${p('t', 'e')}`,
      ),
    ),
  );
  expect(await vars(id)).toMatchObject({ log: 'start,take,create', asg: 'kermit', x: 'kermit' });
  await done(id, 't');
  expect(await vars(id)).toMatchObject({ log: 'start,take,create,delete', notified: ['end', 'bye', null] });
});
test('form properties show variables, defaults and expressions', async () => {
  const form = `<extensionElements><activiti:formProperty id="room" name="Room" type="string" required="true"/><activiti:formProperty id="duration" type="long" variable="days"/><activiti:formProperty id="speaker" variable="SpeakerName" writable="false" default="nobody"/><activiti:formProperty id="street" expression="#{address.street}" /><activiti:formProperty id="when" type="date" datePattern="dd-MM-yyyy"/><activiti:formProperty id="kind" type="enum"><activiti:value id="a" name="Alpha &amp; co"/><activiti:value id="b" name="Beta"/></activiti:formProperty></extensionElements>`;
  const id = await begin(
    'b15',
    file(
      proc(
        'b15',
        `<startEvent id="s">${form}</startEvent><userTask id="t">${form}</userTask><endEvent id="e"/>${p('s', 't', 'e')}`,
      ),
    ),
    { room: 'B12', days: 4, address: { street: 'Sesame' }, kind: 'a' },
  );
  const [t] = await workflow.tasks(id);
  const read = await workflow.get(`taskinstance/${t._id}`);
  expect(read.formProperties).toEqual([
    { room: 'B12' },
    { duration: '4' },
    { speaker: 'nobody' },
    { street: 'Sesame' },
    { when: null },
    { kind: 'a' },
  ]);
});
test('a terminate end in a sub-process ends only that', async () => {
  const id = await begin(
    'b16',
    file(
      proc(
        'b16',
        `<startEvent id="s"/><subProcess id="sp"><startEvent id="ss"/><parallelGateway id="fork"/><userTask id="a"/><userTask id="b"/><endEvent id="te"><terminateEventDefinition/></endEvent><endEvent id="ee"/>${p('ss', 'fork', 'a', 'te')}${p('fork', 'b', 'ee')}</subProcess><userTask id="after"/><endEvent id="e"/>${p('s', 'sp', 'after', 'e')}`,
      ),
    ),
  );
  await done(id, 'a');
  expect(await workflow.openTasks(id)).toEqual(['after']);
  await done(id, 'after');
  await ended(id);
});
test('a signal reaches other instances and starts one', async () => {
  const sig = `<signal id="alert" name="The Alert"/>`;
  await deploy(
    'b17c',
    file(
      sig +
        proc(
          'b17c',
          `<startEvent id="s"/><userTask id="t"/><boundaryEvent id="bs" attachedToRef="t" cancelActivity="true"><signalEventDefinition signalRef="alert"/></boundaryEvent><userTask id="alarmed"/><endEvent id="e"/>${p('s', 't', 'e')}${p('bs', 'alarmed', 'e')}`,
        ),
    ),
  );
  await deploy(
    'b17s',
    file(
      sig +
        proc(
          'b17s',
          `<startEvent id="s"><signalEventDefinition signalRef="alert"/></startEvent><userTask id="t"/><endEvent id="e"/>${p('s', 't', 'e')}`,
        ),
    ),
  );
  const [x, y] = [await workflow.start('b17c'), await workflow.start('b17c')];
  const thrower = await begin(
    'b17t',
    file(
      sig +
        proc(
          'b17t',
          `<startEvent id="s"/><intermediateThrowEvent id="th"><signalEventDefinition signalRef="alert"/></intermediateThrowEvent><endEvent id="e"/>${p('s', 'th', 'e')}`,
        ),
    ),
  );
  await ended(thrower);
  for (const id of [x, y])
    await eventually(
      () => workflow.openTasks(id),
      (t) => t[0] === 'alarmed',
    );
  await eventually(
    () => workflow.list('processinstance', 'processDefinitionKey=b17s'),
    (l: readonly Shown[]) => l.length === 1,
  );
});
test('a message starts an instance, another goes to its receive task', async () => {
  await deploy(
    'b18',
    file(
      `<message id="m1" name="newInvoice"/><message id="m2" name="paid"/>` +
        proc(
          'b18',
          `<startEvent id="s"><messageEventDefinition messageRef="m1"/></startEvent><receiveTask id="r" messageRef="m2"/><endEvent id="e"/>${p('s', 'r', 'e')}`,
        ),
    ),
  );
  const r = await message('newInvoice', { variables: { n: 1 } });
  expect(r.status, JSON.stringify(r.body)).toBe(200);
  const [i] = await workflow.list('processinstance', 'processDefinitionKey=b18');
  expect(i.processVariables).toEqual({ n: 1 });
  expect((await message('paid', { processInstanceId: i._id, variables: { ok: true } })).status).toBe(200);
  await ended(i._id);
  expect((await vars(i._id)).ok).toBe(true);
});
test('a link leads to its other end', async () => {
  const id = await begin(
    'b19',
    file(
      proc(
        'b19',
        `<startEvent id="s"/><intermediateThrowEvent id="lt" name="L"><linkEventDefinition name="L"/></intermediateThrowEvent><intermediateCatchEvent id="lc" name="L"><linkEventDefinition name="L"/></intermediateCatchEvent><userTask id="t"/><endEvent id="e"/>${p('s', 'lt')}${p('lc', 't', 'e')}`,
      ),
    ),
  );
  expect(await workflow.openTasks(id)).toEqual(['t']);
});
test('fields are injected, as text and as expression', async () => {
  const id = await begin(
    'b20',
    file(
      proc(
        'b20',
        `<startEvent id="s"/><serviceTask id="g" activiti:class="org.example.delegates.Greet" activiti:resultVariableName="res"><extensionElements><activiti:field name="text"><activiti:string>Hello</activiti:string></activiti:field><activiti:field name="who"><activiti:expression>\${gender == 'male' ? 'Mr. ' : 'Mrs. '}\${name}</activiti:expression></activiti:field></extensionElements></serviceTask><endEvent id="e"/>${p('s', 'g', 'e')}`,
      ),
    ),
    { gender: 'female', name: 'Piggy' },
  );
  expect((await vars(id)).greeting).toBe('Hello Mrs. Piggy');
});
test('a skip expression counts when the instance switches it on', async () => {
  const xml = file(
    proc(
      'b21',
      `<startEvent id="s"/><userTask id="t" flowable:skipExpression="\${skip}"/><userTask id="u"/><endEvent id="e"/>${p('s', 't', 'u', 'e')}`,
    ),
  );
  const id = await begin('b21', xml, { skip: true, _ACTIVITI_SKIP_EXPRESSION_ENABLED: true });
  expect(await workflow.openTasks(id)).toEqual(['u']);
  const id2 = await workflow.start('b21', { skip: true });
  expect(await workflow.openTasks(id2)).toEqual(['t']);
});
test('an asynchronous service is a dead letter after its retries', async () => {
  const id = await begin(
    'b22',
    file(
      proc(
        'b22',
        `<startEvent id="s"/><serviceTask id="a" activiti:async="true" activiti:exclusive="true" activiti:expression="\${nope.nope()}"><extensionElements><activiti:failedJobRetryTimeCycle>R2/PT1S</activiti:failedJobRetryTimeCycle></extensionElements></serviceTask><endEvent id="e"/>${p('s', 'a', 'e')}`,
      ),
    ),
  );
  const dead = await eventually(
    () => workflow.list('job/deadletter', `processInstanceId=${id}`),
    (l: readonly Shown[]) => l.length === 1,
  );
  expect(dead[0]).toMatchObject({ retries: 0 });
});
test('due date, priority and category are worked out from variables', async () => {
  const id = await begin(
    'b23',
    file(
      proc(
        'b23',
        `<startEvent id="s"/><userTask id="a" activiti:dueDate="\${due}" activiti:priority="\${prio}" activiti:category="cat-\${prio}"/><userTask id="b" activiti:dueDate="PT2H" activiti:priority="7"/><userTask id="c" activiti:dueDate="\${day}"/><endEvent id="e"/>${p('s', 'a', 'b', 'c', 'e')}`,
      ),
    ),
    { due: '2027-01-02T03:04:05.000Z', prio: '90', day: '2027-05-06' },
  );
  const [a] = await workflow.tasks(id);
  expect(a).toMatchObject({ dueDate: '2027-01-02T03:04:05.000Z', priority: 90, category: 'cat-90' });
  await done(id, 'a');
  const [b] = await workflow.tasks(id);
  expect(b.priority).toBe(7);
  expect(new Date(b.dueDate).getTime() - Date.now()).toBeGreaterThan(7_000_000);
  await done(id, 'b');
  const [c] = await workflow.tasks(id);
  expect(c.dueDate).toContain('2027-05-06');
});
test('documentation in several languages and scripts of the world is read', async () => {
  await deploy(
    'b24',
    file(
      proc(
        'b24',
        `<documentation>Der Prozess: für „Änderungen"</documentation><extensionElements><flowable:localization locale="es" name="Proceso"><flowable:documentation>doc</flowable:documentation></flowable:localization></extensionElements><startEvent id="s"/><userTask id="t" name="Prüfen &lt;jetzt&gt;"><documentation id="d1" textFormat="text/plain"><![CDATA[Bitte <b>prüfen</b> ✓]]></documentation><extensionElements><flowable:localization locale="es" name="tarea"/></extensionElements></userTask><endEvent id="e"/>${p('s', 't', 'e')}`,
      ),
    ),
  );
  const id = await workflow.start('b24');
  const [t] = await workflow.tasks(id);
  expect(t).toMatchObject({ name: 'Prüfen <jetzt>', description: 'Bitte <b>prüfen</b> ✓' });
  const [d] = await workflow.list('processdefinition', 'key=b24');
  expect(d.description).toBe('Der Prozess: für „Änderungen"');
});
test('data objects are typed variables, unless the start gives them', async () => {
  const obj = (id: string, type: string, value: string) =>
    `<dataObject id="${id}" name="${id}" itemSubjectRef="xsd:${type}"><extensionElements><activiti:value>${value}</activiti:value></extensionElements></dataObject>`;
  const id = await begin(
    'b25',
    file(
      proc(
        'b25',
        `${obj('dText', 'string', 'Testing')}${obj('dInt', 'int', '123')}${obj('dLong', 'long', '-5')}${obj('dDouble', 'double', '1.5')}${obj('dBool', 'boolean', 'true')}${obj('dDate', 'datetime', '2026-02-03T04:05:06')}<startEvent id="s"/><userTask id="t"/><endEvent id="e"/>${p('s', 't', 'e')}`,
      ),
    ),
    { dInt: 7 },
  );
  expect(await vars(id)).toMatchObject({
    dText: 'Testing',
    dInt: 7,
    dLong: -5,
    dDouble: 1.5,
    dBool: true,
    dDate: expect.any(Number),
  });
});
test('candidates come from lists, texts and the standard form', async () => {
  const id = await begin(
    'b26',
    file(
      proc(
        'b26',
        `<startEvent id="s"/><userTask id="a" activiti:candidateUsers="\${list}, gonzo" activiti:candidateGroups="\${csv}"/><userTask id="b"><potentialOwner><resourceAssignmentExpression><formalExpression>user(kermit), group(mgmt), accounting</formalExpression></resourceAssignmentExpression></potentialOwner></userTask><userTask id="c"><humanPerformer><resourceAssignmentExpression><formalExpression>\${list[0]}</formalExpression></resourceAssignmentExpression></humanPerformer></userTask><endEvent id="e"/>${p('s', 'a', 'b', 'c', 'e')}`,
      ),
    ),
    { list: ['kermit', 'fozzie'], csv: 'x, y' },
  );
  const cand = async () => {
    const [t] = await workflow.tasks(id);
    const r = await workflow.get(`taskinstance/${t._id}`);
    return [r.assignee, r.candidates.candidateUsers.sort(), r.candidates.candidateGroups.sort()];
  };
  expect(await cand()).toEqual([null, ['fozzie', 'gonzo', 'kermit'], ['x', 'y']]);
  await done(id, 'a');
  expect(await cand()).toEqual([null, ['kermit'], ['accounting', 'mgmt']]);
  await done(id, 'b');
  expect((await cand())[0]).toBe('kermit');
});
test('Groovy as samples of the field write it does what it says', async () => {
  const id = await begin(
    'b30',
    file(
      proc(
        'b30',
        `<startEvent id="s" activiti:initiator="startUserId"/>${groovy(
          'g',
          `
import java.text.SimpleDateFormat
import groovy.json.JsonSlurper
println "start \${execution.getId()}"
def sdf = new SimpleDateFormat("yyyy-MM-dd")
sdf.setTimeZone(TimeZone.getTimeZone("UTC"))
def readUser = svc.query('managed/user', [_queryFilter: '/userName eq "kermit"'])
user = readUser.result[0]
execution.setVariable("mail", user.mail)
execution.setVariable("day", sdf.format(new Date(0)))
def params = [ 'a' : 1, 'list' : [1, 2.5, "x"], 'nested' : [ 'k' : user.userName ] ]
execution.setVariable("params", params)
execution.setVariable("json", new JsonSlurper().parseText('{"q":[1,2]}'))
execution.setVariable("gstring", "Hi \${user.givenName}")
execution.setVariable("int", "12" as int)
execution.setVariable("nothing", null)
execution.setVariable("bool", readUser.result.size() > 0)
execution.setVariable("facts", [execution.getCurrentActivityId(), execution.getProcessInstanceId() == execution.processInstanceId, startUserId])
`,
        )}<userTask id="t" activiti:assignee="\${startUserId}"/><endEvent id="e"/>${p('s', 'g', 't', 'e')}`,
      ),
    ),
  );
  expect(await vars(id)).toMatchObject({
    mail: 'kermit@example.com',
    day: '1970-01-01',
    params: { a: 1, list: [1, 2.5, 'x'], nested: { k: 'kermit' } },
    json: { q: [1, 2] },
    gstring: 'Hi kermit',
    int: 12,
    nothing: null,
    bool: true,
    facts: ['g', true, 'svc-admin'],
  });
});
test('executions and tasks have the members that scripts use', async () => {
  const id = await begin(
    'b33',
    file(
      proc(
        'b33',
        `<startEvent id="s"/>${groovy(
          'g',
          `
execution.setVariable("m", [execution.getCurrentActivityName(), execution.getCurrentFlowElement().getName(), execution.currentFlowElement.id, execution.getEventName(), execution.getTenantId(), execution.getParentId() == execution.processInstanceId, execution.isActive(), execution.getVariableNames().contains('z'), execution.hasVariables(), execution.getRootProcessInstanceId() == execution.processInstanceId, execution.getSuperExecutionId()])
`,
          'name2="x"',
        ).replace(
          'name2="x"',
          '',
        )}<userTask id="t" name="Tee"><extensionElements><activiti:taskListener event="create" class="org.activiti.engine.impl.bpmn.listener.ScriptTaskListener"><activiti:field name="script"><activiti:string><![CDATA[task.setVariable('tm', [task.getTaskDefinitionKey(), task.getProcessDefinitionId() != null, task.getExecutionId() != null, task.getFormKey(), task.getTenantId(), task.getDescription(), task.createTime instanceof Date, task.getCreateTime() == task.createTime, task.claimTime, task.isSuspended(), task.parentTaskId]); task.addCandidateUser('ann'); task.addCandidateGroup('hr'); task.setVariable('tc', task.getCandidates().collect { [it.type, it.getUserId(), it.groupId] })]]></activiti:string></activiti:field><activiti:field name="language" stringValue="groovy"/></activiti:taskListener><activiti:taskListener event="complete" class="org.activiti.engine.impl.bpmn.listener.ScriptTaskListener"><activiti:field name="script"><activiti:string><![CDATA[task.execution.setVariables([created: task.createTime, claimed: task.getClaimTime(), later: task.claimTime.after(task.createTime) || task.claimTime == task.createTime]); task.execution.removeVariables(['z']); task.setTransientVariables([gone: 1])]]></activiti:string></activiti:field><activiti:field name="language" stringValue="groovy"/></activiti:taskListener></extensionElements></userTask><endEvent id="e"/>${p('s', 'g', 't', 'e')}`,
      ),
    ),
    { z: 1 },
  );
  expect(await vars(id)).toMatchObject({
    m: ['g', 'g', 'g', null, '', true, true, true, true, true, null],
    tm: ['t', true, true, null, '', null, true, true, null, false, null],
    tc: [
      ['candidate', 'ann', null],
      ['candidate', null, 'hr'],
    ],
  });
  const [task] = await workflow.tasks(id);
  await api('POST', `workflow/taskinstance/${task._id}?_action=claim`, { body: { userId: 'ann' } });
  const { claimTime } = await workflow.get(`taskinstance/${task._id}`);
  await done(id, 't');
  const after = await vars(id);
  expect(after).toMatchObject({
    created: Date.parse(task.createTime),
    claimed: Date.parse(claimTime),
    later: true,
  });
  expect(after).not.toHaveProperty('z');
});
test('prefixed elements, pools, lanes and flows without ids are read, each pool a process', async () => {
  const xml = `<?xml version="1.0"?><bpmn2:definitions xmlns:bpmn2="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:flowable="http://flowable.org/bpmn" targetNamespace="x" id="d"><bpmn2:collaboration id="c"><bpmn2:participant id="pa" processRef="b34a"/><bpmn2:participant id="pb" processRef="b34b"/><bpmn2:messageFlow id="mf" sourceRef="ta" targetRef="pb"/></bpmn2:collaboration>
  <bpmn2:process id="b34a"><bpmn2:laneSet id="ls"><bpmn2:lane id="l1"><bpmn2:flowNodeRef>ta</bpmn2:flowNodeRef></bpmn2:lane></bpmn2:laneSet><bpmn2:startEvent id="sa"/><bpmn2:userTask id="ta"/><bpmn2:endEvent id="ea"/><bpmn2:sequenceFlow sourceRef="sa" targetRef="ta"/><bpmn2:sequenceFlow sourceRef="ta" targetRef="ea"/><bpmn2:textAnnotation id="an"><bpmn2:text>note</bpmn2:text></bpmn2:textAnnotation><bpmn2:association id="aso" sourceRef="ta" targetRef="an"/></bpmn2:process>
  <bpmn2:process id="b34b" isExecutable="true"><bpmn2:startEvent id="sb"/><bpmn2:userTask id="tb"/><bpmn2:sequenceFlow sourceRef="sb" targetRef="tb"/></bpmn2:process></bpmn2:definitions>`;
  const a = await begin('b34a', xml);
  const b = await workflow.start('b34b');
  await done(a, 'ta');
  await ended(a);
  await done(b, 'tb');
  await ended(b);
});
test('conditions of many shapes hold', async () => {
  const cond = [
    "${approved == 'true' || approved == true}",
    '${not empty list and list.size() gt 0}',
    "${execution.getVariable('x') != null}",
    '${amount >= 1000 && amount < 5000.5}',
    '${user.address[\'city\'] == "Bern"}',
    '#{!rejected}',
    "${name.startsWith('K') ? true : false}",
    '${vars:getOrDefault(missing, 5) == 5}',
    '${now.getTime() > 0}',
    "${list.contains('a')}",
    '${fn == null}',
  ];
  const body = cond
    .map(
      (_, n) =>
        `<exclusiveGateway id="g${n}"/>${f(n === 0 ? 's' : `g${n - 1}`, `g${n}`, n === 0 ? '' : cond[n - 1])}`,
    )
    .join('');
  const id = await begin(
    'b35',
    file(
      proc(
        'b35',
        `<startEvent id="s"/>${body}${f(`g${cond.length - 1}`, 'e', cond.at(-1))}<endEvent id="e"/>`,
      ),
    ),
    {
      approved: true,
      list: ['a'],
      x: 0,
      amount: 1500,
      user: { address: { city: 'Bern' } },
      rejected: false,
      name: 'Kermit',
      now: '2026-01-01T00:00:00.000Z',
      fn: null,
    },
  );
  await ended(id);
});
test('event sub-processes of each kind start beside or instead of what they belong to', async () => {
  const esp = (n: string, ev: string, inter: boolean, task: string) =>
    `<subProcess id="esp${n}" triggeredByEvent="true"><startEvent id="es${n}" isInterrupting="${inter}">${ev}</startEvent><userTask id="${task}"/><endEvent id="ee${n}"/>${p(`es${n}`, task, `ee${n}`)}</subProcess>`;
  const id = await begin(
    'b36',
    file(
      `<message id="mm" name="help36"/><signal id="ss36" name="ss36"/><error id="er" errorCode="E36"/>` +
        proc(
          'b36',
          `<startEvent id="s"/><userTask id="main"/>${groovy('boom', "throw new BpmnError('E36')")}<endEvent id="e"/>${p('s', 'main', 'boom', 'e')}${esp('m', '<messageEventDefinition messageRef="mm"/>', false, 'helping')}${esp('g', '<signalEventDefinition signalRef="ss36"/>', false, 'sig')}${esp('t', '<timerEventDefinition><timeDuration>PT0.3S</timeDuration></timerEventDefinition>', false, 'late')}${esp('x', '<errorEventDefinition errorRef="er"/>', true, 'repair')}`,
        ),
    ),
  );
  await message('help36', { processInstanceId: id });
  await message('help36', { processInstanceId: id });
  await signal('ss36');
  await eventually(
    () => workflow.openTasks(id),
    (t) => t.includes('late') && t.filter((x) => x === 'helping').length === 2 && t.includes('sig'),
  );
  await done(id, 'main');
  expect(await workflow.openTasks(id)).toEqual(['repair']);
  await done(id, 'repair');
  await ended(id);
});
test('a sub-process has boundaries for escalation, message and condition', async () => {
  const id = await begin(
    'b37',
    file(
      `<escalation id="esc" escalationCode="LATE"/><message id="mm" name="poke37"/>` +
        proc(
          'b37',
          `<startEvent id="s"/><subProcess id="sp"><startEvent id="ss"/><userTask id="w"/><intermediateThrowEvent id="te"><escalationEventDefinition escalationRef="esc"/></intermediateThrowEvent><userTask id="w2"/><endEvent id="se"/>${p('ss', 'w', 'te', 'w2', 'se')}</subProcess><boundaryEvent id="b1" attachedToRef="sp" cancelActivity="false"><escalationEventDefinition escalationRef="esc"/></boundaryEvent><userTask id="boss"/><boundaryEvent id="b2" attachedToRef="sp" cancelActivity="false"><messageEventDefinition messageRef="mm"/></boundaryEvent><userTask id="poked"/><boundaryEvent id="b3" attachedToRef="sp"><conditionalEventDefinition><condition>\${vars:getOrDefault(stop, false) == true}</condition></conditionalEventDefinition></boundaryEvent><userTask id="stopped"/><endEvent id="e"/>${p('s', 'sp', 'e')}${p('b1', 'boss', 'e')}${p('b2', 'poked', 'e')}${p('b3', 'stopped', 'e')}`,
        ),
    ),
  );
  await message('poke37', { processInstanceId: id });
  await done(id, 'w');
  expect((await workflow.openTasks(id)).sort()).toEqual(['boss', 'poked', 'w2']);
  await done(id, 'boss', { stop: true });
  expect((await workflow.openTasks(id)).sort()).toEqual(['poked', 'stopped']);
});
test('an event gateway, an inclusive one and the compensation of one activity follow each other', async () => {
  const id = await begin(
    'b38',
    file(
      `<message id="mm" name="go38"/>` +
        proc(
          'b38',
          `<startEvent id="s"/><eventBasedGateway id="eg"/><intermediateCatchEvent id="c1"><messageEventDefinition messageRef="mm"/></intermediateCatchEvent><intermediateCatchEvent id="c2"><timerEventDefinition><timeDuration>PT1H</timeDuration></timerEventDefinition></intermediateCatchEvent><inclusiveGateway id="ig" default="f_ig_d"/><userTask id="x"/><userTask id="y"/><userTask id="d"/><inclusiveGateway id="ij"/><serviceTask id="h" flowable:expression="\${execution.setVariable('h', 'done')}"/><boundaryEvent id="hb" attachedToRef="h"><compensateEventDefinition/></boundaryEvent><serviceTask id="uh" isForCompensation="true" flowable:expression="\${execution.setVariable('h', 'undone')}"/><association id="as" sourceRef="hb" targetRef="uh"/><intermediateThrowEvent id="ct"><compensateEventDefinition activityRef="h"/></intermediateThrowEvent><endEvent id="e"/>${p('s', 'eg', 'c1', 'ig')}${p('eg', 'c2', 'e')}${f('ig', 'x', '${n > 1}')}${f('ig', 'y', '${n > 2}')}${p('ig', 'd', 'ij')}${p('x', 'ij')}${p('y', 'ij', 'h', 'ct', 'e')}`,
        ),
    ),
    { n: 3 },
  );
  await message('go38', { processInstanceId: id });
  expect((await workflow.openTasks(id)).sort()).toEqual(['x', 'y']);
  await done(id, 'x');
  expect(await workflow.openTasks(id)).toEqual(['y']);
  await done(id, 'y');
  await ended(id);
  expect((await vars(id)).h).toBe('undone');
});
test('names and keys too long to be found by are refused, and nothing has changed', async () => {
  const long = Array.from(
    { length: 900 },
    (_, n) => (n * 7919).toString(36) + String.fromCharCode(200 + (n % 700)),
  ).join('');
  await deploy(
    'b39',
    file(
      proc(
        'b39',
        `<startEvent id="s"/><userTask id="t" name="\${label}" activiti:assignee="\${label}" activiti:owner="\${label}" activiti:candidateUsers="\${label}" activiti:candidateGroups="\${label}"><documentation>\${label}</documentation></userTask><endEvent id="e"/>${p('s', 't', 'e')}`,
      ),
    ),
  );
  const r = await api('POST', 'workflow/processinstance', { body: { _key: 'b39', label: long } });
  expect([r.status, r.body.detail?.id]).toEqual([400, 'WORKFLOW_TOO_LONG']);
  const keyed = await api('POST', 'workflow/processinstance', {
    body: { _key: 'b39', label: 'a', _businessKey: long },
  });
  expect([keyed.status, keyed.body.detail?.id]).toEqual([400, 'WORKFLOW_TOO_LONG']);
});
test('candidates that a listener drops are none any more', async () => {
  const id = await begin(
    'b40',
    file(
      proc(
        'b40',
        `<startEvent id="s"/><userTask id="t" activiti:candidateUsers="kermit,fozzie"><extensionElements><activiti:taskListener event="assignment" expression="\${task.deleteCandidateUser('fozzie')}"/></extensionElements></userTask><endEvent id="e"/>${p('s', 't', 'e')}`,
      ),
    ),
  );
  const [t] = await workflow.tasks(id);
  await api('POST', `workflow/taskinstance/${t._id}?_action=claim`, { body: { userId: 'kermit' } });
  expect((await workflow.get(`taskinstance/${t._id}`)).candidates.candidateUsers).toEqual(['kermit']);
  await api('PUT', `workflow/taskinstance/${t._id}`, { body: { assignee: null } });
  expect(await workflow.list('taskinstance', `processInstanceId=${id}&taskCandidateUser=fozzie`)).toEqual([]);
  expect(
    await workflow.list('taskinstance', `processInstanceId=${id}&taskCandidateUser=kermit`),
  ).toHaveLength(1);
});
test('JavaScript as the field writes it does what it says', async () => {
  const id = await begin(
    'c02',
    file(
      proc(
        'c02',
        `<startEvent id="s"/><scriptTask id="g" scriptFormat="text/javascript" activiti:autoStoreVariables="false"><script><![CDATA[
    var users = svc.query("managed/user", { "_queryFilter": 'userName eq "' + who + '"' });
    execution.setVariable("mail", users.result[0].mail);
    for (var i in users.result) { execution.setVariable("n", i); }
    logger.info("found {}", who);
    execution.setVariable("when", new Date(0));
  ]]></script></scriptTask><endEvent id="e"/>${p('s', 'g', 'e')}`,
      ),
    ),
    { who: 'gonzo' },
  );
  expect(await vars(id)).toMatchObject({ mail: 'gonzo@example.com', when: 0 });
});
test('a called process and a sub-process run for each item', async () => {
  await deploy(
    'c03c',
    file(
      proc(
        'c03c',
        `<startEvent id="s"/><userTask id="ct" name="\${item}"/><endEvent id="e"/>${p('s', 'ct', 'e')}`,
      ),
    ),
  );
  const id = await begin(
    'c03',
    file(
      proc(
        'c03',
        `<startEvent id="s"/><callActivity id="call" calledElement="\${child}"><extensionElements><flowable:in source="it" target="item"/><flowable:out source="answer" target="last"/></extensionElements><multiInstanceLoopCharacteristics isSequential="false" flowable:collection="items" flowable:elementVariable="it"/></callActivity><subProcess id="sp"><multiInstanceLoopCharacteristics isSequential="true" flowable:collection="\${items}" flowable:elementVariable="x"><completionCondition>\${vars:getOrDefault(enough, false)}</completionCondition></multiInstanceLoopCharacteristics><startEvent id="ss"/><userTask id="w" activiti:assignee="\${x}"/><endEvent id="se"/>${p('ss', 'w', 'se')}</subProcess><endEvent id="e"/>${p('s', 'call', 'sp', 'e')}`,
      ),
    ),
    { child: 'c03c', items: ['a', 'b', 'c'] },
  );
  const kids = await workflow.list('processinstance', `superProcessInstanceId=${id}`);
  expect(kids.map((k: Shown) => k.processVariables.item).sort()).toEqual(['a', 'b', 'c']);
  for (const k of kids) await done(k._id, 'ct', { answer: k.processVariables.item });
  expect((await workflow.tasks(id)).map((t: Shown) => t.assignee)).toEqual(['a']);
  await done(id, 'w');
  expect((await workflow.tasks(id)).map((t: Shown) => t.assignee)).toEqual(['b']);
  await done(id, 'w', { enough: true });
  await ended(id);
});
test('an error that no element declares is known by its reference', async () => {
  const id = await begin(
    'c12',
    file(
      proc(
        'c12',
        `<startEvent id="s"/><subProcess id="sp"><startEvent id="ss"/><endEvent id="se"><errorEventDefinition errorRef="myErr"/></endEvent>${p('ss', 'se')}</subProcess><boundaryEvent id="be" attachedToRef="sp"><errorEventDefinition errorRef="myErr"/></boundaryEvent><userTask id="t"/><endEvent id="e"/>${p('s', 'sp', 'e')}${p('be', 't', 'e')}`,
      ),
    ),
  );
  expect(await workflow.openTasks(id)).toEqual(['t']);
});
test('a condition may be a script', async () => {
  const id = await begin(
    'c17',
    file(
      proc(
        'c17',
        `<startEvent id="s"/><exclusiveGateway id="g" default="f_g_b"/><userTask id="a"/><userTask id="b"/><endEvent id="e"/><sequenceFlow id="x" sourceRef="g" targetRef="a"><conditionExpression xsi:type="tFormalExpression" language="groovy"><![CDATA[execution.getVariable('n') > 1 && n < 5]]></conditionExpression></sequenceFlow>${p('s', 'g', 'b', 'e')}${p('a', 'e')}`,
      ),
    ),
    { n: 3 },
  );
  expect(await workflow.openTasks(id)).toEqual(['a']);
});
test('a terminate end for all in a called process ends its caller', async () => {
  await deploy(
    'c19c',
    file(
      proc(
        'c19c',
        `<startEvent id="s"/><userTask id="ct"/><endEvent id="e"><terminateEventDefinition flowable:terminateAll="true"/></endEvent>${p('s', 'ct', 'e')}`,
      ),
    ),
  );
  const id = await begin(
    'c19',
    file(
      proc(
        'c19',
        `<startEvent id="s"/><parallelGateway id="pg"/><callActivity id="call" calledElement="c19c"/><userTask id="other"/><endEvent id="e"/><endEvent id="e2"/>${p('s', 'pg', 'call', 'e')}${p('pg', 'other', 'e2')}`,
      ),
    ),
  );
  const [k] = await workflow.list('processinstance', `superProcessInstanceId=${id}`);
  await done(k._id, 'ct');
  await ended(id);
});
test('a step without a way on, or with an unknown variable, leaves everything as it was', async () => {
  const id = await begin(
    'c20',
    file(
      proc(
        'c20',
        `<startEvent id="s"/><userTask id="t"/><exclusiveGateway id="g"/><userTask id="u" activiti:assignee="\${nobody}"/><endEvent id="e"/>${p('s', 't', 'g')}${f('g', 'u', '${go == 1}')}${p('u', 'e')}`,
      ),
    ),
  );
  const a = await workflow.completeAt(id, 't', { go: 2 });
  expect([a.status, a.body.message]).toEqual([500, expect.stringContaining("'g'")]);
  const b = await workflow.completeAt(id, 't', { go: 1 });
  expect([b.status, b.body.message]).toEqual([500, expect.stringContaining('nobody')]);
  const v = await vars(id);
  expect(v.go).toBe(undefined);
  await done(id, 't', { go: 1, nobody: null });
  const [t] = await workflow.tasks(id);
  expect(t.assignee).toBe(null);
});
test('a date that Groovy made is a due date', async () => {
  const id = await begin(
    'c21',
    file(
      proc(
        'c21',
        `<startEvent id="s"/>${groovy('g', "execution.setVariable('due', new Date() + 1)\nexecution.setVariable('cal', Calendar.getInstance().getTime())")}<userTask id="t" activiti:dueDate="\${due}"/><endEvent id="e"/>${p('s', 'g', 't', 'e')}`,
      ),
    ),
  );
  const [t] = await workflow.tasks(id);
  expect(Math.abs(new Date(t.dueDate).getTime() - Date.now() - 86_400_000)).toBeLessThan(60_000);
  expect((await vars(id)).due).toEqual(expect.any(Number));
});
test('an exception is mapped to an error, which a boundary for all catches', async () => {
  const id = await begin(
    'c28',
    file(
      proc(
        'c28',
        `<startEvent id="s"/><serviceTask id="svc1" activiti:expression="\${missingVar}" flowable:async="false"><extensionElements><flowable:mapException errorCode="MAPPED" includeChildExceptions="true">java.lang.Exception</flowable:mapException></extensionElements></serviceTask><boundaryEvent id="be" attachedToRef="svc1"><errorEventDefinition/></boundaryEvent><userTask id="t"/><endEvent id="e"/>${p('s', 'svc1', 'e')}${p('be', 't', 'e')}`,
      ),
    ),
  );
  expect(await workflow.openTasks(id)).toEqual(['t']);
});
test('a branch that was interrupted still comes to the join, once', async () => {
  const id = await begin(
    'c29',
    file(
      proc(
        'c29',
        `<startEvent id="s"/><parallelGateway id="f1"/><userTask id="a"/><boundaryEvent id="bt" attachedToRef="a"><timerEventDefinition><timeDuration>PT0.2S</timeDuration></timerEventDefinition></boundaryEvent><userTask id="late"/><userTask id="b"/><exclusiveGateway id="m"/><parallelGateway id="j"/><endEvent id="e"/>${p('s', 'f1', 'a', 'm')}${p('bt', 'late', 'm', 'j')}${p('f1', 'b', 'j', 'e')}`,
      ),
    ),
  );
  await eventually(
    () => workflow.openTasks(id),
    (t) => t.includes('late'),
  );
  await done(id, 'b');
  expect((await inst(id)).endTime).toBe(null);
  await done(id, 'late');
  await ended(id);
});
test('a transient variable is seen for the rest of the step and kept nowhere', async () => {
  const id = await begin(
    'c33',
    file(
      proc(
        'c33',
        `<startEvent id="s"/><serviceTask id="a" flowable:expression="\${execution.setTransientVariable('tv', 5)}"/><exclusiveGateway id="g"/><userTask id="t"/><endEvent id="e"/>${p('s', 'a', 'g')}${f('g', 't', '${tv == 5}')}${p('t', 'e')}`,
      ),
    ),
  );
  expect(await workflow.openTasks(id)).toEqual(['t']);
  expect(await vars(id)).toEqual({});
});
