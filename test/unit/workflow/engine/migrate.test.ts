// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are expressions of process files
import { describe, expect, test } from 'vitest';
import {
  apply,
  compile,
  type Effect,
  migrate,
  type ProcessState,
} from '../../../../src/workflow/engine/index.ts';
import {
  boundary,
  bpmn,
  caught,
  end,
  eventSub,
  flow,
  gateway,
  message,
  note,
  path,
  start,
  sub,
  tag,
  timer,
  times,
  user,
} from './bpmn.ts';
import { Host, NOW } from './host.ts';

const HANDLERS = {
  now: NOW + 1000,
  instance: { id: 'i', definitionId: 'p:2' },
  runScript: () => ({}),
  callDelegate: () => null,
};

async function move(
  from: string,
  to: string,
  prepare: (host: Host) => Promise<unknown> = async () => {},
  mapping: Record<string, string> = {},
) {
  const host = await Host.start(from);
  await prepare(host);
  const before = JSON.stringify(host.state);
  const [[source], [target]] = await Promise.all([compile(from), compile(to)]);
  const result = await migrate(source, target, host.state, HANDLERS, mapping);
  expect(JSON.stringify(host.state)).toBe(before);
  return { host, target, result };
}

async function moved(from: string, to: string, prepare?: (host: Host) => Promise<unknown>) {
  const { host, target, result } = await move(from, to, prepare);
  if (!result.isMigrated || result.state === null) throw new Error(`refused: ${JSON.stringify(result)}`);
  return { before: host.state, state: result.state, effects: result.effects, target };
}

async function refused(from: string, to: string, prepare?: (host: Host) => Promise<unknown>) {
  const { result } = await move(from, to, prepare);
  return result.isMigrated ? [] : result.refusals.map(({ element, message }) => `${element} ${message}`);
}

const kinds = (effects: readonly Effect[]) => effects.map(({ kind }) => kind);
const executionAt = (state: ProcessState, at: string) =>
  state.executions.find((execution) => execution.at === at);

const v1 = bpmn(start() + user('a') + end() + path('s', 'a', 'e'));

