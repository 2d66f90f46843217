import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN_PASSWORD, type Api } from '../support/api.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const FILES = {
  'conf/managed.json': {
    objects: [
      {
        name: 'device',
        schema: {
          title: 'Device',
          properties: {
            label: { type: 'string', title: 'Label', searchable: true },
            secret: { type: 'string', scope: 'private' },
          },
        },
      },
    ],
  },
};

/** Rows of the Common REST protocol, asked over a real connection. */
describe('the protocol', () => {
  let server: TestServer;
  let api: Api;

  beforeAll(async () => {
    server = await startTestServer({ files: FILES });
    api = server.api;
    await api('PUT', 'managed/device/d1', {
      body: {
        label: 'one',
        address: { city: 'Brno', zip: '60200' },
        tags: ['a', 'b'],
        photo: Buffer.from('\u0001PNG').toString('base64url'),
      },
    });
    for (let n = 2; n <= 12; n++) await api('PUT', `managed/device/d${n}`, { body: { label: 'many', n } });
  });
  afterAll(() => server[Symbol.asyncDispose]());

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
    expect([text.headers.get('content-type'), await text.text()]).toEqual(['text/plain', 'one']);
    const image = await get('_fields=photo&_mimeType=image/png');
    expect(Buffer.from(await image.arrayBuffer()).toString()).toBe('\u0001PNG');
    expect(image.headers.get('x-content-type-options')).toBe('nosniff');
    expect((await get('_mimeType=text/plain')).status).toBe(400);
    expect((await get('_fields=label,tags&_mimeType=text/plain')).status).toBe(400);
    expect((await get('_fields=label&_mimeType=text')).status).toBe(400);
    expect((await get('_fields=nothing&_mimeType=text/plain')).status).toBe(404);
  });

  it('describes itself, as a whole and in parts, from what is mounted now', async () => {
    const whole = await (await fetch(`${server.url}/docs/openapi.json`)).json();
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
    expect(post.requestBody.content['application/json'].schema.properties).toMatchObject({
      label: { type: 'string', title: 'Label' },
    });
    expect(post.requestBody.content['application/json'].schema.properties).not.toHaveProperty('secret');
    expect(get.parameters.map((parameter: { name: string }) => parameter.name)).toContain('_queryFilter');
    const part = (await api('GET', 'managed/device?_crestapi')).body;
    expect(Object.keys(part.paths)).toEqual(['/managed/device', '/managed/device/{id}']);
    expect(part.paths['/managed/device']).toEqual(whole.paths['/managed/device']);
  });

  it('shows the description on a page that loads nothing from elsewhere', async () => {
    const page = await fetch(`${server.url}/docs`);
    expect(page.headers.get('content-security-policy')).toBe("default-src 'self'");
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
    expect([response.status, (await response.json()).message]).toEqual([
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

  it('keeps members that look like tricks', async () => {
    const body = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":"x"}';
    await api('PUT', 'managed/device/tricks', { body });
    const read = await api('GET', 'managed/device/tricks');
    expect(JSON.stringify(read.body)).toContain('"polluted":1');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});
