// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are expressions of process files
import { describe, expect, test } from 'vitest';
import { bothWays } from './both-ways.ts';
import {
  boundary,
  bpmn,
  end,
  error,
  escalation,
  extension,
  gateway,
  path,
  signal,
  start,
  tag,
  terminate,
  thrown,
  timer,
  user,
} from './bpmn.ts';
import { Host } from './host.ts';

describe('call activity', () => {
  const child = (body: string) => bpmn(body).replaceAll('id="p"', 'id="child"');
  const caller = (inner: string, attributes = {}, rest = '') =>
    bpmn(
      start() +
        tag('callActivity', 'c', { calledElement: 'child', ...attributes }, extension(inner)) +
        rest +
        user('after') +
        path('s', 'c', 'after'),
    );
  const simple = child(start() + user('a') + end() + path('s', 'a', 'e'));

  bothWays('waits for the child and goes on in the same step', async (begin) => {
    const host = await begin([caller(''), simple]);
    expect(host.tasks).toEqual(['a']);
    await host.complete('a');
    expect(host.tasks).toEqual(['after']);
  });

  bothWays('a child that never waits resumes at once', async (begin) => {
    expect((await begin([caller(''), child(start() + end() + path('s', 'e'))])).tasks).toEqual(['after']);
  });

  bothWays('a variable gets the id of the child, which the host must give it', async (begin) => {
    const host = await begin([caller('', { 'flowable:idVariableName': 'called' }), simple]);
    expect(host.effects('child.started')).toMatchObject([{ instanceId: 'child-1' }]);
    expect(host.variables).toMatchObject({ called: 'child-1' });
    expect((await begin([caller(''), simple])).effects('child.started')[0]).not.toHaveProperty('instanceId');
  });

  bothWays('goes on in a job of its own when it is to complete asynchronously', async (begin) => {
    const host = await begin([caller('', { 'flowable:completeAsync': true }), simple]);
    await host.complete('a');
    expect(host.tasks).toEqual([]);
    await host.job('c');
    expect(host.tasks).toEqual(['after']);
  });

  bothWays('only declared variables cross', async (begin) => {
    const mappings =
      '<flowable:in source="x" target="y"/><flowable:in sourceExpression="${x * 2}" target="z"/><flowable:out source="r" target="result"/><flowable:out sourceExpression="${y + z}" target="sum"/>';
    const host = await begin([caller(mappings), simple], { x: 1, hidden: true });
    expect(host.instances[1]?.state?.variables['0']).toEqual({ y: 1, z: 2 });
    await host.complete('a', { r: 'done' });
    expect(host.variables).toEqual({ x: 1, hidden: true, result: 'done', sum: 3 });
  });

  bothWays('all cross when it inherits them, with the business key', async (begin) => {
    const host = await begin(
      [caller('', { 'flowable:inheritVariables': true, 'flowable:inheritBusinessKey': true }), simple],
      { x: 1 },
      {},
      { businessKey: 'K' },
    );
    expect(host.instances[1]?.state).toMatchObject({ businessKey: 'K', variables: { 0: { x: 1 } } });
  });

  bothWays('an error of the child goes to the boundary of the caller', async (begin) => {
    const rest = boundary('b', 'c', error('broken')) + user('out') + path('b', 'out');
    const host = await begin([
      caller('', {}, rest),
      child(start() + user('a') + end('x', error('broken')) + path('s', 'a', 'x')),
    ]);
    await host.complete('a');
    expect(host.tasks).toEqual(['out']);
  });

  test('an error that the caller does not catch fails the step', async () => {
    const host = await Host.start([
      caller(''),
      child(start() + user('a') + end('x', error('broken')) + path('s', 'a', 'x')),
    ]);
    await expect(host.complete('a')).rejects.toThrow("Nothing catches the error 'BROKEN'");
  });

  bothWays('an escalation of the child reaches the caller', async (begin) => {
    const rest = boundary('b', 'c', escalation(), false) + user('out') + path('b', 'out');
    const host = await begin([
      caller('', {}, rest),
      child(start() + thrown('t', escalation()) + user('a') + path('s', 't', 'a')),
    ]);
    expect(host.tasks.sort()).toEqual(['a', 'out']);
  });

  bothWays('a boundary timer cancels the child', async (begin) => {
    const host = await begin([
      caller('', {}, boundary('t', 'c', timer('PT1H')) + user('out') + path('t', 'out')),
      simple,
    ]);
    await host.fire('t');
    expect(host.tasks).toEqual(['out']);
    expect(host.instances[1]?.state).toBeNull();
  });

  bothWays('a terminate end event in the child ends the child', async (begin) => {
    const host = await begin([
      caller(''),
      child(
        start() +
          gateway('parallel', 'f') +
          user('a') +
          user('b') +
          end('x', terminate) +
          path('s', 'f', 'a', 'x') +
          path('f', 'b'),
      ),
    ]);
    await host.complete('a');
    expect(host.tasks).toEqual(['after']);
  });

  bothWays('a signal reaches other instances', async (begin) => {
    const xml = bpmn(
      start() +
        gateway('parallel', 'f') +
        tag('callActivity', 'c', { calledElement: 'child' }) +
        user('a') +
        boundary('b', 'a', signal()) +
        user('out') +
        path('s', 'f', 'c') +
        path('f', 'a') +
        path('b', 'out'),
    );
    const host = await begin([xml, child(start() + user('x') + thrown('t', signal()) + path('s', 'x', 't'))]);
    await host.complete('x');
    expect(host.tasks).toEqual(['out']);
  });
});
