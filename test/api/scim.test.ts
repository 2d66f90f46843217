/** SCIM 2.0 at /scim/v2: people and groups as clients of RFC 7643 and 7644 see and change them. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#json/index.ts';
import { PASSWORD } from '../support/credentials.ts';
import { scimClient, scimOf } from '../support/scim.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import '../support/property-seed.ts';
import { runs } from '../support/long.ts';

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error';

let server: TestServer;
let client: string;
const scim = scimOf(() => server);
beforeAll(async () => {
  server = await startTestServer();
  client = await scimClient(server, 'hr');
});
afterAll(() => server?.[Symbol.asyncDispose]());

const user = (userName: string, more: object = {}) => ({
  schemas: [USER],
  userName,
  name: { givenName: 'Kim', familyName: 'Lee' },
  emails: [{ value: `${userName}@example.com`, type: 'work' }],
  ...more,
});

async function make(userName: string, more: object = {}): Promise<JsonObject & { id: string }> {
  const { status, body } = await scim('POST', '/Users', { body: user(userName, more) });
  expect([status, body.detail]).toEqual([201, undefined]);
  return body;
}

const patch = (...Operations: readonly object[]) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations,
});
const find = (type: string, filter: string, more = '') =>
  scim('GET', `/${type}?filter=${encodeURIComponent(filter)}${more}`);

describe('a user', () => {
  it('is made, read, replaced and deleted, and stands in /managed/user all the while', async () => {
    const made = await scim('POST', '/Users', { body: user('ada', { active: true, externalId: 'hr-1' }) });
    const { id } = made.body;
    expect([made.status, made.headers.get('content-type')]).toEqual([
      201,
      'application/scim+json;charset=UTF-8',
    ]);
    expect(made.headers.get('location')).toBe(`${server.url}/scim/v2/Users/${id}`);
    expect(made.headers.get('etag')).toBe('W/"0"');
    expect(made.body).toMatchObject({
      schemas: [USER],
      userName: 'ada',
      externalId: 'hr-1',
      active: true,
      emails: [{ value: 'ada@example.com', type: 'work' }],
      meta: { resourceType: 'User', location: `${server.url}/scim/v2/Users/${id}`, version: 'W/"0"' },
    });
    expect((await server.api('GET', `managed/user/${id}`)).body).toMatchObject({
      userName: 'ada',
      sn: 'Lee',
      mail: 'ada@example.com',
      accountStatus: 'active',
    });
    expect((await scim('GET', `/Users/${id}`)).body).toEqual(made.body);

    await server.api('PATCH', `managed/user/${id}`, {
      body: [{ operation: 'replace', field: 'preferences', value: { updates: true } }],
    });
    const replaced = await scim('PUT', `/Users/${id}`, {
      body: user('ada', { active: false, [ENTERPRISE]: { department: 'Sales' } }),
    });
    expect([replaced.status, replaced.body.active, replaced.body.externalId]).toEqual([
      200,
      false,
      undefined,
    ]);
    expect(replaced.body.schemas).toEqual([USER, ENTERPRISE]);
    // What no attribute is about stays.
    expect((await server.api('GET', `managed/user/${id}`)).body).toMatchObject({
      department: 'Sales',
      preferences: { updates: true },
    });

    expect((await scim('DELETE', `/Users/${id}`)).status).toBe(204);
    expect((await scim('GET', `/Users/${id}`)).status).toBe(404);
    expect((await scim('DELETE', `/Users/${id}`)).status).toBe(404);
    expect((await scim('PUT', `/Users/${id}`, { body: user('ada') })).status).toBe(404);
  });

  it('is changed by PATCH as clients send it, and by none that fails', async () => {
    const { id } = await make('ben');
    const done = await scim('PATCH', `/Users/${id}`, {
      body: patch(
        { op: 'Replace', path: 'active', value: 'False' },
        { op: 'Add', path: 'phoneNumbers[type eq "work"].value', value: '+1 555' },
        { op: 'replace', value: { 'name.givenName': 'Ben', [`${ENTERPRISE}:department`]: 'Ops' } },
      ),
    });
    expect(done.body).toMatchObject({
      active: false,
      name: { givenName: 'Ben', familyName: 'Lee' },
      phoneNumbers: [{ value: '+1 555', type: 'work' }],
      [ENTERPRISE]: { department: 'Ops' },
      meta: { version: 'W/"1"' },
    });
    const refused = await scim('PATCH', `/Users/${id}`, {
      body: patch(
        { op: 'replace', path: 'userName', value: 'bob' },
        { op: 'replace', path: 'emails', value: [] },
      ),
    });
    expect([refused.status, refused.body.schemas, refused.body.scimType]).toEqual([
      400,
      [ERROR],
      'invalidValue',
    ]);
    expect((await scim('GET', `/Users/${id}`)).body).toEqual(done.body);
  });

  it('has a name that nobody else has', async () => {
    await make('cat');
    const twin = await scim('POST', '/Users', { body: user('cat') });
    expect([twin.status, twin.body.scimType, twin.body.status]).toEqual([409, 'uniqueness', '409']);
  });

  it('has a revision that changes and reads may name', async () => {
    const { id } = await make('dan');
    const headers = { 'If-Match': 'W/"7"' };
    const body = patch({ op: 'replace', path: 'active', value: false });
    expect((await scim('PATCH', `/Users/${id}`, { body, headers })).status).toBe(412);
    expect((await scim('PUT', `/Users/${id}`, { body: user('dan'), headers })).status).toBe(412);
    expect((await scim('DELETE', `/Users/${id}`, { headers })).status).toBe(412);
    const same = await scim('GET', `/Users/${id}`, { headers: { 'If-None-Match': 'W/"0"' } });
    expect([same.status, same.body]).toEqual([304, undefined]);
    expect((await scim('PATCH', `/Users/${id}`, { body, headers: { 'If-Match': 'W/"0"' } })).status).toBe(
      200,
    );
  });

  it('is shown with the attributes that are asked for', async () => {
    const { id } = await make('eve', { active: true });
    const some = await scim('GET', `/Users/${id}?attributes=name.familyName,emails.value`);
    expect(some.body).toEqual({
      schemas: [USER],
      id,
      name: { familyName: 'Lee' },
      emails: [{ value: 'eve@example.com' }],
    });
    const others = await scim('GET', `/Users/${id}?excludedAttributes=name,emails,meta`);
    expect(others.body).toEqual({ schemas: [USER], id, userName: 'eve', active: true });
    expect((await scim('GET', `/Users/${id}?attributes=a&excludedAttributes=b`)).status).toBe(400);
  });

  it('stays inactive when a PUT does not say that it is active', async () => {
    const { id } = await make('lea', { active: false });
    const put = await scim('PUT', `/Users/${id}`, { body: user('lea') });
    expect([put.status, put.body.active]).toEqual([200, false]);
  });

  it('has an id that may hold what means something in paths', async () => {
    const id = 'a b#1%2';
    const made = await server.api('PUT', `managed/user/${encodeURIComponent(id)}`, {
      body: { userName: 'odd', givenName: 'O', sn: 'D', mail: 'odd@example.com' },
    });
    expect(made.status).toBe(201);
    const group = await scim('POST', '/Groups', { body: { displayName: 'Odd', members: [{ value: id }] } });
    expect(group.body.members).toMatchObject([{ value: id }]);
    const path = `/Groups/${group.body.id}`;
    expect((await find('Groups', `members eq "${id}"`)).body.totalResults).toBe(1);
    const gone = patch({ op: 'remove', path: 'members', value: [{ value: id }] });
    expect((await scim('PATCH', path, { body: gone })).status).toBe(204);
    expect((await scim('GET', path)).body.members).toBeUndefined();
    const elsewhere = patch({ op: 'add', path: 'members', value: [{ value: `${id}/roles/x` }] });
    expect((await scim('PATCH', path, { body: elsewhere })).status).toBe(400);
  });

  it('is rehearsed in the right words alone', async () => {
    for (const words of ['_dryrun=true', '_dryRun=true&_dryRun=false', '_dryRun=yes', '_dry=true']) {
      const { status } = await scim('POST', `/Users?${words}`, { body: user('nobody') });
      expect([words, status]).toEqual([words, 400]);
    }
    expect((await find('Users', 'userName eq "nobody"')).body.totalResults).toBe(0);
  });

  it('is rehearsed, and then not there', async () => {
    const { status, body } = await scim('POST', '/Users?_dryRun=true', { body: user('ghost') });
    expect([status, body.dryRun]).toEqual([200, true]);
    expect((await find('Users', 'userName eq "ghost"')).body.totalResults).toBe(0);
  });

  it('has an externalId for each client', async () => {
    const { id } = await make('fay', { externalId: 'ours' });
    const body = patch({ op: 'add', path: 'externalId', value: 'theirs' });
    const as = client;
    expect((await scim('PATCH', `/Users/${id}`, { body, as })).body.externalId).toBe('theirs');
    // Many at once are read by one statement, whoever asks.
    const asked = [undefined, client, undefined, client];
    const seen = await Promise.all(
      asked.map((as) => scim('GET', `/Users/${id}`, as === undefined ? {} : { as })),
    );
    expect(seen.map((answer) => answer.body.externalId)).toEqual(['ours', 'theirs', 'ours', 'theirs']);
    expect((await find('Users', 'externalId eq "ours"')).body.Resources).toMatchObject([{ id }]);
    expect((await find('Users', 'externalId eq "theirs"')).body.totalResults).toBe(0);
    const taken = await scim('POST', '/Users', { body: user('fay2', { externalId: 'ours' }) });
    expect([taken.status, taken.body.scimType]).toEqual([409, 'uniqueness']);
    expect((await find('Users', 'userName eq "fay2"')).body.totalResults).toBe(0);
    await scim('DELETE', `/Users/${id}`);
    expect((await find('Users', 'externalId eq "ours"')).body.totalResults).toBe(0);
  });
});

describe('a group', () => {
  it('has members, of whom each is added and taken away by itself', async () => {
    const [gil, hal, ida] = await Promise.all(['gil', 'hal', 'ida'].map((name) => make(name)));
    const made = await scim('POST', '/Groups', {
      body: { displayName: 'Guides', members: [{ value: gil!.id }] },
    });
    const path = `/Groups/${made.body.id}`;
    const members = async () => {
      const { body } = await scim('GET', path);
      return (body.members ?? []).map(({ value }: { value: string }) => value).sort();
    };
    expect(made.body.members).toEqual([{ value: gil!.id, $ref: `${server.url}/scim/v2/Users/${gil!.id}` }]);
    const values = [gil!, hal!].map(({ id }) => ({ value: id }));
    await scim('PATCH', path, { body: patch({ op: 'add', path: 'members', value: values }) });
    expect(await members()).toEqual([gil!.id, hal!.id].sort());
    await scim('PATCH', path, { body: patch({ op: 'remove', path: `members[value eq "${gil!.id}"]` }) });
    expect(await members()).toEqual([hal!.id]);
    await scim('PATCH', path, {
      body: patch({ op: 'replace', path: 'members', value: [{ value: ida!.id }] }),
    });
    expect(await members()).toEqual([ida!.id]);

    expect((await find('Groups', `members eq "${ida!.id}"`)).body.Resources).toMatchObject([
      { displayName: 'Guides' },
    ]);
    expect(
      (await find('Groups', `id eq "${made.body.id}" and members.value eq "${hal!.id}"`)).body.totalResults,
    ).toBe(0);
    expect((await scim('GET', `/Users/${ida!.id}`)).body.groups).toEqual([
      { value: made.body.id, $ref: `${server.url}/scim/v2${path}`, display: 'Guides', type: 'Group' },
    ]);
    const shown = await scim('GET', `${path}?attributes=members.display`);
    expect(shown.body.members).toEqual([{ display: 'ida' }]);

    const unknown = await scim('PATCH', path, {
      body: patch({ op: 'add', path: 'members', value: [{ value: 'nobody' }] }),
    });
    expect(unknown.status).toBe(400);
    await scim('PUT', path, { body: { displayName: 'Leaders' } });
    expect([await members(), (await scim('GET', path)).body.displayName]).toEqual([[], 'Leaders']);
  });
});

describe('a list', () => {
  it('comes in pages, by index or by cursor, sorted and counted', async () => {
    await Promise.all(
      ['p1', 'p2', 'p3', 'p4', 'p5'].map((name) =>
        make(name, { name: { givenName: 'P', familyName: 'Page' } }),
      ),
    );
    const names = ({ body }: { body: { Resources: { userName: string }[] } }) =>
      body.Resources.map(({ userName }) => userName);
    const filter = 'name.familyName eq "page"';
    const second = await find('Users', filter, '&sortBy=userName&sortOrder=descending&startIndex=3&count=2');
    expect(second.body).toMatchObject({ totalResults: 5, startIndex: 3, itemsPerPage: 2 });
    expect(names(second)).toEqual(['p3', 'p2']);
    const none = await find('Users', filter, '&count=0');
    expect([none.body.totalResults, none.body.Resources]).toEqual([5, []]);

    const found: string[] = [];
    let cursor = '';
    do {
      const page = await find('Users', filter, `&count=2&cursor=${encodeURIComponent(cursor)}`);
      expect(page.body.totalResults).toBe(5);
      found.push(...names(page));
      cursor = page.body.nextCursor;
    } while (cursor !== undefined);
    expect(found.sort()).toEqual(['p1', 'p2', 'p3', 'p4', 'p5']);

    const searched = await scim('POST', '/.search', {
      body: { schemas: [], filter: 'meta.resourceType eq "User"', attributes: ['userName'], count: 1 },
    });
    expect([searched.status, searched.body.Resources.length]).toEqual([200, 1]);
    const posted = await scim('POST', '/Users/.search', { body: { filter, count: 1, sortBy: 'userName' } });
    expect(names(posted)).toEqual(['p1']);
  });

  it.each([
    ['Users?filter=bogus%20eq%201', 'invalidFilter'],
    ['Users?filter=userName%20like%20%22x%22', 'invalidFilter'],
    ['Users?filter=userName', 'invalidFilter'],
    ['Users?count=many', 'invalidValue'],
    ['Users?sortBy=groups', 'invalidValue'],
  ])('is refused in the words of SCIM: %s', async (path, scimType) => {
    const { status, body } = await scim('GET', `/${path}`);
    expect([status, body.schemas, body.scimType, body.status]).toEqual([400, [ERROR], scimType, '400']);
  });

  it('finds in the database what resources meet', async () => {
    const values = fc.constantFrom(
      'P1',
      'p',
      'page',
      'Lee',
      '@example.com',
      'p3@EXAMPLE.com',
      'work',
      'x',
      '',
    );
    const paths = fc.constantFrom(
      'userName',
      'name.familyName',
      'emails.value',
      'emails.type',
      'displayName',
      'id',
    );
    const operators = fc.constantFrom('eq', 'ne', 'co', 'sw', 'ew', 'gt', 'le');
    const conditions = fc.array(fc.tuple(paths, operators, values), { minLength: 1, maxLength: 3 });
    const all = (await scim('GET', '/Users?count=1000')).body.Resources;
    await fc.assert(
      fc.asyncProperty(conditions, fc.constantFrom('and', 'or'), async (parts, word) => {
        const known = parts.filter(([path]) => path !== 'displayName');
        if (known.length === 0) return;
        const text = known
          .map(([path, operator, value]) => `${path} ${operator} "${value}"`)
          .join(` ${word} `);
        const { body } = await find('Users', text, '&count=1000&attributes=userName');
        const ids = (rows: { id: string }[]) => rows.map(({ id }) => id).sort();
        const expected = all.filter((one: JsonObject) =>
          word === 'and' ? known.every((part) => meets(one, part)) : known.some((part) => meets(one, part)),
        );
        expect([text, ids(body.Resources)]).toEqual([text, ids(expected)]);
      }),
      { numRuns: runs(60) },
    );
  });
});

/** By the definitions of the RFC, without any of the code under test. */
function meets(resource: JsonObject, [path, operator, wanted]: readonly [string, string, string]): boolean {
  const [name, part] = path.split('.') as [string, string?];
  const holder = [resource[name]].flat();
  const values = holder
    .map((one) => (part === undefined ? one : (one as JsonObject | undefined)?.[part]))
    .filter((one) => typeof one === 'string')
    .map((one) => (path === 'id' ? one : one.toLowerCase()));
  const value = path === 'id' ? wanted : wanted.toLowerCase();
  const compared = {
    eq: (one: string) => one === value,
    co: (one: string) => one.includes(value),
    sw: (one: string) => one.startsWith(value),
    ew: (one: string) => one.endsWith(value),
    gt: (one: string) => one > value,
    le: (one: string) => one <= value,
  };
  if (operator === 'ne') return !values.some(compared.eq);
  return values.some(compared[operator as keyof typeof compared]);
}

