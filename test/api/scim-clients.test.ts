/** The requests that provisioning clients send, in their order and their words, as their documentation has them. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PASSWORD } from '../support/credentials.ts';
import { scimClient, scimOf } from '../support/scim.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import '../support/takes-long.ts';

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

let server: TestServer;
const scim = scimOf(() => server);
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server?.[Symbol.asyncDispose]());

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
    await send('PATCH', path, 204, patch({ op: 'Replace', path: 'displayName', value: '1879db59' }));
    const value = [{ $ref: null, value: id }];
    await send('PATCH', path, 204, patch({ op: 'Add', path: 'members', value }));
    expect(await members(path)).toEqual([id]);
    const filter = encodeURIComponent(`id eq "${group.id}" and members eq "${id}"`);
    expect((await send('GET', `/Groups?filter=${filter}&attributes=id`, 200)).totalResults).toBe(1);
    await send('PATCH', path, 204, patch({ op: 'Remove', path: 'members', value }));
    expect(await members(path)).toEqual([]);
    await send('PATCH', path, 204, patch({ op: 'Add', path: 'members', value }));
    // It is not emptied before it is deleted.
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
      204,
      patch({ op: 'add', path: 'members', value: [{ value: id, display: 'test.user@okta.local' }] }),
    );
    expect(await members(path)).toEqual([id]);
    await send('PATCH', path, 204, patch({ op: 'replace', value: { id: group, displayName: 'Test SCIM' } }));
    expect(await members(path)).toEqual([id]);
    await send('PATCH', path, 204, patch({ op: 'remove', path: `members[value eq "${id}"]` }));
    expect(await members(path)).toEqual([]);
    await send('PUT', path, 200, {
      schemas: [GROUP],
      id: group,
      displayName: 'Test SCIM',
      members: [{ value: id }],
    });
    expect(await members(path)).toEqual([id]);
    await send('PATCH', path, 204, patch({ op: 'replace', path: 'members', value: [] }));
    expect(await members(path)).toEqual([]);
    expect((await send('GET', '/Groups?startIndex=1&count=100', 200)).Resources.length).toBeGreaterThan(0);
    await send('DELETE', path, 204);
  });
});

describe('a client that looks for what is there', () => {
  const send = clientOf('looks');
  const find = (path: string, parameters: Record<string, string>) =>
    send('GET', `${path}?${new URLSearchParams({ count: '1000', ...parameters })}`, 200);
  const ids = ({ Resources }: { Resources: { id: string }[] }) => Resources.map(({ id }) => id);
  const person = (userName: string) => ({
    userName,
    name: { givenName: 'Look', familyName: userName },
    emails: [{ type: 'work', value: `${userName}@example.com` }],
  });

  it('finds what was made and changed when, and in that order', async () => {
    const made = [];
    for (const name of ['look-a', 'LOOK-B', 'look-c'])
      made.push(await send('POST', '/Users', 201, person(name)));
    const [first, second, third] = made;
    const of = 'name.givenName eq "look"';
    const all = made.map(({ id }) => id);
    expect(ids(await find('/Users', { filter: of, sortBy: 'meta.created' }))).toEqual(all);
    const changed = await send(
      'PATCH',
      `/Users/${first.id}`,
      200,
      patch({ op: 'replace', path: 'name.familyName', value: 'Last' }),
    );
    expect(changed.meta).toMatchObject({ created: first.meta.created, version: 'W/"1"' });
    expect(changed.meta.lastModified > third.meta.created).toBe(true);
    expect((await send('GET', `/Users/${first.id}`, 200)).meta).toEqual(changed.meta);
    const latest = { sortBy: 'meta.lastModified', sortOrder: 'descending' };
    expect(ids(await find('/Users', { filter: of, ...latest }))).toEqual([first.id, third.id, second.id]);
    const since = (when: string) => `${of} and meta.lastModified gt "${when}"`;
    expect(ids(await find('/Users', { filter: since(third.meta.created) }))).toEqual([first.id]);
    const inOtherWords = third.meta.created.replace('Z', '+00:00');
    expect(ids(await find('/Users', { filter: since(inOtherWords) }))).toEqual([first.id]);
    expect(ids(await find('/Users', { filter: `meta.created eq "${second.meta.created}"` }))).toContain(
      second.id,
    );
    for (const when of ['"yesterday"', '4', 'null']) {
      const { status, body } = await scim('GET', `/Users?filter=meta.created+gt+${encodeURIComponent(when)}`);
      expect([when, status, body.scimType]).toEqual([when, 400, 'invalidFilter']);
    }
  });

  it('is shown names in their order whatever the case, page by page', async () => {
    const names = async (parameters: Record<string, string>) => {
      const { Resources, nextCursor } = await find('/Users', {
        filter: 'userName sw "look-"',
        ...parameters,
      });
      return { names: Resources.map(({ userName }: { userName: string }) => userName), nextCursor };
    };
    const sorted = { sortBy: 'userName' };
    expect((await names(sorted)).names).toEqual(['look-a', 'LOOK-B', 'look-c']);
    const first = await names({ ...sorted, count: '2', cursor: '' });
    const second = await names({ ...sorted, count: '2', cursor: first.nextCursor });
    expect([first.names, second.names]).toEqual([['look-a', 'LOOK-B'], ['look-c']]);
    expect((await names({ ...sorted, sortOrder: 'descending' })).names).toEqual([
      'look-c',
      'LOOK-B',
      'look-a',
    ]);
  });

  it('asks all types at once, of which each has what the other lacks', async () => {
    const group = await send('POST', '/Groups', 201, { displayName: 'look-group' });
    const search = (body: object) => send('POST', '/.search', 200, { count: 1000, ...body });
    const either = 'displayName eq "look-group" or userName eq "look-a"';
    const found = await search({
      filter: either,
      sortBy: 'userName',
      attributes: [`${ENTERPRISE}:department`],
    });
    expect([found.totalResults, ids(found)]).toEqual([2, expect.arrayContaining([group.id])]);
    // What has no value is not the same as any.
    expect(ids(await search({ filter: 'not (userName pr)' }))).toContain(group.id);
    expect(ids(await search({ filter: 'userName ne "look-a" and displayName sw "look"' }))).toEqual([
      group.id,
    ]);
    expect((await search({ filter: `${ENTERPRISE}:department eq "none" or bogus eq 1` })).totalResults).toBe(
      0,
    );
    const { status } = await scim('GET', '/Groups?filter=userName+eq+%22look-a%22');
    expect(status).toBe(400);
  });
});

describe('a client that sends all at once', () => {
  const bulk = (...Operations: readonly object[]) => ({ Operations });
  const person = (bulkId: string, manager: string, more: object = {}) => ({
    method: 'POST',
    path: '/Users',
    bulkId,
    data: {
      userName: bulkId,
      name: { givenName: 'Bulk', familyName: 'Lee' },
      emails: [{ value: `${bulkId}@example.com` }],
      [ENTERPRISE]: { department: 'Round', manager: { value: `bulkId:${manager}` } },
      ...more,
    },
  });
  const statuses = ({ body }: { body: { Operations: { status: string }[] } }) =>
    body.Operations.map(({ status }) => status);

  it('makes those who name each other, and themselves', async () => {
    const done = await scim('POST', '/Bulk', {
      body: bulk(person('round-a', 'round-b'), person('round-b', 'round-c'), person('round-c', 'round-a')),
    });
    expect(statuses(done)).toEqual(['201', '201', '201']);
    const all = done.body.Operations.map(({ location }: { location: string }) => location.split('/').at(-1));
    for (const [at, id] of all.entries()) {
      const { body, headers } = await scim('GET', `/Users/${id}`);
      expect(body[ENTERPRISE]).toMatchObject({ department: 'Round', manager: { value: all[(at + 1) % 3] } });
      expect(headers.get('etag')).toBe(done.body.Operations[at].version);
    }
    const own = await scim('POST', '/Bulk', { body: bulk(person('round-own', 'round-own')) });
    expect(statuses(own)).toEqual(['201']);
  });

  it('makes none of those who name each other where one cannot be made', async () => {
    const { emails: _, ...incomplete } = person('half-b', 'half-a').data as Record<string, unknown>;
    const failed = await scim('POST', '/Bulk', {
      body: bulk(
        person('half-a', 'half-b'),
        { ...person('half-b', 'half-a'), data: incomplete },
        person('half-c', 'half-a'),
        { ...person('half-d', ''), data: { ...person('half-d', '').data, [ENTERPRISE]: {} } },
      ),
    });
    expect(statuses(failed)).toEqual(['400', '400', '400', '201']);
    expect(failed.body.Operations[0].response.detail).toContain("'bulkId:half-b'");
    const left = await scim('GET', '/Users?filter=userName+sw+%22half-%22');
    expect(left.body.Resources.map(({ userName }: { userName: string }) => userName)).toEqual(['half-d']);
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
    const kept = await Promise.all(
      ['access', 'activity'].map((topic) => own.api('GET', `audit/${topic}?_queryFilter=true`)),
    );
    const told = JSON.stringify([kept.map((one) => one.body), own.observations]);
    expect([told.includes(id), told.includes(PASSWORD), told.includes('secret')]).toEqual([
      true,
      false,
      false,
    ]);
    for (const filter of ['password pr', 'password eq "x"']) {
      const { status } = await ask('GET', `/Users?filter=${encodeURIComponent(filter)}`);
      expect(status).toBe(400);
    }
  });
});

describe('an installation with types of its own', () => {
  const relationship = (...paths: string[]) => ({
    type: 'relationship',
    reverseRelationship: false,
    resourceCollection: paths.map((path) => ({ path, query: { queryFilter: 'true' } })),
  });
  const managed = {
    objects: [
      {
        name: 'user',
        onRetrieve: { type: 'text/javascript', source: "object.department = 'read by ' + object.userName;" },
        schema: {
          type: 'object',
          required: ['userName'],
          properties: {
            userName: { type: 'string' },
            givenName: { type: 'string', encryption: { purpose: 'idm.config.encryption' } },
            sn: { type: 'string', scope: 'private' },
            mail: { type: 'string', secureHash: { algorithm: 'SHA-256' } },
            telephoneNumber: { type: ['string', 'null'] },
            department: { type: 'string' },
            accountStatus: { type: 'boolean' },
            // It leads nowhere, and this one to two collections.
            manager: relationship(),
            roles: { type: 'array', items: relationship('managed/user', 'managed/place') },
          },
        },
      },
      { name: 'place', schema: { type: 'object', properties: { name: { type: 'string' } } } },
    ],
  };

  it('starts, and shows of them what the shipped file finds and nothing that is secret', async () => {
    await using own = await startTestServer({
      files: { 'conf/managed.json': managed },
      environment: { SVC_BODY_LIMIT: '65536' },
    });
    const ask = scimOf(() => own);
    expect((await ask('GET', '/ServiceProviderConfig')).body.bulk.maxPayloadSize).toBe(65_536);
    const types = await ask('GET', '/ResourceTypes');
    expect(types.body.Resources.map(({ id }: { id: string }) => id)).toEqual(['User']);
    const schemas = await ask('GET', '/Schemas');
    const names = schemas.body.Resources.flatMap((one: { attributes: { name: string }[] }) =>
      one.attributes.map(({ name }) => name),
    );
    expect(names).toEqual(['userName', 'externalId', 'active', 'phoneNumbers', 'department']);

    const secrets = { givenName: 'SECRET-1', sn: 'SECRET-2', mail: 'SECRET-3' };
    const content = { userName: 'own', telephoneNumber: '1', accountStatus: true, ...secrets };
    const { body } = await own.api('POST', 'managed/user', { body: content });
    const path = `/Users/${body._id}`;
    const sent = {
      userName: 'own',
      externalId: 'x',
      name: { givenName: 'SECRET-4' },
      emails: [{ type: 'work', value: 'SECRET-5' }],
      groups: [{ value: 'y' }],
    };
    const change = patch({ op: 'replace', path: 'phoneNumbers[type eq "work"].value', value: '2' });
    const search = { filter: 'userName pr', attributes: ['userName', 'name', 'emails', 'sn'] };
    const answers = [
      await ask('GET', path),
      await ask('GET', `${path}?attributes=sn,mail,name.givenName,password,emails`),
      await ask('GET', '/Users?sortBy=userName'),
      await ask('POST', '/.search', { body: search }),
      await ask('PUT', path, { body: sent }),
      await ask('PATCH', path, { body: change }),
      await ask('POST', '/Users', { body: { ...sent, userName: 'other', externalId: 'z' } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200, 201]);
    for (const { body } of answers) expect(JSON.stringify(body)).not.toMatch(/SECRET|crypto|SHA/);
    // What a script makes of it when it is read is shown by a write, too.
    expect(answers.slice(4).map(({ body }) => body[ENTERPRISE].department)).toEqual([
      'read by own',
      'read by own',
      'read by other',
    ]);
    for (const question of [
      'filter=name.givenName+sw+%22S%22',
      'filter=sn+pr',
      'sortBy=emails',
      'sortBy=name.familyName',
    ]) {
      expect([question, (await ask('GET', `/Users?${question}`)).status]).toEqual([question, 400]);
    }
    for (const name of ['name.givenName', 'sn', 'emails[type eq "work"].value', 'groups']) {
      const { status } = await ask('PATCH', path, {
        body: patch({ op: 'replace', path: name, value: 'SECRET-6' }),
      });
      expect([name, status]).toEqual([name, 400]);
    }
    const kept = await own.database.db
      .selectFrom('managed_object')
      .select('data')
      .where('id', '=', body._id)
      .executeTakeFirstOrThrow();
    expect(kept.data).toMatchObject({
      telephoneNumber: '2',
      sn: 'SECRET-2',
      givenName: { $crypto: expect.anything() },
      mail: { $crypto: expect.anything() },
    });
  });
});
