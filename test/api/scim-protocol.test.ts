/** What RFC 7643, 7644 and 9865 demand of the small things, and whom they protect. */
import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#json/index.ts';
import { parseScimFilter } from '#scim/filter.ts';
import { meetsFilter } from '#scim/filter-match.ts';
import { scimClient, scimOf } from '../support/scim.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import '../support/property-seed.ts';
import { runs } from '../support/long.ts';
import '../support/takes-long.ts';

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

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
const find = (type: string, filter: string, more: Record<string, string> = {}) =>
  scim('GET', `/${type}?${new URLSearchParams({ filter, count: '1000', ...more })}`);
const ids = ({ body }: { body: { Resources: { id: string }[] } }) => body.Resources.map(({ id }) => id);

describe('a request', () => {
  it('may name several revisions that it knows, or any', async () => {
    const { id } = await make('/Users', person('known'));
    for (const [tags, status] of [
      ['W/"7", W/"0"', 304],
      ['*', 304],
      ['"0"', 304],
      ['W/"7", "10"', 200],
    ] as const) {
      const { status: is } = await ask('GET', `/Users/${id}`, { as, headers: { 'If-None-Match': tags } });
      expect([tags, is]).toEqual([tags, status]);
    }
  });

  it('may change a resource at one of several revisions, weak or strong, and at no other', async () => {
    const { id } = await make('/Users', person('listed'));
    const change = (tags: string, n: number) => {
      const body = { Operations: [{ op: 'replace', path: 'name.givenName', value: `Name ${n}` }] };
      return ask('PATCH', `/Users/${id}`, { as, body, headers: { 'If-Match': tags } });
    };
    // Each that is done makes the next revision.
    for (const [n, [tags, status]] of [
      ['W/"7", W/"0"', 200],
      ['"0", "1",', 200],
      ['2 , W/"9"', 200],
      ['*', 200],
      ['W/"7", "0"', 412],
      ['"1,4"', 412],
      ['', 412],
    ].entries()) {
      expect([tags, (await change(String(tags), n)).status]).toEqual([tags, status]);
    }
    const put = await ask('PUT', `/Users/${id}`, {
      as,
      body: person('listed'),
      headers: { 'If-None-Match': '*' },
    });
    expect(put.status).toBe(412);
    const remove = (tags: string) => ask('DELETE', `/Users/${id}`, { as, headers: { 'If-Match': tags } });
    expect((await remove('W/"2", W/"3"')).status).toBe(412);
    const version = 'W/"0", W/"4"';
    const bulk = await scim('POST', '/Bulk', {
      Operations: [{ method: 'DELETE', path: `/Users/${id}`, version }],
    });
    expect(bulk.body.Operations[0].status).toBe('204');
  });

  it('for the head of a resource is answered like one for the resource, without it', async () => {
    const { id } = await make('/Users', person('head'));
    const whole = await scim('GET', `/Users/${id}`);
    const head = await scim('HEAD', `/Users/${id}`);
    expect([head.status, head.body, head.headers.get('etag'), head.headers.get('content-type')]).toEqual([
      200,
      undefined,
      whole.headers.get('etag'),
      whole.headers.get('content-type'),
    ]);
    expect((await scim('HEAD', '/Users/nobody')).status).toBe(404);
  });

  it.each<[string, string, string]>([
    ['no JSON', '{"userName": ', 'application/scim+json'],
    ['no object', '["userName"]', 'application/scim+json;charset=utf-8'],
    ['nothing', '', 'application/json'],
    ['of another media type', '{}', 'text/plain'],
    ['in another charset', '{}', 'application/scim+json; charset=iso-8859-1'],
  ])('with a body that is %s is told so in the words of SCIM', async (_what, body, type) => {
    const answer = await fetch(`${server.url}/scim/v2/Users`, {
      method: 'POST',
      headers: { Authorization: as, 'Content-Type': type },
      body,
    });
    expect([answer.status, await answer.json()]).toEqual([
      400,
      expect.objectContaining({ scimType: 'invalidSyntax' }),
    ]);
  });

  it('may write the names of its messages in any case', async () => {
    const { id } = await make('/Users', person('cases'));
    const patched = await scim('PATCH', `/Users/${id}`, {
      operations: [{ OP: 'Replace', Path: 'NAME.givenname', Value: 'Cases' }],
    });
    expect([patched.status, patched.body.name.givenName]).toEqual([200, 'Cases']);
    const done = await scim('POST', '/Bulk', {
      operations: [{ Method: 'delete', Path: `/Users/${id}` }],
    });
    expect(done.body.Operations).toMatchObject([{ status: '204' }]);
  });

  it.each<[string, object]>([
    ['the filter', { filter: { userName: 'x' } }],
    ['the filter in a list', { filter: [['x']] }],
    ['the attributes', { attributes: [{ name: 'userName' }] }],
  ])(
    'to search in a form that means nothing is refused, and not answered with everything: %s',
    async (_what, body) => {
      for (const path of ['/.search', '/Users/.search']) {
        const { status, body: error } = await scim('POST', path, body);
        expect([path, status, error.scimType]).toEqual([path, 400, 'invalidSyntax']);
      }
    },
  );
});

