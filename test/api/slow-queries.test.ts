import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rootContext, systemContext } from '../../src/resource/index.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

/** What callers make up keeps the database at work for a time that is known before. */
let server: TestServer;
const FILTER = 'area eq "x"';
const tooSlow = { id: 'QUERY_TOO_SLOW', seconds: 1, hint: expect.stringContaining('SVC_QUERY_TIMEOUT') };

beforeAll(async () => {
  server = await startTestServer({ environment: { SVC_QUERY_TIMEOUT: '1' } });
  await server.api('PUT', 'draft/first', { body: { area: 'x', value: {} } });
  // As if each draft took its time, whatever the machine.
  await server.database.pool.query(`
    insert into personal_item (kind, owner, id, data)
      select kind, owner, 'd' || n, data from personal_item, generate_series(1, 20) n where id = 'first';
    create function dawdle(data jsonb) returns jsonb language sql volatile as 'select data from pg_sleep(0.5)';
    alter table personal_item rename to personal_item_kept;
    create view personal_item as
      select kind, owner, id, dawdle(data) as data, roles, rev, updated_at, expires_at from personal_item_kept`);
});
afterAll(() => server[Symbol.asyncDispose]());

describe('a query of a caller', () => {
  it('is ended by the database when its time is over, with what to do about it', async () => {
    const answer = await server.api('GET', `draft?_queryFilter=${encodeURIComponent(FILTER)}`);
    expect(answer.status).toBe(422);
    expect(answer.body.detail).toMatchObject(tooSlow);
    const rehearsed = await server.api('GET', `draft?_queryFilter=true&_totalPagedResultsPolicy=EXACT`);
    expect(rehearsed.body.detail).toMatchObject(tooSlow);
  });

  it('has no more time when a script of the request sends it, and undoes what that has done before', async () => {
    const source = `svc.create('managed/role', 'kept', { name: 'kept', description: 'Kept' });
      svc.query('draft', { _queryFilter: '${FILTER}' })`;
    const body = { type: 'text/javascript', source };
    expect((await server.api('POST', 'script?_action=eval', { body })).status).toBe(422);
    expect((await server.api('GET', 'managed/role/kept')).status).toBe(404);
  });

  it('is one of a request from outside: what the server does of its own accord takes its time', () => {
    const inside = systemContext();
    const outside = rootContext({ ...inside, client: { ...inside.client, isExternal: true } });
    expect([inside.budget.isOfRequest, outside.budget.isOfRequest]).toEqual([false, true]);
  });
});
