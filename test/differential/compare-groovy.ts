import { spawnSync } from 'node:child_process';
import { createGroovyPool, runSnippet } from '../unit/groovy/support.ts';
import {
  MODULES,
  missingReference,
  outcomeOf,
  recordedOutcomes,
  runOriginal,
  VERSION,
} from './groovy-reference.ts';

/*
 * Asks the original of each recorded snippet and ours as well, and tells where one of the three differs:
 * npm run differential:groovy. Needs a Java machine; mvn gets the jars into ~/.m2 where they are missing.
 */
function fetchOriginal(): void {
  for (const module of MODULES) {
    const artifact = `-Dartifact=org.apache.groovy:${module}:${VERSION}`;
    spawnSync('mvn', ['-q', '-B', 'dependency:get', '-Dtransitive=false', artifact], { stdio: 'inherit' });
  }
}

if (missingReference() !== undefined) fetchOriginal();
const missing = missingReference();
if (missing !== undefined) {
  console.error(`The original cannot be asked: ${missing}`);
  process.exit(2);
}

const recorded = recordedOutcomes();
const original = runOriginal(recorded.map(({ source }) => source));
const pool = await createGroovyPool();
let differences = 0;
for (const [at, { source, ...was }] of recorded.entries()) {
  const { source: _source, ...is } = original[at]!;
  const { source: _same, ...ours } = outcomeOf({ source, ...(await runSnippet(pool, source)) });
  const [wasText, isText, ourText] = [was, is, ours].map(inOrder);
  if (wasText === isText && isText === ourText) continue;
  differences++;
  console.log(`${source}\n  recorded ${wasText}\n  original ${isText}\n  ours     ${ourText}\n`);
}
pool.close();
console.log(`${recorded.length} programs, ${differences} differences (Groovy ${VERSION})`);
process.exit(differences === 0 ? 0 : 1);

function inOrder(outcome: object): string {
  return JSON.stringify(Object.entries(outcome).sort(([one], [other]) => (one < other ? -1 : 1)));
}
