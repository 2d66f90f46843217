import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN_PASSWORD, type Answer, type Api } from '../support/api.ts';
import { createDevice, DEVICE } from '../support/devices.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const FILES = {
  'conf/managed.json': {
    objects: [
      DEVICE,
      {
        name: 'rack',
        actions: { audit: { type: 'text/javascript', source: '1' } },
        schema: {
          required: ['place'],
          additionalProperties: false,
          properties: {
            place: { type: 'object', properties: { row: { type: 'integer' } }, required: ['row'] },
            tags: { type: ['array', 'null'], items: { type: 'string', enum: ['a', 'b'] } },
            weight: { type: 'number', required: true },
            keeper: { type: 'relationship', title: 'Keeper', resourceCollection: [{ path: 'managed/rack' }] },
            devices: {
              type: 'array',
              items: { type: 'relationship', resourceCollection: [{ path: 'managed/device' }] },
            },
          },
        },
      },
    ],
  },
  'conf/endpoint-greet.json': { type: 'text/javascript', source: '"hello"' },
};

const DEVICE_REFERENCE = { $ref: '#/components/schemas/ManagedDevice' };

const jsonOf = (response: Response): Promise<Answer['body']> => response.json();

const verbsOf = ({ parameters: _, ...item }: object & { parameters?: unknown }) => Object.keys(item);

const actionsOf = ({ parameters = [] }: Answer['body']): string[] =>
  parameters.find(({ name }: { name: string }) => name === '_action')?.schema.enum ?? [];

