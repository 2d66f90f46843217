import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { WATCHFUL } from '../support/project.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const TYPES = {
  objects: [
    { name: 'device', schema: { properties: { label: { type: 'string', searchable: true } } } },
    {
      name: 'hooked',
      onCreate: {
        type: 'text/javascript',
        source: `object.seen = { newObject: newObject.color, old: oldObject, name: resourceName, method: request.method };
                 if (object.refuse) { throw { code: 409, message: 'no ' + object.refuse, detail: { why: 'test' } }; }`,
      },
      onUpdate: {
        type: 'text/javascript',
        source: 'object.was = oldObject.color; object.external = context.caller.external;',
      },
      onDelete: { type: 'text/javascript', source: "if (object.keep) { throw 'kept'; }" },
      postCreate: {
        type: 'text/javascript',
        source: `if (object.log) { svc.create('managed/device', 'log-' + object._id, { label: 'created ' + object._id }); }
                 if (object.failLate) { throw { code: 418, message: 'too late' }; }
                 if (object.survive) { try { svc.create('managed/device', 'log-x', {}); svc.create('managed/device', 'log-x', {}); } catch (e) { svc.create('managed/device', 'caught-' + e.code, {}); } }`,
      },
      onRetrieve: { type: 'text/javascript', source: 'object.shout = String(object.color).toUpperCase();' },
    },
  ],
};

