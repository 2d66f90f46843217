import { describe, expect, test } from 'vitest';
import { missingReference, recordedOutcomes, runOriginal } from './groovy-reference.ts';

/*
 * What the original does with each snippet was recorded with it, and every run of the tests compares ours with that.
 * Here a sample is asked of the original again, where a Java machine and its jars are at hand; `npm run
 * differential:groovy` gets the jars and asks for all of them.
 */
const missing = missingReference();
const EACH = 15;

describe('The recorded outcomes of Groovy snippets', () => {
  test('are enough to mean something', () => {
    expect(recordedOutcomes().length).toBeGreaterThan(1600);
  });

  test.skipIf(missing !== undefined)(
    missing === undefined
      ? 'are those of the original, for a sample of them'
      : `are not compared with the original: ${missing}; \`npm run differential:groovy\` does it`,
    () => {
      const sample = recordedOutcomes().filter((_outcome, at) => at % EACH === 0);
      expect(runOriginal(sample.map(({ source }) => source))).toEqual(sample);
    },
    120_000,
  );
});
