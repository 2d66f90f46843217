// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are expressions of process files
import { describe, expect } from 'vitest';
import { bothWays } from './both-ways.ts';
import {
  boundary,
  bpmn,
  cancel,
  compensation,
  cycle,
  end,
  error,
  escalation,
  eventSub,
  extension,
  flow,
  gateway,
  message,
  note,
  path,
  service,
  signal,
  start,
  sub,
  tag,
  thrown,
  timer,
  undoneBy,
  user,
} from './bpmn.ts';
import type { Host } from './host.ts';

const inside = (inner: string, rest = '') =>
  bpmn(start() + sub('m', inner) + rest + user('after') + path('s', 'm', 'after'));

describe('sub-process', () => {
  bothWays('ends when its last token ends', async (begin) => {
    const host = await begin(
      inside(
        start('s2') +
          gateway('parallel', 'f') +
          user('a') +
          user('b') +
          path('s2', 'f', 'a') +
          path('f', 'b'),
      ),
    );
    await host.complete('a');
    expect(host.tasks).toEqual(['b']);
    await host.complete('b');
    expect(host.tasks).toEqual(['after']);
  });

  bothWays('writes to the variables of the instance, and reads them', async (begin) => {
    const host = await begin(
      inside(start('s2') + service('n', '${x + 1}', { 'flowable:resultVariable': 'x' }) + path('s2', 'n')),
      { x: 1 },
    );
    expect(host.variables).toEqual({ x: 2 });
  });

  bothWays('has data objects of its own', async (begin) => {
    const data = tag('dataObject', 'd', { name: 'x' }, extension('<flowable:value>inner</flowable:value>'));
    const host = await begin(inside(data + start('s2') + service('n', '${log.add(x)}') + path('s2', 'n')), {
      x: 'outer',
    });
    expect(host.log).toEqual(['inner']);
    expect(host.variables).toEqual({ x: 'outer' });
    expect(host.effects('scope.ended')).toHaveLength(1);
  });

  bothWays('knows who acts, whatever variables say', async (begin) => {
    const inner = start('s2') + service('n', '${log.add(authenticatedUserId)}') + path('s2', 'n');
    const host = await begin(inside(inner), { authenticatedUserId: 'boss' });
    expect(host.log).toEqual(['kim']);
  });

  bothWays('nests, and an outer timer takes all of it away', async (begin) => {
    const inner =
      start('s2') +
      sub(
        'n',
        start('s3') +
          user('a') +
          boundary('t3', 'a', timer('PT2H')) +
          user('x') +
          path('s3', 'a') +
          path('t3', 'x'),
      ) +
      path('s2', 'n');
    const host = await begin(
      inside(inner, boundary('t', 'm', timer('PT1H')) + user('late') + path('t', 'late')),
    );
    expect(host.timers()).toHaveLength(2);
    await host.fire('t');
    expect(host.tasks).toEqual(['late']);
    expect(host.timers()).toEqual([]);
  });
});

