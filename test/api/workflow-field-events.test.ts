// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are expressions of process files
/** Process files as users of the field write them, each driven over REST to its end: events, errors and ways through a process. */
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
const { vars, inst, ended, deploy, begin, done, message, signal } = site;

test('a boundary timer that does not interrupt repeats beside its task', async () => {
  const id = await begin(
    'b01',
    file(
      processOf(
        'b01',
        `<startEvent id="s"/><userTask id="t" name="T"/><boundaryEvent id="bt" attachedToRef="t" cancelActivity="false"><timerEventDefinition><timeCycle>R2/PT0.2S</timeCycle></timerEventDefinition></boundaryEvent>${groovy('rem', 'def n = execution.getVariable("n") ?: 0\nexecution.setVariable("n", n + 1)')}<endEvent id="e"/><endEvent id="e2"/>${flows('s', 't', 'e')}${flows('bt', 'rem', 'e2')}`,
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
test('a cancelled transaction undoes what was done', async () => {
  const id = await begin(
    'b07',
    file(
      processOf(
        'b07',
        `<startEvent id="s"/><transaction id="tx"><startEvent id="s1"/><serviceTask id="book" flowable:expression="\${execution.setVariable('booked', true)}"/><boundaryEvent id="cb" attachedToRef="book"><compensateEventDefinition/></boundaryEvent><serviceTask id="unbook" isForCompensation="true" flowable:expression="\${execution.setVariable('booked', false)}"/><userTask id="pay"/><exclusiveGateway id="gw" default="f_gw_ok"/><endEvent id="ok"/><endEvent id="no"><cancelEventDefinition/></endEvent><association id="as" sourceRef="cb" targetRef="unbook"/>${flows('s1', 'book', 'pay', 'gw', 'ok')}${flow('gw', 'no', '${paid == false}')}</transaction><boundaryEvent id="can" attachedToRef="tx"><cancelEventDefinition/></boundaryEvent><userTask id="sorry"/><endEvent id="e"/>${flows('s', 'tx', 'e')}${flows('can', 'sorry', 'e')}`,
      ),
    ),
  );
  await done(id, 'pay', { paid: false });
  expect(await site.workflow.openTasks(id)).toEqual(['sorry']);
  expect((await vars(id)).booked).toBe(false);
});
test('a terminate end in a sub-process ends only that', async () => {
  const id = await begin(
    'b16',
    file(
      processOf(
        'b16',
        `<startEvent id="s"/><subProcess id="sp"><startEvent id="ss"/><parallelGateway id="fork"/><userTask id="a"/><userTask id="b"/><endEvent id="te"><terminateEventDefinition/></endEvent><endEvent id="ee"/>${flows('ss', 'fork', 'a', 'te')}${flows('fork', 'b', 'ee')}</subProcess><userTask id="after"/><endEvent id="e"/>${flows('s', 'sp', 'after', 'e')}`,
      ),
    ),
  );
  await done(id, 'a');
  expect(await site.workflow.openTasks(id)).toEqual(['after']);
  await done(id, 'after');
  await ended(id);
});
test('a signal reaches other instances and starts one', async () => {
  const sig = `<signal id="alert" name="The Alert"/>`;
  await deploy(
    'b17c',
    file(
      sig +
        processOf(
          'b17c',
          `<startEvent id="s"/><userTask id="t"/><boundaryEvent id="bs" attachedToRef="t" cancelActivity="true"><signalEventDefinition signalRef="alert"/></boundaryEvent><userTask id="alarmed"/><endEvent id="e"/>${flows('s', 't', 'e')}${flows('bs', 'alarmed', 'e')}`,
        ),
    ),
  );
  await deploy(
    'b17s',
    file(
      sig +
        processOf(
          'b17s',
          `<startEvent id="s"><signalEventDefinition signalRef="alert"/></startEvent><userTask id="t"/><endEvent id="e"/>${flows('s', 't', 'e')}`,
        ),
    ),
  );
  const [x, y] = [await site.workflow.start('b17c'), await site.workflow.start('b17c')];
  const thrower = await begin(
    'b17t',
    file(
      sig +
        processOf(
          'b17t',
          `<startEvent id="s"/><intermediateThrowEvent id="th"><signalEventDefinition signalRef="alert"/></intermediateThrowEvent><endEvent id="e"/>${flows('s', 'th', 'e')}`,
        ),
    ),
  );
  await ended(thrower);
  for (const id of [x, y])
    await eventually(
      () => site.workflow.openTasks(id),
      (t) => t[0] === 'alarmed',
    );
  await eventually(
    () => site.workflow.list('processinstance', 'processDefinitionKey=b17s'),
    (l: readonly Shown[]) => l.length === 1,
  );
});
test('a message starts an instance, another goes to its receive task', async () => {
  await deploy(
    'b18',
    file(
      `<message id="m1" name="newInvoice"/><message id="m2" name="paid"/>` +
        processOf(
          'b18',
          `<startEvent id="s"><messageEventDefinition messageRef="m1"/></startEvent><receiveTask id="r" messageRef="m2"/><endEvent id="e"/>${flows('s', 'r', 'e')}`,
        ),
    ),
  );
  const r = await message('newInvoice', { variables: { n: 1 } });
  expect(r.status, JSON.stringify(r.body)).toBe(200);
  const [i] = await site.workflow.list('processinstance', 'processDefinitionKey=b18');
  expect(i.processVariables).toEqual({ n: 1 });
  expect((await message('paid', { processInstanceId: i._id, variables: { ok: true } })).status).toBe(200);
  await ended(i._id);
  expect((await vars(i._id)).ok).toBe(true);
});
test('a link leads to its other end', async () => {
  const id = await begin(
    'b19',
    file(
      processOf(
        'b19',
        `<startEvent id="s"/><intermediateThrowEvent id="lt" name="L"><linkEventDefinition name="L"/></intermediateThrowEvent><intermediateCatchEvent id="lc" name="L"><linkEventDefinition name="L"/></intermediateCatchEvent><userTask id="t"/><endEvent id="e"/>${flows('s', 'lt')}${flows('lc', 't', 'e')}`,
      ),
    ),
  );
  expect(await site.workflow.openTasks(id)).toEqual(['t']);
});
test('event sub-processes of each kind start beside or instead of what they belong to', async () => {
  const esp = (n: string, ev: string, inter: boolean, task: string) =>
    `<subProcess id="esp${n}" triggeredByEvent="true"><startEvent id="es${n}" isInterrupting="${inter}">${ev}</startEvent><userTask id="${task}"/><endEvent id="ee${n}"/>${flows(`es${n}`, task, `ee${n}`)}</subProcess>`;
  const id = await begin(
    'b36',
    file(
      `<message id="mm" name="help36"/><signal id="ss36" name="ss36"/><error id="er" errorCode="E36"/>` +
        processOf(
          'b36',
          `<startEvent id="s"/><userTask id="main"/>${groovy('boom', "throw new BpmnError('E36')")}<endEvent id="e"/>${flows('s', 'main', 'boom', 'e')}${esp('m', '<messageEventDefinition messageRef="mm"/>', false, 'helping')}${esp('g', '<signalEventDefinition signalRef="ss36"/>', false, 'sig')}${esp('t', '<timerEventDefinition><timeDuration>PT0.3S</timeDuration></timerEventDefinition>', false, 'late')}${esp('x', '<errorEventDefinition errorRef="er"/>', true, 'repair')}`,
        ),
    ),
  );
  await message('help36', { processInstanceId: id });
  await message('help36', { processInstanceId: id });
  await signal('ss36');
  await eventually(
    () => site.workflow.openTasks(id),
    (t) => t.includes('late') && t.filter((x) => x === 'helping').length === 2 && t.includes('sig'),
  );
  await done(id, 'main');
  expect(await site.workflow.openTasks(id)).toEqual(['repair']);
  await done(id, 'repair');
  await ended(id);
});
test('a sub-process has boundaries for escalation, message and condition', async () => {
  const id = await begin(
    'b37',
    file(
      `<escalation id="esc" escalationCode="LATE"/><message id="mm" name="poke37"/>` +
        processOf(
          'b37',
          `<startEvent id="s"/><subProcess id="sp"><startEvent id="ss"/><userTask id="w"/><intermediateThrowEvent id="te"><escalationEventDefinition escalationRef="esc"/></intermediateThrowEvent><userTask id="w2"/><endEvent id="se"/>${flows('ss', 'w', 'te', 'w2', 'se')}</subProcess><boundaryEvent id="b1" attachedToRef="sp" cancelActivity="false"><escalationEventDefinition escalationRef="esc"/></boundaryEvent><userTask id="boss"/><boundaryEvent id="b2" attachedToRef="sp" cancelActivity="false"><messageEventDefinition messageRef="mm"/></boundaryEvent><userTask id="poked"/><boundaryEvent id="b3" attachedToRef="sp"><conditionalEventDefinition><condition>\${vars:getOrDefault(stop, false) == true}</condition></conditionalEventDefinition></boundaryEvent><userTask id="stopped"/><endEvent id="e"/>${flows('s', 'sp', 'e')}${flows('b1', 'boss', 'e')}${flows('b2', 'poked', 'e')}${flows('b3', 'stopped', 'e')}`,
        ),
    ),
  );
  await message('poke37', { processInstanceId: id });
  await done(id, 'w');
  expect((await site.workflow.openTasks(id)).sort()).toEqual(['boss', 'poked', 'w2']);
  await done(id, 'boss', { stop: true });
  expect((await site.workflow.openTasks(id)).sort()).toEqual(['poked', 'stopped']);
});
test('an event gateway, an inclusive one and the compensation of one activity follow each other', async () => {
  const id = await begin(
    'b38',
    file(
      `<message id="mm" name="go38"/>` +
        processOf(
          'b38',
          `<startEvent id="s"/><eventBasedGateway id="eg"/><intermediateCatchEvent id="c1"><messageEventDefinition messageRef="mm"/></intermediateCatchEvent><intermediateCatchEvent id="c2"><timerEventDefinition><timeDuration>PT1H</timeDuration></timerEventDefinition></intermediateCatchEvent><inclusiveGateway id="ig" default="f_ig_d"/><userTask id="x"/><userTask id="y"/><userTask id="d"/><inclusiveGateway id="ij"/><serviceTask id="h" flowable:expression="\${execution.setVariable('h', 'done')}"/><boundaryEvent id="hb" attachedToRef="h"><compensateEventDefinition/></boundaryEvent><serviceTask id="uh" isForCompensation="true" flowable:expression="\${execution.setVariable('h', 'undone')}"/><association id="as" sourceRef="hb" targetRef="uh"/><intermediateThrowEvent id="ct"><compensateEventDefinition activityRef="h"/></intermediateThrowEvent><endEvent id="e"/>${flows('s', 'eg', 'c1', 'ig')}${flows('eg', 'c2', 'e')}${flow('ig', 'x', '${n > 1}')}${flow('ig', 'y', '${n > 2}')}${flows('ig', 'd', 'ij')}${flows('x', 'ij')}${flows('y', 'ij', 'h', 'ct', 'e')}`,
        ),
    ),
    { n: 3 },
  );
  await message('go38', { processInstanceId: id });
  expect((await site.workflow.openTasks(id)).sort()).toEqual(['x', 'y']);
  await done(id, 'x');
  expect(await site.workflow.openTasks(id)).toEqual(['y']);
  await done(id, 'y');
  await ended(id);
  expect((await vars(id)).h).toBe('undone');
});
test('an error that no element declares is known by its reference', async () => {
  const id = await begin(
    'c12',
    file(
      processOf(
        'c12',
        `<startEvent id="s"/><subProcess id="sp"><startEvent id="ss"/><endEvent id="se"><errorEventDefinition errorRef="myErr"/></endEvent>${flows('ss', 'se')}</subProcess><boundaryEvent id="be" attachedToRef="sp"><errorEventDefinition errorRef="myErr"/></boundaryEvent><userTask id="t"/><endEvent id="e"/>${flows('s', 'sp', 'e')}${flows('be', 't', 'e')}`,
      ),
    ),
  );
  expect(await site.workflow.openTasks(id)).toEqual(['t']);
});
test('a terminate end for all in a called process ends its caller', async () => {
  await deploy(
    'c19c',
    file(
      processOf(
        'c19c',
        `<startEvent id="s"/><userTask id="ct"/><endEvent id="e"><terminateEventDefinition flowable:terminateAll="true"/></endEvent>${flows('s', 'ct', 'e')}`,
      ),
    ),
  );
  const id = await begin(
    'c19',
    file(
      processOf(
        'c19',
        `<startEvent id="s"/><parallelGateway id="pg"/><callActivity id="call" calledElement="c19c"/><userTask id="other"/><endEvent id="e"/><endEvent id="e2"/>${flows('s', 'pg', 'call', 'e')}${flows('pg', 'other', 'e2')}`,
      ),
    ),
  );
  const [k] = await site.workflow.list('processinstance', `superProcessInstanceId=${id}`);
  await done(k._id, 'ct');
  await ended(id);
});
test('an exception is mapped to an error, which a boundary for all catches', async () => {
  const id = await begin(
    'c28',
    file(
      processOf(
        'c28',
        `<startEvent id="s"/><serviceTask id="svc1" activiti:expression="\${missingVar}" flowable:async="false"><extensionElements><flowable:mapException errorCode="MAPPED" includeChildExceptions="true">java.lang.Exception</flowable:mapException></extensionElements></serviceTask><boundaryEvent id="be" attachedToRef="svc1"><errorEventDefinition/></boundaryEvent><userTask id="t"/><endEvent id="e"/>${flows('s', 'svc1', 'e')}${flows('be', 't', 'e')}`,
      ),
    ),
  );
  expect(await site.workflow.openTasks(id)).toEqual(['t']);
});
test('a branch that was interrupted still comes to the join, once', async () => {
  const id = await begin(
    'c29',
    file(
      processOf(
        'c29',
        `<startEvent id="s"/><parallelGateway id="f1"/><userTask id="a"/><boundaryEvent id="bt" attachedToRef="a"><timerEventDefinition><timeDuration>PT0.2S</timeDuration></timerEventDefinition></boundaryEvent><userTask id="late"/><userTask id="b"/><exclusiveGateway id="m"/><parallelGateway id="j"/><endEvent id="e"/>${flows('s', 'f1', 'a', 'm')}${flows('bt', 'late', 'm', 'j')}${flows('f1', 'b', 'j', 'e')}`,
      ),
    ),
  );
  await eventually(
    () => site.workflow.openTasks(id),
    (t) => t.includes('late'),
  );
  await done(id, 'b');
  expect((await inst(id)).endTime).toBe(null);
  await done(id, 'late');
  await ended(id);
});
