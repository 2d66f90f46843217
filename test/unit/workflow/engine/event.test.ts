// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are expressions of process files
import { describe, expect, test } from 'vitest';
import { bothWays } from './both-ways.ts';
import {
  boundary,
  bpmn,
  caught,
  condition,
  cycle,
  end,
  error,
  escalation,
  extension,
  flow,
  gateway,
  link,
  message,
  note,
  path,
  service,
  signal,
  start,
  sub,
  tag,
  terminate,
  thrown,
  timer,
  times,
  user,
} from './bpmn.ts';
import { Host, NOW } from './host.ts';

const MINUTE = 60_000;
const between = (middle: string, id: string) => bpmn(start() + middle + end() + path('s', id, 'e'));
/** A user task `a` with a boundary event `b` that leads to the user task `out`. */
const guarded = (event: string, interrupting = true) =>
  bpmn(
    start() +
      user('a') +
      boundary('b', 'a', event, interrupting) +
      user('out') +
      end() +
      path('s', 'a', 'e') +
      path('b', 'out'),
  );

describe('intermediate events', () => {
  bothWays('a timer waits for its duration, date or first cycle', async (begin) => {
    const due = async (definition: string) =>
      (
        await begin(between(caught('t', `<timerEventDefinition>${definition}</timerEventDefinition>`), 't'), {
          at: '2026-03-01T00:00:00Z',
        })
      ).timers()[0]?.dueAt;
    expect(await due('<timeDuration>PT10M</timeDuration>')).toBe(NOW + 10 * MINUTE);
    expect(await due('<timeDate>${at}</timeDate>')).toBe(Date.UTC(2026, 2, 1));
    expect(await due('<timeCycle>R3/PT10M</timeCycle>')).toBe(NOW + 10 * MINUTE);
    expect(await due('<timeCycle>0 0 * * * ?</timeCycle>')).toBe(NOW + 60 * MINUTE);
  });

  bothWays('a timer goes on when it fires, once whatever it says', async (begin) => {
    const host = await begin(between(caught('t', cycle('R3/PT10M')), 't'));
    await host.fire('t');
    expect(host.hasEnded).toBe(true);
    expect(host.timers()).toEqual([]);
  });

  bothWays('a timer whose end has passed holds nothing up', async (begin) => {
    const over =
      '<timerEventDefinition><timeCycle flowable:endDate="2020-01-01">R/PT1H</timeCycle></timerEventDefinition>';
    expect((await begin(between(caught('t', over), 't'))).hasEnded).toBe(true);
  });

  bothWays('a message brings its variables', async (begin) => {
    const host = await begin(between(caught('m', message()), 'm'));
    expect(host.effects('subscription.added')).toMatchObject([{ event: 'message', name: 'hello' }]);
    await host.message('hello', { x: 1 });
    expect(host.variables).toEqual({ x: 1 });
    expect(host.hasEnded).toBe(true);
  });

  bothWays('a signal reaches all who wait for it, in the same instance at once', async (begin) => {
    const xml = bpmn(
      start() +
        gateway('parallel', 'f') +
        caught('c1', signal()) +
        caught('c2', signal()) +
        user('a') +
        thrown('t', signal()) +
        path('s', 'f', 'c1') +
        path('f', 'c2') +
        path('f', 'a', 't'),
    );
    const host = await begin(xml);
    await host.complete('a');
    expect(host.hasEnded).toBe(true);
    expect(host.effects('signal.thrown')).toHaveLength(1);
  });

  bothWays('a signal of the instance stays inside it', async (begin) => {
    const host = await begin(between(thrown('t', signal('local')), 't'));
    expect(host.effects('signal.thrown')).toEqual([]);
  });

  bothWays('a signal thrown asynchronously waits for a job', async (begin) => {
    const later = signal().replace('<signalEventDefinition', '<signalEventDefinition flowable:async="true"');
    const host = await begin(between(thrown('t', later), 't'));
    expect(host.effects('signal.thrown')).toEqual([]);
    await host.job('t');
    expect(host.effects('signal.thrown')).toHaveLength(1);
  });

  bothWays('a thrown message goes out when nothing inside waits for it', async (begin) => {
    expect((await begin(between(thrown('t', message()), 't'))).effects('message.thrown')).toMatchObject([
      { name: 'hello' },
    ]);
  });

  bothWays('a link goes on where its name is caught', async (begin) => {
    const xml = bpmn(
      start() +
        thrown('out', link('L')) +
        caught('in', link('L')) +
        user('a') +
        path('s', 'out') +
        path('in', 'a'),
    );
    expect((await begin(xml)).tasks).toEqual(['a']);
  });

  bothWays('a condition is met at once, or when a variable changes', async (begin) => {
    const xml = between(caught('c', condition('${x > 1}')), 'c');
    expect((await begin(xml, { x: 2 })).hasEnded).toBe(true);
    const host = await begin(xml, { x: 0 });
    await host.set({ x: 1 });
    expect(host.hasEnded).toBe(false);
    await host.set({ x: 2 });
    expect(host.hasEnded).toBe(true);
  });

  bothWays('the first event after an event-based gateway wins', async (begin) => {
    const xml = bpmn(
      start() +
        gateway('eventBased', 'g') +
        caught('m', message()) +
        caught('t', timer('PT1H')) +
        user('a') +
        user('b') +
        path('s', 'g', 'm', 'a') +
        path('g', 't', 'b'),
    );
    const first = await begin(xml);
    await first.message();
    expect(first.tasks).toEqual(['a']);
    expect(first.timers()).toEqual([]);
    const second = await begin(xml);
    await second.fire('t');
    expect(second.tasks).toEqual(['b']);
    await expect(second.message()).rejects.toThrow();
  });

  test('a timer, message or signal that nothing waits for', async () => {
    const host = await Host.start(guarded(timer('PT1H')));
    await expect(host.apply({ kind: 'timer', execution: 2, element: 'nope' })).rejects.toMatchObject({
      code: 404,
    });
    await expect(host.apply({ kind: 'message', name: 'nope' })).rejects.toMatchObject({ code: 404 });
    await host.signal('nope');
    expect(host.tasks).toEqual(['a']);
  });
});

