import { sql } from 'kysely';
import { expect } from 'vitest';
import { callerAs, PASSWORD } from './credentials.ts';
import { startTestServer, type TestServer } from './server.ts';

const toAUser = {
  type: 'relationship',
  reverseRelationship: false,
  validate: true,
  properties: {
    _ref: { type: 'string' },
    _refProperties: { type: 'object', properties: { _id: { type: 'string' } } },
  },
  resourceCollection: [{ path: 'managed/user', query: { queryFilter: 'true', fields: ['userName'] } }],
};

/** Users with relationships, a protected password and a hook that changes others or fails. */
export const TYPES = {
  objects: [
    {
      name: 'user',
      onUpdate: {
        type: 'text/javascript',
        source: `if (newObject.mail === 'moved@example.com' && oldObject.userName === 'ada') {
          svc.patch('managed/user/ben', null, [{ operation: 'replace', field: '/endDate', value: '2031-01-01' }]);
          logger.info('ben stays longer');
        }
        if (newObject.mail === 'broken@example.com') { logger.info('breaking'); newObject.nothing.here = 1; }`,
      },
      schema: {
        type: 'object',
        required: ['userName'],
        properties: {
          userName: { type: 'string' },
          password: {
            type: 'string',
            scope: 'private',
            userEditable: true,
            isProtected: true,
            secureHash: { algorithm: 'SHA-256' },
          },
          mail: { type: ['string', 'null'], userEditable: true },
          endDate: { type: ['string', 'null'] },
          accountStatus: { type: ['string', 'null'] },
          nick: {
            type: ['string', 'null'],
            isVirtual: true,
            onRetrieve: { type: 'text/javascript', source: '"nick"' },
          },
          manager: { ...toAUser, returnByDefault: false },
          mentor: { ...toAUser, returnByDefault: true },
          authzRoles: {
            type: 'array',
            returnByDefault: false,
            items: {
              type: 'relationship',
              reverseRelationship: false,
              validate: true,
              properties: {
                _ref: { type: 'string' },
                _refProperties: { type: 'object', properties: { _id: { type: 'string' } } },
              },
              resourceCollection: [
                { path: 'repo/internal/role', query: { queryFilter: 'true', fields: ['_id'] } },
              ],
            },
          },
        },
      },
    },
  ],
};

/** A server with the users ada and ben. */
export async function startAccessSite(): Promise<TestServer> {
  const server = await startTestServer({ files: { 'conf/managed.json': TYPES }, threads: 2 });
  for (const name of ['ada', 'ben']) {
    const body = { userName: name, password: PASSWORD, mail: `${name}@example.com`, endDate: '2030-01-01' };
    const { status } = await server.api('PUT', `managed/user/${name}`, { body });
    expect(status).toBe(201);
  }
  return server;
}

/** How many statements wait for a lock. */
export async function waiting(server: TestServer): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(server.database.db);
  return rows[0]!.n;
}

/** Others change how long ada stays while she sends her object as it was. */
export async function expectNothingTakenBack(
  server: TestServer,
  headers: Record<string, string>,
): Promise<void> {
  const { api } = server;
  const asAda = callerAs(() => api, 'ada');
  const { body: own } = await asAda('GET', 'managed/user/ada');
  const { body: before } = await api('GET', 'repo/managed/user/ada');
  const others = await server.database.db.startTransaction().execute();
  await sql`update managed_object set rev = rev + 1, data = data || '{"endDate":"2029-01-01"}'
    where type = 'user' and id = 'ada'`.execute(others);
  const put = asAda('PUT', 'managed/user/ada', { body: own, headers });
  await expect.poll(() => waiting(server)).toBe(1);
  await others.commit().execute();
  expect((await put).status).toBe(403);
  const { body: after } = await api('GET', 'repo/managed/user/ada');
  expect(after).toEqual({ ...before, _rev: String(Number(before._rev) + 1), endDate: '2029-01-01' });
  await sql`update managed_object set rev = rev + 1, data = data || '{"endDate":"2030-01-01"}'
    where type = 'user' and id = 'ada'`.execute(server.database.db);
}
