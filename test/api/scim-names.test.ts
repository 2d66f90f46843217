/** Names at /scim/v2: whose they are, and who is told of them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#json/index.ts';
import { scimClient, scimOf } from '../support/scim.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let as: string;
const ask = scimOf(() => server);
beforeAll(async () => {
  server = await startTestServer();
  as = await scimClient(server, 'protocol');
});
afterAll(() => server?.[Symbol.asyncDispose]());

const scim = (method: string, path: string, body?: unknown) =>
  ask(method, path, { as, ...(body === undefined ? {} : { body }) });
const person = (userName: string, more: object = {}) => ({
  userName,
  name: { givenName: 'Pro', familyName: userName },
  emails: [{ type: 'work', value: `${userName}@example.com` }],
  ...more,
});
async function make(path: string, body: object): Promise<JsonObject & { id: string }> {
  const made = await scim('POST', path, body);
  expect([made.status, made.body.detail]).toEqual([201, undefined]);
  return made.body;
}

describe('the name of a group', () => {
  it('is had by one of them, whatever its case and whoever is faster', async () => {
    const names = ['Sales East', 'sales east', 'SALES EAST', 'Sales EAST', 'sALES eAST'];
    const made = await Promise.all(names.map((displayName) => scim('POST', '/Groups', { displayName })));
    expect(made.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
    expect(new Set(made.flatMap(({ body }) => body.scimType ?? []))).toEqual(new Set(['uniqueness']));
    const { id } = made.find(({ status }) => status === 201)!.body;
    const other = await make('/Groups', { displayName: 'Sales West' });
    const rename = (one: unknown, value: string) =>
      scim('PATCH', `/Groups/${one}`, { Operations: [{ op: 'replace', path: 'displayName', value }] });
    expect((await rename(other['id'], 'sales EAST')).status).toBe(409);
    // Its own name in other letters is nobody else's.
    expect((await rename(id, 'sales East')).status).toBeLessThan(300);
    const role = await server.api('POST', 'managed/role', { body: { name: 'SALES WEST', description: 'x' } });
    expect(role.status).toBe(403);
  });
});

describe('a name of a client', () => {
  it('is told in the audit, as what only that client gives', async () => {
    const { id } = await make('/Users', person('named', { externalId: 'hr-1' }));
    const rename = (value: string) =>
      scim('PATCH', `/Users/${id}`, { Operations: [{ op: 'replace', path: 'externalId', value }] });
    expect((await rename('hr-2')).status).toBe(200);
    expect((await rename('hr-2')).status).toBe(200);
    expect((await scim('PUT', `/Users/${id}`, person('named'))).status).toBe(200);
    const found = await server.api(
      'GET',
      `audit/activity?_queryFilter=${encodeURIComponent(`objectId eq "scim/Users/${id}"`)}&_sortKeys=timestamp`,
    );
    const rows = found.body.result as { operation: string; userId: string; owner: string }[];
    expect(rows).toMatchObject([
      { operation: 'PATCH', before: {}, after: { externalId: 'hr-1' }, changedFields: ['/externalId'] },
      { before: { externalId: 'hr-1' }, after: { externalId: 'hr-2' } },
      { before: { externalId: 'hr-2' }, after: {} },
    ]);
    expect(new Set(rows.map(({ userId }) => userId))).toEqual(new Set(['protocol']));
    expect(rows[0]!.owner).toContain('protocol');
  });
});