describe('event sub-process', () => {
  const listening = (
    event: string,
    isInterrupting: boolean,
    body = start('s2') + user('a') + path('s2', 'a'),
  ) => inside(body + eventSub('esp', start('es', event, { isInterrupting }) + user('h') + path('es', 'h')));

  for (const [kind, event, happen] of [
    ['message', message(), (host: Host) => host.message()],
    ['signal', signal(), (host: Host) => host.signal()],
    ['timer', timer('PT1H'), (host: Host) => host.fire('es')],
  ] as const) {
    bothWays(`an interrupting ${kind} replaces what its scope was doing`, async (begin) => {
      const host = await begin(listening(event, true));
      await happen(host);
      expect(host.tasks).toEqual(['h']);
      expect(host.effects('task.removed')[0]?.reason).toBe('event subprocess');
      await host.complete('h');
      expect(host.tasks).toEqual(['after']);
    });

    bothWays(`a non-interrupting ${kind} runs beside it`, async (begin) => {
      const host = await begin(listening(event, false));
      await happen(host);
      expect(host.tasks).toEqual(['a', 'h']);
      await host.complete('a');
      expect(host.tasks).toEqual(['h']);
      await host.complete('h');
      expect(host.tasks).toEqual(['after']);
      expect(host.state.waits).toEqual([]);
    });
  }

  bothWays('can run many times', async (begin) => {
    const host = await begin(listening(cycle('R2/PT1M'), false));
    await host.fire('es');
    await host.fire('es');
    expect(host.tasks).toEqual(['a', 'h', 'h']);
    expect(host.timers()).toEqual([]);
  });

  bothWays('catches an error of its scope before the boundary does', async (begin) => {
    const body = start('s2') + service('a', "${log.fail('BROKEN')}") + path('s2', 'a');
    const xml = bpmn(
      start() +
        sub('m', body + eventSub('esp', start('es', error('broken')) + user('h') + path('es', 'h'))) +
        boundary('b', 'm', error()) +
        user('x') +
        path('s', 'm') +
        path('b', 'x'),
    );
    expect((await begin(xml)).tasks).toEqual(['h']);
  });

  bothWays('does not catch an error of its own', async (begin) => {
    const body = start('s2') + service('a', "${log.fail('BROKEN')}") + path('s2', 'a');
    const handler = eventSub(
      'esp',
      start('es', error()) + service('h', "${log.fail('OTHER')}") + path('es', 'h'),
    );
    const xml = bpmn(
      start() +
        sub('m', body + handler) +
        boundary('b', 'm', error('other')) +
        user('x') +
        path('s', 'm') +
        path('b', 'x'),
    );
    expect((await begin(xml)).tasks).toEqual(['x']);
  });

  bothWays('catches an escalation', async (begin) => {
    const body = start('s2') + thrown('t', escalation()) + user('a') + path('s2', 't', 'a');
    expect((await begin(listening(escalation(), false, body))).tasks.sort()).toEqual(['a', 'h']);
  });

  bothWays('listens for the whole process, too', async (begin) => {
    const host = await begin(
      bpmn(
        start() +
          user('a') +
          path('s', 'a') +
          eventSub('esp', start('es', message()) + user('h') + path('es', 'h')),
      ),
    );
    await host.message();
    expect(host.tasks).toEqual(['h']);
    await host.complete('h');
    expect(host.hasEnded).toBe(true);
  });
});

describe('compensation', () => {
  const undoable = (id: string) =>
    note(id) + undoneBy(id, `un${id}`) + note(`un${id}`, { isForCompensation: true });

  bothWays('undoes what was completed, the last first', async (begin) => {
    const xml = bpmn(
      start() +
        undoable('a') +
        undoable('b') +
        thrown('t', compensation()) +
        user('u') +
        path('s', 'a', 'b', 't', 'u'),
    );
    const host = await begin(xml);
    expect(host.log).toEqual(['a', 'b', 'unb', 'una']);
    expect(host.tasks).toEqual(['u']);
  });

  bothWays('undoes one activity when it is named, and nothing twice', async (begin) => {
    const xml = bpmn(
      start() +
        undoable('a') +
        undoable('b') +
        thrown('t', compensation('a')) +
        thrown('t2', compensation('a')) +
        end('x', compensation()) +
        path('s', 'a', 'b', 't', 't2', 'x'),
    );
    expect((await begin(xml)).log).toEqual(['a', 'b', 'una', 'unb']);
  });

  bothWays('waits for a handler that waits', async (begin) => {
    const xml = bpmn(
      start() +
        note('a') +
        undoneBy('a', 'fix') +
        user('fix', { isForCompensation: true }) +
        thrown('t', compensation()) +
        user('u') +
        path('s', 'a', 't', 'u'),
    );
    const host = await begin(xml);
    expect(host.tasks).toEqual(['fix']);
    await host.complete('fix');
    expect(host.tasks).toEqual(['u']);
  });

  bothWays('undoes what a completed sub-process has done, with its variables', async (begin) => {
    const data = tag('dataObject', 'd', { name: 'x' }, extension('<flowable:value>inner</flowable:value>'));
    const inner =
      data +
      start('s2') +
      note('a') +
      undoneBy('a', 'una') +
      service('una', '${log.add(x)}', { isForCompensation: true }) +
      path('s2', 'a');
    const xml = bpmn(
      start() +
        sub('m', inner) +
        undoable('b') +
        user('u') +
        thrown('t', compensation()) +
        user('v') +
        path('s', 'm', 'b', 'u', 't', 'v'),
    );
    const host = await begin(xml, { x: 'outer' });
    await host.complete('u');
    expect(host.log).toEqual(['a', 'b', 'unb', 'inner']);
    expect(host.tasks).toEqual(['v']);
  });

  bothWays('leaves alone what was not completed', async (begin) => {
    const xml = bpmn(
      start() +
        gateway('parallel', 'f') +
        user('a') +
        undoneBy('a', 'una') +
        note('una', { isForCompensation: true }) +
        thrown('t', compensation()) +
        path('s', 'f', 'a') +
        path('f', 't'),
    );
    expect((await begin(xml)).log).toEqual([]);
  });

  bothWays('a cancelled transaction undoes its work and goes on at its cancel event', async (begin) => {
    const inner =
      start('s2') +
      undoable('a') +
      gateway('parallel', 'f') +
      user('u') +
      user('v') +
      end('c', cancel) +
      path('s2', 'a', 'f', 'u', 'c') +
      path('f', 'v');
    const xml = bpmn(
      start() +
        tag('transaction', 'm', {}, inner) +
        boundary('b', 'm', cancel) +
        user('out') +
        user('after') +
        path('s', 'm', 'after') +
        path('b', 'out'),
    );
    const host = await begin(xml);
    await host.complete('u');
    expect(host.log).toEqual(['a', 'una']);
    expect(host.tasks).toEqual(['out']);
  });

  bothWays('a transaction that succeeds goes on like a sub-process', async (begin) => {
    const inner = start('s2') + undoable('a') + end('e2') + path('s2', 'a', 'e2');
    const xml = bpmn(start() + tag('transaction', 'm', {}, inner) + user('after') + path('s', 'm', 'after'));
    expect((await begin(xml)).tasks).toEqual(['after']);
  });
});