describe('a bulk request', () => {
  it('does what it can, after what it names, and says what became of each', async () => {
    const { status, body } = await scim('POST', '/Bulk', {
      body: {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
        Operations: [
          {
            method: 'POST',
            path: '/Groups',
            bulkId: 'g',
            data: { displayName: 'Bulk', members: [{ value: 'bulkId:u' }] },
          },
          { method: 'POST', path: '/Users', bulkId: 'u', data: user('bulk') },
          { method: 'POST', path: '/Users', bulkId: 'twin', data: user('bulk') },
          {
            method: 'PATCH',
            path: '/Users/bulkId:u',
            data: patch({ op: 'replace', path: 'name.givenName', value: 'Bulky' }),
          },
          { method: 'DELETE', path: '/Users/nobody' },
          { method: 'DELETE', path: '/Schemas/x' },
        ],
      },
    });
    expect(status).toBe(200);
    expect(body.Operations.map((one: { status: string }) => one.status)).toEqual([
      '201',
      '201',
      '409',
      '200',
      '404',
      '405',
    ]);
    expect(body.Operations[2].response).toMatchObject({ schemas: [ERROR], scimType: 'uniqueness' });
    const id = body.Operations[1].location.split('/').at(-1);
    expect((await scim('GET', `/Users/${id}`)).body).toMatchObject({
      name: { givenName: 'Bulky' },
      groups: [{ display: 'Bulk' }],
    });
  });

  it('ends after so many errors, and refuses what is none', async () => {
    const operation = { method: 'DELETE', path: '/Users/nobody' };
    const { id } = await make('bulk-named');
    const change = (path: string, value: string) => ({
      method: 'PATCH',
      path: `/Users/${id}`,
      data: patch({ op: 'replace', path, value }),
    });
    const changes = [change('externalId', 'first'), change('name.givenName', 'Second')];
    const twice = await scim('POST', '/Bulk', { body: { Operations: changes } });
    expect(twice.body.Operations.map((one: { status: string }) => one.status)).toEqual(['200', '200']);
    expect((await scim('GET', `/Users/${id}`)).body.externalId).toBe('first');
    const some = await scim('POST', '/Bulk', {
      body: { failOnErrors: 1, Operations: [operation, operation, operation] },
    });
    expect(some.body.Operations).toHaveLength(1);
    const many = await scim('POST', '/Bulk', { body: { Operations: Array(1_001).fill(operation) } });
    expect(many.status).toBe(413);
    for (const Operations of [
      undefined,
      [{ method: 'GET', path: '/Users' }],
      [{ method: 'POST', path: '/Users' }],
    ]) {
      expect((await scim('POST', '/Bulk', { body: { Operations } })).status).toBe(400);
    }
  });
});

