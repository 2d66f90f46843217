import { readdir, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MENDS } from '../../docs/error-mends.ts';
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
} from '../support/reference.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

/** A page from its first table or section on. */
async function generated(page: string): Promise<string> {
  const text = await readFile(new URL(`../../docs/reference/${page}`, import.meta.url), 'utf8');
  return text.slice(text.search(/^(?:\||## )/m)).trimEnd();
}

/** `npm run docs` writes them anew. */
describe('docs/reference', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  it('has each error and finding', async () => {
    expect(await generated('errors.md')).toBe(errorTable().join('\n'));
  });

  it('is what a node says of each error', async () => {
    const catalogue = new URL('../../src/administration/errors.jsonl', import.meta.url);
    expect((await readFile(catalogue, 'utf8')).trimEnd()).toBe((await errorLines()).join('\n'));
  });

  it('says of each error that a caller can cause what is wrong, and what to do', async () => {
    const errors = (await errorLines()).map((line) => JSON.parse(line));
    const caused = errors.filter(({ codes }) => codes.some((code: number) => code < 500));
    expect(caused.length).toBeGreaterThan(300);
    expect(caused.filter(({ messages, hints }) => messages.length === 0 || hints.length === 0)).toEqual([]);
    // What has a hint where it is thrown is said there alone, and what is gone nowhere.
    const ids = new Set(errors.map(({ _id }) => _id));
    expect(Object.keys(MENDS).filter((id) => !ids.has(id))).toEqual([]);
    const zone = errors.find(({ _id }) => _id === 'SCHED_UNKNOWN_TIME_ZONE');
    expect(zone.hints).toEqual(expect.arrayContaining(["Did you mean '…'?", "Write a fixed offset as '…'"]));
  });

  it('has each hook', async () => {
    expect(await generated('hooks.md')).toBe(hookTable().join('\n'));
  });

  it('has all that scripts find', async () => {
    expect(await generated('scripts.md')).toBe((await scriptTables(server.api)).join('\n'));
  });

  it('has each line of the log', async () => {
    expect(await generated('log.md')).toBe(logTable().join('\n'));
  });

  it('has each metric of a node', async () => {
    const metrics = await (await fetch(new URL('/metrics', server.url))).text();
    expect(await generated('metrics.md')).toBe(metricTable(metrics).join('\n'));
  });

  it('has each path that is answered', async () => {
    const api = await (await fetch(new URL('/docs/openapi.json', server.url))).json();
    expect(await generated('rest.md')).toBe(restTable(api as ApiPaths).join('\n'));
  });

  it('has each command with its options', async () => {
    expect(await generated('cli.md')).toBe((await commandSections()).join('\n').trimEnd());
  });

  it('has each key of the configuration, and its schema for editors', async () => {
    expect(await generated('configuration.md')).toBe(configurationTables().join('\n').trimEnd());
    for (const [name, schema] of configurationSchemas()) {
      const written = await readFile(new URL(`../../docs/reference/schema/${name}`, import.meta.url), 'utf8');
      expect(JSON.parse(written)).toEqual(schema);
    }
  });

  it('has the schema that a shipped file names', async () => {
    const conf = new URL('../../conf/', import.meta.url);
    const files = (await readdir(conf)).filter((name) => name.endsWith('.json'));
    for (const file of files) {
      const { $schema } = JSON.parse(await readFile(new URL(file, conf), 'utf8')) as { $schema?: string };
      const [id] = file.replace('.json', '').split('-', 1);
      expect([file, $schema]).toEqual([file, `../docs/reference/schema/${id}.schema.json`]);
      await readFile(new URL($schema!, conf));
    }
  });

  it('has each view and its columns', async () => {
    const views = await viewTables(server.database.db);
    expect(await generated('views.md')).toBe(views.join('\n').trimEnd());
  });
});