describe('decisions inside a parallel branch never open the join early', () => {
  const approvals = (branch: string) =>
    bpmn(
      start() +
        gateway('parallel', 'f') +
        user('approve') +
        gateway('parallel', 'j') +
        note('provision') +
        end() +
        path('s', 'f', 'approve', 'j', 'provision', 'e') +
        branch,
    );
  const models: Readonly<Record<string, string>> = {
    'a choice with a way round':
      gateway('exclusive', 'x') +
      user('b') +
      gateway('exclusive', 'y') +
      path('f', 'x') +
      flow('x', 'b', '${x}') +
      flow('x', 'y', '${!x}') +
      path('b', 'y', 'j'),
    'a choice between two tasks':
      gateway('exclusive', 'x') +
      user('b') +
      user('b2') +
      gateway('exclusive', 'y') +
      path('f', 'x') +
      flow('x', 'b', '${x}') +
      flow('x', 'b2', '${!x}') +
      path('b', 'y', 'j') +
      path('b2', 'y'),
    'a boundary timer that joins again':
      user('b') +
      boundary('t', 'b', timer('PT1H')) +
      gateway('exclusive', 'y') +
      path('f', 'b', 'y', 'j') +
      path('t', 'y'),
    'a loop that sends back':
      user('b') +
      gateway('exclusive', 'y', { default: 'y-j' }) +
      path('f', 'b', 'y') +
      flow('y', 'b', '${again}') +
      path('y', 'j'),
    'an inclusive choice':
      gateway('inclusive', 'x', { default: 'x-b2' }) +
      user('b') +
      user('b2') +
      gateway('inclusive', 'y') +
      path('f', 'x') +
      flow('x', 'b', '${x}') +
      flow('x', 'b2') +
      path('b', 'y', 'j') +
      path('b2', 'y'),
  };
  for (const [title, branch] of Object.entries(models)) {
    bothWays(`${title}: nothing is provisioned before the approval`, async (begin) => {
      for (const x of [true, false]) {
        const host = await begin(approvals(branch), { x, again: true });
        for (let step = 0; step < 4; step++) {
          const other = host.tasks.find((task) => task !== 'approve');
          if (other !== undefined) await host.complete(other, { again: step < 2 });
          expect(host.log).toEqual([]);
        }
        expect(host.tasks).toEqual(['approve']);
        await host.complete('approve');
        expect(host.log).toEqual(['provision']);
        expect(host.hasEnded).toBe(true);
      }
    });
  }
});
