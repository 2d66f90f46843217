import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ResourceError } from '#errors/index.ts';
import { compile, readDiagram } from '../../../../src/workflow/engine/index.ts';
import { runs } from '../../../support/long.ts';
import {
  boundary,
  bpmn,
  caught,
  end,
  error,
  eventSub,
  extension,
  flow,
  gateway,
  note,
  path,
  start,
  sub,
  timer,
  times,
  undoneBy,
  user,
} from './bpmn.ts';

const WHOLE = bpmn(
  start('s', extension('<flowable:formProperty id="f" type="long"/>')) +
    user('a', {}, times(2, {}, `\${nrOfCompletedInstances == 1}`)) +
    boundary('late', 'a', timer('PT1H')) +
    gateway('parallel', 'split') +
    gateway('eventBased', 'first') +
    caught('t', timer('PT1M')) +
    sub('m', start('ms') + user('b') + undoneBy('b', 'undo') + note('undo') + path('ms', 'b')) +
    eventSub('rescue', start('rs', error('broken')) + end('re') + path('rs', 're')) +
    gateway('inclusive', 'join') +
    end() +
    path('s', 'a', 'split', 'first', 't', 'join', 'e') +
    path('late', 'm', 'join') +
    flow('split', 'join', `\${x == 'y'}`),
);
const PIECES = [
  '<',
  '>',
  '"',
  '&x;',
  '<!--',
  ']]>',
  '<!DOCTYPE x [',
  '</process>',
  '<task/>',
  '\0',
  '__proto__',
];

/** Cut out, put in, or one value in the place of another. */
const change = fc.oneof(
  fc.tuple(fc.nat(), fc.nat(40)).map(
    ([at, length]) =>
      (xml: string) =>
        xml.slice(0, at % xml.length) + xml.slice((at % xml.length) + length),
  ),
  fc.tuple(fc.nat(), fc.constantFrom(...PIECES)).map(
    ([at, piece]) =>
      (xml: string) =>
        xml.slice(0, at % xml.length) + piece + xml.slice(at % xml.length),
  ),
  fc.tuple(fc.nat(), fc.nat()).map(([from, to]) => (xml: string) => {
    const values = [...xml.matchAll(/"([^"]+)"/g)];
    if (values.length === 0) return xml;
    const [into, out] = [values[to % values.length]!, values[from % values.length]!];
    return xml.slice(0, into.index) + out[0] + xml.slice(into.index + into[0].length);
  }),
);

test('a file with any mistakes is compiled, or refused as a mistake of its author', async () => {
  await compile(WHOLE);
  const mistakes = fc.array(change, { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(mistakes, async (changes) => {
      const xml = changes.reduce((text, make) => make(text), WHOLE);
      for (const read of [() => compile(xml), () => readDiagram(xml, 'p')]) {
        const failure = await read().then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        if (failure === undefined) continue;
        expect(failure).toBeInstanceOf(ResourceError);
        expect([400, 413]).toContain((failure as ResourceError).code);
      }
    }),
    { numRuns: runs(300), seed: 20260101 },
  );
});