describe('boundary events', () => {
  for (const [kind, event, happen] of [
    ['timer', timer('PT1H'), (host: Host) => host.fire('b')],
    ['message', message(), (host: Host) => host.message()],
    ['signal', signal(), (host: Host) => host.signal()],
    ['conditional', condition('${vars:get(x) == 1}'), (host: Host) => host.set({ x: 1 })],
  ] as const) {
    bothWays(`an interrupting ${kind} takes the task away`, async (begin) => {
      const host = await begin(guarded(event));
      await happen(host);
      expect(host.tasks).toEqual(['out']);
      expect(host.effects('task.removed')).toMatchObject([{ reason: 'boundary event' }]);
      expect(host.state.waits).toEqual([]);
    });

    bothWays(`a non-interrupting ${kind} leaves it`, async (begin) => {
      const host = await begin(guarded(event, false));
      await happen(host);
      expect(host.tasks).toEqual(['a', 'out']);
      await host.complete('out');
      expect(host.hasEnded).toBe(false);
      await host.complete('a');
      expect(host.hasEnded).toBe(true);
    });

    bothWays(`a completed task no longer waits for a ${kind}`, async (begin) => {
      const host = await begin(guarded(event));
      await host.complete('a');
      expect(host.hasEnded).toBe(true);
    });
  }

  bothWays('a repeating timer fires as often as it says', async (begin) => {
    const host = await begin(guarded(cycle('R3/PT10M'), false));
    for (let firing = 1; firing <= 3; firing++) {
      expect(host.timers()[0]?.dueAt).toBe(NOW + firing * 10 * MINUTE);
      await host.fire('b');
    }
    expect(host.timers()).toEqual([]);
    expect(host.tasks).toEqual(['a', 'out', 'out', 'out']);
  });

  bothWays('a repeating timer that comes late leaves out what it missed', async (begin) => {
    const host = await begin(guarded(cycle('R/PT10M'), false));
    host.now = NOW + 65 * MINUTE;
    await host.fire('b');
    expect(host.tasks).toEqual(['a', 'out']);
    expect(host.timers()[0]?.dueAt).toBe(NOW + 70 * MINUTE);
  });

  bothWays('a message may come several times', async (begin) => {
    const host = await begin(guarded(message(), false));
    await host.message();
    await host.message();
    expect(host.tasks).toEqual(['a', 'out', 'out']);
  });

  bothWays('a condition fires when it becomes true, not while it stays so', async (begin) => {
    const host = await begin(guarded(condition('${vars:get(x) == 1}'), false));
    for (const x of [1, 1, 0, 1]) await host.set({ x });
    expect(host.tasks).toEqual(['a', 'out', 'out']);
  });
});

