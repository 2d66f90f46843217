/** The requests that provisioning clients send, in their order and their words, as their documentation has them. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PASSWORD } from '../support/credentials.ts';
import { scimClient, scimOf } from '../support/scim.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

let server: TestServer;
const scim = scimOf(() => server);
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server[Symbol.asyncDispose]());

/** Sends the steps of a client one after the other; each tells its status and what else is expected of the answer. */
function clientOf(id: string) {
  let as: string | undefined;
  return async (method: string, path: string, status: number, body?: unknown) => {
    as ??= await scimClient(server, id);
    const answer = await scim(method, path, { as, ...(body === undefined ? {} : { body }) });
    expect([method, path, answer.status, answer.body?.detail]).toEqual([method, path, status, undefined]);
    return answer.body;
  };
}
const patch = (...Operations: readonly object[]) => ({ schemas: [PATCH], Operations });
const members = async (path: string) =>
  ((await scim('GET', path)).body.members ?? []).map(({ value }: { value: string }) => value).sort();

describe('Entra ID', () => {
  const send = clientOf('entra');
  let id: string;

  it('tests the connection by a user that there is not', async () => {
    const found = await send('GET', '/Users?filter=userName+eq+%22non-existent%22', 200);
    expect(found).toMatchObject({ totalResults: 0, startIndex: 1, Resources: [] });
  });

  it('makes a user, and finds and reads it', async () => {
    const made = await send('POST', '/Users', 201, {
      schemas: [USER, ENTERPRISE],
      externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
      userName: 'Test_User_ab6490ee',
      active: true,
      displayName: 'Test User',
      addresses: [{ type: 'work', primary: false, streetAddress: '100 Street', country: 'DE' }],
      emails: [{ primary: true, type: 'work', value: 'Test_User_fd0ea19b@testuser.com' }],
      meta: { resourceType: 'User' },
      name: { formatted: 'givenName familyName', familyName: 'familyName', givenName: 'givenName' },
      roles: [],
    });
    ({ id } = made);
    expect(made).toMatchObject({ active: true, externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef' });
    expect(await send('GET', `/Users/${id}`, 200)).toEqual(made);
    for (const filter of [
      'userName eq "test_user_AB6490EE"',
      'externalId eq "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef"',
      'emails[type eq "work"].value eq "test_user_fd0ea19b@testuser.com"',
    ]) {
      const found = await send('GET', `/Users?filter=${encodeURIComponent(filter)}`, 200);
      expect([filter, found.Resources.map((one: { id: string }) => one.id)]).toEqual([filter, [id]]);
    }
  });

  it('changes several attributes, the name, and disables the user, with and without its flag for compliance', async () => {
    const changed = await send(
      'PATCH',
      `/Users/${id}`,
      200,
      patch(
        { op: 'Replace', path: 'emails[type eq "work"].value', value: 'updatedEmail@microsoft.com' },
        { op: 'Replace', path: 'name.familyName', value: 'updatedFamilyName' },
        { op: 'Add', path: 'phoneNumbers[type eq "work"].value', value: '+49 30' },
        { op: 'Add', path: `${ENTERPRISE}:department`, value: 'Sales' },
      ),
    );
    expect(changed).toMatchObject({
      emails: [{ value: 'updatedEmail@microsoft.com', type: 'work' }],
      name: { givenName: 'givenName', familyName: 'updatedFamilyName' },
      phoneNumbers: [{ value: '+49 30', type: 'work' }],
      [ENTERPRISE]: { department: 'Sales' },
    });
    const named = patch({ op: 'Replace', path: 'userName', value: '5b50642d' });
    expect((await send('PATCH', `/Users/${id}`, 200, named)).userName).toBe('5b50642d');
    const off = patch({ op: 'Replace', path: 'active', value: 'False' });
    expect((await send('PATCH', `/Users/${id}`, 200, off)).active).toBe(false);
    const on = patch({ op: 'replace', value: { active: true } });
    expect((await send('PATCH', `/Users/${id}?aadOptscim062020`, 200, on)).active).toBe(true);
  });

  it('makes a group, and adds and takes away its members', async () => {
    const group = await send('POST', '/Groups', 201, {
      schemas: [GROUP, 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'],
      externalId: '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159',
      displayName: 'displayName',
      meta: { resourceType: 'Group' },
    });
    const path = `/Groups/${group.id}`;
    expect(await send('GET', `${path}?excludedAttributes=members`, 200)).toEqual(group);
    const found = await send(
      'GET',
      '/Groups?excludedAttributes=members&filter=displayName+eq+%22displayName%22',
      200,
    );
    expect(found.totalResults).toBe(1);
    await send('PATCH', path, 200, patch({ op: 'Replace', path: 'displayName', value: '1879db59' }));
    const value = [{ $ref: null, value: id }];
    await send('PATCH', path, 200, patch({ op: 'Add', path: 'members', value }));
    expect(await members(path)).toEqual([id]);
    // What is there already may come again.
    await send('PATCH', path, 200, patch({ op: 'Add', path: 'members', value }));
    const filter = encodeURIComponent(`id eq "${group.id}" and members eq "${id}"`);
    expect((await send('GET', `/Groups?filter=${filter}&attributes=id`, 200)).totalResults).toBe(1);
    await send('PATCH', path, 200, patch({ op: 'Remove', path: 'members', value }));
    expect(await members(path)).toEqual([]);
    await send('DELETE', path, 204);
    await send('DELETE', `/Users/${id}`, 204);
  });
});

describe('Okta', () => {
  const send = clientOf('okta');
  let id: string;

  it('looks for a user by the name, and makes and reads it', async () => {
    const before = await send(
      'GET',
      '/Users?filter=userName%20eq%20%22test.user%40okta.local%22&startIndex=1&count=100',
      200,
    );
    expect(before).toMatchObject({ totalResults: 0, startIndex: 1, itemsPerPage: 0 });
    const made = await send('POST', '/Users', 201, {
      schemas: [USER],
      userName: 'test.user@okta.local',
      name: { givenName: 'Test', familyName: 'User' },
      emails: [{ primary: true, value: 'test.user@okta.local', type: 'work' }],
      displayName: 'Test User',
      locale: 'en-US',
      externalId: '00ujl29u0le5T6Aj10h7',
      groups: [],
      password: '1mz050nq',
      active: true,
    });
    ({ id } = made);
    expect(made).toMatchObject({ userName: 'test.user@okta.local', externalId: '00ujl29u0le5T6Aj10h7' });
    expect((await send('GET', '/Users?startIndex=1&count=100', 200)).totalResults).toBeGreaterThan(0);
  });

  it('replaces it as a whole, and deactivates and reactivates it', async () => {
    const whole = await send('GET', `/Users/${id}`, 200);
    const put = await send('PUT', `/Users/${id}`, 200, {
      ...whole,
      name: { givenName: 'Another', middleName: 'Excited', familyName: 'User' },
    });
    expect(put).toMatchObject({ name: { givenName: 'Another', familyName: 'User' }, active: true });
    for (const active of [false, true]) {
      const changed = await send('PATCH', `/Users/${id}`, 200, patch({ op: 'replace', value: { active } }));
      expect(changed.active).toBe(active);
    }
  });

  it('pushes a group, with members, without them, and under another name', async () => {
    const { id: group } = await send('POST', '/Groups', 201, {
      schemas: [GROUP],
      displayName: 'Test SCIMv2',
      members: [],
    });
    const path = `/Groups/${group}`;
    await send(
      'PATCH',
      path,
      200,
      patch({ op: 'add', path: 'members', value: [{ value: id, display: 'test.user@okta.local' }] }),
    );
    expect(await members(path)).toEqual([id]);
    await send('PATCH', path, 200, patch({ op: 'replace', value: { id: group, displayName: 'Test SCIM' } }));
    expect(await members(path)).toEqual([id]);
    await send('PATCH', path, 200, patch({ op: 'remove', path: `members[value eq "${id}"]` }));
    expect(await members(path)).toEqual([]);
    await send('PUT', path, 200, {
      schemas: [GROUP],
      id: group,
      displayName: 'Test SCIM',
      members: [{ value: id }],
    });
    expect(await members(path)).toEqual([id]);
    await send('PATCH', path, 200, patch({ op: 'replace', path: 'members', value: [] }));
    expect(await members(path)).toEqual([]);
    expect((await send('GET', '/Groups?startIndex=1&count=100', 200)).Resources.length).toBeGreaterThan(0);
    await send('DELETE', path, 204);
  });
});

describe('a client that sends passwords', () => {
  it('sets one, changes other attributes, and is shown none', async () => {
    const { $schema: _, resourceTypes } = JSON.parse(await readFile('conf/scim.json', 'utf8'));
    const password = { scim: 'password', managed: '/password', returned: 'never' };
    resourceTypes[0].attributes.push(password);
    await using own = await startTestServer({ files: { 'conf/scim.json': { resourceTypes } } });
    const ask = scimOf(() => own);
    const body = {
      schemas: [USER],
      userName: 'pat',
      name: { givenName: 'Kim', familyName: 'Lee' },
      emails: [{ value: 'pat@example.com' }],
      password: PASSWORD,
    };
    const made = await ask('POST', '/Users', { body });
    expect([made.status, made.body.detail, made.body.password]).toEqual([201, undefined, undefined]);
    const { id } = made.body;
    const as = `Basic ${Buffer.from(`pat:${PASSWORD}`).toString('base64')}`;
    expect((await ask('GET', '/Me', { as })).status).toBe(200);
    const changed = await ask('PATCH', `/Users/${id}`, {
      body: patch({ op: 'replace', path: 'name.givenName', value: 'Q' }),
    });
    expect([changed.status, changed.body.name.givenName, changed.body.password]).toEqual([
      200,
      'Q',
      undefined,
    ]);
    const put = await ask('PUT', `/Users/${id}`, { body: { ...body, password: undefined } });
    expect(put.status).toBe(200);
    expect((await ask('GET', '/Me', { as })).status).toBe(200);
    const wrong = await ask('PATCH', `/Users/${id}`, {
      body: patch({ op: 'replace', path: 'password', value: { a: 'secret' } }),
    });
    expect([wrong.status, wrong.body.detail]).toEqual([400, "'password' is an object, not a text"]);
    for (const filter of ['password pr', 'password eq "x"']) {
      const { status } = await ask('GET', `/Users?filter=${encodeURIComponent(filter)}`);
      expect(status).toBe(400);
    }
  });
});