describe('migration', () => {
  test('keeps a user task, works out its name anew and goes on in the new version', async () => {
    const v2 = bpmn(start() + user('a', { name: 'Renamed' }) + user('b') + end() + path('s', 'a', 'b', 'e'));
    const { before, state, effects, target } = await moved(v1, v2);
    expect(state.executions).toEqual(before.executions);
    expect(effects).toEqual([
      {
        kind: 'task.updated',
        execution: 2,
        element: 'a',
        task: { name: 'Renamed', description: null, category: null, formKey: null },
      },
    ]);
    const next = await apply(target, state, { kind: 'complete', execution: 2 }, HANDLERS);
    expect(executionAt(next.state!, 'b')?.is).toBe('task');
  });

  test('refuses when an active element is gone, and names it', async () => {
    expect(await refused(v1, bpmn(start() + user('b') + path('s', 'b')))).toEqual([
      'a is active and does not exist in the new version',
    ]);
  });

  test('refuses when an active element has become something else or has moved', async () => {
    expect(await refused(v1, bpmn(start() + note('a') + path('s', 'a')))).toEqual([
      'a is active and has become a serviceTask',
    ]);
    expect(
      await refused(v1, bpmn(start() + sub('m', start('s2') + user('a') + path('s2', 'a')) + path('s', 'm'))),
    ).toEqual(['a is active and stands in another sub-process now']);
  });

  test('arms a new boundary timer, keeps an unchanged one, and drops one that is gone', async () => {
    const withTimers = (...timers: readonly (readonly [string, string])[]) =>
      bpmn(
        start() +
          user('a') +
          timers
            .map(([id, time]) => boundary(id, 'a', timer(time)) + end(`e-${id}`) + path(id, `e-${id}`))
            .join('') +
          path('s', 'a'),
      );
    const added = await moved(v1, withTimers(['t', 'PT1H']));
    expect(added.state.waits).toEqual([{ of: 2, at: 't', kind: 'timer', dueAt: NOW + 3_601_000 }]);
    const kept = await moved(
      withTimers(['t', 'PT1H'], ['u', 'PT1H'], ['v', 'PT1H']),
      withTimers(['t', 'PT1H'], ['u', 'PT2H']),
    );
    expect(kept.state.waits.map(({ at, dueAt }) => [at, dueAt! - NOW])).toEqual([
      ['t', 3_600_000],
      ['u', 7_201_000],
    ]);
    expect(kinds(kept.effects)).toEqual(['timer.cleared', 'timer.cleared', 'timer.armed', 'task.updated']);
  });

  test('does not arm again what has fired already', async () => {
    const xml = bpmn(
      start() +
        user('a') +
        boundary('t', 'a', timer('PT1H'), false) +
        end() +
        path('s', 'a') +
        path('t', 'e'),
    );
    expect((await moved(xml, xml, (host) => host.fire('t'))).state.waits).toEqual([]);
  });

  test('enters a waiting timer event again, so that its time starts anew', async () => {
    const xml = bpmn(start() + caught('t', timer('PT1H')) + end() + path('s', 't', 'e'));
    const { before, state, effects } = await moved(xml, xml);
    expect(state.waits[0]?.dueAt).toBe(NOW + 3_601_000);
    expect(state.executions.at(-1)?.id).not.toBe(before.executions.at(-1)?.id);
    expect(effects).toContainEqual(
      expect.objectContaining({ kind: 'activity.ended', element: 't', reason: 'process instance migrated' }),
    );
  });

  test('keeps tokens at a join', async () => {
    const xml = bpmn(
      start() +
        gateway('parallel', 'f') +
        user('a') +
        user('b') +
        gateway('parallel', 'j') +
        user('c') +
        path('s', 'f', 'a', 'j', 'c') +
        path('f', 'b', 'j'),
    );
    const { state, target } = await moved(xml, xml, (host) => host.complete('a'));
    const b = executionAt(state, 'b')!;
    const next = await apply(target, state, { kind: 'complete', execution: b.id }, HANDLERS);
    expect(executionAt(next.state!, 'c')?.is).toBe('task');
  });

  test('makes the tasks of a multi-instance activity anew, and refuses when its settings have changed', async () => {
    const xml = (count: number) => bpmn(start() + user('a', {}, times(count)) + path('s', 'a'));
    const { before, state, effects } = await moved(xml(2), xml(2));
    expect(effects.filter(({ kind }) => kind === 'task.removed')).toHaveLength(2);
    expect(effects.filter(({ kind }) => kind === 'task.created')).toHaveLength(2);
    expect(state.executions).toHaveLength(before.executions.length);
    expect(await refused(xml(2), xml(3))).toEqual([
      'a is active and its multi-instance settings have changed',
    ]);
  });

  test('refuses when the content of a multi-instance sub-process has changed', async () => {
    const xml = (inner: string) =>
      bpmn(start() + sub('m', start('s2') + inner + path('s2', 'a') + times(2)) + path('s', 'm'));
    expect(await refused(xml(user('a')), xml(user('a') + user('b') + path('a', 'b')))).toEqual([
      'm is active and multi-instance, and its content has changed',
    ]);
  });

  test('keeps a call of the same process only', async () => {
    const xml = (key: string) =>
      bpmn(start() + tag('callActivity', 'c', { calledElement: key }) + path('s', 'c'));
    const [definition] = await compile(xml('x'));
    const { state } = await apply(definition, null, { kind: 'start' }, HANDLERS);
    const [other] = await compile(xml('y'));
    expect(await migrate(definition, definition, state!, HANDLERS)).toMatchObject({
      isMigrated: true,
      state,
      effects: [],
    });
    expect(await migrate(definition, other, state!, HANDLERS)).toMatchObject({
      isMigrated: false,
      refusals: [{ element: 'c' }],
    });
  });

  test('keeps what waits for its job', async () => {
    const xml = bpmn(start() + note('n', { 'flowable:async': true }) + path('s', 'n'));
    const { before, state, effects } = await moved(xml, xml);
    expect(state).toEqual(before);
    expect(effects).toEqual([]);
  });

  test('keeps the scope of a sub-process, and arms the event sub-processes that it has got', async () => {
    const xml = (rest: string) =>
      bpmn(start() + sub('m', start('s2') + user('a') + path('s2', 'a') + rest) + path('s', 'm'));
    const { before, state } = await moved(
      xml(''),
      xml(eventSub('x', start('xs', message()) + note('h') + path('xs', 'h'))),
    );
    expect(state.executions).toEqual(before.executions);
    expect(state.waits).toEqual([{ of: 2, at: 'xs', kind: 'message', name: 'hello' }]);
  });

  test('changes no variables', async () => {
    const host = await Host.start(v1, { x: [1, { y: 2 }] });
    const [definition] = await compile(bpmn(start() + user('a') + flow('s', 'a')));
    const result = await migrate((await compile(v1))[0], definition, host.state, HANDLERS);
    expect(result).toMatchObject({ state: { variables: { 0: { x: [1, { y: 2 }] } } } });
  });
});

