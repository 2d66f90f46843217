// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are expressions of process files
import { describe, expect, test } from 'vitest';
import { bothWays } from './both-ways.ts';
import { boundary, bpmn, end, flow, gateway, note, path, start, sub, tag, timer, user } from './bpmn.ts';
import { Host } from './host.ts';

describe('sequence', () => {
  bothWays('a process without waits ends in the call that starts it', async (begin) => {
    const host = await begin(
      bpmn(start() + note('a') + note('b') + note('c') + end() + path('s', 'a', 'b', 'c', 'e')),
    );
    expect(host.log).toEqual(['a', 'b', 'c']);
    expect(host.end?.reason).toBe('completed');
  });

  bothWays('a user task waits and its variables go to the instance', async (begin) => {
    const host = await begin(bpmn(start() + user('a') + end() + path('s', 'a', 'e')), { given: 1 });
    expect(host.tasks).toEqual(['a']);
    await host.complete('a', { approved: true });
    expect(host.hasEnded).toBe(true);
    expect(host.variables).toEqual({ given: 1, approved: true });
  });

  bothWays('manual and none tasks pass', async (begin) => {
    const host = await begin(
      bpmn(start() + tag('manualTask', 'm', {}) + tag('task', 't', {}) + end() + path('s', 'm', 't', 'e')),
    );
    expect(host.hasEnded).toBe(true);
  });

  bothWays('a token that finds no way out ends its branch', async (begin) => {
    const host = await begin(bpmn(start() + user('a') + path('s', 'a')));
    await host.complete('a');
    expect(host.end?.reason).toBe('completed');
  });

  bothWays('flows out of a task are all taken whose condition holds', async (begin) => {
    const xml = bpmn(
      start() +
        user('a') +
        user('b') +
        user('c') +
        user('d') +
        path('s', 'a') +
        flow('a', 'b', '${x > 1}') +
        flow('a', 'c', '${x > 2}') +
        flow('a', 'd'),
    );
    const host = await begin(xml, { x: 2 });
    await host.complete('a');
    expect(host.tasks).toEqual(['b', 'd']);
  });

  bothWays('a task with a default flow takes it only when no condition holds', async (begin) => {
    const xml = bpmn(
      start() +
        user('a', { default: 'a-c' }) +
        user('b') +
        user('c') +
        path('s', 'a') +
        flow('a', 'b', '${x}') +
        flow('a', 'c'),
    );
    expect((await (await begin(xml, { x: true })).complete('a')).tasks).toEqual(['b']);
    expect((await (await begin(xml, { x: false })).complete('a')).tasks).toEqual(['c']);
  });

  bothWays(
    'two tokens that meet without a gateway run the activity twice, at the same time',
    async (begin) => {
      const xml = bpmn(
        start() +
          gateway('parallel', 'f') +
          user('a') +
          user('b') +
          user('m') +
          end() +
          path('s', 'f', 'a', 'm', 'e') +
          path('f', 'b', 'm'),
      );
      const host = await begin(xml);
      await host.complete('a');
      await host.complete('b');
      expect(host.tasks).toEqual(['m', 'm']);
      await host.complete('m');
      expect(host.hasEnded).toBe(false);
      await host.complete('m');
      expect(host.hasEnded).toBe(true);
    },
  );
});

