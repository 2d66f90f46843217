import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Api } from '../support/api.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const OBJECTS: Readonly<Record<string, object>> = {
  a: {
    userName: 'jdoe',
    name: { given: 'John' },
    age: 42,
    active: true,
    tags: ['vip', 'x'],
    accountStatus: 'active',
  },
  b: {
    userName: 'Jane',
    name: { given: 'Jane' },
    age: 7,
    active: false,
    tags: [],
    accountStatus: 'inactive',
  },
  c: { userName: 'say "hi"', age: '42', tags: ['100%', '_'], note: null },
  d: { userName: "it's", 'odd/key': 1, 'a b': 'spaced', sizes: [3, 10], back: 'a\\b', score: 1.5 },
  e: { userName: '', age: 100, deep: { list: [{ in: 'never' }], more: { x: 'y' } } },
};

/** A filter, and the ids of what it finds. */
const FOUND: readonly [string, string][] = [
  ['true', 'abcde'],
  ['false', ''],
  ['userName eq "jdoe"', 'a'],
  ["userName eq 'jdoe'", 'a'],
  ['USERNAME eq "jdoe"', ''],
  ['userName EQ "jdoe" OR userName Eq "Jane"', 'ab'],
  ['userName eq "JDOE"', ''],
  ['/userName eq "jdoe"', 'a'],
  ['/userName/ eq "jdoe"', 'a'],
  ['userName eq "say \\"hi\\""', 'c'],
  ['userName eq \'say "hi"\'', 'c'],
  ["userName eq 'it\\'s'", 'd'],
  ['back eq "a\\\\b"', 'd'],
  ['userName eq ""', 'e'],
  ['userName co "oe"', 'a'],
  ['userName sw "J"', 'b'],
  ['userName ew "e"', 'ab'],
  ['userName gt "j"', 'ac'],
  ['userName ge "it\'s" and userName le "jdoe"', 'ad'],
  ['userName in ["jdoe", "Jane"]', 'ab'],
  ['age in [7, "42"]', 'bc'],
  ['name/given eq "John"', 'a'],
  ['name/given pr', 'ab'],
  ['note pr', ''],
  ['!(note pr)', 'abcde'],
  ['nothing/at/all eq 1', ''],
  ['!(nothing eq 1)', 'abcde'],
  ['! (age pr)', 'd'],
  ['!(!(age pr))', 'abce'],
  ['age eq 42', 'a'],
  ['age eq "42"', 'c'],
  ['age eq 42.0', 'a'],
  ['age gt 10', 'ae'],
  ['age ge 42 and age lt 1000', 'ae'],
  ['score eq 1.5', 'd'],
  ['score lt -1', ''],
  ['active eq true', 'a'],
  ['active eq false', 'b'],
  ['!(active eq true)', 'bcde'],
  ['tags eq "vip"', 'a'],
  ['tags sw "v"', 'a'],
  ['tags co "%"', 'c'],
  ['tags sw "_"', 'c'],
  ['tags eq "%"', ''],
  ['sizes gt 5', 'd'],
  ['tags pr', 'abc'],
  ['odd%2Fkey eq 1', 'd'],
  ['a%20b eq "spaced"', 'd'],
  ['deep/more/x eq "y"', 'e'],
  ['deep/list/0/in eq "never"', 'e'],
  ['_id eq "c"', 'c'],
  ['_id gt "c"', 'de'],
  ['_rev eq "0"', 'abcde'],
  ['active eq true or active eq false and age eq 7', 'ab'],
  ['(active eq true or active eq false) and age eq 7', 'b'],
  ['!(active eq true) and userName sw "J"', 'b'],
];

/** Filters that are wrong, with a word of what is said of them. */
const WRONG: readonly [string, RegExp][] = [
  ['', /empty|missing/],
  ['userName', /operator|end/],
  ['userName eq', /value/],
  ['userName eq jdoe', /value/],
  ['userName eq null', /null/],
  ['userName eq "jdoe', /quot/],
  ['userName eq "jdoe\\', /quot|backslash/],
  ['"userName" eq "jdoe"', /quote|field/],
  ['userName xx "jdoe"', /xx/],
  ['userName in "jdoe"', /in/],
  ['true true', /./],
  ['(true', /\)/],
  ['true)', /./],
  ['true and', /./],
  ['and true', /./],
  ['!!true', /./],
  ['age eq 1e5', /1e5/],
  ['%zz eq 1', /%zz/],
  ['userName\teq\t"jdoe"', /./],
];