describe('a resource that policies refuse', () => {
  it.each<[string, object, string]>([
    [
      'lacks what is required',
      { userName: 'lacking' },
      'name.givenName is required; name.familyName is required; emails[type eq "work"].value is required',
    ],
    [
      'has a value that is none',
      person('wrong', { emails: [{ value: 'no address' }] }),
      'emails[type eq "work"].value does not meet VALID_EMAIL_ADDRESS_FORMAT',
    ],
  ])('and that %s is told so by the names of attributes', async (_what, body, words) => {
    const { status, body: error } = await scim('POST', '/Users', body);
    expect([status, error.scimType, error.detail]).toEqual([
      400,
      'invalidValue',
      `Policy validation failed. ${words}`,
    ]);
  });
});

describe('a page', () => {
  it.each([
    ['startIndex=0&count=1', 200, { startIndex: 1, itemsPerPage: 1 }],
    ['startIndex=-3&count=-1', 200, { startIndex: 1, itemsPerPage: 0, Resources: [] }],
    ['startIndex=1000000&count=5', 200, { startIndex: 1_000_000, Resources: [] }],
    ['startIndex=1.5', 400, { scimType: 'invalidValue' }],
    ['count=many', 400, { scimType: 'invalidValue' }],
    ['count=many&cursor=', 400, { scimType: 'invalidCount' }],
    ['cursor=bogus', 400, { scimType: 'invalidCursor' }],
    ['sortBy=userName&sortOrder=sideways', 400, { scimType: 'invalidValue' }],
  ])('is asked for by %s', async (query, status, expected) => {
    await make('/Users', person(`page${Math.random()}`));
    const answer = await scim('GET', `/Users?${query}`);
    expect([answer.status, answer.body]).toEqual([status, expect.objectContaining(expected)]);
  });

  it('by a cursor of another question is none', async () => {
    for (const name of ['cursor-a', 'cursor-b']) await make('/Users', person(name));
    const first = await find('Users', 'userName sw "cursor-"', { count: '1', cursor: '' });
    const cursor = first.body.nextCursor;
    const next = await find('Users', 'userName sw "cursor-"', { count: '1', cursor });
    expect([ids(next).length, ids(next)[0] === ids(first)[0]]).toEqual([1, false]);
    for (const filter of ['userName sw "c"', 'userName pr']) {
      const { status, body } = await find('Users', filter, { count: '1', cursor });
      expect([status, body.scimType]).toEqual([400, 'invalidCursor']);
    }
  });

  it('of all types leads on by its cursor until each has been shown once', async () => {
    const made = [
      ...(await Promise.all(['every-1', 'every-2', 'every-3'].map((name) => make('/Users', person(name))))),
      ...(await Promise.all(['every-4', 'every-5'].map((displayName) => make('/Groups', { displayName })))),
    ].map(({ id }) => id);
    const filter = 'userName sw "every-" or displayName sw "every-"';
    for (const count of [1, 2, 3, 4, 5, 9]) {
      const seen: string[] = [];
      let cursor: string | undefined = '';
      for (let pages = 0; cursor !== undefined && pages < 9; pages += 1) {
        const page = await scim('POST', '/.search', { filter, count, cursor });
        expect([page.status, page.body.totalResults]).toEqual([200, 5]);
        expect(page.body.Resources.length).toBeLessThanOrEqual(count);
        seen.push(...ids(page));
        cursor = page.body.nextCursor;
      }
      expect([count, seen.toSorted()]).toEqual([count, made.toSorted()]);
    }
    const { status, body } = await scim('GET', '/?cursor=Nobody:x');
    expect([status, body.scimType]).toEqual([400, 'invalidCursor']);
  });

  it('has those without a value last, and first where it descends', async () => {
    const phone = (value: string) => ({ phoneNumbers: [{ type: 'work', value }] });
    const [none, two, one] = await Promise.all([
      make('/Users', person('sorted-none')),
      make('/Users', person('sorted-two', phone('2'))),
      make('/Users', person('sorted-one', phone('1'))),
    ]);
    const sorted = async (sortOrder: string) =>
      ids(await find('Users', 'userName sw "sorted-"', { sortBy: 'phoneNumbers', sortOrder }));
    expect(await sorted('ascending')).toEqual([one.id, two.id, none.id]);
    expect(await sorted('Descending')).toEqual([none.id, two.id, one.id]);
  });
});

