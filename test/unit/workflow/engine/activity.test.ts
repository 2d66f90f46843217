// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are expressions of process files
import { describe, expect, test } from 'vitest';
import { bothWays } from './both-ways.ts';
import {
  around,
  boundary,
  bpmn,
  end,
  error,
  extension,
  flow,
  gateway,
  note,
  path,
  service,
  start,
  sub,
  tag,
  user,
} from './bpmn.ts';
import { Host, NOW } from './host.ts';

describe('user task', () => {
  bothWays('works out assignee, candidates, due date, priority and form', async (begin) => {
    const host = await begin(
      around(
        user('a', {
          'flowable:assignee': '${boss}',
          'activiti:owner': 'kim',
          'flowable:candidateUsers': 'ann, ${pair}',
          'flowable:candidateGroups': '${groups}',
          'flowable:dueDate': 'P1D',
          'flowable:priority': '${40 + 2}',
          'flowable:formKey': 'form-${boss}',
        }),
      ),
      { boss: 'bob', pair: 'cy,dee', groups: ['g1', 'g2'] },
    );
    expect(host.effects('task.created')[0]?.task).toEqual({
      name: 'a',
      description: null,
      assignee: 'bob',
      owner: 'kim',
      candidateUsers: ['ann', 'cy', 'dee'],
      candidateGroups: ['g1', 'g2'],
      dueAt: NOW + 86_400_000,
      priority: 42,
      category: null,
      formKey: 'form-bob',
      delegation: null,
    });
  });

  test('a mistake in the assignee fails, one in the name shows as text', async () => {
    const strict = around(user('a', { 'flowable:assignee': '${nobody}' }));
    await expect(Host.start(strict)).rejects.toThrow("unknown name 'nobody'");
    const host = await Host.start(around(user('a', { name: 'Check ${nobody}' })));
    expect(host.effects('task.created')[0]?.task.name).toBe('Check ${nobody}');
  });

  bothWays('takes the standard form of assignment', async (begin) => {
    const owners =
      '<potentialOwner><resourceAssignmentExpression><formalExpression>user(ann), group(staff), crew</formalExpression></resourceAssignmentExpression></potentialOwner>';
    const performer =
      '<humanPerformer><resourceAssignmentExpression><formalExpression>bob</formalExpression></resourceAssignmentExpression></humanPerformer>';
    const task = (await begin(around(user('a', {}, performer + owners)))).effects('task.created')[0]?.task;
    expect(task).toMatchObject({
      assignee: 'bob',
      candidateUsers: ['ann'],
      candidateGroups: ['staff', 'crew'],
    });
  });

  bothWays('tells its listeners in order: assignment, create, complete, delete', async (begin) => {
    const listeners = ['create', 'assignment', 'complete', 'delete'].map(
      (event) =>
        `<flowable:taskListener event="${event}" expression="\${log.add(task.eventName, task.assignee)}"/>`,
    );
    const host = await begin(
      around(user('a', { 'flowable:assignee': 'ann' }, extension(listeners.join('')))),
    );
    expect(host.log).toEqual(['assignment ann', 'create ann']);
    const { execution } = host.openTasks()[0]!;
    await host.apply({
      kind: 'assign',
      execution,
      task: { ...host.effects('task.created')[0]!.task, assignee: 'bob' },
    });
    await host.complete('a');
    expect(host.log.slice(2)).toEqual(['assignment bob', 'complete ', 'delete ']);
  });

  bothWays('a listener may change the task that is created', async (begin) => {
    const listener =
      '<flowable:taskListener event="create" expression="${task.setAssignee(execution.getVariable(\'who\'))}"/>';
    const host = await begin(around(user('a', {}, extension(listener))), { who: 'cy' });
    expect(host.effects('task.created')[0]?.task.assignee).toBe('cy');
  });

  bothWays('writes its id and its completer into variables', async (begin) => {
    const host = await begin(
      around(user('a', { 'flowable:taskIdVariableName': 'id', 'flowable:taskCompleterVariableName': 'by' })),
    );
    await host.complete('a');
    expect(host.variables).toMatchObject({
      id: `t${host.effects('task.created')[0]!.execution}`,
      by: 'kim',
    });
  });

  test('completing twice, or something else, is not found', async () => {
    const host = await Host.start(around(user('a')));
    const { execution } = host.openTasks()[0]!;
    await expect(host.apply({ kind: 'trigger', execution })).rejects.toMatchObject({ code: 404 });
    await host.complete('a');
    await expect(host.apply({ kind: 'complete', execution })).rejects.toMatchObject({ code: 404 });
  });
});