describe('exclusive gateway', () => {
  const choice = bpmn(
    start() +
      gateway('exclusive', 'g', { default: 'g-d' }) +
      user('a') +
      user('b') +
      user('d') +
      path('s', 'g') +
      flow('g', 'a', '${x > 5}') +
      flow('g', 'b', '${x > 2}') +
      flow('g', 'd'),
  );

  bothWays('the first condition that holds wins, in the order of the file', async (begin) => {
    expect((await begin(choice, { x: 9 })).tasks).toEqual(['a']);
    expect((await begin(choice, { x: 3 })).tasks).toEqual(['b']);
  });

  bothWays('the default flow is taken when no condition holds', async (begin) => {
    expect((await begin(choice, { x: 0 })).tasks).toEqual(['d']);
  });

  bothWays('a flow without a condition counts as true', async (begin) => {
    const xml = bpmn(
      start() +
        gateway('exclusive', 'g') +
        user('a') +
        user('b') +
        path('s', 'g') +
        flow('g', 'a') +
        flow('g', 'b', '${true}'),
    );
    expect((await begin(xml)).tasks).toEqual(['a']);
  });

  test('nothing to take is an error', async () => {
    const xml = bpmn(
      start() +
        gateway('exclusive', 'g') +
        user('a') +
        user('b') +
        path('s', 'g') +
        flow('g', 'a', '${x}') +
        flow('g', 'b', '${x}'),
    );
    await expect(Host.start(xml, { x: false })).rejects.toThrow("No flow out of 'g' can be taken");
  });

  test('a condition must give true or false', async () => {
    const xml = bpmn(
      start() + gateway('exclusive', 'g') + user('a') + path('s', 'g') + flow('g', 'a', '${x}'),
    );
    await expect(Host.start(xml, { x: 'yes' })).rejects.toThrow('gives neither true nor false');
    await expect(Host.start(xml, { x: null })).rejects.toThrow('gives neither true nor false');
    await expect(Host.start(xml)).rejects.toThrow("unknown name 'x'");
  });

  bothWays('a loop goes round until its condition ends it', async (begin) => {
    const xml = bpmn(
      start() +
        user('a') +
        gateway('exclusive', 'g', { default: 'g-e' }) +
        end() +
        path('s', 'a', 'g') +
        flow('g', 'a', '${again}') +
        flow('g', 'e'),
    );
    const host = await begin(xml);
    const bytes = () => JSON.stringify(host.state).length;
    const first = bytes();
    for (let round = 0; round < 20; round++) await host.complete('a', { again: true });
    expect(bytes() - first).toBeLessThan(30);
    await host.complete('a', { again: false });
    expect(host.hasEnded).toBe(true);
  });

  bothWays('a condition may be a script', async (begin) => {
    const condition = (source: string) =>
      `<conditionExpression xsi:type="tFormalExpression" language="groovy">${source}</conditionExpression>`;
    const xml = bpmn(
      start() +
        gateway('exclusive', 'g') +
        user('a') +
        user('b') +
        path('s', 'g') +
        tag('sequenceFlow', 'g-a', { sourceRef: 'g', targetRef: 'a' }, condition('false')) +
        tag('sequenceFlow', 'g-b', { sourceRef: 'g', targetRef: 'b' }, condition('true')),
    );
    expect((await begin(xml)).tasks).toEqual(['b']);
  });
});

describe('parallel gateway', () => {
  const fork = (inner: string) =>
    bpmn(
      start() +
        gateway('parallel', 'f') +
        gateway('parallel', 'j') +
        end() +
        path('s', 'f') +
        inner +
        path('j', 'e'),
    );

  bothWays('splits into all flows and joins when all have arrived', async (begin) => {
    const host = await begin(
      fork(
        user('a') + user('b') + user('c') + path('f', 'a', 'j') + path('f', 'b', 'j') + path('f', 'c', 'j'),
      ),
    );
    expect(host.tasks).toEqual(['a', 'b', 'c']);
    await host.complete('b');
    await host.complete('a');
    expect(host.hasEnded).toBe(false);
    await host.complete('c');
    expect(host.hasEnded).toBe(true);
  });

  bothWays('ignores conditions', async (begin) => {
    const host = await begin(
      fork(user('a') + user('b') + flow('f', 'a', '${false}') + path('a', 'j') + path('f', 'b', 'j')),
    );
    expect(host.tasks).toEqual(['a', 'b']);
  });

  bothWays('counts tokens and not flows: two over one flow open a join of two', async (begin) => {
    const xml = bpmn(
      start() +
        gateway('parallel', 'f') +
        user('a') +
        user('b') +
        gateway('exclusive', 'x') +
        user('c') +
        gateway('parallel', 'j') +
        user('after') +
        path('s', 'f', 'a', 'x', 'j', 'after') +
        path('f', 'b', 'x') +
        path('f', 'c', 'j'),
    );
    const host = await begin(xml);
    await host.complete('a');
    await host.complete('b');
    expect(host.tasks).toEqual(['c', 'after']);
  });

  bothWays('a join after a decision waits for ever, and says so', async (begin) => {
    const xml = bpmn(
      start() +
        gateway('exclusive', 'x') +
        user('a') +
        user('b') +
        gateway('parallel', 'j') +
        end() +
        path('s', 'x') +
        flow('x', 'a', '${true}') +
        flow('x', 'b') +
        path('a', 'j', 'e') +
        path('b', 'j'),
    );
    const host = await begin(xml);
    await host.complete('a');
    expect(host.hasEnded).toBe(false);
    expect(host.effects('incident')).toEqual([{ kind: 'incident', problem: 'stuck', elements: ['j'] }]);
  });

  bothWays('nested blocks join from the inside out', async (begin) => {
    const xml = fork(
      gateway('parallel', 'f2') +
        user('a') +
        user('b') +
        gateway('parallel', 'j2') +
        user('c') +
        path('f', 'f2', 'a', 'j2', 'j') +
        path('f2', 'b', 'j2') +
        path('f', 'c', 'j'),
    );
    const host = await begin(xml);
    await host.complete('c');
    await host.complete('a');
    expect(host.hasEnded).toBe(false);
    await host.complete('b');
    expect(host.hasEnded).toBe(true);
  });

  bothWays('a fork to the same join without anything between opens it', async (begin) => {
    const xml = fork(
      tag('sequenceFlow', 'one', { sourceRef: 'f', targetRef: 'j' }) +
        tag('sequenceFlow', 'two', { sourceRef: 'f', targetRef: 'j' }),
    );
    expect((await begin(xml)).hasEnded).toBe(true);
  });
});

