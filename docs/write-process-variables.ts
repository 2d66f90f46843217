/** Writes the table of `docs/process-variables.md` from the process files. `npm run docs` */
import { readFile, writeFile } from 'node:fs/promises';
import { variableOwners } from '../test/support/variable-owners.ts';

const PAGE = new URL('process-variables.md', import.meta.url);

const text = await readFile(PAGE, 'utf8');
const head = text.slice(0, text.indexOf('| process'));
await writeFile(PAGE, `${head}${(await variableOwners()).join('\n')}\n`);
