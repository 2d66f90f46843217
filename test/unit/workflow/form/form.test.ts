import { describe, expect, test } from 'vitest';
import type { JsonObject } from '#json/index.ts';
import { compile, type UserTask } from '../../../../src/workflow/engine/index.ts';
import {
  describeStartForm,
  describeTaskForm,
  findTemplate,
  formAsJsonSchema,
  formSchema,
  lintForms,
  noneStart,
  readForm,
  submitForm,
  variableScope,
} from '../../../../src/workflow/form/index.ts';
import { bpmn } from '../engine/bpmn.ts';

const [definition] = await compile(
  bpmn(`
  <startEvent id="start" flowable:formKey="start.html">
    <extensionElements>
      <flowable:formProperty id="startDate" name="Start date" type="date" datePattern="yyyy-MM-dd"
        required="true" default="\${today}" />
      <flowable:formProperty id="note" />
    </extensionElements>
  </startEvent>
  <sequenceFlow id="f1" sourceRef="start" targetRef="approve" />
  <userTask id="approve" name="Approve" flowable:formKey="approve.xhtml">
    <extensionElements>
      <flowable:formProperty id="decision" name="Decision" type="enum" required="true">
        <flowable:value id="accept" name="Accept" />
        <flowable:value id="reject" name="Reject" />
      </flowable:formProperty>
      <flowable:formProperty id="who" type="string" writable="false" expression="\${givenName} \${sn}" />
      <flowable:formProperty id="days" type="long" variable="duration" default="5" />
      <flowable:formProperty id="rate" type="double" />
      <flowable:formProperty id="urgent" type="boolean" />
      <flowable:formProperty id="until" type="date" />
      <flowable:formProperty id="city" type="string" expression="#{address.city}" />
      <flowable:formProperty id="pin" type="string" readable="false" />
      <flowable:formProperty id="free" />
    </extensionElements>
  </userTask>
  <sequenceFlow id="f2" sourceRef="approve" targetRef="end" />
  <endEvent id="end" />`),
);
const task = definition.nodes.get('approve') as UserTask;
const nobody = variableScope({});
const submit = (body: Parameters<typeof submitForm>[1], scope = nobody) =>
  submitForm(task.formProperties, body, scope);

