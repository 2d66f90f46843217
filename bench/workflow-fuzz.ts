/**
 * Plays random processes until one goes wrong or it is stopped: `node bench/workflow-fuzz.ts [seconds] [seed]`.
 * A failure prints the seed, the shrunk process and the picks, and ends with status 1.
 */
import fc from 'fast-check';
import { randomProcess } from '../test/unit/workflow/engine/random-process.ts';
import { playRandomProcess } from '../test/unit/workflow/engine/random-run.ts';

const BATCH = 500;
const seconds = Number(process.argv[2] ?? Number.POSITIVE_INFINITY);
let seed = Number(process.argv[3] ?? Date.now() % 2 ** 31);
const picks = fc.array(fc.nat(1000), { minLength: 1, maxLength: 60 });
const stopAt = performance.now() + seconds * 1000;

let played = 0;
while (performance.now() < stopAt) {
  const property = fc.asyncProperty(randomProcess(), picks, playRandomProcess);
  const result = await fc.check(property, { seed, numRuns: BATCH });
  if (result.failed) {
    console.log(JSON.stringify({ fuzz: 'workflow', played, seed, path: result.counterexamplePath }));
    console.log(result.counterexample?.[0].xml, result.counterexample?.[1], result.errorInstance);
    process.exit(1);
  }
  played += BATCH;
  console.log(JSON.stringify({ fuzz: 'workflow', played, seed }));
  seed++;
}