describe('service and script task', () => {
  bothWays('an expression stores its result', async (begin) => {
    const host = await begin(around(service('a', '${x * 2}', { 'flowable:resultVariableName': 'y' })), {
      x: 21,
    });
    expect(host.variables['y']).toBe(42);
  });

  bothWays('an expression that calls something is awaited', async (begin) => {
    const host = await begin(
      around(service('a', "${log.later('done')}", { 'flowable:resultVariable': 'n' })),
    );
    expect(host.log).toEqual(['done']);
    expect(host.variables['n']).toBe(1);
  });

  bothWays('delegates by expression, class and type get their fields', async (begin) => {
    const fields = extension(
      '<flowable:field name="to" stringValue="ann"/><flowable:field name="text"><flowable:expression>Hi ${x}</flowable:expression></flowable:field><flowable:field name="from"><flowable:string>bob</flowable:string></flowable:field>',
    );
    const xml = bpmn(
      start() +
        tag('serviceTask', 'a', { 'flowable:delegateExpression': '${greeter}' }, fields) +
        tag('sendTask', 'b', { 'flowable:class': 'org.x.Mailer' }, fields) +
        tag('serviceTask', 'c', { 'flowable:type': 'mail' }, fields) +
        tag('businessRuleTask', 'd', { 'activiti:expression': '${1}', 'activiti:resultVariable': 'd' }) +
        end() +
        path('s', 'a', 'b', 'c', 'd', 'e'),
    );
    const calls: unknown[] = [];
    const host = await begin(
      xml,
      { x: 1 },
      {
        delegate: ({ kind, name, fields }) => {
          calls.push([kind, name, fields]);
          return null;
        },
      },
    );
    const given = { to: 'ann', text: 'Hi 1', from: 'bob' };
    expect(calls).toEqual([
      ['delegate', 'greeter', given],
      ['class', 'org.x.Mailer', given],
      ['mail', 'mail', { ...given, to: ['ann'] }],
    ]);
    expect(host.variables['d']).toBe(1);
  });

  bothWays('a script runs with its language and stores its result', async (begin) => {
    const script = (id: string, source: string, attributes = {}) =>
      tag('scriptTask', id, { scriptFormat: 'javascript', ...attributes }, `<script>${source}</script>`);
    const xml = bpmn(
      start() +
        script('a', 'set x {"y":1}') +
        script('b', 'six', { 'flowable:resultVariable': 'r' }) +
        script('c', 'assign kept 1', { 'flowable:autoStoreVariables': true }) +
        script('d', 'assign lost 1') +
        end() +
        path('s', 'a', 'b', 'c', 'd', 'e'),
    );
    expect((await begin(xml)).variables).toEqual({ x: { y: 1 }, r: 'six', kept: 1 });
  });

  test('a script without a language is JUEL when it is one expression, else Groovy', async () => {
    const formats: string[] = [];
    const script = (id: string, source: string) => tag('scriptTask', id, {}, `<script>${source}</script>`);
    const xml = bpmn(
      start() +
        script('a', "\n  ${execution.setVariable('x', 1 + 1)}\n") +
        script('b', "#{execution.setVariable('y', x)}") +
        script('c', 'println "$x ${y}"') +
        user('u') +
        path('s', 'a', 'b', 'c', 'u'),
    );
    const host = await Host.start(xml, {}, { script: ({ format }) => ({ value: formats.push(format) }) });
    expect([host.variables, formats]).toEqual([{ x: 2, y: 2 }, ['groovy']]);
  });

  bothWays('a transient result is seen in the same step and not kept', async (begin) => {
    const xml = bpmn(
      start() +
        service('a', '${1}', {
          'flowable:resultVariable': 't',
          'flowable:storeResultVariableAsTransient': true,
        }) +
        service('b', '${t + 1}', { 'flowable:resultVariable': 'r' }) +
        user('u') +
        path('s', 'a', 'b', 'u'),
    );
    expect((await begin(xml)).variables).toEqual({ r: 2 });
  });

  bothWays('a local result stays in its sub-process', async (begin) => {
    const xml = bpmn(
      start() +
        sub(
          'm',
          start('s2') +
            service('a', '${1}', {
              'flowable:resultVariable': 'r',
              'flowable:useLocalScopeForResultVariable': true,
            }) +
            service('b', '${r + 1}', { 'flowable:resultVariable': 'seen' }) +
            end('e2') +
            path('s2', 'a', 'b', 'e2'),
        ) +
        user('u') +
        path('s', 'm', 'u'),
    );
    expect((await begin(xml, { r: 7 })).variables).toEqual({ r: 7, seen: 2 });
  });

  bothWays('a local variable goes with its token, over the first flow of a fork', async (begin) => {
    const own = (id: string) =>
      service(id, '${execution.hasVariable("own") ? own : "none"}', { 'flowable:resultVariable': id });
    const xml = bpmn(
      start() +
        service('a', '${execution.setVariableLocal("own", "mine")}') +
        gateway('parallel', 'fork') +
        own('b') +
        user('u') +
        own('c') +
        own('d') +
        gateway('parallel', 'join') +
        own('after') +
        user('last') +
        path('s', 'a', 'fork', 'b', 'u', 'c', 'join', 'after', 'last') +
        path('fork', 'd', 'join'),
    );
    const host = await begin(xml);
    await host.complete('u', { own: 'changed' });
    expect(host.variables).toEqual({ b: 'mine', d: 'none', c: 'changed', after: 'changed' });
  });

  bothWays('a local variable of a token ends with a sub-process on its way', async (begin) => {
    const xml = bpmn(
      start() +
        service('a', '${execution.setVariableLocal("own", 1)}') +
        sub(
          'm',
          start('s2') +
            service('b', '${own + 1}', { 'flowable:resultVariable': 'seen' }) +
            end('e2') +
            path('s2', 'b', 'e2'),
        ) +
        service('c', '${vars:getOrDefault(own, "gone")}', { 'flowable:resultVariable': 'after' }) +
        user('u') +
        path('s', 'a', 'm', 'c', 'u'),
    );
    expect((await begin(xml)).variables).toEqual({ seen: 2, after: 'gone' });
  });

  bothWays('a triggerable service waits after its call', async (begin) => {
    const host = await begin(around(note('a', { 'flowable:triggerable': true })));
    expect(host.log).toEqual(['a']);
    await host.trigger('a', { answer: 42 });
    expect(host.variables['answer']).toBe(42);
    expect(host.hasEnded).toBe(true);
  });

  bothWays('a receive task waits for a trigger', async (begin) => {
    const host = await begin(around(tag('receiveTask', 'a')));
    await host.trigger('a');
    expect(host.hasEnded).toBe(true);
  });

  bothWays('a receive task with a message waits for it', async (begin) => {
    const host = await begin(around(tag('receiveTask', 'a', { messageRef: 'hello' })));
    await host.message('hello', { x: 1 });
    expect(host.variables).toEqual({ x: 1 });
    expect(host.hasEnded).toBe(true);
  });

  test('what a handler throws fails the step and leaves the state as it was', async () => {
    const host = await Host.start(
      bpmn(start() + user('a') + service('b', '${log.crash()}') + end() + path('s', 'a', 'b', 'e')),
    );
    const before = structuredClone(host.state);
    await expect(host.complete('a', { x: 1 })).rejects.toThrow('crashed');
    expect(host.state).toEqual(before);
    expect(host.tasks).toEqual(['a']);
  });

  bothWays('a declared exception becomes a business error', async (begin) => {
    const mapping = extension(
      '<flowable:mapException errorCode="BROKEN">java.lang.Error</flowable:mapException>',
    );
    const xml = bpmn(
      start() +
        service('a', '${log.crash()}', {}, mapping) +
        boundary('b', 'a', error('broken')) +
        user('u') +
        end() +
        path('s', 'a', 'e') +
        path('b', 'u'),
    );
    expect((await begin(xml)).tasks).toEqual(['u']);
  });
});

