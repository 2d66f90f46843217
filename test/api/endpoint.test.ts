import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { WATCHFUL } from '../support/project.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const js = (source: string, more: object = {}) => ({ type: 'text/javascript', source, ...more });

const FILES = {
  'conf/managed.json': { objects: [{ name: 'thing' }] },
  'conf/endpoint-exact.json': js('request.resourcePath', { context: 'endpoint/exact' }),
  'conf/endpoint-below.json': js('({ path: resourcePath, alias: resourceName })', {
    context: 'endpoint/linked/view/*',
  }),
  'conf/endpoint-order.json': js('context.router.uriTemplateVariables', {
    context: 'endpoint/order/{orderId}',
  }),
  'conf/endpoint-asked.json': js("request.method === 'query' ? [] : request.method", {
    _methods: ['read', 'query'],
  }),
  'conf/endpoint-outside.json': js('"outside"', { context: 'elsewhere/here' }),
  'conf/endpoint-a-b.json': js('typeof _comment + apiKey + limits.most + globalsAreVariables', {
    apiKey: 'k1',
    limits: { most: 3 },
    globals: { globalsAreVariables: true },
    _comment: 'left out',
  }),
  'conf/endpoint-counts.json': js(
    'limits.most += 1; limits.list.push(1); [limits.most, limits.list.length]',
    {
      limits: { most: 3, list: [] },
    },
  ),
  'conf/endpoint-kind.json': js(
    "var kind = [request.requestType, request.fields, request.resourcePath]; request.method === 'query' ? [kind] : kind",
  ),
  'conf/endpoint-value.json': js('JSON.parse(request.additionalParameters.json)'),
  'conf/endpoint-throw.json': js('throw JSON.parse(request.additionalParameters.json)'),
  'conf/endpoint-mistake.json': js('\nnoSuchThing.x'),
  'conf/endpoint-absent-update.json': js("svc.update('managed/thing/absent', null, {})"),
  'conf/endpoint-writes.json': js(
    "svc.create('managed/thing', request.additionalParameters.id, {}); if (request.additionalParameters.fail) throw 'no'; 1",
  ),
  'conf/endpoint-loose.json': js(
    "svc.create('managed/thing', request.additionalParameters.id, {}); throw 'no'",
    { transactional: false },
  ),
  'conf/endpoint-upsert.json': js(
    "if (request.method === 'create') { svc.create('managed/thing', 'half', {}); throw { code: 412, message: 'there' }; } ({ method: request.method, path: resourcePath })",
  ),
  'conf/endpoint-broken.json': { type: 'text/javascript', file: 'broken.js' },
  'conf/endpoint-missing.json': { type: 'text/javascript', file: 'nowhere.js' },
  'conf/endpoint-named.json': {
    type: 'text/javascript',
    file: 'named.js',
    sender: 'a@b.c',
    visibility: 'public',
  },
  'script/named.js': '[file, sender, typeof type, typeof visibility]',
  'conf/endpoint-file.json': { type: 'text/javascript', file: 'changing.js' },
  'conf/script.json': {
    ECMAScript: { 'javascript.recompile.minimumInterval': '0' },
    properties: { company: 'Example', svc: 'not this', console: 1, identityServer: 2 },
  },
  'conf/endpoint-properties.json': js(
    '[company, typeof svc.read, typeof console.log, typeof identityServer.getProperty]',
  ),
  'conf/boot/boot.properties': `${WATCHFUL}svc.config.crypto.alias=svc-selfservice-key`,
  'script/broken.js': 'var = 1;',
  'script/changing.js': '"one"',
};