describe('a form has three shapes:', () => {
  test('the start form is a list, with a full type or an empty one', () => {
    expect(describeStartForm(definition)).toEqual({
      formKey: 'start.html',
      formProperties: [
        {
          _id: 'startDate',
          name: 'Start date',
          type: { name: 'date', values: null, datePattern: 'yyyy-MM-dd' },
          readable: true,
          required: true,
          writable: true,
          variableName: null,
          variableExpression: null,
          defaultExpression: { expressionText: `\${today}` },
        },
        {
          _id: 'note',
          name: null,
          type: {},
          readable: true,
          required: false,
          writable: true,
          variableName: null,
          variableExpression: null,
          defaultExpression: null,
        },
      ],
    });
  });

  test('the form of a task definition is an object around a list, with a lean type or null', () => {
    const form = describeTaskForm(task, 'd1');
    expect(form).toMatchObject({ deploymentId: 'd1', formKey: { expressionText: 'approve.xhtml' } });
    expect(form.formPropertyHandlers.map(({ _id, type }) => [_id, type])).toEqual([
      ['decision', { name: 'enum', values: { accept: 'Accept', reject: 'Reject' } }],
      ['who', { name: 'string', mimeType: 'text/plain' }],
      ['days', { name: 'long' }],
      ['rate', { name: 'double' }],
      ['urgent', { name: 'boolean', mimeType: 'plain/text' }],
      ['until', { name: 'date', datePattern: 'dd/MM/yyyy' }],
      ['city', { name: 'string', mimeType: 'text/plain' }],
      ['pin', { name: 'string', mimeType: 'text/plain' }],
      ['free', null],
    ]);
    expect(form.formPropertyHandlers[2]).toMatchObject({
      variableName: 'duration',
      defaultExpression: { expressionText: '5' },
    });
  });

  test('the form of a task is a list of one value each: variable, expression, default, nothing', async () => {
    const scope = variableScope({
      decision: 'accept',
      givenName: 'Ada',
      sn: 'Byron',
      rate: 0.5,
      urgent: false,
      until: Date.UTC(2026, 4, 1),
      free: { a: 1 },
      pin: 'secret',
    });
    expect(await readForm(task.formProperties, scope)).toEqual([
      { decision: 'accept' },
      { who: 'Ada Byron' },
      { days: '5' },
      { rate: '0.5' },
      { urgent: 'false' },
      { until: '01/05/2026' },
      { city: null },
      { free: '{"a":1}' },
    ]);
  });

  test('dates are shown from ISO text too, and what is no date as it is', async () => {
    const properties = noneStart(definition)!.formProperties.slice(0, 1);
    const show = (startDate: string | number) => readForm(properties, variableScope({ startDate }));
    expect(await show('2026-05-01T23:30:00.000-02:00')).toEqual([{ startDate: '2026-05-02' }]);
    expect(await show('2026-05-01')).toEqual([{ startDate: '2026-05-01' }]);
    expect(await show('2026-05-01T23:59:59')).toEqual([{ startDate: '2026-05-01' }]);
    expect(await show('next week')).toEqual([{ startDate: 'next week' }]);
  });

  test('a process without a none start event has an empty start form', async () => {
    const [timed] = await compile(
      bpmn(`<startEvent id="s"><timerEventDefinition><timeDuration>PT1H</timeDuration>
        </timerEventDefinition></startEvent><sequenceFlow id="f" sourceRef="s" targetRef="e" />
        <endEvent id="e" />`),
    );
    expect(describeStartForm(timed)).toEqual({ formKey: null, formProperties: [] });
  });
});

describe('what is submitted', () => {
  test('becomes variables of the right type under the right name', async () => {
    const submitted = {
      decision: 'reject',
      days: '12',
      rate: '1.25',
      urgent: 'true',
      until: '24/12/2026',
      city: 'Graz',
      pin: '0042',
      free: [1, 2],
      other: { x: 1 },
    };
    expect(await submit(submitted, variableScope({ address: { street: 'Main', city: 'Linz' } }))).toEqual({
      decision: 'reject',
      duration: 12,
      rate: 1.25,
      urgent: true,
      until: { $date: Date.UTC(2026, 11, 24) },
      address: { street: 'Main', city: 'Graz' },
      pin: '0042',
      free: [1, 2],
      other: { x: 1 },
    });
  });

  test('is completed with defaults, and an explicit null clears', async () => {
    expect(await submit({ decision: 'accept' })).toEqual({ decision: 'accept', duration: 5 });
    expect(await submit({ decision: 'accept', days: null, rate: null })).toEqual({
      decision: 'accept',
      duration: null,
      rate: null,
    });
  });

  test.each<[string, JsonObject, string, string]>([
    ['a missing required field', {}, '/decision', "'decision' is required"],
    ['an empty required field', { decision: '' }, '/decision', "'decision' is required"],
    ['no choice of the list', { decision: 'acept' }, '/decision', 'is "acept", which is not one of accept'],
    ['a field that cannot be written', { decision: 'accept', who: 'me' }, '/who', "'who' cannot be written"],
    [
      'half a whole number',
      { decision: 'accept', days: 1.5 },
      '/days',
      'is 1.5, which is not a whole number',
    ],
    [
      'a text for a number',
      { decision: 'accept', rate: 'high' },
      '/rate',
      'is "high", which is not a number',
    ],
    ['an endless number', { decision: 'accept', rate: '1e999' }, '/rate', 'which is not a number'],
    ['a number for a truth value', { decision: 'accept', urgent: 1 }, '/urgent', 'neither true nor false'],
    ['a number for a text', { decision: 'accept', city: 7 }, '/city', 'is 7, which is not a text'],
    [
      'an object, of which nothing is repeated,',
      { decision: 'accept', city: { password: 'x' } },
      '/city',
      'is an object, which is not a text',
    ],
    [
      'no day that there is',
      { decision: 'accept', until: '2026-02-31' },
      '/until',
      'not a date such as 01/01/1970',
    ],
    ['no date', { decision: 'accept', until: '31/02/2026' }, '/until', 'not a date such as 01/01/1970'],
  ])('is refused with %s', async (_case, body, field, message) => {
    await expect(submit(body)).rejects.toMatchObject({
      code: 400,
      message: expect.stringContaining(message),
      detail: { id: 'WORKFLOW_FORM', field },
    });
  });

  test('all violations are told at once, with what was probably meant', async () => {
    const failure = await submit({ decison: 'accept', days: 'x' }).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      detail: {
        hint: "Did you mean 'decison'?",
        violations: [
          { field: '/decision' },
          { field: '/days', problem: '\'days\' is "x", which is not a whole number' },
        ],
      },
    });
  });

  test('a member cannot be set in a variable that is a text', async () => {
    const scope = variableScope({ address: 'Main street' });
    await expect(submit({ decision: 'accept', city: 'Graz' }, scope)).rejects.toMatchObject({ code: 400 });
  });

  test('names of JavaScript are names like others', async () => {
    const variables = await submit(JSON.parse('{"decision":"accept","__proto__":{"x":1},"constructor":2}'));
    expect(Object.entries(variables)).toContainEqual(['__proto__', { x: 1 }]);
    expect(({} as { x?: number }).x).toBeUndefined();
  });
});