describe('managed objects over HTTP', () => {
  let server: TestServer;
  let api: Api;

  beforeAll(async () => {
    server = await startTestServer({
      files: { 'conf/boot/boot.properties': WATCHFUL, 'conf/managed.json': TYPES },
    });
    api = server.api;
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  it('are created with an id of the server, revision 0, ETag and Location', async () => {
    const created = await api('POST', 'managed/device', { body: { label: 'scanner', floor: 2 } });
    expect(created.status).toBe(201);
    expect(Object.keys(created.body)).toEqual(['_id', '_rev', 'label', 'floor']);
    expect(created.body).toMatchObject({ _rev: '0', label: 'scanner', floor: 2 });
    expect(created.headers.get('etag')).toBe('"0"');
    expect(created.headers.get('location')).toBe(`${server.url}/svc/managed/device/${created.body._id}`);
    expect(created.headers.get('content-type')).toBe('application/json;charset=UTF-8');
    expect(created.headers.get('cache-control')).toBe('no-cache, no-store');
    expect((await api('GET', `managed/device/${created.body._id}`)).body).toEqual(created.body);
  });

  it('are created, updated and left alone by plain PUTs', async () => {
    const first = await api('PUT', 'managed/device/p1', { body: { label: 'a' } });
    expect([first.status, first.body]).toEqual([201, { _id: 'p1', _rev: '0', label: 'a' }]);
    const second = await api('PUT', 'managed/device/p1', { body: { label: 'b' } });
    expect([second.status, second.body]).toEqual([200, { _id: 'p1', _rev: '1', label: 'b' }]);
    const same = await api('PUT', 'managed/device/p1', { body: { label: 'b' } });
    expect([same.status, same.body]).toEqual([200, { _id: 'p1', _rev: '1', label: 'b' }]);
  });

  it('honour If-None-Match and If-Match', async () => {
    const create = () =>
      api('PUT', 'managed/device/c1', { body: { label: 'a' }, headers: { 'If-None-Match': '*' } });
    expect((await create()).status).toBe(201);
    expect((await create()).status).toBe(412);
    const update = (revision: string) =>
      api('PUT', 'managed/device/c1', { body: { label: 'b' }, headers: { 'If-Match': revision } });
    expect((await update('"7"')).status).toBe(412);
    expect((await update('"0"')).body).toMatchObject({ _rev: '1' });
    expect((await api('GET', 'managed/device/c1', { headers: { 'If-None-Match': '"1"' } })).status).toBe(304);
    expect((await api('GET', 'managed/device/c1', { headers: { 'If-None-Match': '"0"' } })).status).toBe(200);
    expect(
      (await api('PUT', 'managed/device/absent', { body: {}, headers: { 'If-Match': '*' } })).status,
    ).toBe(404);
  });

  it('are patched, and deleted with their last state', async () => {
    await api('PUT', 'managed/device/d1', { body: { tags: ['a', 'b', 'a'], n: 1 } });
    const patched = await api('PATCH', 'managed/device/d1', {
      body: [
        { operation: 'remove', field: '/tags', value: 'a' },
        { operation: 'increment', field: '/n', value: 4 },
      ],
    });
    expect(patched.body).toEqual({ _id: 'd1', _rev: '1', tags: ['b'], n: 5 });
    const deleted = await api('DELETE', 'managed/device/d1');
    expect([deleted.status, deleted.body]).toEqual([200, patched.body]);
    expect((await api('GET', 'managed/device/d1')).status).toBe(404);
  });

  it('are queried by filter, sorted, and paged until each was seen once', async () => {
    for (let n = 0; n < 7; n++)
      await api('PUT', `managed/device/q${n}`, { body: { label: `q${n}`, n: 10 - n } });
    const seen: string[] = [];
    let cookie: string | null = '';
    do {
      const query = `managed/device?_queryFilter=${encodeURIComponent('label sw "q"')}&_sortKeys=n&_pageSize=3&_fields=_id`;
      const page: { body: { result: { _id: string }[]; pagedResultsCookie: string | null } } = await api(
        'GET',
        cookie === '' ? query : `${query}&_pagedResultsCookie=${cookie}`,
      );
      seen.push(...page.body.result.map((row) => row._id));
      cookie = page.body.pagedResultsCookie;
    } while (cookie !== null);
    expect(seen).toEqual(['q6', 'q5', 'q4', 'q3', 'q2', 'q1', 'q0']);
  });

  it('answer queries in the envelope of the protocol', async () => {
    await api('PUT', 'managed/device/e1', { body: { label: 'envelope' } });
    const { body } = await api(
      'GET',
      `managed/device?_queryFilter=${encodeURIComponent("label eq 'envelope'")}&_pageSize=5&_totalPagedResultsPolicy=EXACT`,
    );
    expect(body).toEqual({
      result: [{ _id: 'e1', _rev: '0', label: 'envelope' }],
      resultCount: 1,
      pagedResultsCookie: null,
      totalPagedResultsPolicy: 'EXACT',
      totalPagedResults: 1,
      remainingPagedResults: -1,
    });
  });

  it('run their hooks with the bindings of the hook, and keep its changes', async () => {
    const created = await api('PUT', 'managed/hooked/h1', { body: { color: 'red' } });
    expect(created.body).toMatchObject({
      color: 'red',
      seen: { newObject: 'red', old: null, name: 'managed/hooked/h1', method: 'create' },
    });
    const updated = await api('PATCH', 'managed/hooked/h1', {
      body: [{ operation: 'replace', field: '/color', value: 'blue' }],
    });
    expect(updated.body).toMatchObject({ color: 'blue', was: 'red', external: true });
    expect((await api('GET', 'managed/hooked/h1')).body.shout).toBe('BLUE');
    const { rows } = await sql<{ data: object }>`select data from managed_object where id = 'h1'`.execute(
      server.database.db,
    );
    expect(rows[0]!.data).not.toHaveProperty('shout');
  });

  it('answer with what a hook throws, and nothing has changed', async () => {
    const refused = await api('PUT', 'managed/hooked/h2', { body: { refuse: 'thanks' } });
    expect(refused.status).toBe(409);
    expect(refused.body).toEqual({
      code: 409,
      reason: 'Conflict',
      message: 'no thanks',
      detail: { why: 'test' },
    });
    expect((await api('GET', 'managed/hooked/h2')).status).toBe(404);
  });

  it('are not there when a hook after the store fails, nor is what it wrote', async () => {
    const failed = await api('PUT', 'managed/hooked/h3', { body: { log: true, failLate: true } });
    expect(failed.status).toBe(418);
    expect((await api('GET', 'managed/hooked/h3')).status).toBe(404);
    expect((await api('GET', 'managed/device/log-h3')).status).toBe(404);
  });

  it('go on when a script survives the failure of a nested write, which leaves no trace', async () => {
    const created = await api('PUT', 'managed/hooked/h4', { body: { survive: true } });
    expect(created.status).toBe(201);
    expect((await api('GET', 'managed/device/log-x')).status).toBe(200);
    expect((await api('GET', 'managed/device/caught-412')).status).toBe(200);
  });

  it('change nothing in a dry run, and report every change that would be made', async () => {
    const { status, body } = await api('PUT', 'managed/hooked/h5?_dryRun=true', { body: { log: true } });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      dryRun: true,
      result: { _id: 'h5', log: true },
      changes: [
        { resource: 'managed/hooked/h5', operation: 'create', before: null, after: { _id: 'h5', log: true } },
        {
          resource: 'managed/device/log-h5',
          operation: 'create',
          before: null,
          after: { label: 'created h5' },
        },
      ],
    });
    expect(body.trace.map((entry: { step: string }) => entry.step)).toEqual(
      expect.arrayContaining(['onCreate', 'store', 'postCreate']),
    );
    expect((await api('GET', 'managed/hooked/h5')).status).toBe(404);
    expect((await api('GET', 'managed/device/log-h5')).status).toBe(404);
  });

  it('keep concurrent patches of one object, all of them', async () => {
    await api('PUT', 'managed/device/busy', { body: { n: 0 } });
    const patches = Array.from({ length: 20 }, () =>
      api('PATCH', 'managed/device/busy', { body: [{ operation: 'increment', field: '/n', value: 1 }] }),
    );
    expect((await Promise.all(patches)).map((answer) => answer.status)).toEqual(Array(20).fill(200));
    expect((await api('GET', 'managed/device/busy')).body).toMatchObject({ n: 20, _rev: '20' });
  });

  it('of a type that was added to the file while running are there, without a restart', async () => {
    expect((await api('PUT', 'managed/gadget/g1', { body: {} })).status).toBe(404);
    await server.project.write('conf/managed.json', {
      objects: [
        ...TYPES.objects,
        { name: 'gadget', onCreate: { type: 'text/javascript', source: 'object.made = true;' } },
      ],
    });
    await server.observed('config.changed', ({ id }) => id === 'managed');
    const created = await api('PUT', 'managed/gadget/g1', { body: {} });
    expect([created.status, created.body.made]).toEqual([201, true]);
  });

  it('keep their types when the file becomes wrong, and the server says what is wrong', async () => {
    await server.project.write('conf/managed.json', '{ "objects": [ { "name": 5 } ] }');
    const { findings } = await server.observed('config.refused', ({ id }) => id === 'managed');
    expect(findings[0]).toMatch(/conf\/managed.json:1:\d+/);
    expect((await api('PUT', 'managed/device/still', { body: {} })).status).toBe(201);
  });

  it.each<[string, string, string, object, number, RegExp]>([
    ['an unknown type', 'GET', 'managed/nothing/x', {}, 404, /managed\/nothing\/x/],
    ['an unknown path', 'GET', 'nowhere', {}, 404, /nowhere/],
    ['a collection that is read', 'GET', 'managed/device', {}, 400, /collection/],
    ['an instance that is queried', 'GET', 'managed/device/x?_queryFilter=true', {}, 400, /instance/],
    ['an instance that is posted to', 'POST', 'managed/device/x', { body: {} }, 400, /instance/],
    ['a path below an object', 'GET', 'managed/device/x/label', {}, 404, /not found/],
    ['an unknown action', 'POST', 'managed/device?_action=dance', {}, 400, /dance/],
    ['an unknown query', 'GET', 'managed/device?_queryId=dance', {}, 400, /dance/],
    ['an id that differs', 'PUT', 'managed/device/a', { body: { _id: 'b' } }, 400, /'b'/],
    ['an id that is a number', 'POST', 'managed/device', { body: { _id: 5 } }, 400, /5/],
    [
      'a patch that changes the id',
      'PATCH',
      'managed/device/still',
      { body: [{ operation: 'replace', field: '/_id', value: 'x' }] },
      400,
      /_id/,
    ],
    ['a NUL in a text', 'POST', 'managed/device', { body: '{"label":"a\\u0000b"}' }, 400, /NUL/],
    ['a bad filter', 'GET', 'managed/device?_queryFilter=label%20is%20%22x%22', {}, 400, /is/],
    [
      'a cookie of another query',
      'GET',
      'managed/device?_queryFilter=true&_pageSize=1&_pagedResultsCookie=zzz',
      {},
      400,
      /cookie/,
    ],
  ])('refuse %s', async (_title, method, path, options, status, message) => {
    const answer = await api(method, path, options);
    expect(answer.body).toMatchObject({ code: status, message: expect.stringMatching(message) });
    expect(answer.status).toBe(status);
    expect(JSON.stringify(answer.body)).not.toMatch(/at .*\.ts/);
  });
});
