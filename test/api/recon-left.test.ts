/** Whoever waits for a reconciliation and leaves ends the waiting alone. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ADMIN_PASSWORD } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({
    files: {
      'conf/managed.json': {
        objects: [
          { name: 'gate' },
          { name: 'person' },
          {
            name: 'crm',
            onCreate: {
              type: 'text/javascript',
              source: "while (svc.read('managed/gate/open') === null) {}",
              timeout: 120_000,
            },
          },
        ],
      },
      'conf/sync.json': {
        mappings: [
          { name: 'person_crm', source: 'managed/person', target: 'managed/crm', enableSync: false },
        ],
      },
    },
  });
});
afterAll(() => server?.[Symbol.asyncDispose]());

it('goes on when nobody waits for it any more, and the request ends', async () => {
  const { api, database } = server;
  expect((await api('PUT', 'managed/person/p', { body: {} })).status).toBe(201);
  const left = new AbortController();
  const url = `${server.url}/svc/recon?_action=recon&mapping=person_crm&waitForCompletion=true`;
  const headers = {
    Authorization: `Basic ${Buffer.from(`svc-admin:${ADMIN_PASSWORD}`).toString('base64')}`,
    'Content-Type': 'application/json',
  };
  const asked = fetch(url, { method: 'POST', headers, body: '{}', signal: left.signal });
  const [run] = await eventually(
    async () =>
      (await database.pool.query("select id from recon_run where state = 'ACTIVE' and lanes > 0")).rows,
    ({ length }) => length === 1,
  );
  left.abort();
  await expect(asked).rejects.toThrow();
  await server.observed('http.answered', ({ status }) => status === 408);
  const runNow = async () => (await api('GET', `recon/${run.id}`)).body;
  expect((await runNow()).state).toBe('ACTIVE');
  await api('PUT', 'managed/gate/open', { body: {} });
  expect(await eventually(runNow, ({ state }) => state !== 'ACTIVE')).toMatchObject({
    state: 'SUCCESS',
    entrySummary: { applied: 1 },
  });
});