describe('a form key', () => {
  const resources = new Map([
    ['start.html', Buffer.from('<form>Grüße</form>')],
    ['empty.html', Buffer.alloc(0)],
  ]);

  test('names a resource of the deployment', () => {
    expect(findTemplate('start.html', resources)).toBe('<form>Grüße</form>');
    expect(findTemplate('empty.html', resources)).toBe('');
    expect(findTemplate('constructor', resources)).toBeNull();
  });

  test('that looks like a file and is not there is told at deployment', () => {
    expect(lintForms(definition, resources)).toEqual([
      expect.objectContaining({ id: 'WORKFLOW_NO_TEMPLATE', element: 'approve' }),
    ]);
  });

  test('and so are fields that cannot be filled in', async () => {
    const [odd] = await compile(
      bpmn(`<startEvent id="s"><extensionElements>
          <flowable:formProperty id="at" type="date" datePattern="QQQ" />
          <flowable:formProperty id="at" type="string" />
          <flowable:formProperty id="choice" type="enum" />
        </extensionElements></startEvent>
        <sequenceFlow id="f" sourceRef="s" targetRef="e" /><endEvent id="e" />`),
    );
    expect(lintForms(odd, resources).map(({ element, message }) => [element, message])).toEqual([
      ['s', "has a form property 'at' whose date pattern 'QQQ' has the unknown letter 'Q'"],
      ['s', "has two form properties 'at'"],
      ['s', "has a form property 'choice' without values to choose from"],
    ]);
  });
});

test('what is named as secrets are is typed unseen, and its value is not told', () => {
  const secret = {
    id: 'newPassword',
    type: 'string',
    isReadable: true,
    isWritable: true,
    isRequired: false,
    values: [],
  };
  const number = { ...secret, id: 'token', type: 'long' };
  const { properties } = formSchema([secret, number], [{ newPassword: 'hunter2', token: '3' }]);
  expect(properties).toEqual({
    newPassword: { type: 'string', title: 'newPassword', private: true, userEditable: true },
    token: { type: 'integer', title: 'token', userEditable: true, value: '3' },
  });
  expect(formAsJsonSchema('Reset', [secret])['properties']).toEqual({
    newPassword: { type: 'string', title: 'newPassword', format: 'password', writeOnly: true },
  });
});