describe('a group', () => {
  it('has one revision more after a request, however many members that changes, and answers with them where it is asked to', async () => {
    const people = await Promise.all(['m-1', 'm-2', 'm-3'].map((name) => make('/Users', person(name))));
    const { id } = await make('/Groups', { displayName: 'revised' });
    const path = `/Groups/${id}`;
    const change = (op: string, value: unknown, query = '') =>
      scim('PATCH', `${path}${query}`, { Operations: [{ op, path: 'members', value }] });
    const all = people.map((one) => ({ value: one.id }));
    const added = await change('add', all);
    expect([added.status, added.body, added.headers.get('etag')]).toEqual([204, undefined, 'W/"1"']);
    // What is so already makes no revision.
    expect((await change('add', all)).headers.get('etag')).toBe('W/"1"');
    expect((await change('replace', all)).headers.get('etag')).toBe('W/"1"');
    const some = await change('replace', all.slice(1), '?attributes=members.value');
    expect([some.status, some.headers.get('etag')]).toEqual([200, 'W/"2"']);
    expect(some.body.members.map(({ value }: { value: string }) => value).sort()).toEqual(
      people
        .slice(1)
        .map((one) => one.id)
        .sort(),
    );
    const entries = await server.api(
      'GET',
      `audit/activity?_queryFilter=${encodeURIComponent(`objectId sw "managed/role/${id}/members/"`)}&_fields=operation,userId`,
    );
    const told = entries.body.result.map((one: JsonObject) => [one['operation'], one['userId']]);
    expect(told.sort()).toEqual([
      ...['CREATE', 'CREATE', 'CREATE', 'DELETE'].map((operation) => [operation, 'protocol']),
    ]);
    // Rules judge who changes one; nobody from outside changes many at that place.
    const operation = { operation: 'add', field: '-', value: { _ref: `managed/user/${people[0]!.id}` } };
    const outside = await server.api('PATCH', `managed/role/${id}/members`, { body: [operation] });
    expect([outside.status, outside.body.detail.id]).toEqual([400, 'RESOURCE_IS_A_COLLECTION']);
    const refused = await change('add', [{ value: people[0]!.id }, { value: 'nobody' }]);
    expect([refused.status, (await scim('GET', path)).body.members.length]).toEqual([400, 2]);
  });

  it('is deleted with its members, at the revision that it is said to have', async () => {
    const { id: member } = await make('/Users', person('leaving'));
    const { id } = await make('/Groups', { displayName: 'leaving', members: [{ value: member }] });
    const remove = (tag: string) => ask('DELETE', `/Groups/${id}`, { as, headers: { 'If-Match': tag } });
    expect((await remove('W/"7"')).status).toBe(412);
    expect((await scim('GET', `/Groups/${id}`)).body.members).toHaveLength(1);
    expect((await remove('W/"0"')).status).toBe(204);
    expect((await scim('GET', `/Users/${member}`)).body.groups).toBeUndefined();
    expect((await scim('DELETE', '/Groups/nobody')).status).toBe(404);
  });
});

describe('a name of a client', () => {
  it('that is empty is none', async () => {
    const [first, second] = [
      await make('/Users', person('unnamed-1', { externalId: '' })),
      await make('/Users', person('unnamed-2', { externalId: '' })),
    ];
    expect([first['externalId'], second['externalId']]).toEqual([undefined, undefined]);
  });
});