describe('inclusive gateway', () => {
  const block = bpmn(
    start() +
      gateway('inclusive', 'f', { default: 'f-d' }) +
      user('a') +
      user('b') +
      user('d') +
      gateway('inclusive', 'j') +
      user('after') +
      path('s', 'f') +
      flow('f', 'a', '${x > 1}') +
      flow('f', 'b', '${x > 2}') +
      flow('f', 'd') +
      path('a', 'j', 'after') +
      path('b', 'j') +
      path('d', 'j'),
  );

  bothWays('takes all flows that hold and its join waits for just those', async (begin) => {
    const host = await begin(block, { x: 3 });
    expect(host.tasks).toEqual(['a', 'b']);
    await host.complete('a');
    expect(host.tasks).toEqual(['b']);
    await host.complete('b');
    expect(host.tasks).toEqual(['after']);
  });

  bothWays('one flow alone passes the join at once', async (begin) => {
    expect((await (await begin(block, { x: 2 })).complete('a')).tasks).toEqual(['after']);
    expect((await (await begin(block, { x: 0 })).complete('d')).tasks).toEqual(['after']);
  });

  test('nothing to take is an error', async () => {
    const xml = bpmn(
      start() +
        gateway('inclusive', 'f') +
        user('a') +
        user('b') +
        path('s', 'f') +
        flow('f', 'a', '${false}') +
        flow('f', 'b', '${false}'),
    );
    await expect(Host.start(xml)).rejects.toThrow("No flow out of 'f' can be taken");
  });

  bothWays('the join waits for a token that is still two decisions away', async (begin) => {
    const xml = bpmn(
      start() +
        gateway('inclusive', 'f') +
        user('a') +
        user('b') +
        gateway('exclusive', 'x', { default: 'x-e2' }) +
        end('e2') +
        gateway('inclusive', 'j') +
        user('after') +
        path('s', 'f', 'a', 'j', 'after') +
        path('f', 'b', 'x') +
        flow('x', 'j', '${join}') +
        flow('x', 'e2'),
    );
    const host = await begin(xml);
    await host.complete('a');
    expect(host.tasks).toEqual(['b']);
    await host.complete('b', { join: false });
    expect(host.tasks).toEqual(['after']);
  });

  bothWays('the join also waits for what a boundary event may send', async (begin) => {
    const xml = bpmn(
      start() +
        gateway('inclusive', 'f') +
        user('a') +
        user('b') +
        end('eb') +
        boundary('late', 'b', timer('PT1H')) +
        gateway('inclusive', 'j') +
        user('after') +
        path('s', 'f', 'a', 'j', 'after') +
        path('f', 'b', 'eb') +
        path('late', 'j'),
    );
    const host = await begin(xml);
    await host.complete('a');
    expect(host.tasks).toEqual(['b']);
    await host.fire('late');
    expect(host.tasks).toEqual(['after']);
  });

  bothWays('blocks inside a loop beside other work do not wait for each other for ever', async (begin) => {
    const xml = bpmn(
      start() +
        gateway('exclusive', 'head') +
        gateway('parallel', 'f') +
        gateway('inclusive', 'i') +
        user('a') +
        user('b') +
        gateway('inclusive', 'j') +
        user('c') +
        gateway('parallel', 'k') +
        gateway('exclusive', 'x', { default: 'x-e' }) +
        end() +
        path('s', 'head', 'f', 'i') +
        flow('i', 'a') +
        flow('i', 'b', '${both}') +
        path('a', 'j', 'k', 'x') +
        path('b', 'j') +
        path('f', 'c', 'k') +
        flow('x', 'head', '${again}') +
        flow('x', 'e'),
    );
    const host = await begin(xml, { both: false, again: true });
    await host.complete('c');
    await host.complete('a', { both: true });
    expect(host.tasks).toEqual(['c', 'a', 'b']);
    for (const id of ['b', 'c']) await host.complete(id);
    await host.complete('a', { again: false });
    expect(host.hasEnded).toBe(true);
  });

  bothWays(
    'a join beside other work does not wait for it, though a loop leads round again',
    async (begin) => {
      const xml = bpmn(
        start() +
          gateway('exclusive', 'head') +
          gateway('parallel', 'f') +
          user('side') +
          gateway('inclusive', 'i') +
          user('a') +
          user('b') +
          gateway('inclusive', 'j') +
          user('after') +
          gateway('parallel', 'k') +
          gateway('exclusive', 'x', { default: 'x-e' }) +
          end() +
          path('s', 'head', 'f', 'side', 'k', 'x') +
          path('f', 'i', 'a', 'j', 'after', 'k') +
          flow('i', 'b', '${false}') +
          path('b', 'j') +
          flow('x', 'head', '${again}') +
          flow('x', 'e'),
      );
      expect((await (await begin(xml)).complete('a')).tasks).toEqual(['side', 'after']);
    },
  );

  bothWays('a join does not wait for a boundary event that has fired already', async (begin) => {
    const xml = bpmn(
      start() +
        user('slow') +
        boundary('t', 'slow', timer('PT1H'), false) +
        gateway('inclusive', 'i') +
        user('a') +
        user('b') +
        gateway('inclusive', 'j') +
        user('after') +
        path('s', 'slow') +
        path('t', 'i', 'a', 'j', 'after') +
        flow('i', 'b', '${false}') +
        path('b', 'j'),
    );
    const host = await begin(xml);
    await host.fire('t');
    await host.complete('a');
    expect(host.tasks).toEqual(['slow', 'after']);
  });

  bothWays('a join waits for a token that waits in front of it for its job', async (begin) => {
    const xml = bpmn(
      start() +
        gateway('inclusive', 'i') +
        user('a') +
        user('b') +
        gateway('inclusive', 'j', { 'flowable:async': true }) +
        user('after') +
        path('s', 'i', 'a', 'j', 'after') +
        path('i', 'b', 'j'),
    );
    const host = await begin(xml);
    await host.complete('a');
    await host.complete('b');
    await host.job('j');
    expect(host.tasks).toEqual([]);
    await host.job('j');
    expect(host.tasks).toEqual(['after']);
  });

  bothWays('a join in a sub-process sees only the tokens of its own scope', async (begin) => {
    const inner =
      start('s2') +
      gateway('inclusive', 'f2') +
      user('a') +
      user('b') +
      gateway('inclusive', 'j2') +
      end('e2') +
      path('s2', 'f2', 'a', 'j2', 'e2') +
      path('f2', 'b', 'j2');
    const xml = bpmn(
      start() + gateway('parallel', 'f') + sub('x', inner) + user('c') + path('s', 'f', 'x') + path('f', 'c'),
    );
    const host = await begin(xml);
    await host.complete('a');
    await host.complete('b');
    expect(host.tasks).toEqual(['c']);
  });
});
