import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { WATCHFUL } from '../support/project.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import '../support/takes-long.ts';

const js = (source: string, more: object = {}) => ({ type: 'text/javascript', source, ...more });

const reference = (reversePropertyName: string, path: string) => ({
  type: 'relationship',
  reverseRelationship: true,
  reversePropertyName,
  resourceCollection: [{ path }],
});

const FILES = {
  'conf/managed.json': {
    objects: [
      { name: 'thing' },
      {
        name: 'desk',
        schema: { properties: { label: { type: 'string' }, owner: reference('desks', 'managed/owner') } },
      },
      {
        name: 'owner',
        schema: {
          properties: {
            mail: { type: 'string', searchable: true },
            desks: { type: 'array', items: reference('owner', 'managed/desk') },
          },
        },
      },
      {
        name: 'hooked',
        onCreate: js("object.inner = svc.create('managed/thing', null, { from: 'hook' }).marks"),
      },
    ],
  },
  'conf/script.json': { ECMAScript: { 'javascript.recompile.minimumInterval': '0' } },
  'conf/endpoint-say.json': js('({ method: request.method, content: request.content, at: resourcePath })'),
  'conf/endpoint-fail.json': js(
    "svc.create('managed/thing', 'undone', {}); throw { code: 409, message: 'busy', detail: { by: 'x' } }",
  ),
  'script/mark.js': "request.content.marks = (request.content.marks || '') + mark;",
};

