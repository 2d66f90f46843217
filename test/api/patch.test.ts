import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const script = (source: string) => ({ script: { type: 'text/javascript', source } });

/** Object before, operations, object after; the rest of the object stays as it was. */
const EFFECTS: readonly [string, object, readonly object[], object][] = [
  ['add sets a field', {}, [{ operation: 'add', field: '/a', value: 1 }], { a: 1 }],
  ['add overwrites', { a: 1 }, [{ operation: 'ADD', field: 'a', value: 2 }], { a: 2 }],
  ['add makes parents', {}, [{ operation: 'add', field: '/a/b/c', value: 1 }], { a: { b: { c: 1 } } }],
  ['add to an array replaces it', { a: ['x'] }, [{ operation: 'add', field: '/a', value: 'y' }], { a: 'y' }],
  ['add /- appends', { a: ['x'] }, [{ operation: 'add', field: '/a/-', value: 'y' }], { a: ['x', 'y'] }],
  ['add /- makes the array', {}, [{ operation: 'add', field: '/a/-', value: 'y' }], { a: ['y'] }],
  ['replace sets what is missing', {}, [{ operation: 'replace', field: '/a', value: 1 }], { a: 1 }],
  ['replace /- appends', { a: [1] }, [{ operation: 'replace', field: '/a/-', value: 2 }], { a: [1, 2] }],
  ['remove deletes', { a: 1, b: 2 }, [{ operation: 'remove', field: '/a' }], { b: 2 }],
  ['remove of nothing', { b: 2 }, [{ operation: 'remove', field: '/a' }], { b: 2 }],
  [
    'remove by value takes every equal element',
    { a: ['x', 'y', 'x'] },
    [{ operation: 'remove', field: '/a', value: 'x' }],
    { a: ['y'] },
  ],
  ['remove if equal', { a: 1 }, [{ operation: 'remove', field: '/a', value: 1 }], {}],
  ['remove if not equal', { a: 1 }, [{ operation: 'remove', field: '/a', value: '1' }], { a: 1 }],
  ['increment', { n: 1 }, [{ operation: 'increment', field: '/n', value: 4 }], { n: 5 }],
  ['increment by a fraction', { n: 5 }, [{ operation: 'increment', field: '/n', value: 1.5 }], { n: 6.5 }],
  [
    'increment of an array',
    { n: [1, 2] },
    [{ operation: 'increment', field: '/n', value: -1 }],
    { n: [0, 1] },
  ],
  ['move', { a: 1 }, [{ operation: 'move', from: '/a', field: '/b' }], { b: 1 }],
  ['move of nothing', { b: 1 }, [{ operation: 'move', from: '/a', field: '/c' }], { b: 1 }],
  [
    'copy into an array',
    { a: 1, l: [0] },
    [{ operation: 'copy', from: '/a', field: '/l/-' }],
    { a: 1, l: [0, 1] },
  ],
  [
    'operations in their order',
    { a: [] },
    [
      { operation: 'add', field: '/a/-', value: 1 },
      { operation: 'copy', from: '/a', field: '/b' },
      { operation: 'remove', field: '/a' },
    ],
    { b: [1] },
  ],
  [
    'transform',
    { a: ['x', 'y'] },
    [{ operation: 'transform', field: '/a', value: script('content.join("-")') }],
    { a: 'x-y' },
  ],
  [
    'transform to nothing',
    { a: 1, b: 1 },
    [{ operation: 'transform', field: '/a', value: script('null') }],
    { b: 1 },
  ],
  [
    'transform of what is missing',
    {},
    [{ operation: 'transform', field: '/a', value: script('content === null ? "made" : "found"') }],
    { a: 'made' },
  ],
  ['a slash in a key', {}, [{ operation: 'add', field: '/a%2Fb', value: 1 }], { 'a/b': 1 }],
  ['a tilde in a key is a tilde', {}, [{ operation: 'add', field: '/a~1b', value: 1 }], { 'a~1b': 1 }],
];