describe('the rights', () => {
  it('are those to scim, not those to managed objects, for whoever has its key', async () => {
    const as = client;
    const made = await scim('POST', '/Users', { body: user('jon'), as });
    expect(made.status).toBe(201);
    const headers = { 'X-Svc-Api-Key': client.slice('Bearer '.length) };
    const direct = await server.api('GET', `managed/user/${made.body.id}`, { user: null, headers });
    expect(direct.status).toBe(403);
    const config = await server.api('GET', 'config/scim', { user: null, headers });
    expect(config.status).toBe(403);
  });

  it('let everybody see themselves and what there is, and nobody anybody else', async () => {
    const password = PASSWORD;
    const { body } = await server.api('POST', 'managed/user', {
      body: { userName: 'kay', givenName: 'Kay', sn: 'Lee', mail: 'kay@example.com', password },
    });
    const as = `Basic ${Buffer.from(`kay:${password}`).toString('base64')}`;
    const me = await scim('GET', '/Me', { as });
    expect([me.status, me.body.id]).toEqual([200, body._id]);
    expect(me.body.meta.location).toBe(`${server.url}/scim/v2/Users/${body._id}`);
    const mine = patch({ op: 'replace', path: 'name.givenName', value: 'Kai' });
    expect((await scim('PATCH', '/Me', { body: mine, as })).body.name.givenName).toBe('Kai');
    // Their own rules hold: nobody gives themselves another name to log in by.
    const other = patch({ op: 'replace', path: 'userName', value: 'root' });
    expect((await scim('PATCH', '/Me', { body: other, as })).status).toBe(403);
    for (const path of ['/ServiceProviderConfig', '/Schemas', '/ResourceTypes', `/Schemas/${USER}`]) {
      expect([path, (await scim('GET', path, { as })).status]).toEqual([path, 200]);
      const nobody = await scim('GET', path, { as: null });
      expect([path, nobody.status, nobody.headers.get('www-authenticate')]).toEqual([
        path,
        401,
        'Bearer realm="scim"',
      ]);
    }
    for (const [method, path] of [
      ['GET', '/Users'],
      ['GET', `/Users/${body._id}`],
      ['POST', '/Users'],
      ['DELETE', `/Users/${body._id}`],
      ['POST', '/Bulk'],
    ] as const) {
      const said = method === 'POST' ? { body: { Operations: [] } } : {};
      const { status, body: error } = await scim(method, path, { as, ...said });
      expect([method, path, status, error.schemas]).toEqual([method, path, 403, [ERROR]]);
    }
    expect((await scim('GET', '/Me')).status).toBe(404);
  });
});

describe('the discovery', () => {
  it('says what there is, and takes no filter and no change', async () => {
    const { body } = await scim('GET', '/Schemas');
    expect(body.Resources.map(({ name }: { name: string }) => name)).toEqual([
      'User',
      'EnterpriseUser',
      'Group',
    ]);
    expect((await scim('GET', '/Schemas?filter=name%20eq%20%22User%22')).status).toBe(403);
    expect((await scim('DELETE', '/Schemas')).status).toBe(405);
    expect((await scim('GET', '/Bogus')).status).toBe(404);
    expect((await scim('PUT', '/Users', { body: user('x') })).status).toBe(405);
  });
});