describe('a filter of router.json', () => {
  let server: TestServer;
  let api: Api;

  beforeAll(async () => {
    server = await startTestServer({
      files: { 'conf/boot/boot.properties': WATCHFUL, ...FILES },
      threads: 2,
    });
    api = server.api;
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  /** The filters from now on, in every thread. */
  const setFilters = async (...filters: object[]) => {
    const { status, body } = await api('PUT', 'config/router', { body: { filters } });
    expect([status, body]).toEqual([200, expect.anything()]);
  };
  const say = (content: object, more = '') =>
    api('POST', `endpoint/say${more}?_action=x`, { body: content }).then(({ body }) => body.content);
  const evaluate = (source: string) =>
    api('POST', 'script?_action=eval', { body: { type: 'text/javascript', source } });

  beforeEach(() => setFilters());

  it('sees what its pattern and its methods say: whole paths, and only those kinds of request', async () => {
    const mark = { file: 'mark.js', type: 'text/javascript', mark: 'm' };
    await setFilters(
      { pattern: 'managed/thing(/.*)?', methods: ['create', 'update'], onRequest: mark },
      { pattern: '(?i)ENDPOINT/say/.+', onRequest: mark },
    );
    expect((await api('POST', 'managed/thing', { body: {} })).body.marks).toBe('m');
    expect((await api('PUT', 'managed/thing/a', { body: {} })).body.marks).toBe('m');
    expect((await api('PUT', 'managed/thing/a', { body: {}, headers: { 'If-Match': '*' } })).body.marks).toBe(
      'm',
    );
    const operation = [{ operation: 'add', field: 'patched', value: 1 }];
    expect((await api('PATCH', 'managed/thing/a', { body: operation })).body.patched).toBe(1);
    expect((await api('POST', 'managed/hooked', { body: {} })).body.marks).toBeUndefined();
    expect([await say({}), await say({}, '/below')]).toEqual([{}, { marks: 'm' }]);
  });

  it('of updates alone sees a PUT without preconditions, too', async () => {
    await setFilters({
      pattern: 'managed/thing/b',
      methods: ['update'],
      onRequest: js("throw { code: 403, message: 'not b' }"),
    });
    expect((await api('PUT', 'managed/thing/b', { body: {} })).status).toBe(403);
    expect((await api('PUT', 'managed/thing/c', { body: {} })).status).toBe(201);
  });

  it('sees requests from outside and from inside, and tells them apart by its condition', async () => {
    const mark = js("request.content.marks = context.caller.external ? 'outside' : 'inside'");
    await setFilters({ pattern: 'managed/thing', methods: ['create'], onRequest: mark });
    expect((await api('POST', 'managed/thing', { body: {} })).body.marks).toBe('outside');
    expect((await api('POST', 'managed/hooked', { body: {} })).body.inner).toBe('inside');
    await setFilters({
      pattern: 'managed/thing',
      methods: ['create'],
      condition: js('context.caller.external && context.security.authenticationId === wanted', {
        wanted: 'svc-admin',
      }),
      onRequest: mark,
    });
    expect((await api('POST', 'managed/thing', { body: {} })).body.marks).toBe('outside');
    expect((await api('POST', 'managed/hooked', { body: {} })).body.inner).toBeUndefined();
    await setFilters({ condition: js('"true"'), onRequest: mark });
    expect(await say({})).toEqual({});
  });

  it('takes a request along that runs no script otherwise, from outside and from inside', async () => {
    const { body } = await api('POST', 'managed/thing', { body: { n: 1 } });
    await setFilters({
      pattern: 'managed/thing/.+',
      methods: ['read'],
      onResponse: js('response.content.n += 1; response.content.saw = resourcePath + resourceName'),
    });
    const read = await api('GET', `managed/thing/${body._id}`);
    const path = `managed/thing/${body._id}`;
    expect(read.body).toMatchObject({ _id: body._id, n: 2, saw: path + path });
    expect((await evaluate(`svc.read('${path}').n`)).body).toBe(2);
  });

  it('changes inside the content and the answer; what it assigns to the request is ignored', async () => {
    await setFilters({
      pattern: 'endpoint/say',
      onRequest: js("request.content.list.push(2); request.content = { gone: true }; request.action = 'y'"),
      onResponse: js('response.content.more = request.content.list.length'),
    });
    const { body } = await api('POST', 'endpoint/say?_action=x', { body: { list: [1] } });
    expect(body).toEqual({ method: 'action', content: { list: [1, 2] }, at: '', more: 2 });
    await setFilters({
      pattern: 'managed/thing',
      methods: ['query'],
      onResponse: js(
        'response.result = response.result.filter(function (row) { row.content.q = 1; return row.content.keep })',
      ),
    });
    await api('PUT', 'managed/thing/kept', { body: { keep: true } });
    const found = (await api('GET', 'managed/thing?_queryFilter=true')).body;
    expect(found.result).toMatchObject([{ _id: 'kept', keep: true, q: 1 }]);
    await setFilters({
      pattern: 'managed/thing',
      methods: ['create'],
      onRequest: js("request.newResourceId = 'named'"),
    });
    expect((await api('POST', 'managed/thing', { body: {} })).body._id).toBe('named');
  });

  describe('that hides a part of an object', () => {
    const MAIL = js('delete response.content.mail');
    const ofOwners = { pattern: 'managed/owner/.+', methods: ['read'] };
    const owner = async (path: string) => (await api('GET', `managed/desk/${path}`)).body.owner;

    beforeAll(async () => {
      await setFilters();
      for (const id of ['kim', 'lee']) {
        const body = { mail: `${id}@example.com`, city: 'Brno' };
        expect((await api('PUT', `managed/owner/${id}`, { body })).status).toBe(201);
        const desk = { label: `of ${id}`, owner: { _ref: `managed/owner/${id}` } };
        expect((await api('PUT', `managed/desk/${id}`, { body: desk })).status).toBe(201);
      }
    });

    it('hides it wherever a reference shows the object', async () => {
      expect(await owner('kim?_fields=owner/*')).toMatchObject({ mail: 'kim@example.com', city: 'Brno' });
      await setFilters({ ...ofOwners, onResponse: MAIL });
      for (const fields of ['owner/*', '*,owner/*', 'owner/mail,owner/city']) {
        const shown = await owner(`kim?_fields=${fields}`);
        expect(shown).toMatchObject({ _ref: 'managed/owner/kim', city: 'Brno' });
        expect(shown).not.toHaveProperty('mail');
      }
      const [row] = (await api('GET', 'managed/desk?_queryFilter=true&_fields=owner/mail')).body.result;
      expect(row.owner).not.toHaveProperty('mail');
      const single = (await api('GET', 'managed/desk/kim/owner?_fields=*')).body;
      expect(single).toMatchObject({ city: 'Brno' });
      expect(single).not.toHaveProperty('mail');
      const back = (await api('GET', 'managed/owner/kim?_fields=desks/owner/*')).body.desks[0].owner;
      expect(back).toMatchObject({ city: 'Brno' });
      expect(back).not.toHaveProperty('mail');
      const inside = await evaluate("svc.read('managed/desk/kim', null, ['owner/*']).owner");
      expect(inside.body).toMatchObject({ city: 'Brno' });
      expect(inside.body).not.toHaveProperty('mail');
    });

    it('hides what it refuses, and nothing else', async () => {
      const gone = js("if (resourcePath.endsWith('kim')) throw { code: 404, message: 'not here' }");
      await setFilters({ ...ofOwners, onResponse: gone });
      const hidden = await owner('kim?_fields=owner/*');
      expect(Object.keys(hidden)).toEqual(['_ref', '_refProperties', '_refError', '_refErrorMessage']);
      expect(await owner('lee?_fields=owner/*')).toMatchObject({ mail: 'lee@example.com' });
    });

    it('judges each object once', async () => {
      const count = { pattern: 'managed/owner/.+', methods: ['read'] };
      await setFilters({
        ...count,
        onRequest: js("svc.update('repo/ui/seen', null, { times: svc.read('repo/ui/seen').times + 1 })"),
        onResponse: MAIL,
      });
      await api('PUT', 'repo/ui/seen', { body: { times: 0 } });
      await owner('kim?_fields=owner/*');
      expect((await api('GET', 'repo/ui/seen')).body.times).toBe(1);
    });

    it('has it found by no search', async () => {
      const found = async (text: string) =>
        (await api('GET', `search?q=${text}&types=owner`)).body.types.flatMap(
          ({ result }: { result: object[] }) => result,
        );
      expect(await found('kim@')).toMatchObject([{ matched: 'mail', path: 'managed/owner/kim' }]);
      await setFilters({
        pattern: 'managed/owner',
        methods: ['query'],
        onResponse: js('response.result.forEach(function (row) { delete row.content.mail })'),
      });
      expect((await api('GET', 'search?q=kim@&types=owner')).body).toEqual({ types: [] });
    });

    it('hides it from the answer of a patch by query', async () => {
      await setFilters({ ...ofOwners, onResponse: MAIL });
      const { status, body } = await api(
        'POST',
        'managed/owner?_action=patch&_queryFilter=mail+eq+"kim@example.com"',
        { body: [{ operation: 'replace', field: 'city', value: 'Graz' }] },
      );
      expect([status, body]).toMatchObject([200, { _id: 'kim', city: 'Graz' }]);
      expect(body).not.toHaveProperty('mail');
    });
  });

  it('changes the operations of a patch', async () => {
    await setFilters({
      pattern: 'managed/thing/patched',
      methods: ['patch'],
      onRequest: js(`
        request.patchOperations.forEach(function (each) { if (each.field === '/a') each.value += 1; });
        request.patchOperations.push({ operation: 'add', field: 'by', value: 'filter' });
        request.patchOperations = [];`),
    });
    await api('PUT', 'managed/thing/patched', { body: { a: 0 } });
    const patch = (field: string) =>
      api('PATCH', 'managed/thing/patched', { body: [{ operation: 'replace', field, value: 1 }] });
    expect((await patch('a')).body).toMatchObject({ a: 2, by: 'filter' });
    expect((await patch('/b')).body).toMatchObject({ a: 2, b: 1 });
    await setFilters({
      pattern: 'managed/thing/patched',
      methods: ['patch'],
      onRequest: js("request.patchOperations[0].operation = 'multiply'"),
    });
    const { status, body } = await patch('a');
    expect([status, body]).toMatchObject([
      500,
      { message: expect.stringContaining("'multiply'"), detail: { id: 'ROUTER_BAD_PATCH' } },
    ]);
    expect((await api('GET', 'managed/thing/patched')).body).toMatchObject({ a: 2 });
  });

  it('stands in a row with others: requests in the order of the file, answers the other way round', async () => {
    const filter = (name: string) => ({
      pattern: 'endpoint/say',
      onRequest: js(`request.content.way.push('${name}')`),
      onResponse: js(`response.content.content.way.push('${name} back')`),
    });
    await setFilters(filter('one'), filter('two'), filter('three'));
    expect(await say({ way: [] })).toEqual({
      way: ['one', 'two', 'three', 'three back', 'two back', 'one back'],
    });
  });

  it('ends the request with the error that it throws, and what the request has done is undone', async () => {
    await setFilters({
      pattern: 'managed/thing',
      methods: ['create'],
      onRequest: js("throw { code: 418, message: 'no', detail: { a: 1 } }"),
    });
    const refused = await api('POST', 'managed/thing', { body: {} });
    expect([refused.status, refused.body]).toMatchObject([418, { message: 'no', detail: { a: 1 } }]);
    await setFilters({
      pattern: 'managed/thing',
      methods: ['create'],
      onResponse: js("throw { code: 409, message: 'late' }"),
    });
    expect((await api('PUT', 'managed/thing/late', { body: {} })).status).toBe(409);
    expect((await api('GET', 'managed/thing/late')).status).toBe(404);
    await setFilters({ pattern: 'endpoint/say', condition: js('nobody.knows') });
    expect((await api('GET', 'endpoint/say')).status).toBe(200);
    await setFilters({ pattern: 'endpoint/say', condition: js('nobody.knows'), onRequest: js('1') });
    expect((await api('GET', 'endpoint/say')).status).toBe(500);
  });

  it('is told of a failure with its code, reason, message and detail, and may throw another', async () => {
    const tell = (more = '') =>
      js(
        `svc.create('managed/thing', 'told', { exception: exception, before: svc.read('managed/thing/undone') });${more}`,
        {
          transactional: false,
        },
      );
    await setFilters({ pattern: 'endpoint/fail', onFailure: tell() });
    const failed = await api('POST', 'endpoint/fail?_action=x', { body: {} });
    expect([failed.status, failed.body.message]).toEqual([409, 'busy']);
    expect((await api('GET', 'managed/thing/told')).body).toMatchObject({
      exception: { code: 409, reason: 'Conflict', message: 'busy', detail: { by: 'x' } },
      before: null,
    });
    await setFilters({
      pattern: 'endpoint/fail',
      onFailure: js("throw { code: 410, message: 'was ' + exception.code }"),
    });
    const other = await api('POST', 'endpoint/fail?_action=x', { body: {} });
    expect([other.status, other.body.message]).toEqual([410, 'was 409']);
  });

  it('is told of what a filter behind it throws, and not of its own error', async () => {
    const onFailure = (name: string) => js(`throw { code: 409, message: exception.message + ' ${name}' }`);
    await setFilters(
      { pattern: 'endpoint/say', onFailure: onFailure('outer') },
      {
        pattern: 'endpoint/say',
        onRequest: js("throw { code: 400, message: 'inner' }"),
        onFailure: onFailure('own'),
      },
    );
    expect((await api('GET', 'endpoint/say')).body.message).toBe('inner outer');
  });

  it('does not look at requests of its own scripts, and others do', async () => {
    await setFilters(
      {
        pattern: 'managed/thing',
        methods: ['create'],
        onRequest: js(`
          var made = svc.create('managed/thing', null, { marks: '' });
          request.content.marks = 'seen, and ' + made.marks;`),
      },
      {
        pattern: 'managed/thing',
        methods: ['create'],
        onRequest: js("request.content.marks += ' by another'"),
      },
    );
    expect((await api('POST', 'managed/thing', { body: {} })).body.marks).toBe(
      'seen, and  by another by another',
    );
  });

  it('may be written in Groovy, and may have variables of its own', async () => {
    await setFilters({
      pattern: 'endpoint/say',
      onRequest: {
        type: 'groovy',
        source: "request.content.put('word', word + request.content.get('n').asInteger())",
        word: 'g',
      },
    });
    const { body } = await api('POST', 'endpoint/say?_action=x', { body: { n: 1 } });
    expect(body).toMatchObject({ content: { n: 1, word: 'g1' } });
  });

  it('can be rehearsed with the request', async () => {
    await setFilters({
      pattern: 'managed/thing',
      methods: ['create'],
      onRequest: js('request.content.marks = 1; svc.create("managed/hooked", "r", {})'),
    });
    const { body } = await api('POST', 'managed/thing?_dryRun=true', { body: {} });
    expect([body.dryRun, body.result.marks]).toEqual([true, 1]);
    expect((await api('GET', 'managed/hooked/r')).status).toBe(404);
  });

  describe('that the server has built in', () => {
    const AUTHORIZATION = {
      condition: js('false'),
      onRequest: { type: 'text/javascript', file: 'router-authz.js' },
    };
    const refuse = { pattern: 'managed/thing', onRequest: js("throw { code: 418, message: 'me first' }") };
    const stranger = (path: string) => api('GET', path, { user: 'nobody', password: 'x' });
    const clerk = (path: string) => api('GET', path, { user: 'clerk', password: 'Clerk-1234' });

    beforeAll(async () => {
      const body = { password: 'Clerk-1234', roles: [{ _ref: 'repo/internal/role/svc-authorized' }] };
      expect((await api('PUT', 'repo/internal/user/clerk', { body })).status).toBe(201);
    });

    it('is in force whatever the file says', async () => {
      for (const filters of [[], [AUTHORIZATION], [{ ...AUTHORIZATION, methods: [] }]]) {
        await setFilters(...filters);
        expect((await stranger('managed/thing?_queryFilter=true')).status).toBe(401);
        expect((await clerk('managed/thing?_queryFilter=true')).status).toBe(403);
        const weak = await api('PUT', 'repo/internal/user/weak', { body: { password: 'weak' } });
        expect([weak.status, weak.body.message]).toEqual([403, 'Policy validation failed']);
      }
    });

    it('stands first, or where the file has it', async () => {
      await setFilters(refuse);
      expect((await clerk('managed/thing?_queryFilter=true')).status).toBe(403);
      expect((await api('GET', 'managed/thing?_queryFilter=true')).status).toBe(418);
      await setFilters(AUTHORIZATION, refuse);
      expect((await clerk('managed/thing?_queryFilter=true')).status).toBe(403);
      await setFilters(refuse, AUTHORIZATION);
      expect((await clerk('managed/thing?_queryFilter=true')).status).toBe(418);
      expect((await clerk('managed/hooked?_queryFilter=true')).status).toBe(403);
    });

    it('keeps the passwords of internal users as hashes, also beside the script of the field that does so', async () => {
      const stored = async () => (await api('GET', 'repo/internal/user/clerk')).body.password;
      expect(await stored()).toMatchObject({ $crypto: { type: 'salted-hash' } });
      await setFilters({
        pattern: 'repo/internal/user.*',
        methods: ['create', 'update'],
        onRequest: js("request.content.password = require('crypto').hash(request.content.password)"),
      });
      const roles = [{ _ref: 'repo/internal/role/svc-authorized' }];
      // Another password, because the server remembers who has shown the old one.
      const password = 'Clerk-5678';
      await api('PUT', 'repo/internal/user/clerk', { body: { password, roles } });
      expect(await stored()).toMatchObject({ $crypto: { type: 'salted-hash' } });
      expect((await api('GET', 'info/login', { user: 'clerk', password })).status).toBe(200);
    });
  });

  it.each<[string, object]>([
    ['no regular expression', { pattern: '(', onRequest: js('1') }],
    ['no method', { methods: ['fetch'], onRequest: js('1') }],
    ['neither \\"source\\" nor \\"file\\"', { onRequest: { type: 'text/javascript' } }],
    ['exclude each other', { onFailure: js('1', { file: 'a.js' }) }],
    ['needs a \\"type\\"', { onResponse: { source: '1' } }],
  ])('that is wrong is refused: %s', async (words, filter) => {
    await setFilters({ pattern: 'endpoint/say', onRequest: js('request.content.still = 1') });
    const { status, body } = await api('PUT', 'config/router', { body: { filters: [filter] } });
    expect(status).toBe(400);
    expect(words === 'no method' || JSON.stringify(body).includes(words.replaceAll('\\\\', '\\'))).toBe(true);
    expect(await say({})).toEqual({ still: 1 });
  });

  const no = js("throw { code: 403, message: 'nobody' }");
  it.each<[string, object]>([
    ['of everybody', { onRequest: no }],
    ['of updates', { methods: ['update'], onRequest: no }],
    ['of what it is about', { pattern: 'config(/.*)?', onRequest: no }],
    ['of answers', { onResponse: js('response.content.x.y = 1') }],
    ['by its condition', { condition: js('nothing.of.that'), onRequest: js('1') }],
    ['by another content', { onRequest: js('if (request.content) request.content.filters = []') }],
    [
      'without end',
      { onRequest: js("svc.create('managed/thing', 'of-a-trial', {}); for (;;) {}", { timeout: 1_000 }) },
    ],
  ])(
    'that would keep those before from being put back is refused, unless it is forced: %s',
    async (_, filter) => {
      await setFilters({ pattern: 'endpoint/say', onRequest: js('request.content.still = 1') });
      const refused = await api('PUT', 'config/router', { body: { filters: [filter] } });
      expect([refused.status, refused.body.detail]).toMatchObject([
        409,
        { id: 'ROUTER_LOCKS_OUT', hint: expect.stringContaining('force=true') },
      ]);
      const body = [{ operation: 'replace', field: '/filters', value: [filter] }];
      expect((await api('PATCH', 'config/router', { body })).status).toBe(409);
      expect(await say({})).toEqual({ still: 1 });
      expect((await api('GET', 'managed/thing/of-a-trial')).status).toBe(404);
    },
  );

  it('that is tried before it comes in force does nothing for good, and may be forced', async () => {
    const creates = js("svc.create('managed/thing', 'of-a-trial', {})");
    await setFilters({ pattern: 'config/router', methods: ['update'], onRequest: creates });
    expect((await api('GET', 'managed/thing/of-a-trial')).status).toBe(404);
    await setFilters();
    expect((await api('GET', 'managed/thing/of-a-trial')).status).toBe(200);
    const forced = { filters: [{ pattern: 'config', methods: ['query'], onRequest: no }] };
    expect((await api('PUT', 'config/router?force=true', { body: forced })).status).toBe(200);
    const refused = [{ pattern: 'config/router', methods: ['patch'], onRequest: no }];
    expect((await api('PUT', 'config/router', { body: { filters: refused } })).status).toBe(200);
  });
  it('follows its file, and the file of its script', async () => {
    await api('DELETE', 'config/router');
    const filter = { pattern: 'endpoint/say', onRequest: { type: 'text/javascript', file: 'hot.js' } };
    await server.project.write('script/hot.js', 'request.content.hot = 1');
    await server.project.write('conf/router.json', { filters: [filter] });
    await eventually(
      () => say({}),
      (said) => said.hot === 1,
    );
    await server.project.write('script/hot.js', 'request.content.hot = "second"');
    await eventually(
      () => say({}),
      (said) => said.hot === 'second',
    );
  });
});