describe('a filter', () => {
  it('finds in the database what the resources meet that it shows', async () => {
    await Promise.all(
      ['Fuzz-a', 'fuzz-B', 'fuzz_c', 'fuzz%d'].map((userName, at) =>
        make('/Users', {
          ...person(userName),
          ...(at === 1 ? {} : { active: at === 2 }),
          ...(at === 0 ? { phoneNumbers: [{ type: 'work', value: '1' }] } : {}),
          ...(at === 3 ? { [ENTERPRISE]: { department: 'B' } } : {}),
        }),
      ),
    );
    const all: JsonObject[] = (await scim('GET', '/Users?count=1000')).body.Resources;
    const value = fc.constantFrom(
      'fuzz',
      'FUZZ-A',
      'b',
      '%',
      '_',
      'work',
      '',
      '@example.com',
      '1',
      '\\\\',
      "'",
    );
    const operator = fc.constantFrom('eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'LE');
    const place = fc.constantFrom(
      'userName',
      'NAME.familyName',
      'emails',
      'emails.type',
      'phoneNumbers.value',
      'id',
      `${ENTERPRISE}:department`,
    );
    const compared = fc.tuple(place, operator, value).map(([at, by, what]) => `${at} ${by} "${what}"`);
    const inner = fc
      .tuple(fc.constantFrom('value', 'type'), operator, value)
      .map(([at, by, what]) => `${at} ${by} "${what}"`);
    const condition = fc.oneof(
      compared,
      fc.constantFrom('active eq true', 'active ne true', 'active pr', 'name pr', 'phoneNumbers pr'),
      fc.constantFrom(
        'externalId eq "x"',
        'meta.created gt "2020-01-01T00:00:00Z"',
        'meta.resourceType eq "user"',
      ),
      place.map((at) => `${at} pr`),
      fc
        .tuple(
          fc.constantFrom('emails', 'phoneNumbers'),
          inner,
          fc.constantFrom('and', 'or'),
          inner,
          fc.boolean(),
        )
        .map(([at, one, word, other, isNot]) => `${at}[${isNot ? `not (${one})` : one} ${word} ${other}]`),
    );
    const texts = fc.letrec<{ text: string }>((tie) => ({
      text: fc.oneof(
        { maxDepth: 3, depthSize: 'small' },
        condition,
        tie('text').map((text) => `not (${text})`),
        fc
          .tuple(tie('text'), fc.constantFrom('and', 'or', 'AND'), tie('text'), fc.boolean())
          .map(([one, word, other, isGrouped]) =>
            isGrouped ? `(${one}) ${word} (${other})` : `${one} ${word} ${other}`,
          ),
      ),
    })).text;
    const isExact = ({ name }: { readonly name: string }) => ['id', 'externalId'].includes(name);
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        const found = await find('Users', text, { attributes: 'id' });
        expect([text, found.status]).toEqual([text, 200]);
        const meant = all.filter((one) => meetsFilter(parseScimFilter(text, [ENTERPRISE]), one, isExact));
        expect([text, ids(found).toSorted()]).toEqual([text, meant.map(({ id }) => String(id)).toSorted()]);
      }),
      { numRuns: runs(80) },
    );
  });
});

describe('the audit', () => {
  it('has with a bulk request those of its operations that were refused', async () => {
    const operations = ['DELETE', 'PATCH'].map((method) => ({
      method,
      path: '/Users/absent',
      data: { Operations: [] },
    }));
    const { headers } = await scim('POST', '/Bulk', { Operations: operations });
    const filter = encodeURIComponent(`transactionId eq "${headers.get('x-request-id')}"`);
    const entries = async () => (await server.api('GET', `audit/access?_queryFilter=${filter}`)).body.result;
    await expect.poll(entries).toHaveLength(1);
    const [{ response }] = await entries();
    const refused = { resource: 'scim/Users/absent', detail: expect.objectContaining({ code: 404 }) };
    expect(response).toMatchObject({
      status: 'SUCCESSFUL',
      refused: [
        { operation: 'delete', ...refused },
        { operation: 'patch', ...refused },
      ],
    });
  });
});

