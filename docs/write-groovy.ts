/** Writes groovy.md anew: `npm run docs`. */
import { writeFileSync } from 'node:fs';
import { describeGroovy } from '../src/groovy/document/describe-groovy.ts';

writeFileSync(new URL('./groovy.md', import.meta.url), describeGroovy());
