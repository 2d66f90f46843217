// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are expressions of process files
import { describe, expect, test } from 'vitest';
import { bothWays } from './both-ways.ts';
import {
  around,
  boundary,
  bpmn,
  end,
  loop,
  note,
  path,
  service,
  start,
  sub,
  timer,
  times,
  user,
} from './bpmn.ts';
import { Host } from './host.ts';

describe('multi-instance', () => {
  const counted = '${log.add(loopCounter, nrOfInstances, nrOfActiveInstances, nrOfCompletedInstances)}';

  bothWays('parallel rounds run at the same time', async (begin) => {
    const host = await begin(around(user('a', {}, times(3))));
    expect(host.tasks).toEqual(['a', 'a', 'a']);
    for (let round = 0; round < 3; round++) await host.complete('a');
    expect(host.hasEnded).toBe(true);
  });

  bothWays('sequential rounds run one by one', async (begin) => {
    const host = await begin(around(user('a', {}, times('${n}', { isSequential: true }))), { n: 2 });
    expect(host.tasks).toEqual(['a']);
    await host.complete('a');
    expect(host.tasks).toEqual(['a']);
    await host.complete('a');
    expect(host.hasEnded).toBe(true);
  });

  bothWays('rounds see the counters', async (begin) => {
    expect((await begin(around(service('a', counted, {}, times(2, { isSequential: true }))))).log).toEqual([
      '0 2 1 0',
      '1 2 1 1',
    ]);
    expect((await begin(around(service('a', counted, {}, times(2))))).log).toEqual(['0 2 2 0', '1 2 2 0']);
  });

  bothWays('a collection gives each round its element', async (begin) => {
    const over = (collection: string, isSequential: boolean) =>
      around(
        service(
          'a',
          '${log.add(item.name, i)}',
          {},
          loop('', {
            isSequential,
            'flowable:collection': collection,
            'flowable:elementVariable': 'item',
            'flowable:elementIndexVariable': 'i',
          }),
        ),
      );
    const list = [{ name: 'x' }, { name: 'y' }];
    for (const collection of ['list', '${list}', '[{"name":"x"},{"name":"y"}]'.replaceAll('"', '&quot;')]) {
      for (const isSequential of [true, false]) {
        expect((await begin(over(collection, isSequential), { list })).log).toEqual(['x 0', 'y 1']);
      }
    }
  });

  bothWays('the standard form of a collection works too', async (begin) => {
    const xml = around(
      service(
        'a',
        '${log.add(item)}',
        {},
        loop('<loopDataInputRef>list</loopDataInputRef><inputDataItem name="item"/>'),
      ),
    );
    expect((await begin(xml, { list: ['p', 'q'] })).log).toEqual(['p', 'q']);
  });

  bothWays('the completion condition ends the other rounds', async (begin) => {
    const host = await begin(around(user('a', {}, times(5, {}, '${nrOfCompletedInstances >= 2 || veto}'))), {
      veto: false,
    });
    await host.complete('a');
    expect(host.tasks).toHaveLength(4);
    await host.complete('a');
    expect(host.hasEnded).toBe(true);
    expect(host.effects('task.removed').filter(({ reason }) => reason !== undefined)).toHaveLength(3);
  });

  bothWays('the completion condition ends a sequence early', async (begin) => {
    const host = await begin(around(user('a', {}, times(5, { isSequential: true }, '${veto}'))), {
      veto: false,
    });
    await host.complete('a');
    await host.complete('a', { veto: true });
    expect(host.hasEnded).toBe(true);
  });

  bothWays('no items, no activity', async (begin) => {
    expect(
      (await begin(around(user('a', {}, loop('', { 'flowable:collection': 'list' }))), { list: [] }))
        .hasEnded,
    ).toBe(true);
    expect((await begin(around(user('a', {}, times(0))))).hasEnded).toBe(true);
  });

  bothWays('a sub-process can be multi-instance, each round with its own variables', async (begin) => {
    const inner =
      start('s2') + user('a') + service('n', '${log.add(item)}') + end('e2') + path('s2', 'a', 'n', 'e2');
    const host = await begin(
      around(
        sub('m', inner + loop('', { 'flowable:collection': 'list', 'flowable:elementVariable': 'item' })),
      ),
      { list: [1, 2] },
    );
    expect(host.tasks).toEqual(['a', 'a']);
    await host.complete('a');
    await host.complete('a');
    expect(host.log).toEqual(['1', '2']);
    expect(host.hasEnded).toBe(true);
  });

  bothWays('a boundary event sits on the whole body', async (begin) => {
    const xml = bpmn(
      start() +
        user('a', {}, times(3)) +
        boundary('t', 'a', timer('PT1H')) +
        user('late') +
        end() +
        path('s', 'a', 'e') +
        path('t', 'late'),
    );
    const host = await begin(xml);
    await host.complete('a');
    expect(host.timers()).toHaveLength(1);
    await host.fire('t');
    expect(host.tasks).toEqual(['late']);
  });

  bothWays('asynchronous rounds are a job each', async (begin) => {
    const host = await begin(around(note('a', { 'flowable:async': true }, times(2))));
    expect(host.effects('job.created')).toHaveLength(2);
    await host.job('a');
    await host.job('a');
    expect(host.log).toEqual(['a', 'a']);
    expect(host.hasEnded).toBe(true);
  });

  test('refuses what is not a list or a count', async () => {
    await expect(
      Host.start(around(user('a', {}, loop('', { 'flowable:collection': 'list' }))), { list: 'x' }),
    ).rejects.toThrow('not a list');
    const counted = around(user('a', {}, times('${n}')));
    await expect(Host.start(counted, { n: -1 })).rejects.toThrow('cardinality');
    await expect(Host.start(counted, { n: 'many' })).rejects.toMatchObject({
      code: 400,
      message: expect.stringContaining("cardinality 'many'"),
    });
    await expect(Host.start(counted, { n: 1e9 })).rejects.toThrow('1000000000 rounds');
  });
});