describe('a custom endpoint', () => {
  let server: TestServer;
  let api: Api;

  beforeAll(async () => {
    server = await startTestServer({ files: FILES, threads: 2 });
    api = server.api;
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const value = (json: unknown) => `endpoint/value?json=${encodeURIComponent(JSON.stringify(json))}`;
  const thrown = (json: unknown) => `endpoint/throw?json=${encodeURIComponent(JSON.stringify(json))}`;

  describe('is found', () => {
    it.each<[string, number]>([
      ['endpoint/echo', 200],
      ['endpoint/echo/', 200],
      ['endpoint/ECHO', 200],
      ['endpoint/echo/a/b', 200],
      ['endpoint/echoes', 404],
      ['endpoint/exact', 200],
      ['endpoint/exact/below', 404],
      ['endpoint/linked/view', 200],
      ['endpoint/linked/view/managed/user/x', 200],
      ['endpoint/linked', 404],
      ['endpoint/order/o1', 200],
      ['endpoint/order', 404],
      ['endpoint/order/o1/lines', 404],
      ['elsewhere/here', 200],
      ['endpoint/outside', 404],
      ['endpoint/a-b', 200],
      ['endpoint/none', 404],
    ])('at %s: %i', async (path, status) => {
      expect((await api('GET', path)).status).toBe(status);
    });

    it('with its path relative to the route, and the variables of a template', async () => {
      expect((await api('GET', 'endpoint/linked/view/managed/user/x')).body).toEqual({
        path: 'managed/user/x',
        alias: 'managed/user/x',
      });
      expect((await api('GET', 'endpoint/order/O%2F7')).body).toEqual({ orderId: 'O/7' });
    });

    it('with the extra keys of its file as variables, but not those that begin with _', async () => {
      expect((await api('GET', 'endpoint/a-b')).body).toBe('undefinedk13true');
      expect((await api('GET', 'config/endpoint/a-b')).body).toMatchObject({
        apiKey: { $crypto: {} },
        limits: { most: 3 },
      });
    });

    it('with its own copy of them in each run', async () => {
      for (let run = 0; run < 2; run++) expect((await api('GET', 'endpoint/counts')).body).toEqual([4, 1]);
    });

    it('with the name of its file and the keys beside it as variables', async () => {
      expect((await api('GET', 'endpoint/named')).body).toEqual([
        'named.js',
        'a@b.c',
        'undefined',
        'undefined',
      ]);
    });

    it('with the properties of script.json as variables, except for the names of the server', async () => {
      expect((await api('GET', 'endpoint/properties')).body).toEqual([
        'Example',
        'function',
        'function',
        'function',
      ]);
    });
  });

  describe('gets all seven kinds of request', () => {
    const common = { resourceName: '', parameters: {}, fields: [] };
    const context = expect.objectContaining({ name: 'router', matchedUri: 'endpoint/echo' });

    it('read', async () => {
      const { status, headers, body } = await api('GET', 'endpoint/echo?a=1&a=2&b=x');
      expect(status).toBe(200);
      expect(headers.get('etag')).toBeNull();
      expect(body).toEqual({
        ...common,
        method: 'read',
        parameters: { a: '2', b: 'x' },
        context: { name: 'router', matchedUri: 'endpoint/echo', remainingUri: '', uriTemplateVariables: {} },
      });
    });

    it('create, with and without an id', async () => {
      const posted = await api('POST', 'endpoint/echo', { body: { a: 1 } });
      expect([posted.status, posted.body]).toEqual([
        200,
        { ...common, method: 'create', newResourceId: null, content: { a: 1 }, context },
      ]);
      expect(posted.headers.get('location')).toBeNull();
      const put = await api('PUT', 'endpoint/echo/x', { body: {}, headers: { 'If-None-Match': '*' } });
      expect([put.status, put.body]).toMatchObject([200, { method: 'create', newResourceId: 'x' }]);
      expect(put.body).not.toHaveProperty('_id');
      const action = await api('POST', 'endpoint/echo?_action=Create', { body: {} });
      expect(action.body.method).toBe('create');
    });

    it('update', async () => {
      const { status, body } = await api('PUT', 'endpoint/echo/x', {
        body: { a: 1 },
        headers: { 'If-Match': '"7"' },
      });
      expect([status, body]).toMatchObject([
        200,
        { method: 'update', revision: '7', resourceName: 'x', content: { a: 1 } },
      ]);
      const bare = await api('PUT', 'endpoint/echo', { body: { b: 2 } });
      expect([bare.status, bare.body]).toMatchObject([200, { method: 'update', revision: null }]);
    });

    it('patch', async () => {
      const patch = [{ operation: 'replace', field: '/givenName', value: 'Steven' }];
      const { status, body } = await api('PATCH', 'endpoint/echo', { body: patch });
      expect([status, body]).toEqual([200, { ...common, method: 'patch', revision: null, patch, context }]);
    });

    it('patch, with every operation there is', async () => {
      const patch = [
        { operation: 'add', field: '/a', value: 1 },
        { operation: 'replace', field: '/b/c', value: { d: [1] } },
        { operation: 'remove', field: '/e' },
        { operation: 'increment', field: '/n', value: 2 },
        { operation: 'move', field: '/to', from: '/from' },
        { operation: 'copy', field: '/to', from: '/from' },
        { operation: 'transform', field: '/t', value: { script: { type: 'text/javascript', source: '1' } } },
      ];
      expect((await api('PATCH', 'endpoint/echo/x', { body: patch })).body).toMatchObject({
        patch,
      });
    });

    it.each([
      ['GET', '', 'READ', {}],
      ['POST', '', 'CREATE', { body: {} }],
      ['PUT', '/x', 'UPDATE', { body: {}, headers: { 'If-Match': '*' } }],
      ['PATCH', '/x', 'PATCH', { body: [] }],
      ['DELETE', '/x', 'DELETE', {}],
      ['POST', '?_action=a', 'ACTION', {}],
      ['GET', '?_queryId=q', 'QUERY', {}],
    ])('%s %s as requestType %s', async (method, more, type, options) => {
      const { body } = await api(method, `endpoint/kind${more}`, options);
      const [kind] = type === 'QUERY' ? body.result : [body];
      expect(kind).toEqual([type, [], more === '/x' ? 'x' : '']);
    });

    it('and never a question about what it is', async () => {
      const { status, body } = await api('GET', 'endpoint/kind?_crestapi');
      expect([status, JSON.stringify(body).includes('READ')]).toEqual([200, false]);
      expect((await api('GET', 'endpoint/writes?_crestapi&id=described')).status).toBe(200);
      expect((await api('GET', 'managed/thing/described')).status).toBe(404);
    });

    it('with the fields that were asked for', async () => {
      const { body } = await api('GET', 'endpoint/kind?_fields=a,b/c');
      expect(body[1]).toEqual(['/a', '/b/c']);
    });

    it('delete', async () => {
      const { status, body } = await api('DELETE', 'endpoint/echo/x', { headers: { 'If-Match': '3' } });
      expect([status, body]).toMatchObject([200, { method: 'delete', revision: '3' }]);
    });

    it('action', async () => {
      const { status, body } = await api('POST', 'endpoint/echo?_action=Dance&tempo=fast', { body: [1] });
      expect([status, body]).toEqual([
        200,
        {
          ...common,
          method: 'action',
          action: 'Dance',
          content: [1],
          parameters: { tempo: 'fast' },
          context,
        },
      ]);
      expect((await api('POST', 'endpoint/echo?_action=dance')).body.content).toBeNull();
    });

    it('query', async () => {
      const { status, body } = await api(
        'GET',
        'endpoint/echo?_queryFilter=a+eq+%22x%22+and+b+pr&_sortKeys=-a,b&_pageSize=5&_pagedResultsOffset=2&_totalPagedResultsPolicy=exact&own=1',
      );
      expect(status).toBe(200);
      expect(body).toMatchObject({ resultCount: 1, totalPagedResults: -1, remainingPagedResults: -1 });
      expect(body.result[0]).toEqual({
        ...common,
        method: 'query',
        parameters: { own: '1' },
        queryFilter: expect.stringMatching(/a eq "x".* and .*b pr/),
        queryId: null,
        queryExpression: null,
        sortKeys: ['-/a', '+/b'],
        pageSize: 5,
        pagedResultsOffset: 2,
        pagedResultsCookie: null,
        totalPagedResultsPolicy: 'EXACT',
        context,
      });
      const byId = await api('GET', 'endpoint/echo?_queryId=all&x=1');
      expect(byId.body.result[0]).toMatchObject({ queryId: 'all', pageSize: 0, pagedResultsOffset: 0 });
    });
  });

  it('answers what its configuration says that it can be asked, and is described so', async () => {
    const asked = async (method: string, path: string) =>
      (await api(method, path, method === 'GET' ? {} : { body: {} })).status;
    expect(await asked('GET', 'endpoint/asked')).toBe(200);
    expect(await asked('GET', 'endpoint/asked?_queryFilter=true')).toBe(200);
    for (const method of ['PUT', 'DELETE']) expect(await asked(method, 'endpoint/asked')).toBe(501);
    expect(await asked('POST', 'endpoint/asked?_action=any')).toBe(501);
    const answer = await fetch(new URL('/docs/openapi.json', server.url));
    const { paths } = (await answer.json()) as { paths: Record<string, object> };
    expect(Object.keys(paths['/endpoint/asked'] ?? {})).toEqual(['get']);
    const wrong = js('1', { _methods: ['look'] });
    expect((await api('PUT', 'config/endpoint/asked', { body: wrong })).body.detail.id).toBe(
      'CONFIG_INVALID',
    );
  });

  describe('answers a read', () => {
    it.each<[unknown, number, unknown]>([
      [{ a: 1 }, 200, { a: 1 }],
      [{ _id: 'own', a: 1 }, 200, { _id: 'own', a: 1 }],
      ['text', 200, 'text'],
      [5, 200, 5],
      [false, 200, false],
      [[1, { a: 2 }], 200, [1, { a: 2 }]],
    ])('of %j with %i', async (given, status, body) => {
      const answer = await api('GET', value(given));
      expect([answer.status, answer.body]).toEqual([status, body]);
    });

    it.each(['GET', 'PUT', 'PATCH', 'DELETE'])('of null with 404 to %s', async (method) => {
      const body = method === 'PATCH' ? { body: [] } : method === 'PUT' ? { body: {} } : {};
      const { status, body: answer } = await api(method, value(null), body);
      expect([status, answer]).toEqual([
        404,
        {
          code: 404,
          reason: 'Not Found',
          message: expect.stringContaining('script returned null'),
          detail: {},
        },
      ]);
    });

    it('of null with 404 to a create, and with 200 to an action', async () => {
      expect((await api('POST', value(null), { body: {} })).status).toBe(404);
      const action = await api('POST', `${value(null)}&_action=x`);
      expect([action.status, action.body]).toEqual([200, null]);
    });

    it('with the fields that were asked for', async () => {
      expect((await api('GET', `${value({ a: 1, b: { c: 2 } })}&_fields=/b/c`)).body).toEqual({
        c: 2,
      });
    });
  });

  describe('answers a query', () => {
    const query = (json: unknown) => api('GET', `${value(json)}&_queryFilter=true`);

    it.each<[unknown, object]>([
      [[1, { a: 2 }], { result: [1, { a: 2 }], resultCount: 2, totalPagedResults: -1 }],
      [null, { result: [], resultCount: 0 }],
      [
        {
          result: [{ _id: 'x' }],
          pagedResultsCookie: 'c',
          totalPagedResultsPolicy: 'EXACT',
          totalPagedResults: 9,
        },
        {
          result: [{ _id: 'x' }],
          pagedResultsCookie: 'c',
          totalPagedResultsPolicy: 'EXACT',
          totalPagedResults: 9,
        },
      ],
      [{ result: [] }, { result: [], totalPagedResultsPolicy: 'NONE', pagedResultsCookie: null }],
    ])('of %j', async (given, body) => {
      const answer = await query(given);
      expect([answer.status, answer.body]).toMatchObject([200, body]);
    });

    it.each([
      { a: 1 },
      { result: {} },
      'text',
      5,
      { result: [], totalPagedResultsPolicy: 'SOME' },
      { result: [], totalPagedResults: 1.5 },
    ])('of %j with 500', async (given) => {
      expect((await query(given)).status).toBe(500);
    });
  });

  describe('fails', () => {
    it.each<[unknown, number, object]>([
      [
        { code: 409, message: 'busy', detail: { a: 1 } },
        409,
        { reason: 'Conflict', message: 'busy', detail: { a: 1 } },
      ],
      [{ code: 404, message: 'gone' }, 404, { reason: 'Not Found', message: 'gone', detail: {} }],
      [{ code: 299, message: 'odd' }, 500, { code: 500, message: 'odd', reason: 'Internal Server Error' }],
      [{ code: 700, message: 'odd' }, 500, { code: 700, message: 'odd', reason: 'Resource Exception' }],
      [{ code: -1, message: 'odd' }, 500, { code: 500, message: 'odd', detail: { code: -1 } }],
      [
        { code: 1e9, message: 'odd', detail: { a: 1 } },
        500,
        { code: 500, message: 'odd', detail: { a: 1, code: 1e9 } },
      ],
      [{ code: 422, message: 'odd' }, 422, { code: 422, reason: 'Unprocessable Content' }],
      [{ code: 503 }, 503, { reason: 'Service Unavailable', detail: {} }],
      [{ message: 'no code' }, 500, { message: 'no code', detail: {} }],
      ['text', 500, { message: 'text', reason: 'Internal Server Error', detail: {} }],
      [7, 500, { message: '7', detail: {} }],
    ])('with what it throws: %j', async (json, status, body) => {
      const answer = await api('GET', thrown(json));
      expect([answer.status, answer.body]).toMatchObject([status, body]);
    });

    it('with the message of the engine, and an empty detail', async () => {
      expect((await api('GET', 'endpoint/mistake')).body).toEqual({
        code: 500,
        reason: 'Internal Server Error',
        message: expect.stringContaining('noSuchThing'),
        detail: {},
      });
    });

    it('with the error of a resource call that it did not catch', async () => {
      const { status, body } = await api('GET', 'endpoint/absent-update');
      expect([status, body]).toMatchObject([404, { message: expect.stringContaining('absent'), detail: {} }]);
    });

    it('with 404 while its script has never compiled or cannot be found, and is there once it does', async () => {
      expect((await api('GET', 'endpoint/broken')).status).toBe(404);
      expect((await api('GET', 'endpoint/missing')).status).toBe(404);
      await server.observed('config.warned', ({ message }) =>
        message.includes('endpoint broken is inactive'),
      );
      await server.project.write('script/broken.js', '"mended"');
      expect((await api('GET', 'endpoint/broken')).body).toBe('mended');
    });

    it('with 503 when its script compiles no longer', async () => {
      expect((await api('GET', 'endpoint/file')).body).toBe('one');
      await server.project.write('script/changing.js', 'var = 2');
      // Both threads have met the script when it was well: they activate endpoints before they take work.
      expect((await api('GET', 'endpoint/file')).status).toBe(503);
      await server.project.write('script/changing.js', '"three"');
      expect((await api('GET', 'endpoint/file')).body).toBe('three');
    });
  });

  describe('is one unit of work', () => {
    it('unless it says otherwise', async () => {
      expect((await api('POST', 'endpoint/writes?_action=x&id=w1')).body).toBe(1);
      expect((await api('GET', 'managed/thing/w1')).status).toBe(200);
      expect((await api('POST', 'endpoint/writes?_action=x&id=w2&fail=1')).status).toBe(500);
      expect((await api('GET', 'managed/thing/w2')).status).toBe(404);
      expect((await api('POST', 'endpoint/loose?_action=x&id=w3')).status).toBe(500);
      expect((await api('GET', 'managed/thing/w3')).status).toBe(200);
    });

    it('and can be rehearsed, even when it is not transactional', async () => {
      const { body } = await api('POST', 'endpoint/writes?_action=x&id=w4&_dryRun=true');
      expect(body).toMatchObject({ dryRun: true, result: 1, changes: [{ resource: 'managed/thing/w4' }] });
      await api('POST', 'endpoint/loose?_action=x&id=w5&_dryRun=true');
      for (const id of ['w4', 'w5']) expect((await api('GET', `managed/thing/${id}`)).status).toBe(404);
    });

    it('in which a PUT that finds something there leaves nothing of its create', async () => {
      const { status, body } = await api('PUT', 'endpoint/upsert/u1', { body: {} });
      expect([status, body]).toEqual([200, { method: 'update', path: 'u1' }]);
      expect((await api('GET', 'managed/thing/half')).status).toBe(404);
    });
  });

  it('comes, changes and goes with its configuration, by file and by /config', async () => {
    const changed = (id: string, change: string) =>
      server.observed('config.changed', (said) => said.id === id && said.change === change);
    await server.project.write('conf/endpoint-new.json', js('1'));
    await changed('endpoint/new', 'added');
    expect((await api('GET', 'endpoint/new')).body).toBe(1);
    await server.project.write('conf/endpoint-new.json', js('2', { context: 'endpoint/moved' }));
    await changed('endpoint/new', 'changed');
    expect((await api('GET', 'endpoint/new')).status).toBe(404);
    expect((await api('GET', 'endpoint/moved')).body).toBe(2);
    await server.project.remove('conf/endpoint-new.json');
    await changed('endpoint/new', 'removed');
    expect((await api('GET', 'endpoint/moved')).status).toBe(404);

    const put = await api('PUT', 'config/endpoint/rest', {
      body: js('apiKey', { apiKey: 's3cret', encrypt: ['/apiKey'] }),
    });
    expect(put.status).toBe(201);
    expect(put.body.apiKey.$crypto).toMatchObject({
      type: 'x-simple-encryption',
      value: { key: 'svc-selfservice-key' },
    });
    expect((await api('GET', 'endpoint/rest')).body).toBe('s3cret');
    expect((await api('DELETE', 'config/endpoint/rest')).status).toBe(200);
    expect((await api('GET', 'endpoint/rest')).status).toBe(404);
  });
});
