// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are expressions of process files
/** Process files as users of the field write them, each driven over REST to its end: scripts, expressions and what they see. */
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { fieldFileSite, file, flow, flows, groovy, processOf } from '../support/field-files.ts';

/** What these tests look at of tasks and instances. */
interface Shown {
  readonly name: string;
  readonly assignee: string | null;
  readonly deleteReason: string | null;
  readonly processVariables: Record<string, string>;
}

const site = fieldFileSite();
const { vars, ended, begin, done } = site;

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
          processOf(
            key,
            `<startEvent id="s"/>${groovy('g', `${imp}\nthrow new ${cls}("NO_MANAGER", "no manager")`)}<boundaryEvent id="be" attachedToRef="g"><errorEventDefinition errorRef="err"/></boundaryEvent><userTask id="fix"/><endEvent id="e"/>${flows('s', 'g', 'e')}${flows('be', 'fix', 'e')}`,
          ),
      ),
    );
    expect(await site.workflow.openTasks(id)).toEqual(['fix']);
  }
});
test('a script runs as often as an expression says, one round after the other', async () => {
  const id = await begin(
    'b12',
    file(
      processOf(
        'b12',
        `<startEvent id="s"/><scriptTask id="m" scriptFormat="groovy"><multiInstanceLoopCharacteristics isSequential="true"><loopCardinality>\${n}</loopCardinality></multiInstanceLoopCharacteristics><script>execution.setVariable("sum", (execution.getVariable("sum") ?: 0) + loopCounter)</script></scriptTask><endEvent id="e"/>${flows('s', 'm', 'e')}`,
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
      processOf(
        'b14',
        `<extensionElements><flowable:executionListener event="start" expression="\${execution.setVariable('log', 'start')}"/><flowable:executionListener event="end" class="org.example.Notifier"><flowable:field name="note" stringValue="bye"/></flowable:executionListener></extensionElements><startEvent id="s"/><sequenceFlow id="fl" sourceRef="s" targetRef="t"><extensionElements><activiti:executionListener event="take" class="org.activiti.engine.impl.bpmn.listener.ScriptExecutionListener"><activiti:field name="script"><activiti:string><![CDATA[execution.setVariable('log', execution.getVariable('log') + ',take')]]></activiti:string></activiti:field><activiti:field name="language" stringValue="groovy"/></activiti:executionListener></extensionElements></sequenceFlow><userTask id="t" name="Tee" activiti:assignee="kermit"><extensionElements><activiti:taskListener event="create" class="org.activiti.engine.impl.bpmn.listener.ScriptTaskListener"><activiti:field name="script"><activiti:string><![CDATA[task.setVariable('log', task.getVariable('log') + ',' + task.eventName); task.execution.setVariable('x', task.getAssignee())]]></activiti:string></activiti:field><activiti:field name="language" stringValue="groovy"/></activiti:taskListener><flowable:taskListener event="assignment" expression="\${task.setVariable('asg', task.assignee)}"/><flowable:taskListener event="complete" delegateExpression="\${notifier}"/><flowable:taskListener event="delete" expression="\${task.setVariable('log', log.concat(',').concat(task.eventName))}"/></extensionElements></userTask><endEvent id="e"/>${flows('t', 'e')}`,
      ),
    ),
  );
  expect(await vars(id)).toMatchObject({ log: 'start,take,create', asg: 'kermit', x: 'kermit' });
  await done(id, 't');
  expect(await vars(id)).toMatchObject({ log: 'start,take,create,delete', notified: ['end', 'bye', null] });
});
test('fields are injected, as text and as expression', async () => {
  const id = await begin(
    'b20',
    file(
      processOf(
        'b20',
        `<startEvent id="s"/><serviceTask id="g" activiti:class="org.example.delegates.Greet" activiti:resultVariableName="res"><extensionElements><activiti:field name="text"><activiti:string>Hello</activiti:string></activiti:field><activiti:field name="who"><activiti:expression>\${gender == 'male' ? 'Mr. ' : 'Mrs. '}\${name}</activiti:expression></activiti:field></extensionElements></serviceTask><endEvent id="e"/>${flows('s', 'g', 'e')}`,
      ),
    ),
    { gender: 'female', name: 'Piggy' },
  );
  expect((await vars(id)).greeting).toBe('Hello Mrs. Piggy');
});
test('a skip expression counts when the instance switches it on', async () => {
  const xml = file(
    processOf(
      'b21',
      `<startEvent id="s"/><userTask id="t" flowable:skipExpression="\${skip}"/><userTask id="u"/><endEvent id="e"/>${flows('s', 't', 'u', 'e')}`,
    ),
  );
  const id = await begin('b21', xml, { skip: true, _ACTIVITI_SKIP_EXPRESSION_ENABLED: true });
  expect(await site.workflow.openTasks(id)).toEqual(['u']);
  const id2 = await site.workflow.start('b21', { skip: true });
  expect(await site.workflow.openTasks(id2)).toEqual(['t']);
});
test('an asynchronous service is a dead letter after its retries', async () => {
  const id = await begin(
    'b22',
    file(
      processOf(
        'b22',
        `<startEvent id="s"/><serviceTask id="a" activiti:async="true" activiti:exclusive="true" activiti:expression="\${nope.nope()}"><extensionElements><activiti:failedJobRetryTimeCycle>R2/PT1S</activiti:failedJobRetryTimeCycle></extensionElements></serviceTask><endEvent id="e"/>${flows('s', 'a', 'e')}`,
      ),
    ),
  );
  const dead = await eventually(
    () => site.workflow.list('job/deadletter', `processInstanceId=${id}`),
    (l: readonly Shown[]) => l.length === 1,
  );
  expect(dead[0]).toMatchObject({ retries: 0 });
});
test('Groovy as samples of the field write it does what it says', async () => {
  const id = await begin(
    'b30',
    file(
      processOf(
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
        )}<userTask id="t" activiti:assignee="\${startUserId}"/><endEvent id="e"/>${flows('s', 'g', 't', 'e')}`,
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
      processOf(
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
        )}<userTask id="t" name="Tee"><extensionElements><activiti:taskListener event="create" class="org.activiti.engine.impl.bpmn.listener.ScriptTaskListener"><activiti:field name="script"><activiti:string><![CDATA[task.setVariable('tm', [task.getTaskDefinitionKey(), task.getProcessDefinitionId() != null, task.getExecutionId() != null, task.getFormKey(), task.getTenantId(), task.getDescription(), task.createTime instanceof Date, task.getCreateTime() == task.createTime, task.claimTime, task.isSuspended(), task.parentTaskId]); task.addCandidateUser('ann'); task.addCandidateGroup('hr'); task.setVariable('tc', task.getCandidates().collect { [it.type, it.getUserId(), it.groupId] })]]></activiti:string></activiti:field><activiti:field name="language" stringValue="groovy"/></activiti:taskListener><activiti:taskListener event="complete" class="org.activiti.engine.impl.bpmn.listener.ScriptTaskListener"><activiti:field name="script"><activiti:string><![CDATA[task.execution.setVariables([created: task.createTime, claimed: task.getClaimTime(), later: task.claimTime.after(task.createTime) || task.claimTime == task.createTime]); task.execution.removeVariables(['z']); task.setTransientVariables([gone: 1])]]></activiti:string></activiti:field><activiti:field name="language" stringValue="groovy"/></activiti:taskListener></extensionElements></userTask><endEvent id="e"/>${flows('s', 'g', 't', 'e')}`,
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
  const [task] = await site.workflow.tasks(id);
  await site.api('POST', `workflow/taskinstance/${task._id}?_action=claim`, { body: { userId: 'ann' } });
  const { claimTime } = await site.workflow.get(`taskinstance/${task._id}`);
  await done(id, 't');
  const after = await vars(id);
  expect(after).toMatchObject({
    created: Date.parse(task.createTime),
    claimed: Date.parse(claimTime),
    later: true,
  });
  expect(after).not.toHaveProperty('z');
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
        `<exclusiveGateway id="g${n}"/>${flow(n === 0 ? 's' : `g${n - 1}`, `g${n}`, n === 0 ? '' : cond[n - 1])}`,
    )
    .join('');
  const id = await begin(
    'b35',
    file(
      processOf(
        'b35',
        `<startEvent id="s"/>${body}${flow(`g${cond.length - 1}`, 'e', cond.at(-1))}<endEvent id="e"/>`,
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
test('JavaScript as the field writes it does what it says', async () => {
  const id = await begin(
    'c02',
    file(
      processOf(
        'c02',
        `<startEvent id="s"/><scriptTask id="g" scriptFormat="text/javascript" activiti:autoStoreVariables="false"><script><![CDATA[
    var users = svc.query("managed/user", { "_queryFilter": 'userName eq "' + who + '"' });
    execution.setVariable("mail", users.result[0].mail);
    for (var i in users.result) { execution.setVariable("n", i); }
    logger.info("found {}", who);
    execution.setVariable("when", new Date(0));
  ]]></script></scriptTask><endEvent id="e"/>${flows('s', 'g', 'e')}`,
      ),
    ),
    { who: 'gonzo' },
  );
  expect(await vars(id)).toMatchObject({ mail: 'gonzo@example.com', when: 0 });
});
test('a condition may be a script', async () => {
  const id = await begin(
    'c17',
    file(
      processOf(
        'c17',
        `<startEvent id="s"/><exclusiveGateway id="g" default="f_g_b"/><userTask id="a"/><userTask id="b"/><endEvent id="e"/><sequenceFlow id="x" sourceRef="g" targetRef="a"><conditionExpression xsi:type="tFormalExpression" language="groovy"><![CDATA[execution.getVariable('n') > 1 && n < 5]]></conditionExpression></sequenceFlow>${flows('s', 'g', 'b', 'e')}${flows('a', 'e')}`,
      ),
    ),
    { n: 3 },
  );
  expect(await site.workflow.openTasks(id)).toEqual(['a']);
});
test('a step without a way on, or with an unknown variable, leaves everything as it was', async () => {
  const id = await begin(
    'c20',
    file(
      processOf(
        'c20',
        `<startEvent id="s"/><userTask id="t"/><exclusiveGateway id="g"/><userTask id="u" activiti:assignee="\${nobody}"/><endEvent id="e"/>${flows('s', 't', 'g')}${flow('g', 'u', '${go == 1}')}${flows('u', 'e')}`,
      ),
    ),
  );
  const a = await site.workflow.completeAt(id, 't', { go: 2 });
  expect([a.status, a.body.message]).toEqual([500, expect.stringContaining("'g'")]);
  const b = await site.workflow.completeAt(id, 't', { go: 1 });
  expect([b.status, b.body.message]).toEqual([500, expect.stringContaining('nobody')]);
  const v = await vars(id);
  expect(v.go).toBe(undefined);
  await done(id, 't', { go: 1, nobody: null });
  const [t] = await site.workflow.tasks(id);
  expect(t.assignee).toBe(null);
});
test('a date that Groovy made is a due date', async () => {
  const id = await begin(
    'c21',
    file(
      processOf(
        'c21',
        `<startEvent id="s"/>${groovy('g', "execution.setVariable('due', new Date() + 1)\nexecution.setVariable('cal', Calendar.getInstance().getTime())")}<userTask id="t" activiti:dueDate="\${due}"/><endEvent id="e"/>${flows('s', 'g', 't', 'e')}`,
      ),
    ),
  );
  const [t] = await site.workflow.tasks(id);
  expect(Math.abs(new Date(t.dueDate).getTime() - Date.now() - 86_400_000)).toBeLessThan(60_000);
  expect((await vars(id)).due).toEqual(expect.any(Number));
});
test('a transient variable is seen for the rest of the step and kept nowhere', async () => {
  const id = await begin(
    'c33',
    file(
      processOf(
        'c33',
        `<startEvent id="s"/><serviceTask id="a" flowable:expression="\${execution.setTransientVariable('tv', 5)}"/><exclusiveGateway id="g"/><userTask id="t"/><endEvent id="e"/>${flows('s', 'a', 'g')}${flow('g', 't', '${tv == 5}')}${flows('t', 'e')}`,
      ),
    ),
  );
  expect(await site.workflow.openTasks(id)).toEqual(['t']);
  expect(await vars(id)).toEqual({});
});
