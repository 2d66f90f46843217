// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are expressions of process files
import { describe, expect } from 'vitest';
import { bothWays } from './both-ways.ts';
import { around, bpmn, escapeXml, extension, path, service, start, tag, user } from './bpmn.ts';

describe('expressions', () => {
  bothWays('stand where scripts do', async (begin) => {
    const script = tag(
      'scriptTask',
      'x',
      { scriptFormat: 'juel', 'flowable:resultVariable': 'r' },
      '<script>${a + 1}</script>',
    );
    expect((await begin(around(script), { a: 1 })).variables).toEqual({ a: 1, r: 2 });
  });

  bothWays('a script of a listener leaves its result in a variable', async (begin) => {
    const listener =
      '<flowable:executionListener event="start" type="script"><flowable:script language="juel" resultVariable="r">${x + 1}</flowable:script></flowable:executionListener>';
    expect((await begin(around(user('a', {}, extension(listener))), { x: 1 })).variables).toMatchObject({
      r: 2,
    });
  });

  bothWays('of task listeners see the task with its execution, and change it', async (begin) => {
    const on = (event: string, expression: string) =>
      `<flowable:taskListener event="${event}" expression="\${${expression}}"/>`;
    const host = await begin(
      around(
        user(
          'a',
          { 'flowable:candidateUsers': 'ann,bob' },
          extension(
            on('create', "task.setVariable('seen', task.getVariable('x'))") +
              on('create', "task.deleteCandidateUser('ann')") +
              on(
                'create',
                "task.execution.setVariable('same', task.processInstanceId == execution.processInstanceId)",
              ) +
              on('complete', "task.setVariableLocal('mine', task.getAssignee())"),
          ),
        ),
      ),
      { x: 1 },
    );
    expect(host.variables).toMatchObject({ seen: 1, same: true });
    expect(host.effects('task.created')[0]?.task.candidateUsers).toEqual(['bob']);
    await host.complete('a');
    expect(host.variables).not.toHaveProperty('mine');
  });

  bothWays('of a task has variables of its own, which its execution does not see', async (begin) => {
    const on = (event: string, ...expressions: readonly string[]) =>
      expressions
        .map((one) => `<flowable:taskListener event="${event}" expression="\${${escapeXml(one)}}"/>`)
        .join('');
    const ending = (expression: string) =>
      `<flowable:executionListener event="end" expression="\${${expression}}"/>`;
    const host = await begin(
      around(
        user(
          'a',
          {},
          extension(
            on(
              'create',
              "task.setVariableLocal('x', 'of task')",
              "execution.setVariableLocal('y', 'of execution')",
              "execution.setVariable('create', x.concat(execution.getVariable('x')).concat(task.getVariable('y')))",
            ) +
              on(
                'complete',
                "task.setVariable('x', 'changed')",
                "execution.setVariable('complete', x.concat(execution.getVariable('x')))",
                "task.removeVariable('x')",
                "execution.setVariable('removed', x)",
              ) +
              ending("execution.setVariable('end', x.concat(y))"),
          ),
        ),
      ),
      { x: 'of process' },
    );
    await host.complete('a');
    expect(host.effects('variable.set').filter(({ scope }) => scope !== 0)).toMatchObject([
      { scope: -2, name: 'x', value: 'of task' },
      { scope: 2, name: 'y', value: 'of execution' },
      { scope: -2, name: 'x', value: 'changed' },
    ]);
    expect(host.variables).toMatchObject({
      x: 'of process',
      create: 'of taskof processof execution',
      complete: 'changedof process',
      removed: 'of process',
      end: 'of processof execution',
    });
  });

  bothWays('find the tasks of the process, old and new', async (begin) => {
    const note =
      '<flowable:taskListener event="create" expression="${execution.setVariable(\'seen\', task.id)}"/>';
    const xml = bpmn(
      start() +
        user('a', { 'flowable:assignee': 'ann', 'flowable:taskIdVariableName': 'first' }) +
        user('b', { 'flowable:assignee': '${task:get(first).assignee}' }, extension(note)) +
        service('c', '${task:get(seen).name}', { 'flowable:resultVariableName': 'name' }) +
        service('d', "${task:get('gone')}", { 'flowable:resultVariableName': 'gone' }) +
        user('e') +
        path('s', 'a', 'b', 'c', 'd', 'e'),
    );
    const host = await begin(xml);
    await host.complete('a');
    expect(host.effects('task.created')[1]?.task.assignee).toBe('ann');
    await host.complete('b');
    expect(host.variables).toMatchObject({ name: 'b', gone: null });
  });
});
