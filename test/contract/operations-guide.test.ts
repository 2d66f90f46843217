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
const metrics = new Set(
  [...guide.matchAll(/`(?:rate\()?(svc_[a-z_]+?)(?:_count)?[`{]/g)].map(([, name]) => name!),
);

describe('the operations guide', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it('has statements and metrics', () => {
    expect(statements.length).toBeGreaterThan(15);
    expect(metrics.size).toBeGreaterThan(15);
  });

  it.each(statements)('has a statement that works: %s', async (statement) => {
    await sql.raw(statement).execute(server.database.db);
  });

  it('names metrics that a node has', async () => {
    const told = await (await fetch(`${server.url}/metrics`)).text();
    const views = ['svc_schedule', 'svc_firing'];
    expect([...metrics].filter((name) => !told.includes(`# TYPE ${name} `) && !views.includes(name))).toEqual(
      [],
    );
  });
});
