// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are expressions of process files
/** Process files as users of the field write them, each driven over REST to its end: tasks, forms, calls and what is read of a file. */
import { expect, test } from 'vitest';
import { fieldFileSite, file, flow, flows, groovy, processOf } from '../support/field-files.ts';

/** What these tests look at of tasks and instances. */
interface Shown {
  readonly name: string;
  readonly assignee: string | null;
  readonly deleteReason: string | null;
  readonly processVariables: Record<string, string>;
}

const site = fieldFileSite();
const { vars, ended, deploy, begin, done } = site;

test('a call activity maps in and out, and catches the error of what it called', async () => {
  await deploy(
    'child10',
    file(
      `<error id="bad" errorCode="BAD"/>` +
        processOf(
          'child10',
          `<startEvent id="s"/><userTask id="ct" activiti:assignee="\${who}"/><exclusiveGateway id="g" default="f_g_ok"/><endEvent id="ok"/><endEvent id="ko"><errorEventDefinition errorRef="bad"/></endEvent>${flows('s', 'ct', 'g', 'ok')}${flow('g', 'ko', '${fail == true}')}`,
        ),
    ),
  );
  const xml = file(
    `<error id="bad" errorCode="BAD"/>` +
      processOf(
        'b10',
        `<startEvent id="s" activiti:initiator="me"/><callActivity id="call" name="Call" calledElement="child10" flowable:businessKey="\${me}-child" flowable:inheritBusinessKey="false"><extensionElements><activiti:in source="person" target="who"/><activiti:in sourceExpression="\${count + 1}" target="more"/><activiti:out source="result" target="childResult"/><activiti:out sourceExpression="\${more * 2}" target="twice"/></extensionElements></callActivity><boundaryEvent id="be" attachedToRef="call"><errorEventDefinition errorRef="bad"/></boundaryEvent><userTask id="after"/><userTask id="failed"/><endEvent id="e"/>${flows('s', 'call', 'after', 'e')}${flows('be', 'failed', 'e')}`,
      ),
  );
  const id = await begin('b10', xml, { person: 'kermit', count: 2 });
  const [child] = await site.workflow.list('processinstance', `superProcessInstanceId=${id}`);
  expect(child).toMatchObject({
    businessKey: 'svc-admin-child',
    processVariables: { who: 'kermit', more: 3 },
  });
  await done(child._id, 'ct', { result: { a: [1] }, fail: false });
  expect(await vars(id)).toMatchObject({ childResult: { a: [1] }, twice: 6 });
  expect(await site.workflow.openTasks(id)).toEqual(['after']);
  const id2 = await site.workflow.start('b10', { person: 'kermit', count: 2 });
  const [child2] = await site.workflow.list('processinstance', `superProcessInstanceId=${id2}`);
  await done(child2._id, 'ct', { fail: true });
  expect(await site.workflow.openTasks(id2)).toEqual(['failed']);
});
test('approvers in parallel are enough at sixty percent', async () => {
  const id = await begin(
    'b11',
    file(
      processOf(
        'b11',
        `<startEvent id="s"/>${groovy('g', "execution.setVariable('approvers', ['kermit', 'fozzie', 'gonzo'])")}<userTask id="ap" name="Approve \${approver}" activiti:assignee="\${approver}"><multiInstanceLoopCharacteristics isSequential="false" activiti:collection="\${approvers}" activiti:elementVariable="approver"><completionCondition>\${nrOfCompletedInstances/nrOfInstances &gt;= 0.6}</completionCondition></multiInstanceLoopCharacteristics></userTask><endEvent id="e"/>${flows('s', 'g', 'ap', 'e')}`,
      ),
    ),
  );
  const tasks = await site.workflow.tasks(id);
  expect(tasks.map((t: Shown) => [t.name, t.assignee])).toEqual([
    ['Approve kermit', 'kermit'],
    ['Approve fozzie', 'fozzie'],
    ['Approve gonzo', 'gonzo'],
  ]);
  const read = await site.workflow.get(`taskinstance/${tasks[1]._id}`);
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
  await site.workflow.complete(tasks[0]._id, { nrOfCompletedInstances: 9 });
  expect(await site.workflow.tasks(id)).toHaveLength(2);
  const [listed] = await site.workflow.list('processinstance', `processInstanceId=${id}`);
  expect(listed.processVariables).toMatchObject({ nrOfActiveInstances: 2, nrOfCompletedInstances: 1 });
  await site.workflow.complete(tasks[2]._id);
  await ended(id);
  const hist = await site.workflow.list('taskinstance/history', `processInstanceId=${id}&_sortKeys=_id`);
  expect(hist.map((t: Shown) => t.deleteReason)).toEqual([null, expect.any(String), null]);
});
test('form properties show variables, defaults and expressions', async () => {
  const form = `<extensionElements><activiti:formProperty id="room" name="Room" type="string" required="true"/><activiti:formProperty id="duration" type="long" variable="days"/><activiti:formProperty id="speaker" variable="SpeakerName" writable="false" default="nobody"/><activiti:formProperty id="street" expression="#{address.street}" /><activiti:formProperty id="when" type="date" datePattern="dd-MM-yyyy"/><activiti:formProperty id="kind" type="enum"><activiti:value id="a" name="Alpha &amp; co"/><activiti:value id="b" name="Beta"/></activiti:formProperty></extensionElements>`;
  const id = await begin(
    'b15',
    file(
      processOf(
        'b15',
        `<startEvent id="s">${form}</startEvent><userTask id="t">${form}</userTask><endEvent id="e"/>${flows('s', 't', 'e')}`,
      ),
    ),
    { room: 'B12', days: 4, address: { street: 'Sesame' }, kind: 'a' },
  );
  const [t] = await site.workflow.tasks(id);
  const read = await site.workflow.get(`taskinstance/${t._id}`);
  expect(read.formProperties).toEqual([
    { room: 'B12' },
    { duration: '4' },
    { speaker: 'nobody' },
    { street: 'Sesame' },
    { when: null },
    { kind: 'a' },
  ]);
});
test('due date, priority and category are worked out from variables', async () => {
  const id = await begin(
    'b23',
    file(
      processOf(
        'b23',
        `<startEvent id="s"/><userTask id="a" activiti:dueDate="\${due}" activiti:priority="\${prio}" activiti:category="cat-\${prio}"/><userTask id="b" activiti:dueDate="PT2H" activiti:priority="7"/><userTask id="c" activiti:dueDate="\${day}"/><endEvent id="e"/>${flows('s', 'a', 'b', 'c', 'e')}`,
      ),
    ),
    { due: '2027-01-02T03:04:05.000Z', prio: '90', day: '2027-05-06' },
  );
  const [a] = await site.workflow.tasks(id);
  expect(a).toMatchObject({ dueDate: '2027-01-02T03:04:05.000Z', priority: 90, category: 'cat-90' });
  await done(id, 'a');
  const [b] = await site.workflow.tasks(id);
  expect(b.priority).toBe(7);
  expect(new Date(b.dueDate).getTime() - Date.now()).toBeGreaterThan(7_000_000);
  await done(id, 'b');
  const [c] = await site.workflow.tasks(id);
  expect(c.dueDate).toContain('2027-05-06');
});
test('documentation in several languages and scripts of the world is read', async () => {
  await deploy(
    'b24',
    file(
      processOf(
        'b24',
        `<documentation>Der Prozess: für „Änderungen"</documentation><extensionElements><flowable:localization locale="es" name="Proceso"><flowable:documentation>doc</flowable:documentation></flowable:localization></extensionElements><startEvent id="s"/><userTask id="t" name="Prüfen &lt;jetzt&gt;"><documentation id="d1" textFormat="text/plain"><![CDATA[Bitte <b>prüfen</b> ✓]]></documentation><extensionElements><flowable:localization locale="es" name="tarea"/></extensionElements></userTask><endEvent id="e"/>${flows('s', 't', 'e')}`,
      ),
    ),
  );
  const id = await site.workflow.start('b24');
  const [t] = await site.workflow.tasks(id);
  expect(t).toMatchObject({ name: 'Prüfen <jetzt>', description: 'Bitte <b>prüfen</b> ✓' });
  const [d] = await site.workflow.list('processdefinition', 'key=b24');
  expect(d.description).toBe('Der Prozess: für „Änderungen"');
});
test('data objects are typed variables, unless the start gives them', async () => {
  const obj = (id: string, type: string, value: string) =>
    `<dataObject id="${id}" name="${id}" itemSubjectRef="xsd:${type}"><extensionElements><activiti:value>${value}</activiti:value></extensionElements></dataObject>`;
  const id = await begin(
    'b25',
    file(
      processOf(
        'b25',
        `${obj('dText', 'string', 'Testing')}${obj('dInt', 'int', '123')}${obj('dLong', 'long', '-5')}${obj('dDouble', 'double', '1.5')}${obj('dBool', 'boolean', 'true')}${obj('dDate', 'datetime', '2026-02-03T04:05:06')}<startEvent id="s"/><userTask id="t"/><endEvent id="e"/>${flows('s', 't', 'e')}`,
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
      processOf(
        'b26',
        `<startEvent id="s"/><userTask id="a" activiti:candidateUsers="\${list}, gonzo" activiti:candidateGroups="\${csv}"/><userTask id="b"><potentialOwner><resourceAssignmentExpression><formalExpression>user(kermit), group(mgmt), accounting</formalExpression></resourceAssignmentExpression></potentialOwner></userTask><userTask id="c"><humanPerformer><resourceAssignmentExpression><formalExpression>\${list[0]}</formalExpression></resourceAssignmentExpression></humanPerformer></userTask><endEvent id="e"/>${flows('s', 'a', 'b', 'c', 'e')}`,
      ),
    ),
    { list: ['kermit', 'fozzie'], csv: 'x, y' },
  );
  const cand = async () => {
    const [t] = await site.workflow.tasks(id);
    const r = await site.workflow.get(`taskinstance/${t._id}`);
    return [r.assignee, r.candidates.candidateUsers.sort(), r.candidates.candidateGroups.sort()];
  };
  expect(await cand()).toEqual([null, ['fozzie', 'gonzo', 'kermit'], ['x', 'y']]);
  await done(id, 'a');
  expect(await cand()).toEqual([null, ['kermit'], ['accounting', 'mgmt']]);
  await done(id, 'b');
  expect((await cand())[0]).toBe('kermit');
});
test('prefixed elements, pools, lanes and flows without ids are read, each pool a process', async () => {
  const xml = `<?xml version="1.0"?><bpmn2:definitions xmlns:bpmn2="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:flowable="http://flowable.org/bpmn" targetNamespace="x" id="d"><bpmn2:collaboration id="c"><bpmn2:participant id="pa" processRef="b34a"/><bpmn2:participant id="pb" processRef="b34b"/><bpmn2:messageFlow id="mf" sourceRef="ta" targetRef="pb"/></bpmn2:collaboration>
  <bpmn2:process id="b34a"><bpmn2:laneSet id="ls"><bpmn2:lane id="l1"><bpmn2:flowNodeRef>ta</bpmn2:flowNodeRef></bpmn2:lane></bpmn2:laneSet><bpmn2:startEvent id="sa"/><bpmn2:userTask id="ta"/><bpmn2:endEvent id="ea"/><bpmn2:sequenceFlow sourceRef="sa" targetRef="ta"/><bpmn2:sequenceFlow sourceRef="ta" targetRef="ea"/><bpmn2:textAnnotation id="an"><bpmn2:text>note</bpmn2:text></bpmn2:textAnnotation><bpmn2:association id="aso" sourceRef="ta" targetRef="an"/></bpmn2:process>
  <bpmn2:process id="b34b" isExecutable="true"><bpmn2:startEvent id="sb"/><bpmn2:userTask id="tb"/><bpmn2:sequenceFlow sourceRef="sb" targetRef="tb"/></bpmn2:process></bpmn2:definitions>`;
  const a = await begin('b34a', xml);
  const b = await site.workflow.start('b34b');
  await done(a, 'ta');
  await ended(a);
  await done(b, 'tb');
  await ended(b);
});
test('names and keys too long to be found by are refused, and nothing has changed', async () => {
  const long = Array.from(
    { length: 900 },
    (_, n) => (n * 7919).toString(36) + String.fromCharCode(200 + (n % 700)),
  ).join('');
  await deploy(
    'b39',
    file(
      processOf(
        'b39',
        `<startEvent id="s"/><userTask id="t" name="\${label}" activiti:assignee="\${label}" activiti:owner="\${label}" activiti:candidateUsers="\${label}" activiti:candidateGroups="\${label}"><documentation>\${label}</documentation></userTask><endEvent id="e"/>${flows('s', 't', 'e')}`,
      ),
    ),
  );
  const r = await site.api('POST', 'workflow/processinstance', { body: { _key: 'b39', label: long } });
  expect([r.status, r.body.detail?.id]).toEqual([400, 'WORKFLOW_TOO_LONG']);
  const keyed = await site.api('POST', 'workflow/processinstance', {
    body: { _key: 'b39', label: 'a', _businessKey: long },
  });
  expect([keyed.status, keyed.body.detail?.id]).toEqual([400, 'WORKFLOW_TOO_LONG']);
});
test('candidates that a listener drops are none any more', async () => {
  const id = await begin(
    'b40',
    file(
      processOf(
        'b40',
        `<startEvent id="s"/><userTask id="t" activiti:candidateUsers="kermit,fozzie"><extensionElements><activiti:taskListener event="assignment" expression="\${task.deleteCandidateUser('fozzie')}"/></extensionElements></userTask><endEvent id="e"/>${flows('s', 't', 'e')}`,
      ),
    ),
  );
  const [t] = await site.workflow.tasks(id);
  await site.api('POST', `workflow/taskinstance/${t._id}?_action=claim`, { body: { userId: 'kermit' } });
  expect((await site.workflow.get(`taskinstance/${t._id}`)).candidates.candidateUsers).toEqual(['kermit']);
  await site.api('PUT', `workflow/taskinstance/${t._id}`, { body: { assignee: null } });
  expect(
    await site.workflow.list('taskinstance', `processInstanceId=${id}&taskCandidateUser=fozzie`),
  ).toEqual([]);
  expect(
    await site.workflow.list('taskinstance', `processInstanceId=${id}&taskCandidateUser=kermit`),
  ).toHaveLength(1);
});
test('a called process and a sub-process run for each item', async () => {
  await deploy(
    'c03c',
    file(
      processOf(
        'c03c',
        `<startEvent id="s"/><userTask id="ct" name="\${item}"/><endEvent id="e"/>${flows('s', 'ct', 'e')}`,
      ),
    ),
  );
  const id = await begin(
    'c03',
    file(
      processOf(
        'c03',
        `<startEvent id="s"/><callActivity id="call" calledElement="\${child}"><extensionElements><flowable:in source="it" target="item"/><flowable:out source="answer" target="last"/></extensionElements><multiInstanceLoopCharacteristics isSequential="false" flowable:collection="items" flowable:elementVariable="it"/></callActivity><subProcess id="sp"><multiInstanceLoopCharacteristics isSequential="true" flowable:collection="\${items}" flowable:elementVariable="x"><completionCondition>\${vars:getOrDefault(enough, false)}</completionCondition></multiInstanceLoopCharacteristics><startEvent id="ss"/><userTask id="w" activiti:assignee="\${x}"/><endEvent id="se"/>${flows('ss', 'w', 'se')}</subProcess><endEvent id="e"/>${flows('s', 'call', 'sp', 'e')}`,
      ),
    ),
    { child: 'c03c', items: ['a', 'b', 'c'] },
  );
  const kids = await site.workflow.list('processinstance', `superProcessInstanceId=${id}`);
  expect(kids.map((k: Shown) => k.processVariables.item).sort()).toEqual(['a', 'b', 'c']);
  for (const k of kids) await done(k._id, 'ct', { answer: k.processVariables.item });
  expect((await site.workflow.tasks(id)).map((t: Shown) => t.assignee)).toEqual(['a']);
  await done(id, 'w');
  expect((await site.workflow.tasks(id)).map((t: Shown) => t.assignee)).toEqual(['b']);
  await done(id, 'w', { enough: true });
  await ended(id);
});