describe('errors', () => {
  const failing = (event: string, code = 'BROKEN') =>
    bpmn(
      start() +
        service('a', `\${log.fail('${code}')}`) +
        boundary('b', 'a', event) +
        user('out') +
        end() +
        path('s', 'a', 'e') +
        path('b', 'out'),
    );

  bothWays('a boundary event catches by code, or everything', async (begin) => {
    expect((await begin(failing(error('broken')))).tasks).toEqual(['out']);
    expect((await begin(failing(error()))).tasks).toEqual(['out']);
  });

  test('an error that nothing catches fails the step', async () => {
    await expect(Host.start(failing(error('other')))).rejects.toMatchObject({
      detail: { id: 'WORKFLOW_UNCAUGHT_ERROR' },
    });
    await expect(Host.start(bpmn(start() + end('x', error('broken')) + path('s', 'x')))).rejects.toThrow(
      "Nothing catches the error 'BROKEN'",
    );
  });

  bothWays('the exact code comes before the catch-all', async (begin) => {
    const xml = bpmn(
      start() +
        service('a', "${log.fail('BROKEN')}") +
        boundary('all', 'a', error()) +
        boundary('b', 'a', error('broken')) +
        user('x') +
        user('y') +
        path('s', 'a') +
        path('all', 'x') +
        path('b', 'y'),
    );
    expect((await begin(xml)).tasks).toEqual(['y']);
  });

  bothWays(
    'an error end event goes to the boundary of its sub-process and ends what is beside it',
    async (begin) => {
      const inner =
        start('s2') +
        gateway('parallel', 'f') +
        user('a') +
        user('c') +
        end('x', error('broken')) +
        path('s2', 'f', 'a', 'x') +
        path('f', 'c');
      const host = await begin(
        bpmn(
          start() +
            sub('m', inner) +
            boundary('b', 'm', error('broken')) +
            user('out') +
            path('s', 'm') +
            path('b', 'out'),
        ),
      );
      await host.complete('a');
      expect(host.tasks).toEqual(['out']);
    },
  );

  bothWays('what was caught is kept in variables', async (begin) => {
    const event =
      '<errorEventDefinition errorRef="broken" flowable:errorVariableName="what" flowable:errorCodeVariable="code"/>';
    expect((await begin(failing(event))).variables).toEqual({
      what: { code: 'BROKEN', message: 'on purpose' },
      code: 'BROKEN',
    });
  });

  bothWays('a script may raise one', async (begin) => {
    const xml = bpmn(
      start() +
        tag('scriptTask', 'a', {}, '<script>throw BROKEN</script>') +
        boundary('b', 'a', error('broken')) +
        user('out') +
        path('s', 'a') +
        path('b', 'out'),
    );
    expect((await begin(xml)).tasks).toEqual(['out']);
  });

  bothWays('work outside may end with one', async (begin) => {
    const host = await begin(guarded(error('broken')));
    const { execution } = host.openTasks()[0]!;
    await host.apply({ kind: 'error', execution, error: { code: 'BROKEN', message: '' } });
    expect(host.tasks).toEqual(['out']);
  });
});

