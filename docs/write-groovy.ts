/** Writes groovy.md anew: `node docs/write-groovy.ts`. */
import { writeFileSync } from 'node:fs';
import { describeGroovy } from '../src/groovy/document/describe-groovy.ts';

writeFileSync(new URL('./groovy.md', import.meta.url), describeGroovy());
