/** Writes `docs/access-matrix.md`: asks a server of its own for everything, as everybody. `npm run docs` */
import { readFile, writeFile } from 'node:fs/promises';
import { openBenchServer } from '../bench/support/postgres.ts';
import { accessMatrix } from '../test/support/access-matrix.ts';
import { hostileTarget } from '../test/support/hostile-target.ts';
import { createTestDatabase } from '../test/support/postgres.ts';

const PAGE = new URL('access-matrix.md', import.meta.url);

await using postgres = await openBenchServer();
await using database = await createTestDatabase({ serverUrl: postgres.url });
await using target = await hostileTarget(database);
const text = await readFile(PAGE, 'utf8');
const head = text.slice(0, text.indexOf('| resource'));
await writeFile(PAGE, `${head}${(await accessMatrix(target)).join('\n')}\n`);