describe('async, skip and listeners', () => {
  bothWays('async stops before the activity, with its retries and lock', async (begin) => {
    const host = await begin(
      around(
        note(
          'a',
          { 'flowable:async': true, 'flowable:exclusive': false },
          extension('<flowable:failedJobRetryTimeCycle>R5/PT7M</flowable:failedJobRetryTimeCycle>'),
        ),
      ),
    );
    expect(host.log).toEqual([]);
    expect(host.effects('job.created')).toEqual([
      {
        kind: 'job.created',
        execution: 2,
        element: 'a',
        moment: 'before',
        isExclusive: false,
        retryCycle: 'R5/PT7M',
      },
    ]);
    expect(host.effects('activity.started').map(({ element }) => element)).toEqual(['s']);
    await host.job('a');
    expect(host.log).toEqual(['a']);
    expect(host.effects('job.removed')).toHaveLength(1);
    expect(host.hasEnded).toBe(true);
  });

  bothWays('asyncLeave stops after it', async (begin) => {
    const host = await begin(around(note('a', { 'flowable:asyncLeave': true })));
    expect(host.log).toEqual(['a']);
    expect(host.hasEnded).toBe(false);
    await host.job('a');
    expect(host.hasEnded).toBe(true);
  });

  bothWays('a sub-process can wait for a job on both sides', async (begin) => {
    const host = await begin(
      around(
        sub('a', start('s2') + note('n') + end('e2') + path('s2', 'n', 'e2'), {
          'flowable:async': true,
          'flowable:asyncLeave': true,
        }),
      ),
    );
    await host.job('a');
    expect(host.log).toEqual(['n']);
    expect(host.hasEnded).toBe(false);
    await host.job('a');
    expect(host.hasEnded).toBe(true);
  });

  bothWays('a skip expression counts only when skipping is switched on', async (begin) => {
    const xml = around(user('a', { 'flowable:skipExpression': '${skip}' }));
    expect((await begin(xml, { skip: true })).tasks).toEqual(['a']);
    expect((await begin(xml, { skip: true, _FLOWABLE_SKIP_EXPRESSION_ENABLED: true })).hasEnded).toBe(true);
    expect((await begin(xml, { skip: false, _ACTIVITI_SKIP_EXPRESSION_ENABLED: true })).tasks).toEqual(['a']);
  });

  bothWays('a skip expression on a flow stands for its condition', async (begin) => {
    const xml = bpmn(
      start() +
        tag('exclusiveGateway', 'g') +
        user('a') +
        user('b') +
        path('s', 'g') +
        flow('g', 'a', '${false}', { 'flowable:skipExpression': '${true}' }) +
        flow('g', 'b'),
    );
    expect((await begin(xml)).tasks).toEqual(['b']);
    expect((await begin(xml, { _FLOWABLE_SKIP_EXPRESSION_ENABLED: true })).tasks).toEqual(['a']);
  });

  bothWays('execution listeners run on process, activity and flow', async (begin) => {
    const listener = (event: string, text: string) =>
      `<flowable:executionListener event="${event}" expression="\${log.add('${text}')}"/>`;
    const xml = bpmn(
      extension(listener('start', 'process start') + listener('end', 'process end')) +
        start() +
        note(
          'a',
          {},
          extension(
            listener('start', 'a start') +
              '<flowable:executionListener event="end"><flowable:script language="groovy">note a-end</flowable:script></flowable:executionListener>',
          ),
        ) +
        end() +
        path('s', 'a') +
        tag('sequenceFlow', 'f', { sourceRef: 'a', targetRef: 'e' }, extension(listener('take', 'flow'))),
    );
    expect((await begin(xml)).log).toEqual(['process start', 'a start', 'a', 'a-end', 'flow', 'process end']);
  });
});