describe('escalations and end events', () => {
  const escalating = (interrupting: boolean, inner: string) =>
    bpmn(
      start() +
        sub('m', inner) +
        boundary('b', 'm', escalation(), interrupting) +
        user('out') +
        user('after') +
        path('s', 'm', 'after') +
        path('b', 'out'),
    );
  const throwing = start('s2') + thrown('t', escalation()) + user('a') + path('s2', 't', 'a');

  bothWays('an escalation goes on beside the boundary that it reaches', async (begin) => {
    expect((await begin(escalating(false, throwing))).tasks.sort()).toEqual(['a', 'out']);
  });

  bothWays('an interrupting one ends the sub-process', async (begin) => {
    expect((await begin(escalating(true, throwing))).tasks).toEqual(['out']);
  });

  bothWays('an escalation end event ends its token', async (begin) => {
    expect(
      (await begin(escalating(false, start('s2') + end('t', escalation()) + path('s2', 't')))).tasks.sort(),
    ).toEqual(['after', 'out']);
  });

  bothWays('nobody need catch it', async (begin) => {
    expect((await begin(between(thrown('t', escalation()), 't'))).hasEnded).toBe(true);
  });

  bothWays('a terminate end event ends everything in the process', async (begin) => {
    const xml = bpmn(
      start() +
        gateway('parallel', 'f') +
        user('a') +
        user('b') +
        end('x', terminate) +
        path('s', 'f', 'a', 'x') +
        path('f', 'b'),
    );
    const host = await begin(xml);
    await host.complete('a');
    expect(host.end?.reason).toBe('terminated');
    expect(host.effects('task.removed').at(-1)?.reason).toBe('terminate end event');
  });

  bothWays('a terminate end event in a sub-process ends that only', async (begin) => {
    const inner =
      start('s2') +
      gateway('parallel', 'f') +
      user('a') +
      user('b') +
      end('x', terminate) +
      path('s2', 'f', 'a', 'x') +
      path('f', 'b');
    const host = await begin(bpmn(start() + sub('m', inner) + user('after') + path('s', 'm', 'after')));
    await host.complete('a');
    expect(host.tasks).toEqual(['after']);
  });

  bothWays('signal and message end events throw', async (begin) => {
    const xml = bpmn(
      start() +
        gateway('parallel', 'f') +
        end('x', signal()) +
        end('y', message()) +
        path('s', 'f', 'x') +
        path('f', 'y'),
    );
    const host = await begin(xml);
    expect(host.hasEnded).toBe(true);
    expect(host.effects('signal.thrown')).toHaveLength(1);
    expect(host.effects('message.thrown')).toHaveLength(1);
  });
});

describe('start events', () => {
  const xml = bpmn(
    start('s', '', { 'flowable:initiator': 'who' }) +
      start('m', message()) +
      user('a') +
      user('b') +
      path('s', 'a') +
      path('m', 'b') +
      tag(
        'dataObject',
        'd',
        { name: 'limit', itemSubjectRef: 'xsd:string' },
        extension('<flowable:value>ten</flowable:value>'),
      ),
  );

  bothWays('only the chosen one starts', async (begin) => {
    expect((await begin(xml)).tasks).toEqual(['a']);
    expect((await begin(xml, {}, {}, { element: 'm' })).tasks).toEqual(['b']);
  });

  bothWays('the starter is kept, and data objects are variables that a caller may set', async (begin) => {
    expect((await begin(xml, {}, {}, { starter: 'kim' })).variables).toEqual({ limit: 'ten', who: 'kim' });
    expect((await begin(xml, { limit: 'two' })).variables).toEqual({ limit: 'two', who: null });
  });

  test('an unknown start event', async () => {
    await expect(Host.start(xml, {}, {}, { element: 'x' })).rejects.toThrow("no start event 'x'");
  });

  bothWays('deleting an instance takes its tasks away', async (begin) => {
    const host = await begin(guarded(timer('PT1H')));
    await host.cancel('no longer needed');
    expect(host.end).toMatchObject({ reason: 'cancelled', deleteReason: 'no longer needed' });
    expect(host.effects('task.removed')[0]?.reason).toBe('no longer needed');
    expect(host.effects('timer.cleared')).toHaveLength(1);
  });

  test('loops in loops do not multiply without end', async () => {
    const inner = start('s2') + user('a', {}, times(1_000)) + end('e2') + path('s2', 'a', 'e2');
    const nested = bpmn(start() + sub('m', inner + times(1_000)) + end() + path('s', 'm', 'e'));
    await expect(Host.start(nested)).rejects.toMatchObject({
      code: 400,
      detail: { id: 'WORKFLOW_TOO_MANY_EXECUTIONS' },
    });
  });

  test('a process that never waits is stopped', async () => {
    const endless = bpmn(
      start() + gateway('exclusive', 'g') + note('a') + path('s', 'g', 'a') + flow('a', 'g'),
    );
    await expect(Host.start(endless)).rejects.toMatchObject({ detail: { id: 'WORKFLOW_ENDLESS' } });
  });
});