/** Operations that are wrong against `{text, list, object}`, with a word of the message. */
const MISTAKES: readonly [string, unknown, RegExp][] = [
  ['no array', { operation: 'remove', field: '/text' }, /array/],
  ['an element that is no object', [1], /not an object/],
  ['no operation', [{ field: '/text' }], /no 'operation'/],
  ['no field', [{ operation: 'remove' }], /no 'field'/],
  ['an unknown operation', [{ operation: 'test', field: '/text' }], /'test'/],
  ['add without a value', [{ operation: 'add', field: '/x' }], /needs a value/],
  ['replace with null', [{ operation: 'replace', field: '/x', value: null }], /not null/],
  ['transform without a value', [{ operation: 'transform', field: '/x' }], /needs a value/],
  ['add with from', [{ operation: 'add', field: '/x', value: 1, from: '/text' }], /no 'from'/],
  ['remove with from', [{ operation: 'remove', field: '/x', from: '/text' }], /no 'from'/],
  ['move without from', [{ operation: 'move', field: '/x' }], /needs 'from'/],
  ['copy with a value', [{ operation: 'copy', field: '/x', from: '/text', value: 1 }], /no value/],
  ['increment by a text', [{ operation: 'increment', field: '/x', value: '1' }], /number/],
  ['increment of a text', [{ operation: 'increment', field: '/text', value: 1 }], /\/text/],
  ['increment of nothing', [{ operation: 'increment', field: '/x', value: 1 }], /\/x/],
  ['a field below a text', [{ operation: 'add', field: '/text/x', value: 1 }], /text/],
  ['move onto what is there', [{ operation: 'move', from: '/text', field: '/object' }], /exists already/],
  ['the whole object', [{ operation: 'replace', field: '/', value: {} }], /whole object/],
  ['one digit', [{ operation: 'remove', field: '/list/0' }], /Position-based/],
  ['two digits', [{ operation: 'remove', field: '/list/10' }], /Position-based/],
  ['a position in from', [{ operation: 'copy', from: '/list/0', field: '/x' }], /Position-based/],
  ['a broken escape', [{ operation: 'add', field: '%zz', value: 1 }], /percent/],
  ['a broken escape in from', [{ operation: 'copy', from: '%zz', field: '/x' }], /percent/],
  ['another id', [{ operation: 'replace', field: '/_id', value: 'x' }], /_id/],
  ['no script', [{ operation: 'transform', field: '/text', value: { script: 1 } }], /script/],
  [
    'a script that does not compile',
    [{ operation: 'transform', field: '/x', value: script('1 +') }],
    /compile/,
  ],
  [
    'a good operation before a bad one',
    [
      { operation: 'add', field: '/x', value: 1 },
      { operation: 'increment', field: '/text', value: 1 },
    ],
    /\/text/,
  ],
];