describe('a bulk request of all or none', () => {
  const post = (bulkId: string, data: object) => ({ method: 'POST', path: '/Users', bulkId, data });
  const bulk = (...Operations: readonly object[]) =>
    scim('POST', '/Bulk?allOrNone=true', { Operations, failOnErrors: 5 });
  const circular = (name: string, other: string, more: object = {}) =>
    post(name, { ...person(name), ...more, [ENTERPRISE]: { manager: { value: `bulkId:${other}` } } });
  const left = async () => (await find('Users', 'userName sw "together-"')).body.totalResults;

  it('leaves nothing where one operation fails, and says which', async () => {
    const one = post('one', person('together-one'));
    const failed = await bulk(one, post('two', person('together-one')));
    expect([failed.status, failed.body.scimType, await left()]).toEqual([409, 'uniqueness', 0]);
    expect(failed.body.detail).toMatch(/^POST \/Users, bulkId 'two': /);
    const round = await bulk(
      one,
      circular('together-a', 'together-b'),
      circular('together-b', 'together-a', { emails: [] }),
    );
    expect([round.status, await left()]).toEqual([400, 0]);
    expect(round.body.detail).toMatch(/^POST \/Users, bulkId 'together-b': /);
    const done = await bulk(one, post('two', person('together-two')));
    expect([done.status, done.body.Operations.length, await left()]).toEqual([200, 2, 2]);
    expect((await scim('POST', '/Bulk?allOrNone=perhaps', { Operations: [] })).status).toBe(400);
  });
});

describe('a configuration that is changed while the server runs', () => {
  it('lets a DELETE deactivate, where it says so', async () => {
    const { $schema: _, ...shipped } = JSON.parse(await readFile('conf/scim.json', 'utf8'));
    const { id } = await make('/Users', person('leaver'));
    const shippedBut = (onDelete: string, at: number) => ({
      resourceTypes: shipped.resourceTypes.map((one: object, n: number) =>
        n === at ? { ...one, onDelete } : one,
      ),
    });
    expect((await server.api('PUT', 'config/scim', { body: shippedBut('deactivate', 1) })).status).toBe(400);
    const changed = await server.api('PUT', 'config/scim', { body: shippedBut('deactivate', 0) });
    expect([changed.status, changed.body.message]).toEqual([200, undefined]);
    const stale = await ask('DELETE', `/Users/${id}`, { as, headers: { 'If-Match': 'W/"7"' } });
    expect(stale.status).toBe(412);
    expect((await scim('DELETE', `/Users/${id}`)).status).toBe(204);
    expect((await scim('DELETE', `/Users/${id}`)).status).toBe(204);
    expect((await scim('GET', `/Users/${id}`)).body).toMatchObject({ userName: 'leaver', active: false });
    expect((await scim('DELETE', '/Users/nobody')).status).toBe(404);
    await server.api('PUT', 'config/scim', { body: shipped });
    expect((await scim('DELETE', `/Users/${id}`)).status).toBe(204);
    expect((await scim('GET', `/Users/${id}`)).status).toBe(404);
  });

  it('lets a PATCH pass over what is not kept, where it says so', async () => {
    const { $schema: _, ...shipped } = JSON.parse(await readFile('conf/scim.json', 'utf8'));
    const [user, ...others] = shipped.resourceTypes;
    const { id } = await make('/Users', person('untitled'));
    const change = () =>
      scim('PATCH', `/Users/${id}`, {
        Operations: [
          { op: 'Replace', path: 'title', value: 'Director' },
          { op: 'Replace', path: 'active', value: 'False' },
        ],
      });
    const refused = await change();
    expect([refused.status, refused.body.scimType]).toEqual([400, 'invalidPath']);
    expect(refused.body.detail).toContain('"unmapped"');
    const resourceTypes = [{ ...user, unmapped: 'ignore' }, ...others];
    const changed = await server.api('PUT', 'config/scim', { body: { resourceTypes } });
    expect([changed.status, changed.body.message]).toEqual([200, undefined]);
    const done = await change();
    expect([done.status, done.body.active, done.body.title]).toEqual([200, false, undefined]);
    await server.api('PUT', 'config/scim', { body: shipped });
    expect((await change()).status).toBe(400);
  });

  it('is what clients see from then on', async () => {
    const names = async () => {
      const { body } = await scim('GET', `/Schemas/${ENTERPRISE}`);
      return body.attributes.map(({ name }: { name: string }) => name);
    };
    expect(await names()).toContain('department');
    const { body } = await server.api('GET', 'config/managed');
    const { _id, _rev, ...managed } = body;
    const user = managed.objects.find(({ name }: { name: string }) => name === 'user');
    delete user.schema.properties.department;
    user.schema.order = (user.schema.order ?? []).filter((name: string) => name !== 'department');
    const changed = await server.api('PUT', 'config/managed', { body: managed });
    expect([changed.status, changed.body.message]).toEqual([200, undefined]);
    expect(await names()).not.toContain('department');
    const { status, body: error } = await find('Users', 'department eq "B"');
    expect([status, error.scimType]).toEqual([400, 'invalidFilter']);
  });
});
