import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

/** As many as one job does, of which nothing comes, and some more that are asked for. */
const [ONE_JOB, GUESTS] = [200, 10];
const SCRIPT = `
exports.create = ({ attributes }) => {
  http.request({ method: 'POST', url: 'make', headers: {}, body: '' });
  return attributes.login[0];
};
exports.get = ({ id }) => ({ id, name: id, attributes: { login: id } });`;

/** Answers two by two: nobody alone is answered. */
const service = createServer((request, response) => {
  request.resume();
  asked += 1;
  const answer = () => void response.writeHead(200).end('{}');
  if (alone === undefined) {
    alone = answer;
    return;
  }
  alone();
  alone = undefined;
  answer();
});
const WAITING = `select count(*)::int as waiting, error->>'message' as error from sync_outbox group by 2`;
let asked = 0;
let alone: (() => void) | undefined;
let server: TestServer;

beforeAll(async () => {
  await once(service.listen(0, '127.0.0.1'), 'listening');
  const address = service.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const text = { type: 'string' };
  server = await startTestServer({
    environment: { SVC_EGRESS_ALLOW: '127.0.0.1' },
    files: {
      'script/desk.js': SCRIPT,
      'conf/managed.json': { objects: [{ name: 'guest' }] },
      'conf/sync.json': {
        mappings: [
          {
            name: 'guest_desk',
            source: 'managed/guest',
            target: 'system/desk/account',
            enableSync: false,
            sourceCondition: '/source/login pr',
            properties: [{ source: 'login', target: 'login' }],
          },
        ],
      },
      'conf/provisioner.openicf-desk.json': {
        name: 'desk',
        connectorRef: { connectorName: 'svc.scripted' },
        configurationProperties: {
          file: 'desk.js',
          allow: [`http://127.0.0.1:${port}/`],
          scriptTimeout: 120_000,
        },
        operationTimeout: { CREATE: 120_000 },
        objectTypes: { account: { nativeType: '__ACCOUNT__', properties: { login: text } } },
      },
    },
  });
  await server.database.pool.query(
    `insert into managed_object (type, id, data)
     select 'guest', 'a' || n, '{}' from generate_series(1, ${ONE_JOB}) n
     union all select 'guest', 'g' || n, jsonb_build_object('login', 'g' || n) from generate_series(1, ${GUESTS}) n`,
  );
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  service.close();
});

it('what one job leaves of many deliveries is shared by several at once', async () => {
  await server.api('POST', 'sync?_action=deliverAll&mapping=guest_desk', { body: {} });
  await eventually(
    async () => (await server.database.pool.query(WAITING)).rows,
    ({ length }) => length === 0,
  );
  const { rows } = await server.database.pool.query(
    `select count(*)::int as links from sync_link where link_type = 'guest_desk'`,
  );
  expect(rows).toEqual([{ links: GUESTS }]);
  expect(asked).toBe(GUESTS);
});