describe('a migration with a mapping', () => {
  const nothing = async () => {};
  const mappedTo = async (from: string, to: string, mapping: Record<string, string>) => {
    const { result, target } = await move(from, to, nothing, mapping);
    if (!result.isMigrated || result.state === null) throw new Error(`refused: ${JSON.stringify(result)}`);
    return { state: result.state, effects: result.effects, target };
  };
  const why = async (from: string, to: string, mapping: Record<string, string>) => {
    const { result } = await move(from, to, nothing, mapping);
    return result.isMigrated ? [] : result.refusals.map(({ element, message }) => `${element} ${message}`);
  };

  test('takes a sub-process to another id, with what stands in it, and goes on there', async () => {
    const within = (id: string, task: string) =>
      bpmn(
        start() +
          sub(id, start('s2') + user(task) + end('e2') + path('s2', task, 'e2')) +
          end() +
          path('s', id, 'e'),
      );
    const { state, effects, target } = await mappedTo(within('m', 'a'), within('n', 'b'), { m: 'n', a: 'b' });
    expect([executionAt(state, 'n')?.is, executionAt(state, 'b')?.is]).toEqual(['scope', 'task']);
    expect(effects).toContainEqual(
      expect.objectContaining({ kind: 'activity.ended', element: 'm', reason: 'process instance migrated' }),
    );
    expect(effects).toContainEqual(expect.objectContaining({ kind: 'activity.started', element: 'n' }));
    const execution = executionAt(state, 'b')?.id ?? 0;
    const next = await apply(target, state, { kind: 'complete', execution }, HANDLERS);
    expect(next.state).toBeNull();
    expect(await why(within('m', 'a'), within('n', 'b'), { a: 'b' })).toEqual([
      'm is active and does not exist in the new version',
      'a is active and stands in another sub-process now',
    ]);
  });

  test('waits anew where a wait has got another id, and has another job for what has not begun', async () => {
    const waiting = (id: string) => bpmn(start() + caught(id, timer('PT1H')) + end() + path('s', id, 'e'));
    const timed = await mappedTo(waiting('t'), waiting('u'), { t: 'u' });
    expect(timed.state.waits).toMatchObject([{ at: 'u', dueAt: NOW + 3_601_000 }]);
    expect(kinds(timed.effects)).toContain('timer.cleared');
    const async = (id: string) => bpmn(start() + note(id, { 'flowable:async': true }) + path('s', id));
    const queued = await mappedTo(async('a'), async('b'), { a: 'b' });
    expect(executionAt(queued.state, 'b')?.is).toBe('jobBefore');
    expect(queued.effects).toContainEqual(expect.objectContaining({ kind: 'job.removed', element: 'a' }));
    expect(queued.effects).toContainEqual(expect.objectContaining({ kind: 'job.created', element: 'b' }));
  });

  test('is refused where it would tear rounds or joins apart, or where the kinds differ', async () => {
    const rounds = (id: string) => bpmn(start() + user(id, {}, times(2)) + end() + path('s', id, 'e'));
    expect(await why(rounds('a'), rounds('b'), { a: 'b' })).toEqual([
      'a is active and multi-instance, and keeps its id',
    ]);
    const joined = (id: string) =>
      bpmn(
        start() +
          gateway('parallel', 'split') +
          user('a') +
          gateway('parallel', id) +
          end() +
          path('s', 'split', 'a', id, 'e') +
          path('split', id),
      );
    expect(await why(joined('j'), joined('k'), { j: 'k' })).toEqual([
      'j is about to go on, and keeps its id',
    ]);
    expect(await why(v1, bpmn(start() + note('b') + path('s', 'b')), { a: 'b' })).toEqual([
      'a is active and has become a serviceTask',
    ]);
  });
});