/** Text that would do something if it ever became part of a statement. */
const HOSTILE = [
  "'; drop table managed_object; --",
  '"; drop table managed_object; --',
  "' or '1'='1",
  '$1',
  ':name',
  "\\'; select 1; --",
  '%',
  '_',
  "E'\\x41'",
  '$' + '{uid}',
  '{"a":1}',
  "a' collate \"C\" is not null or 'a'='a",
];

/** Filters, sort keys and queries by name, asked over HTTP. */
describe('a query', () => {
  let server: TestServer;
  let api: Api;

  beforeAll(async () => {
    server = await startTestServer({
      files: {
        'conf/managed.json': { objects: [{ name: 'thing' }, { name: 'typed', schema: SCHEMA }] },
        'conf/repo.json': {
          queries: {
            grown: { _queryFilter: 'age ge $' + '{int:least} and active eq $' + '{boolean:active}' },
          },
        },
      },
    });
    api = server.api;
    for (const [id, body] of Object.entries(OBJECTS)) await api('PUT', `managed/thing/${id}`, { body });
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  const ask = (query: Record<string, string>, type = 'thing') =>
    api('GET', `managed/${type}?${new URLSearchParams(query)}`);
  const ids = (answer: { body: { result: { _id: string }[] } }) =>
    answer.body.result.map(({ _id }) => _id).join('');

  it.each(FOUND)('by %s finds %j', async (filter, found) => {
    expect(ids(await ask({ _queryFilter: filter, _sortKeys: '_id' }))).toBe(found);
  });

  it.each(WRONG)('by %j is refused, and told where it is wrong', async (filter, message) => {
    const { status, body } = await ask({ _queryFilter: filter });
    expect([status, body.reason]).toEqual([400, 'Bad Request']);
    expect(JSON.stringify(body)).toMatch(message);
  });

  it('is refused when it is nested too deep or too long', async () => {
    const deep = await ask({ _queryFilter: `${'!('.repeat(300)}true${')'.repeat(300)}` });
    expect([deep.status, deep.body.message]).toEqual([400, expect.stringMatching(/256 levels/)]);
    const long = await ask({ _queryFilter: `a eq "${'x'.repeat(20_000)}"` });
    expect(long.status).toBe(414);
  });

  it.each(HOSTILE)(
    'takes %j as a value, a field, a sort key and a parameter, and never as a command',
    async (text) => {
      const quoted = `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
      const pointer = encodeURIComponent(text).replace(
        /[()!'*]/g,
        (letter) => `%${letter.charCodeAt(0).toString(16)}`,
      );
      await api('PUT', 'managed/thing/z', { body: { userName: text, [text]: 'here' } });
      try {
        for (const type of ['thing', 'typed']) {
          await api('PUT', 'managed/typed/z', { body: { userName: text } });
          expect(ids(await ask({ _queryFilter: `userName eq ${quoted}` }, type))).toBe('z');
          expect(
            ids(await ask({ _queryFilter: `userName sw ${quoted} and userName ew ${quoted}` }, type)),
          ).toBe('z');
          expect(ids(await ask({ _queryFilter: `userName in [${JSON.stringify(text)}]` }, type))).toBe('z');
          expect(ids(await ask({ _queryId: 'for-userName', uid: text }, type))).toBe('z');
        }
        expect(ids(await ask({ _queryFilter: `${pointer} eq "here"` }))).toBe('z');
        expect(ids(await ask({ _queryFilter: `${pointer}/x pr` }))).toBe('');
        expect(ids(await ask({ _queryFilter: 'true', _sortKeys: pointer }))).toBe('zabcde');
        expect(ids(await ask({ _queryId: 'get-by-field-value', field: pointer, value: 'here' }))).toBe('z');
      } finally {
        await api('DELETE', 'managed/thing/z');
      }
      expect(ids(await ask({ _queryFilter: 'true' }))).toBe('abcde');
    },
  );

  it('sorts numbers as numbers, then texts, then truth values, and what is missing last', async () => {
    expect(ids(await ask({ _queryFilter: 'true', _sortKeys: 'age' }))).toBe('baecd');
    expect(ids(await ask({ _queryFilter: 'true', _sortKeys: '-age' }))).toBe('dceab');
    expect(ids(await ask({ _queryFilter: 'true', _sortKeys: '+active,-_id' }))).toBe('baedc');
    expect(ids(await ask({ _queryFilter: 'true', _sortKeys: '/name/given' }))).toBe('bacde');
    expect((await ask({ _queryFilter: 'true', _sortKeys: 'age,' })).status).toBe(400);
    expect((await ask({ _queryFilter: 'true', _sortKeys: '-' })).status).toBe(400);
  });

  it('gives every object once, page by page, whatever the size of a page', async () => {
    for (const size of [1, 2, 3, 5, 6]) {
      let seen = '';
      let cookie: string | null = '';
      while (cookie !== null) {
        const page = await ask({
          _queryFilter: 'true',
          _sortKeys: '-age',
          _pageSize: String(size),
          ...(cookie === '' ? {} : { _pagedResultsCookie: cookie }),
        });
        seen += ids(page);
        expect(page.body.resultCount).toBe(page.body.result.length);
        cookie = page.body.pagedResultsCookie;
      }
      expect(seen).toBe('dceab');
    }
  });

  it('refuses a cookie of another query', async () => {
    const first = await ask({ _queryFilter: 'true', _pageSize: '1' });
    const cookie = { _pageSize: '1', _pagedResultsCookie: first.body.pagedResultsCookie };
    for (const query of [
      { _queryFilter: 'age pr', ...cookie },
      { _queryFilter: 'true', _sortKeys: 'age', ...cookie },
    ]) {
      const refused = await ask(query);
      expect([refused.status, refused.body.message]).toEqual([400, 'Invalid paged results cookie']);
    }
  });

  it('by name finds what it says', async () => {
    expect(ids(await ask({ _queryId: 'query-all' }))).toBe('abcde');
    const rows = await ask({ _queryId: 'query-all-ids', _pageSize: '2', _totalPagedResultsPolicy: 'EXACT' });
    expect(rows.body).toMatchObject({
      result: [
        { _id: 'a', _rev: '0' },
        { _id: 'b', _rev: '0' },
      ],
      totalPagedResultsPolicy: 'EXACT',
      totalPagedResults: 5,
      remainingPagedResults: -1,
    });
    expect(Object.keys(rows.body.result[0])).toEqual(['_id', '_rev']);
    expect(ids(await ask({ _queryId: 'for-userName', uid: 'jdoe' }))).toBe('a');
    expect(ids(await ask({ _queryId: 'get-by-field-value', field: 'accountStatus', value: 'active' }))).toBe(
      'a',
    );
    expect(ids(await ask({ _queryId: 'credential-query', username: 'jdoe' }))).toBe('a');
    expect(ids(await ask({ _queryId: 'credential-query', username: 'Jane' }))).toBe('');
    expect(ids(await ask({ _queryId: 'credential-internaluser-query', username: 'b' }))).toBe('b');
    expect(ids(await ask({ _queryId: 'grown', least: '8', active: 'true' }))).toBe('a');
  });

  it.each<[Record<string, string>, RegExp]>([
    [{ _queryId: 'querry-all' }, /query-all/],
    [{ _queryId: 'for-userName' }, /uid/],
    [{ _queryId: 'get-by-field-value', field: '', value: 'x' }, /field/],
    [{ _queryId: 'grown', least: 'ten', active: 'true' }, /ten/],
    [{ _queryId: 'grown', least: '10', active: 'perhaps' }, /perhaps/],
  ])('by name with %j is refused', async (query, message) => {
    const { status, body } = await ask(query);
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toMatch(message);
  });
});

/** Properties of a known type are compared by other SQL, which an index can serve. */
const SCHEMA = { properties: { userName: { type: 'string', searchable: true }, age: { type: 'number' } } };
