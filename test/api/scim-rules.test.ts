/** What RFC 7643 and 7644 say of methods, of attributes with rules of their own, and of what stands elsewhere than in an object. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#json/index.ts';
import { scimClient, scimOf } from '../support/scim.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import '../support/takes-long.ts';

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const BADGE = 'urn:example:params:scim:schemas:extension:badge:2.0:User';

let server: TestServer;
let as: string;
let shipped: { readonly resourceTypes: readonly (JsonObject & { attributes: readonly object[] })[] };
const ask = scimOf(() => server);
beforeAll(async () => {
  const { $schema: _, ...own } = JSON.parse(await readFile('conf/scim.json', 'utf8'));
  shipped = own;
  const [user, group] = shipped.resourceTypes;
  const attributes = [
    ...user!.attributes,
    { scim: 'nickName', managed: '/address2', returned: 'request' },
    { scim: 'title', managed: '/startDate', mutability: 'immutable', returned: 'always' },
    { scim: `${BADGE}:number`, managed: '/endDate', required: true },
  ];
  const badged = {
    ...user,
    name: 'Badged',
    endpoint: '/Badged',
    attributes,
    extensions: [{ schema: ENTERPRISE }, { schema: BADGE, required: true }],
  };
  const resourceTypes = [user, group, badged];
  server = await startTestServer({ files: { 'conf/scim.json': { resourceTypes } } });
  as = await scimClient(server, 'rules');
});
afterAll(() => server?.[Symbol.asyncDispose]());

const scim = (method: string, path: string, body?: unknown) =>
  ask(method, path, { as, ...(body === undefined ? {} : { body }) });
const person = (userName: string, more: object = {}) => ({
  userName,
  name: { givenName: 'Rule', familyName: userName },
  emails: [{ type: 'work', value: `${userName}@example.com` }],
  ...more,
});
async function make(path: string, body: object): Promise<JsonObject & { id: string }> {
  const made = await scim('POST', path, body);
  expect([made.status, made.body.detail]).toEqual([201, undefined]);
  return made.body;
}
const patch = (path: string, ...Operations: readonly object[]) => scim('PATCH', path, { Operations });

describe('a method that a place does not have', () => {
  it.each([
    ['DELETE', '/Users', 'GET, HEAD, POST'],
    ['PATCH', '/Groups', 'GET, HEAD, POST'],
    ['POST', '/Users/42', 'GET, HEAD, PUT, PATCH, DELETE'],
    ['POST', '/Me', 'GET, HEAD, PUT, PATCH, DELETE'],
    ['POST', '/', 'GET, HEAD'],
    ['PUT', '/Schemas', 'GET, HEAD'],
    ['POST', '/Schemas/.search', 'GET, HEAD'],
    ['GET', '/Bulk', 'POST'],
    ['GET', '/.search', 'POST'],
    ['GET', '/Users/.search', 'POST'],
  ])('is told which there are: %s %s', async (method, path, allow) => {
    const { status, headers, body } = await scim(method, path, method === 'GET' ? undefined : {});
    expect([status, headers.get('allow'), body.status]).toEqual([405, allow, '405']);
  });
});

describe('a resource that is sent', () => {
  it('is of the type that it is sent to, where it says of which it is', async () => {
    const wrong = await scim('POST', '/Users', person('other-type', { schemas: [GROUP] }));
    expect([wrong.status, wrong.body.scimType]).toEqual([400, 'invalidSyntax']);
    const right = ['urn:x:Other', USER.toUpperCase()];
    const { id } = await make('/Users', person('own-type', { schemas: right }));
    const put = await scim('PUT', `/Users/${id}`, person('own-type', { schemas: ['urn:x:Other'] }));
    expect(put.status).toBe(400);
  });

  it('has the extension, and the attributes, that scim.json demands', async () => {
    const none = await scim('POST', '/Badged', person('unbadged'));
    expect([none.status, none.body.scimType, none.body.detail]).toEqual([
      400,
      'invalidValue',
      `'${BADGE}' and 'number' are required`,
    ]);
    const empty = await scim('POST', '/Badged', person('unbadged', { [BADGE]: {} }));
    expect([empty.status, empty.body.detail]).toEqual([400, "'number' is required"]);
    const { id } = await make('/Badged', person('badged', { [BADGE]: { number: '2031-01-01' } }));
    const away = await patch(`/Badged/${id}`, { op: 'remove', path: `${BADGE}:number` });
    expect([away.status, away.body.scimType]).toEqual([400, 'mutability']);
    const nothing = await patch(`/Badged/${id}`, { op: 'replace', path: `${BADGE}:number`, value: null });
    expect([nothing.status, nothing.body.scimType]).toEqual([400, 'invalidValue']);
  });
});

describe('an attribute', () => {
  const badge = { [BADGE]: { number: '2031-01-01' } };

  it('that is returned on request, or always, is, whatever is asked', async () => {
    const sent = person('shown', { ...badge, nickName: 'Shy', title: '2030-01-01' });
    const made = await scim('POST', '/Badged?attributes=userName,nickName', sent);
    expect(made.body).toMatchObject({ userName: 'shown', nickName: 'Shy', title: '2030-01-01' });
    const path = `/Badged/${made.body.id}`;
    const seen = async (query: string) => {
      const { body } = await scim('GET', `${path}${query}`);
      return [body.nickName, body.title, body.userName, body.id === made.body.id];
    };
    expect(await seen('')).toEqual([undefined, '2030-01-01', 'shown', true]);
    expect(await seen('?attributes=nickname')).toEqual(['Shy', '2030-01-01', undefined, true]);
    expect(await seen('?excludedAttributes=title,id,userName')).toEqual([
      undefined,
      '2030-01-01',
      undefined,
      true,
    ]);
    // Of an extension that there is not nothing is there.
    expect(await seen('?attributes=urn:x:Other:tag')).toEqual([undefined, '2030-01-01', undefined, true]);
    const put = await scim('PUT', `${path}?attributes=nickName`, sent);
    expect([put.status, put.body.nickName, put.body.userName]).toEqual([200, 'Shy', undefined]);
    const { Resources } = (
      await scim('POST', '/Badged/.search', { filter: 'userName eq "shown"', attributes: ['nickName'] })
    ).body;
    expect(Resources).toMatchObject([{ nickName: 'Shy', title: '2030-01-01' }]);
  });

  it('that is immutable is set once, and named again without harm', async () => {
    const { id } = await make('/Badged', person('fixed', badge));
    const path = `/Badged/${id}`;
    const set = (value: string) => patch(path, { op: 'add', path: 'title', value });
    expect((await set('2030-01-01')).status).toBe(200);
    expect((await set('2030-01-01')).status).toBe(200);
    const put = (title?: string) => scim('PUT', path, person('fixed', { ...badge, title }));
    for (const refused of [await set('2031-01-01'), await put('2031-01-01')]) {
      expect([refused.status, refused.body.scimType]).toEqual([400, 'mutability']);
    }
    expect((await put('2030-01-01')).status).toBe(200);
    expect((await put()).body.title).toBe('2030-01-01');
  });

  it('that is required is not removed', async () => {
    const { id } = await make('/Users', person('whole'));
    for (const path of ['userName', 'name', 'emails[type eq "work"].value']) {
      const { status, body } = await patch(`/Users/${id}`, { op: 'remove', path });
      expect([path, status, body.scimType]).toEqual([path, 400, 'mutability']);
    }
  });
});

describe('what stands elsewhere', () => {
  const names = async (type: string, filter: string, more: Record<string, string> = {}) => {
    const query = new URLSearchParams({ filter, sortBy: 'id', ...more });
    const { status, body } = await scim('GET', `/${type}?${query}`);
    expect([filter, status, body.detail]).toEqual([filter, 200, undefined]);
    return body.Resources.map((one: JsonObject) => one['userName'] ?? one['displayName']).sort();
  };

  it('is asked for as anything else is', async () => {
    const boss = await make('/Users', person('else-boss', { externalId: 'ELSE-1' }));
    const one = await make(
      '/Users',
      person('else-one', { externalId: 'else-2', [ENTERPRISE]: { manager: { value: boss.id } } }),
    );
    await make('/Users', person('else-two', { [ENTERPRISE]: { department: 'Sales' } }));
    const team = await make('/Groups', { displayName: 'else-team', members: [{ value: one.id }] });
    await make('/Groups', { displayName: 'else-none' });
    const users = (filter: string) => names('Users', `userName sw "else-" and (${filter})`);
    const groups = (filter: string) => names('Groups', `displayName sw "else-" and (${filter})`);

    expect(await users('manager pr')).toEqual(['else-one']);
    expect(await users(`not (${ENTERPRISE}:manager.value pr)`)).toEqual(['else-boss', 'else-two']);
    expect(await users(`manager[value eq "${boss.id}"]`)).toEqual(['else-one']);
    expect(await users(`manager.value sw "${boss.id.slice(0, 13)}"`)).toEqual(['else-one']);
    expect(await users('groups pr')).toEqual(['else-one']);
    expect(await users('groups.type eq "Group"')).toEqual(['else-one']);
    expect(await users(`groups ne "${team.id}"`)).toEqual(['else-boss', 'else-two']);
    expect(await users(`schemas eq "${ENTERPRISE}"`)).toEqual(['else-one', 'else-two']);
    expect(await users(`schemas[value ew "enterprise:2.0:user"]`)).toEqual(['else-one', 'else-two']);
    expect(await groups('members pr')).toEqual(['else-team']);
    expect(await groups('not (members[type eq "User"])')).toEqual(['else-none']);
    expect(await groups(`members[value eq "${boss.id}" or value eq "${one.id}"]`)).toEqual(['else-team']);

    expect(await users('externalId pr')).toEqual(['else-boss', 'else-one']);
    expect(await users('externalId sw "else"')).toEqual(['else-one']);
    expect(await users('externalId ne "else-2"')).toEqual(['else-boss', 'else-two']);
    const sorted = await scim('GET', '/Users?filter=userName+sw+%22else-%22&sortBy=externalId');
    const seen = sorted.body.Resources.map(({ externalId }: { externalId?: string }) => externalId);
    expect(seen).toEqual(['ELSE-1', 'else-2', undefined]);
    // Others call them nothing.
    const other = await ask('GET', '/Users?filter=externalId+sw+%22else%22');
    expect([other.status, other.body.totalResults]).toEqual([200, 0]);
  });

  it('pages the members of a group, however many there are', async () => {
    const Operations = Array.from({ length: 1_000 }, (_, at) => ({
      method: 'POST',
      path: '/Users',
      bulkId: `m${at}`,
      data: person(`crowd-${at}`),
    }));
    const bulk = await scim('POST', '/Bulk', { Operations });
    const ids = bulk.body.Operations.map(({ location }: { location: string }) => location.split('/').at(-1));
    const last = await make('/Users', person('crowd-last'));
    const value = [...ids, last.id].map((id: string) => ({ value: id }));
    const group = await make('/Groups', { displayName: 'crowd' });
    expect((await patch(`/Groups/${group.id}`, { op: 'add', path: 'members', value })).status).toBe(204);
    // Nor are they sent along with what else has changed.
    const rename = { op: 'replace', path: 'displayName', value: 'crowded' };
    expect((await patch(`/Groups/${group.id}`, rename)).status).toBe(204);
    const named = await patch(`/Groups/${group.id}?attributes=displayName`, rename);
    expect([named.status, named.body.displayName, named.body.members]).toEqual([200, 'crowded', undefined]);
    const page = await scim(
      'GET',
      `/Users?${new URLSearchParams({ filter: `groups.value eq "${group.id}"`, startIndex: '1000', count: '5', attributes: 'id' })}`,
    );
    expect([page.status, page.body.totalResults, page.body.Resources.length]).toEqual([200, 1_001, 2]);
  });
});

describe('a cursor of all types', () => {
  it('needs no encoding in a URL', async () => {
    await make('/Users', person('cursor-of-all'));
    const { body } = await scim('GET', '/?cursor=&count=1');
    expect(body.nextCursor).toMatch(/^Users\.[\w.~-]+$/);
    const next = await scim('GET', `/?cursor=${body.nextCursor}&count=1`);
    expect([next.status, next.body.Resources.length]).toEqual([200, 1]);
  });
});
