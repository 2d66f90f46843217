import { readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../support/server.ts';

const guide = await readFile(new URL('../../docs/operations.md', import.meta.url), 'utf8');
/** Each statement of a block stands by itself. */
const statements = [...guide.matchAll(/```sql\n(.*?)```/gs)].flatMap(([, block]) =>
  block!
    .split(/;\s*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== ''),
);
const names = new Set(
  [...guide.matchAll(/`(?:rate\()?(svc_[a-z_]+?)(?:_count)?[`{]/g)].map(([, name]) => name!),
);

describe('the operations guide', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  it('has statements and names metrics', () => {
    expect(statements.length).toBeGreaterThan(15);
    expect(names.size).toBeGreaterThan(15);
  });

  it.each(statements)('has a statement that works: %s', async (statement) => {
    await sql.raw(statement).execute(server.database.db);
  });

  it('names metrics that a node has, and views that the database has', async () => {
    const told = await (await fetch(`${server.url}/metrics`)).text();
    const { rows } = await sql<{ name: string }>`select viewname as name from pg_views`.execute(
      server.database.db,
    );
    const views = new Set(rows.map(({ name }) => name));
    const unknown = [...names].filter((name) => !told.includes(`# TYPE ${name} `) && !views.has(name));
    expect(unknown).toEqual([]);
  });
});