/** Rows of the Common REST protocol, asked over a real connection. */
describe('the protocol', () => {
  let server: TestServer;
  let api: Api;

  beforeAll(async () => {
    server = await startTestServer({ files: FILES });
    api = server.api;
    await createDevice(api);
    for (let n = 2; n <= 12; n++) await api('PUT', `managed/device/d${n}`, { body: { label: 'many', n } });
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  it('takes another method from a header of POST', async () => {
    await api('PUT', 'managed/device/gone', { body: {} });
    const headers = { 'X-HTTP-Method-Override': 'DELETE' };
    expect((await api('POST', 'managed/device/gone', { headers })).status).toBe(200);
    expect((await api('GET', 'managed/device/gone')).status).toBe(404);
  });

  it.each<[string, object]>([
    ['_fields=label', { _id: 'd1', _rev: '0', label: 'one' }],
    ['_fields=address/city', { _id: 'd1', _rev: '0', city: 'Brno' }],
    ['_fields=/address/city,address/zip', { _id: 'd1', _rev: '0', city: 'Brno', zip: '60200' }],
    ['_fields=tags/1', { _id: 'd1', _rev: '0', '1': 'b' }],
    ['_fields=nothing', { _id: 'd1', _rev: '0' }],
    ['_fields=_id', { _id: 'd1', _rev: '0' }],
    ['_fields=label&_fields=tags', { _id: 'd1', _rev: '0', label: 'one', tags: ['a', 'b'] }],
    ['_FIELDS=label', { _id: 'd1', _rev: '0', label: 'one' }],
  ])('selects with %s', async (query, body) => {
    expect((await api('GET', `managed/device/d1?${query}`)).body).toEqual(body);
  });

  it('keeps selected fields in their places on request', async () => {
    const path = 'managed/device/d1?_fields=/address/city,label,nothing/here&_nestedFields=true';
    expect((await api('GET', path)).body).toEqual({
      _id: 'd1',
      _rev: '0',
      address: { city: 'Brno' },
      label: 'one',
    });
    await api('PUT', 'repo/place/p1', { body: { a: { b: 1, c: 2, d: 3 } } });
    expect((await api('GET', 'repo/place/p1?_fields=a/b,a/c&_nestedFields=true')).body.a).toEqual({
      b: 1,
      c: 2,
    });
  });

  it('selects fields of every kind of answer', async () => {
    const created = await api('PUT', 'managed/device/f1?_fields=label', { body: { label: 'x', other: 1 } });
    expect(created.body).toEqual({ _id: 'f1', _rev: '0', label: 'x' });
    const patched = await api('PATCH', 'managed/device/f1?_fields=other', {
      body: [{ operation: 'increment', field: '/other', value: 1 }],
    });
    expect(patched.body).toEqual({ _id: 'f1', _rev: '1', other: 2 });
    const queried = await api('GET', 'managed/device?_queryFilter=_id%20eq%20%22f1%22&_fields=other');
    expect(queried.body.result).toEqual([{ _id: 'f1', _rev: '1', other: 2 }]);
    const deleted = await api('DELETE', 'managed/device/f1?_fields=label');
    expect(deleted.body).toEqual({ _id: 'f1', _rev: '1', label: 'x' });
  });

  it.each<[string, string, Record<string, string>]>([
    ['an upper-case route', 'REPO/internal/role/svc-admin', {}],
    ['slashes around the path', '/repo/internal/role/svc-admin/', {}],
    ['parameters that mean nothing', 'repo/internal/role/svc-admin?unknown=1&more=2', {}],
    ['a resource version', 'repo/internal/role/svc-admin', { 'Accept-API-Version': 'resource=1.0' }],
    ['both versions', 'repo/internal/role/svc-admin', { 'Accept-API-Version': 'protocol=2.0, resource=1' }],
    [
      'an override that is not of a POST',
      'repo/internal/role/svc-admin',
      { 'X-HTTP-Method-Override': 'DELETE' },
    ],
    ['fields that are the whole', 'repo/internal/role/svc-admin?_fields=/', {}],
    ['all fields', 'repo/internal/role/svc-admin?_fields=*', {}],
    ['no fields in particular', 'repo/internal/role/svc-admin?_fields=', {}],
    ['another revision to compare', 'repo/internal/role/svc-admin', { 'If-None-Match': '"7"' }],
  ])('takes %s', async (_title, path, headers) => {
    const answer = await api('GET', path, { headers });
    expect([answer.status, answer.headers.get('etag'), answer.headers.get('cache-control')]).toEqual([
      200,
      '"0"',
      'no-cache, no-store',
    ]);
    expect(answer.headers.get('content-type')).toBe('application/json;charset=UTF-8');
    expect(Object.keys(answer.body)).toEqual(['_id', '_rev', 'description']);
  });

  it('takes JSON in any spelling of its media type', async () => {
    for (const type of [
      'Application/JSON',
      'application/json; charset="utf-8"',
      'application/json;charset=UTF-8',
    ]) {
      const headers = { 'Content-Type': type };
      expect((await api('POST', 'managed/device', { body: '{"label":"typed"}', headers })).status).toBe(201);
    }
  });

  const many = 'managed/device?_queryFilter=label%20eq%20%22many%22';

  it('pages by cookie and by offset, numbers in the order of numbers', async () => {
    const ids = (answer: { body: { result: { _id: string }[] } }) => answer.body.result.map((row) => row._id);
    const first = await api('GET', `${many}&_sortKeys=-n&_pageSize=4`);
    expect(ids(first)).toEqual(['d12', 'd11', 'd10', 'd9']);
    const next = await api(
      'GET',
      `${many}&_sortKeys=-n&_pageSize=4&_pagedResultsCookie=${first.body.pagedResultsCookie}`,
    );
    expect(ids(next)).toEqual(['d8', 'd7', 'd6', 'd5']);
    expect(ids(await api('GET', `${many}&_sortKeys=-n&_pageSize=4&_pagedResultsOffset=8`))).toEqual([
      'd4',
      'd3',
      'd2',
    ]);
    expect(ids(await api('GET', `${many}&_sortKeys=-n&_pageSize=4&_pagedResultsCookie=8`))).toEqual([
      'd4',
      'd3',
      'd2',
    ]);
    expect(ids(await api('GET', `${many}&_sortKeys=%2Bn&_pageSize=2`))).toEqual(['d2', 'd3']);
    expect(ids(await api('GET', `${many}&_pageSize=4&_pagedResultsOffset=100`))).toEqual([]);
    expect(ids(await api('GET', `${many}&_pageSize=0&_pagedResultsOffset=5`))).toHaveLength(11);
  });

  it('counts exactly, by estimate, or not at all', async () => {
    const totals = async (query: string) => {
      const { body } = await api('GET', `${many}&${query}`);
      return [body.totalPagedResultsPolicy, body.totalPagedResults];
    };
    expect(await totals('_pageSize=2&_totalPagedResultsPolicy=exact')).toEqual(['EXACT', 11]);
    expect(await totals('_pageSize=2')).toEqual(['NONE', -1]);
    expect(await totals('_totalPagedResultsPolicy=EXACT')).toEqual(['NONE', -1]);
    expect(await totals('_pageSize=2&_totalPagedResultsPolicy=ESTIMATE')).toEqual([
      'ESTIMATE',
      expect.any(Number),
    ]);
  });

  it('answers 304 without a body for the revision that the client has', async () => {
    const response = await fetch(`${server.url}/svc/managed/device/d1`, {
      headers: { 'X-Svc-Username': 'svc-admin', 'X-Svc-Password': ADMIN_PASSWORD, 'If-None-Match': '"0"' },
    });
    expect([response.status, await response.text(), response.headers.get('etag')]).toEqual([304, '', '"0"']);
  });

  it('gives one field as a body of its own media type', async () => {
    const get = (query: string) =>
      fetch(`${server.url}/svc/managed/device/d1?${query}`, {
        headers: { 'X-Svc-Username': 'svc-admin', 'X-Svc-Password': ADMIN_PASSWORD },
      });
    const text = await get('_fields=label&_mimeType=text/plain');
    expect([text.headers.get('content-type'), await text.text()]).toEqual([
      'text/plain; charset=utf-8',
      'one',
    ]);
    const latin = await get('_fields=label&_mimeType=text/csv;charset=us-ascii');
    expect(latin.headers.get('content-type')).toBe('text/csv;charset=us-ascii');
    const image = await get('_fields=photo&_mimeType=image/png');
    expect(Buffer.from(await image.arrayBuffer()).toString()).toBe('\u0001PNG');
    expect(image.headers.get('x-content-type-options')).toBe('nosniff');
    expect(image.headers.get('content-disposition')).toBe('attachment; filename="photo"');
    expect(image.headers.get('content-security-policy')).toMatch(/default-src 'none';.* sandbox;/);
    expect((await get('_mimeType=text/plain')).status).toBe(400);
    expect((await get('_fields=label,tags&_mimeType=text/plain')).status).toBe(400);
    expect((await get('_fields=label&_mimeType=text')).status).toBe(400);
    expect((await get('_fields=nothing&_mimeType=text/plain')).status).toBe(404);
  });

  it('describes itself, as a whole and in parts, from what is mounted now', async () => {
    const whole = await jsonOf(await fetch(`${server.url}/docs/openapi.json`));
    expect(whole.openapi).toBe('3.1.0');
    expect(Object.keys(whole.paths)).toEqual(
      expect.arrayContaining([
        '/managed/device',
        '/managed/device/{id}',
        '/scheduler/job',
        '/script',
        '/repo/{type}/{id}',
        '/config/{id}',
      ]),
    );
    const { post, get } = whole.paths['/managed/device'];
    expect(post.requestBody.content['application/json'].schema.anyOf[0]).toEqual(DEVICE_REFERENCE);
    const { ManagedDevice } = whole.components.schemas;
    expect(ManagedDevice.properties).toMatchObject({ label: { type: 'string', title: 'Label' } });
    expect(ManagedDevice.properties.secret).toEqual({ type: 'string', writeOnly: true });
    expect(get.parameters.map((parameter: { name: string }) => parameter.name)).toContain('_queryFilter');
    const part = (await api('GET', 'managed/device?_crestapi')).body;
    expect(part.components.schemas.ManagedDevice).toEqual(ManagedDevice);
    expect(part.components.schemas).not.toHaveProperty('ManagedRack');
    expect(Object.keys(part.paths)).toEqual(['/managed/device', '/managed/device/{id}']);
    expect(part.paths['/managed/device']).toEqual(whole.paths['/managed/device']);
  });

  it('describes what a type requires, its lists, parts and relationships, and what it can be asked to do', async () => {
    const { paths, components } = await jsonOf(await fetch(`${server.url}/docs/openapi.json`));
    const at = (path: string) => paths[`/managed/rack${path}`];
    const schemaOf = ({ content }: Answer['body']) => content['application/json'].schema;
    const reference = {
      type: 'object',
      required: ['_ref'],
      properties: {
        _ref: { type: 'string', description: 'The path of an object, such as managed/device/…' },
        _refProperties: expect.anything(),
      },
    };
    const [sent, shown] = ['ManagedRackContent', 'ManagedRack'].map((name) => ({
      $ref: `#/components/schemas/${name}`,
    }));
    expect(schemaOf(at('/{id}').put.requestBody)).toEqual(sent);
    expect(schemaOf(at('/{id}').get.responses['200'])).toEqual(shown);
    expect(schemaOf(at('/{id}').put.responses['201'])).toEqual(shown);
    expect(schemaOf(at('/{id}').patch.responses['200']).anyOf).toContainEqual(shown);
    const schema = components.schemas.ManagedRackContent;
    expect(components.schemas.ManagedRack).toEqual(withoutRequired(schema));
    expect(schema).toMatchObject({ required: ['place', 'weight'], additionalProperties: false });
    expect(schema.properties).toMatchObject({
      place: { type: 'object', properties: { row: { type: 'integer' } }, required: ['row'] },
      tags: { type: ['array', 'null'], items: { type: 'string', enum: ['a', 'b'] } },
      keeper: { title: 'Keeper', type: ['object', 'null'], required: ['_ref'] },
      devices: { type: 'array', items: reference },
    });
    expect(schemaOf(at('').get.responses['200'])).toEqual({
      $ref: '#/components/schemas/QueryResult',
      properties: { result: { type: 'array', items: shown } },
    });
    expect([verbsOf(at('/{id}/devices')), verbsOf(at('/{id}/devices/{relationshipId}'))]).toEqual([
      ['post', 'get'],
      ['get', 'put', 'patch', 'delete'],
    ]);
    expect(verbsOf(at('/{id}/keeper'))).toEqual(['get', 'put', 'patch']);
    expect(schemaOf(at('/{id}/devices').post.requestBody)).toEqual({
      $ref: '#/components/schemas/ManagedRackDevicesContent',
    });
    expect(components.schemas.ManagedRackDevicesContent).toEqual(reference);
    expect(actionsOf(at('').post)).toEqual(['patch', 'triggerSyncCheck']);
    expect(actionsOf(at('/{id}').post)).toEqual(['patch', 'triggerSyncCheck', 'audit']);
    const operations = { type: 'array', items: { $ref: '#/components/schemas/PatchOperation' } };
    expect(at('/{id}').post['x-svc-actions']).toMatchObject({
      patch: { takes: operations, answers: shown },
      audit: { takes: {}, answers: shown },
    });
    expect(at('').post['x-svc-actions'].patch.takes).toEqual(operations);
    // What one of them takes nobody knows.
    expect(schemaOf(at('/{id}').post.requestBody)).toEqual({});
  });

  it('describes endpoints and policies, every variable of a path, and all ways to say who one is', async () => {
    const { paths, security, components } = await jsonOf(await fetch(`${server.url}/docs/openapi.json`));
    expect(verbsOf(paths['/endpoint/greet'])).toEqual(['get', 'post', 'put', 'patch', 'delete']);
    expect(verbsOf(paths['/policy'])).toEqual(['get']);
    expect(actionsOf(paths['/policy/managed/{type}/{id}'].post)).toEqual([
      'validateObject',
      'validateProperty',
    ]);
    for (const [path, { parameters = [] }] of Object.entries<Answer['body']>(paths)) {
      const declared = parameters.map(({ name }: { name: string }) => `{${name}}`);
      expect([path, declared]).toEqual([path, path.match(/\{\w+\}/g) ?? []]);
    }
    const validating = Object.keys(paths).filter((path) =>
      actionsOf(paths[path].post ?? {}).includes('validateQuartzCronExpression'),
    );
    expect(validating).toEqual(['/scheduler']);
    const schemes = new Set(security.flatMap((way: object) => Object.keys(way)));
    expect(schemes).toEqual(new Set(Object.keys(components.securitySchemes)));
    expect([...schemes]).toEqual(expect.arrayContaining(['basic', 'bearer', 'apiKey', 'session']));
  });

  it('shows the description on a page that loads nothing from elsewhere', async () => {
    const page = await fetch(`${server.url}/docs`);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'self';");
    const html = await page.text();
    for (const [, link] of html.matchAll(/(?:src|href)="([^"]+)"/g)) {
      expect((await fetch(new URL(link!, `${server.url}/docs`))).status).toBe(200);
    }
  });

  it('says which methods there are', async () => {
    const response = await fetch(`${server.url}/svc/managed/device`, { method: 'OPTIONS' });
    expect([response.status, response.headers.get('allow')]).toEqual([
      204,
      'GET, POST, PUT, PATCH, DELETE, OPTIONS',
    ]);
  });

  it('answers 501 for a method it does not know', async () => {
    const response = await fetch(`${server.url}/svc/managed/device`, {
      method: 'PROPFIND',
      headers: { 'X-Svc-Username': 'svc-admin', 'X-Svc-Password': ADMIN_PASSWORD },
    });
    expect([response.status, (await jsonOf(response)).message]).toEqual([
      501,
      'Method PROPFIND not supported',
    ]);
  });

  it('follows protocol 1 where the client speaks it', async () => {
    const headers = { 'Accept-API-Version': 'protocol=1.0' };
    expect((await api('PUT', 'managed/device/absent', { body: {}, headers })).status).toBe(404);
    expect((await api('POST', 'managed/device', { body: {}, headers })).status).toBe(400);
    expect(
      (await api('POST', 'managed/device?_action=create', { body: { label: 'p1' }, headers })).status,
    ).toBe(201);
  });

  it('keeps an id with a slash and other letters whole', async () => {
    const path = 'managed/device/a%2Fb%20%C3%BC%25';
    const created = await api('PUT', path, { body: { label: 'odd' } });
    expect(created.body._id).toBe('a/b ü%');
    expect(created.headers.get('location')).toBe(`${server.url}/svc/${path}`);
    expect((await api('GET', path)).body.label).toBe('odd');
    expect(
      (
        await fetch(created.headers.get('location')!, {
          headers: { 'X-Svc-Username': 'svc-admin', 'X-Svc-Password': ADMIN_PASSWORD },
        })
      ).status,
    ).toBe(200);
  });

  it('commits creates that come at once together, and a wrong one fails by itself', async () => {
    const body = { label: 'at once' };
    const one = (n: number) =>
      api('PUT', `managed/device/once-${n}`, { body, headers: { 'If-None-Match': '*' } });
    const wrong = () => api('POST', 'managed/device', { body: '{"label":"at once \\u0000"}' });
    const answers = await Promise.all([
      ...Array.from({ length: 40 }, (_, n) => one(n)),
      ...Array.from({ length: 5 }, wrong),
      ...Array.from({ length: 5 }, () => one(7)),
    ]);
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(40);
    expect(statuses.slice(40, 45)).toEqual([400, 400, 400, 400, 400]);
    expect(statuses.filter((status) => status === 412)).toHaveLength(5);
    const { rows } = await server.database.pool.query<{ objects: number; transactions: number }>(
      `select count(*) as objects, count(distinct xmin::text) as transactions
       from managed_object where data->>'label' like 'at once%'`,
    );
    expect(rows[0]!.objects).toBe(40);
    expect(rows[0]!.transactions).toBeLessThan(40);
  });

  it('makes one object of many PUTs that come at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        api('PUT', 'managed/device/race', { body: { label: `race ${n}` } }),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    expect(statuses.filter((status) => status === 200)).toHaveLength(19);
    expect((await api('GET', 'managed/device/race')).body._rev).toBe('19');
  });

  it('keeps members that look like tricks', async () => {
    const body = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":"x"}';
    await api('PUT', 'managed/device/tricks', { body });
    const read = await api('GET', 'managed/device/tricks');
    expect(JSON.stringify(read.body)).toContain('"polluted":1');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

/** With `_fields` an answer has as little of an object as is asked for. */
function withoutRequired(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutRequired);
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).filter(
    ([key, value]) => !(key === 'required' && Array.isArray(value)) && key !== 'additionalProperties',
  );
  return Object.fromEntries(entries.map(([key, value]) => [key, withoutRequired(value)]));
}
