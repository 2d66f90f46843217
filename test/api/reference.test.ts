import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorTable, hookTable, logTable, metricTable, viewTables } from '../support/reference.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

/** A page from its first table or section on. */
async function generated(page: string): Promise<string> {
  const text = await readFile(new URL(`../../docs/reference/${page}`, import.meta.url), 'utf8');
  return text.slice(text.search(/^(?:\||## )/m)).trimEnd();
}

/** `node docs/write-reference.ts` writes them anew. */
describe('docs/reference', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it('has each error and finding', async () => {
    expect(await generated('errors.md')).toBe(errorTable().join('\n'));
  });

  it('has each hook', async () => {
    expect(await generated('hooks.md')).toBe(hookTable().join('\n'));
  });

  it('has each line of the log', async () => {
    expect(await generated('log.md')).toBe(logTable().join('\n'));
  });

  it('has each metric of a node', async () => {
    const metrics = await (await fetch(new URL('/metrics', server.url))).text();
    expect(await generated('metrics.md')).toBe(metricTable(metrics).join('\n'));
  });

  it('has each view and its columns', async () => {
    const views = await viewTables(server.database.db);
    expect(await generated('views.md')).toBe(views.join('\n').trimEnd());
  });
});