/** Part by part what PATCH and `_action=patch` do to a managed object. */
describe('a patch', () => {
  let server: TestServer;
  let api: Api;

  beforeAll(async () => {
    server = await startTestServer({
      files: {
        'conf/managed.json': {
          objects: [
            { name: 'thing', schema: { properties: { userName: { type: 'string' } } } },
            {
              name: 'counted',
              onUpdate: { type: 'text/javascript', source: 'object.updates = (object.updates || 0) + 1' },
            },
          ],
        },
      },
    });
    api = server.api;
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const content = ({ body: { _id, _rev, ...rest } }: { body: Record<string, unknown> }) => rest;

  it.each(EFFECTS)('%s', async (_title, before, operations, after) => {
    const { body } = await api('POST', 'managed/thing', { body: before });
    const patched = await api('PATCH', `managed/thing/${body._id}`, { body: operations });
    expect([patched.status, content(patched)]).toEqual([200, after]);
    const read = await api('GET', `managed/thing/${body._id}`);
    expect(read.body).toEqual(patched.body);
    expect(patched.headers.get('etag')).toBe(`"${read.body._rev}"`);
  });

  it.each(MISTAKES)(
    'is refused with 400 for %s, and nothing has changed',
    async (_title, operations, message) => {
      const path = 'managed/thing/wrong';
      const { body } = await api('PUT', path, { body: { text: 'x', list: [1, 2], object: {} } });
      for (const [method, where] of [
        ['PATCH', path],
        ['POST', `${path}?_action=patch`],
      ] as const) {
        const answer = await api(method, where, { body: operations });
        expect([answer.status, answer.body.message]).toEqual([400, expect.stringMatching(message)]);
      }
      expect((await api('GET', path)).body).toEqual(body);
    },
  );

  it('that changes nothing runs no hook and makes no revision', async () => {
    await api('PUT', 'managed/counted/c', { body: { a: 1 } });
    const same = await api('PATCH', 'managed/counted/c', {
      body: [{ operation: 'replace', field: '/a', value: 1 }],
    });
    expect(same.body).toEqual({ _id: 'c', _rev: '0', a: 1 });
    const other = await api('PATCH', 'managed/counted/c', {
      body: [{ operation: 'replace', field: '/a', value: 2 }],
    });
    expect(other.body).toEqual({ _id: 'c', _rev: '1', a: 2, updates: 1 });
  });

  it('is also an action on an object, which takes no If-Match', async () => {
    await api('PUT', 'managed/thing/acted', { body: { a: 1 } });
    const operations = [{ operation: 'increment', field: '/a', value: 1 }];
    const patched = await api('POST', 'managed/thing/acted?_action=patch', { body: operations });
    expect([patched.status, patched.body]).toEqual([200, { _id: 'acted', _rev: '1', a: 2 }]);
    const selected = await api('POST', 'managed/thing/acted?_action=patch&_fields=b', { body: operations });
    expect(selected.body).toEqual({ _id: 'acted', _rev: '2' });
    const headers = { 'If-Match': '"2"' };
    expect(
      (await api('POST', 'managed/thing/acted?_action=patch', { body: operations, headers })).status,
    ).toBe(412);
    expect((await api('POST', 'managed/thing/none?_action=patch', { body: operations })).status).toBe(404);
  });

  it('is an action on the one object that a query finds', async () => {
    for (const [id, userName] of [
      ['q1', 'kim'],
      ['q2', 'lee'],
      ['q3', 'lee'],
    ]) {
      await api('PUT', `managed/thing/${id}`, { body: { userName } });
    }
    const body = [{ operation: 'add', field: '/seen', value: true }];
    const by = (query: string) => api('POST', `managed/thing?_action=patch&${query}`, { body });
    expect((await by('_queryId=for-userName&uid=kim')).body).toEqual({
      _id: 'q1',
      _rev: '1',
      userName: 'kim',
      seen: true,
    });
    const filter = (text: string) => `_queryFilter=${encodeURIComponent(text)}`;
    expect((await by(filter('userName eq "kim"'))).body._rev).toBe('1');
    expect((await by(filter('userName eq "none"'))).status).toBe(404);
    const ambiguous = await by(filter('userName eq "lee"'));
    expect([ambiguous.status, ambiguous.body.message]).toEqual([
      400,
      'The query finds more than one object to patch',
    ]);
    expect((await by('')).status).toBe(400);
    expect((await by('_queryId=for-userName')).status).toBe(400);
    expect((await api('GET', 'managed/thing/q2')).body._rev).toBe('0');
  });

  it('answers with what the script of a transform throws', async () => {
    await api('PUT', 'managed/thing/thrown', { body: { a: 1 } });
    const { status, body } = await api('PATCH', 'managed/thing/thrown', {
      body: [{ operation: 'transform', field: '/a', value: script('throw {code: 418, message: "short"}') }],
    });
    expect([status, body.message]).toEqual([418, 'short']);
  });

  it('is not for raw objects', async () => {
    await api('PUT', 'repo/thing/raw', { body: {} });
    expect((await api('PATCH', 'repo/thing/raw', { body: [] })).status).toBe(501);
  });
});
