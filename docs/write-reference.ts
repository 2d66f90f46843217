/** Writes `docs/reference/`: what a node may say and show, read off the product. `npm run docs` */
import { readFile, writeFile } from 'node:fs/promises';
import { openDatabase } from '#database/index.ts';
import { openBenchServer } from '../bench/support/postgres.ts';
import { createTestDatabase } from '../test/support/postgres.ts';
import {
  type ApiPaths,
  commandSections,
  configurationSchemas,
  configurationTables,
  errorLines,
  errorTable,
  hookTable,
  logTable,
  metricTable,
  restTable,
  scriptTables,
  viewTables,
} from '../test/support/reference.ts';
import { startTestServer } from '../test/support/server.ts';

await using postgres = await openBenchServer();
await using test = await createTestDatabase({ serverUrl: postgres.url });
await using server = await startTestServer({ database: test });
const database = openDatabase({ url: test.url });
const metrics = await (await fetch(new URL('/metrics', server.url))).text();
await write('errors.md', errorTable());
await writeFile(
  new URL('../src/administration/errors.jsonl', import.meta.url),
  `${(await errorLines()).join('\n')}\n`,
);
await write('hooks.md', hookTable());
await write('log.md', logTable());
await write('scripts.md', await scriptTables(server.api));
await write('metrics.md', metricTable(metrics));
await write('views.md', await viewTables(database.db));
const api = await (await fetch(new URL('/docs/openapi.json', server.url))).json();
await write('rest.md', restTable(api as ApiPaths));
await write('cli.md', await commandSections());
await write('configuration.md', configurationTables());
for (const [name, schema] of configurationSchemas()) {
  await writeFile(
    new URL(`reference/schema/${name}`, import.meta.url),
    `${JSON.stringify(schema, null, 2)}\n`,
  );
}
await database.close();

/** What stands before the first table or section of a page is written by hand. */
async function write(name: string, lines: readonly string[]): Promise<void> {
  const page = new URL(`reference/${name}`, import.meta.url);
  const text = await readFile(page, 'utf8');
  const head = text.slice(0, text.search(/^(?:\||## )/m));
  await writeFile(page, `${head}${lines.join('\n').trimEnd()}\n`);
}
