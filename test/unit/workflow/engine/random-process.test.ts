import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../support/long.ts';
import { randomProcess } from './random-process.ts';
import { playRandomProcess } from './random-run.ts';

const SEED = Number(process.env['WORKFLOW_FUZZ_SEED'] ?? 20_260_101);
const RUNS = Number(process.env['WORKFLOW_FUZZ_RUNS'] ?? runs(300));

const picks = fc.array(fc.nat(1000), { minLength: 1, maxLength: 40 });

test('random processes do what their shape demands, step by step and also when revived', async () => {
  let played = 0;
  await fc.assert(
    fc.asyncProperty(randomProcess(), picks, async (process, choices) => {
      await playRandomProcess(process, choices);
      played++;
    }),
    { seed: SEED, numRuns: RUNS },
  );
  expect(played).toBeGreaterThanOrEqual(RUNS);
}, 600_000);
