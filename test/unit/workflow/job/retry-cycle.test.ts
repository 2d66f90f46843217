import { expect, test } from 'vitest';
import { readRetryCycle } from '../../../../src/workflow/job/retry-cycle.ts';

test.each([
  [null, 3, [10_000]],
  ['', 3, [10_000]],
  ['R5/PT7M', 5, [420_000]],
  ['R0/PT1S', 1, [1_000]],
  ['PT1M', 3, [60_000]],
  ['PT1M,PT10M', 3, [60_000, 600_000]],
  ['PT0S,PT1S,PT2S', 4, [0, 1_000, 2_000]],
  ['often', 3, [10_000]],
])('%j is attempts in all and the pauses between them', (text, attempts, pausesMs) => {
  expect(readRetryCycle(text)).toEqual({ attempts, pausesMs });
});
