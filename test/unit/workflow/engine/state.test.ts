// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are expressions of process files
import { expect, test } from 'vitest';
import type { JsonObject } from '#json/index.ts';
import { apply, BpmnError, compile, type ProcessState } from '../../../../src/workflow/engine/index.ts';
import { bothWays } from './both-ways.ts';
import {
  boundary,
  bpmn,
  end,
  error,
  extension,
  gateway,
  path,
  service,
  start,
  tag,
  timer,
  times,
  user,
} from './bpmn.ts';
import { Host, NOW } from './host.ts';

const simple = bpmn(start() + user('a') + end() + path('s', 'a', 'e'));
const HANDLERS = {
  now: NOW,
  instance: { id: 'i', definitionId: 'p:1' },
  runScript: () => ({}),
  callDelegate: () => null,
};

test('a state is small, readable JSON', async () => {
  const host = await Host.start(simple, { x: 1 });
  expect(host.state).toEqual({
    version: 1,
    next: 3,
    executions: [
      { id: 0, is: 'scope' },
      { id: 2, in: 0, at: 'a', is: 'task' },
    ],
    waits: [],
    variables: { 0: { x: 1 } },
  });
});

test('a state of another version, or none, is refused', async () => {
  const [definition] = await compile(simple);
  const { state } = await apply(definition, null, { kind: 'start' }, HANDLERS);
  const later = { ...state, version: 2 } as unknown as ProcessState;
  await expect(apply(definition, later, { kind: 'job', execution: 2 }, HANDLERS)).rejects.toThrow(
    'unknown version 2',
  );
  await expect(apply(definition, null, { kind: 'job', execution: 2 }, HANDLERS)).rejects.toMatchObject({
    code: 404,
  });
  await expect(apply(definition, state, { kind: 'start' }, HANDLERS)).rejects.toMatchObject({ code: 404 });
});

bothWays('variables with names of JavaScript are data', async (begin) => {
  const variables = JSON.parse(
    '{"__proto__":{"polluted":true},"constructor":1,"toString":"x"}',
  ) as JsonObject;
  const host = await begin(simple, variables);
  await host.complete('a', JSON.parse('{"__proto__":{"polluted":"again"},"hasOwnProperty":2}') as JsonObject);
  expect(JSON.parse(JSON.stringify(host.variables))).toEqual(
    JSON.parse('{"__proto__":{"polluted":"again"},"constructor":1,"toString":"x","hasOwnProperty":2}'),
  );
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

test('what a script gets and gives is a copy', async () => {
  const kept: JsonObject[] = [];
  const xml = bpmn(
    start() + tag('scriptTask', 'c', {}, '<script>x</script>') + user('a') + path('s', 'c', 'a'),
  );
  const host = await Host.start(
    xml,
    { given: { deep: 1 } },
    {
      script: ({ execution }) => {
        const given = execution.getVariable('given') as JsonObject;
        given['deep'] = 'changed';
        const made = { own: 1 };
        execution.setVariable('made', made);
        made.own = 2;
        kept.push(given);
        return {};
      },
    },
  );
  expect(host.variables).toEqual({ given: { deep: 1 }, made: { own: 1 } });
});

test('a wait that begins and ends in one step leaves no effect', async () => {
  const xml = bpmn(
    start() +
      tag('subProcess', 'm', {}, start('s2') + end('e2') + path('s2', 'e2')) +
      boundary('t', 'm', timer('PT1H')) +
      end() +
      path('s', 'm', 'e') +
      path('t', 'e'),
  );
  const host = await Host.start(xml);
  expect(host.effects('timer.armed')).toEqual([]);
  expect(host.effects('timer.cleared')).toEqual([]);
});

test('a join two users reach one after the other opens once, from whichever state comes second', async () => {
  const [definition] = await compile(
    bpmn(
      start() +
        gateway('parallel', 'f') +
        user('a') +
        user('b') +
        gateway('parallel', 'j') +
        user('c') +
        path('s', 'f', 'a', 'j', 'c') +
        path('f', 'b', 'j'),
    ),
  );
  const { state } = await apply(definition, null, { kind: 'start' }, HANDLERS);
  const at = (element: string) => state!.executions.find((execution) => execution.at === element)!.id;
  for (const [first, second] of [
    ['a', 'b'],
    ['b', 'a'],
  ] as const) {
    const one = await apply(definition, state, { kind: 'complete', execution: at(first) }, HANDLERS);
    const two = await apply(definition, one.state, { kind: 'complete', execution: at(second) }, HANDLERS);
    expect(two.effects.filter(({ kind }) => kind === 'task.created')).toHaveLength(1);
  }
});

test('a thousand rounds at once start and finish', async () => {
  const [definition] = await compile(
    bpmn(start() + user('a', {}, times(1000)) + end() + path('s', 'a', 'e')),
  );
  let { state } = await apply(definition, null, { kind: 'start' }, HANDLERS);
  expect(JSON.stringify(state).length).toBeLessThan(60_000);
  for (let count = 1; count <= 1000; count++) {
    const execution = state!.executions.at(-1)!.id;
    ({ state } = await apply(definition, state, { kind: 'complete', execution }, HANDLERS));
    expect(state === null).toBe(count === 1000);
  }
});

test('a listener that fails while its task is taken away fails the step', async () => {
  const failing = extension('<flowable:taskListener event="delete" expression="${log.fail(\'BROKEN\')}"/>');
  const xml = bpmn(
    start() +
      user('a', {}, failing) +
      boundary('t', 'a', timer('PT1H')) +
      boundary('b', 'a', error('broken')) +
      user('x') +
      user('y') +
      path('s', 'a') +
      path('t', 'x') +
      path('b', 'y'),
  );
  const host = await Host.start(xml);
  await expect(host.fire('t')).rejects.toThrow(BpmnError);
  expect(host.tasks).toEqual(['a']);
});

bothWays('the instance has a business key that a script may change', async (begin) => {
  const xml = bpmn(
    start() + service('n', '${log.add(execution.businessKey)}') + user('a') + path('s', 'n', 'a'),
  );
  const host = await begin(xml, {}, {}, { businessKey: 'K1' });
  expect(host.log).toEqual(['K1']);
  expect(host.state.businessKey).toBe('K1');
});
