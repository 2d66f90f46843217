import { expect } from 'vitest';
import { end, extension, flow, gateway, path, start, tag, user } from '../unit/workflow/engine/bpmn.ts';
import type { Api } from './api.ts';
import { startTestServer, type TestServer } from './server.ts';
import { processFile, workflowApi } from './workflow.ts';

export const $ = (expression: string) => `\${${expression}}`;
export const ids = (rows: readonly { readonly _id: string }[]) => rows.map(({ _id }) => _id);

const pooled = processFile(
  'pooled',
  start() +
    user('work', {
      'flowable:candidateUsers': 'amy',
      'flowable:candidateGroups': 'r-clerks,r-bosses',
      'flowable:priority': $('priority'),
    }) +
    end() +
    path('s', 'work', 'e'),
  { name: 'Pooled' },
);
const formed = processFile(
  'formed',
  start(
    's',
    extension(
      '<flowable:formProperty id="startDate" name="Start date" type="date" datePattern="yyyy-MM-dd" required="true"/>' +
        '<flowable:formProperty id="unit" default="Sales"/>',
    ),
    { 'flowable:formKey': 'none.xhtml' },
  ) +
    user(
      'approve',
      { 'flowable:assignee': $('manager'), 'flowable:formKey': 'approve.xhtml' },
      extension(
        '<flowable:formProperty id="decision" name="Decision" type="enum" required="true"><flowable:value id="accept" name="Accept"/><flowable:value id="reject" name="Reject"/></flowable:formProperty>' +
          '<flowable:formProperty id="unit" type="string" writable="false"/>' +
          '<flowable:formProperty id="hidden" readable="false"/>',
      ),
    ) +
    tag('subProcess', 'inner', {}, start('is') + user('nested') + end('ie') + path('is', 'nested', 'ie')) +
    end() +
    path('s', 'approve', 'inner', 'e'),
);
const called = processFile('called', start() + user('inside') + end() + path('s', 'inside', 'e'));
const caller = processFile(
  'caller',
  start() +
    tag(
      'callActivity',
      'call',
      { calledElement: 'called' },
      extension('<flowable:in source="topic" target="topic"/>'),
    ) +
    end() +
    path('s', 'call', 'e'),
);
const passedOn = processFile(
  'passedOn',
  start() +
    user(
      'work',
      { 'flowable:assignee': 'ben' },
      extension(`<flowable:taskListener event="create" expression="${$("task.delegate('amy')")}"/>`),
    ) +
    end() +
    path('s', 'work', 'e'),
);
const rich = processFile(
  'rich',
  start() +
    user(
      'task',
      {
        name: $('label'),
        'flowable:assignee': $('who'),
        'flowable:owner': $("'owner-'.concat(label)"),
        'flowable:dueDate': $('due'),
        'flowable:priority': $('priority'),
        'flowable:category': 'odd',
        'flowable:formKey': $("'form-'.concat(label)"),
      },
      `<documentation>About ${$('label')}</documentation>` +
        extension(
          `<flowable:taskListener event="assignment" expression="${$("execution.setVariable('assigned', task.assignee)")}"/>` +
            `<flowable:taskListener event="create" expression="${$("task.setVariableLocal('mine', task.name)")}"/>`,
        ),
    ) +
    end() +
    path('s', 'task', 'e'),
  { name: 'Rich' },
);
const guarded = processFile(
  'guarded',
  start() + user('guard', { 'flowable:candidateGroups': 'svc-authorized' }) + end() + path('s', 'guard', 'e'),
);
const fleeting = processFile('fleeting', start() + user('wait') + end() + path('s', 'wait', 'e'), {
  name: 'Fleeting',
});
const brokenJoin = processFile(
  'stuckable',
  start() +
    gateway('exclusive', 'choose') +
    user('one') +
    end() +
    path('s', 'choose') +
    flow('choose', 'one', $("route == 'one'")) +
    path('one', 'e'),
);

/** A server with processes of many kinds, and the users whom they know. */
export interface WorkflowSite extends AsyncDisposable {
  readonly server: TestServer;
  readonly api: Api;
  readonly workflow: ReturnType<typeof workflowApi>;
}

export async function startWorkflowSite(): Promise<WorkflowSite> {
  const server = await startTestServer({
    files: {
      'workflow/pooled.bpmn20.xml': pooled,
      'workflow/rich.bpmn20.xml': rich,
      'workflow/guarded.bpmn20.xml': guarded,
      'workflow/fleeting.bpmn20.xml': fleeting,
      'workflow/formed.bpmn20.xml': formed,
      'workflow/called.bpmn': called,
      'workflow/caller.bpmn20.xml': caller,
      'workflow/passedOn.bpmn20.xml': passedOn,
      'workflow/stuckable.bpmn20.xml': brokenJoin,
    },
  });
  const { api } = server;
  await api('PUT', 'managed/role/r-clerks', { body: { name: 'clerks', description: 'Clerks' } });
  for (const [userName, authzRoles] of [
    ['amy', []],
    ['ben', [{ _ref: 'managed/role/r-clerks' }]],
    ['eve', [{ _ref: 'repo/internal/role/svc-authorized' }]],
  ] as const) {
    const made = await api('POST', 'managed/user', {
      body: { userName, givenName: userName, sn: userName, mail: `${userName}@example.com`, authzRoles },
    });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
  }
  return {
    server,
    api,
    workflow: workflowApi(api),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
