import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BadRequestError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import { NO_PAGING, type Paging, parsePaging } from '#resource/query/paging.ts';
import { formatPageCookie, type PagedQuery, parsePageCookie } from '#resource/query/paging-cookie.ts';
import { applyQueryInMemory } from '#resource/query/paging-in-memory.ts';
import { parseQueryFilter } from '#resource/query/query-filter-parser.ts';
import { parseSortKeys, totalOrder } from '#resource/query/sort-key.ts';

const everything = parseQueryFilter('true');

describe('sort keys', () => {
  it('are pointers with an optional sign', () => {
    expect(parseSortKeys('userName,+age,-name/family, mail,/a%2Cb')).toEqual([
      { pointer: ['userName'], descending: false },
      { pointer: ['age'], descending: false },
      { pointer: ['name', 'family'], descending: true },
      { pointer: ['mail'], descending: false },
      { pointer: ['a,b'], descending: false },
    ]);
  });

  it.each(['', ',', 'a,', 'a,,b', '+', '-', '/', ' ', 'a%zz', 'a%00', '-a,-'])('answer 400 to %j', (text) => {
    expect(() => parseSortKeys(text)).toThrow(BadRequestError);
  });

  it('are limited in number', () => {
    expect(() => parseSortKeys(Array.from({ length: 17 }, (_, index) => `f${index}`).join())).toThrow(
      '17 sort keys',
    );
  });

  it('end with _id and hold nothing that cannot decide', () => {
    const names = (text: string) =>
      totalOrder(parseSortKeys(text)).map((key) => `${key.descending ? '-' : '+'}${key.pointer.join('/')}`);
    expect(names('a,-b')).toEqual(['+a', '-b', '+_id']);
    expect(names('a,-a,b')).toEqual(['+a', '+b', '+_id']);
    expect(names('a,-_id,b')).toEqual(['+a', '-_id']);
  });

  it('put numbers before strings before booleans before all else, and the reverse when descending', () => {
    const values = [-1, 0.5, 2, 10, '', '10', '2', 'Z', 'a', 'é', '\uffff', '😀', false, true];
    const objects: JsonObject[] = values.map((v, index) => ({ _id: `v${index}`, v }));
    const last: JsonObject[] = [
      { _id: 'w1', v: null },
      { _id: 'w2' },
      { _id: 'w3', v: ['a'] },
      { _id: 'w4', v: { a: 1 } },
    ];
    const shuffled = [...last, ...objects].toReversed();
    const sorted = (keys: string) =>
      applyQueryInMemory(shuffled, { scope: '', filter: everything, sortKeys: parseSortKeys(keys) }).rows;
    expect(sorted('v')).toEqual([...objects, ...last]);
    expect(sorted('-v')).toEqual([...last, ...objects.toReversed()]);
  });
});

describe('paging parameters', () => {
  it('mean no paging without a page size', () => {
    expect(parsePaging({})).toEqual(NO_PAGING);
    for (const _pageSize of ['0', '-5', 0]) {
      const ignored = { _pagedResultsOffset: '5', _totalPagedResultsPolicy: 'EXACT' };
      expect(parsePaging({ _pageSize, ...ignored })).toEqual(NO_PAGING);
    }
  });

  it('are integers of 32 bits, and the policy is read in any case', () => {
    expect(
      parsePaging({ _pageSize: '10', _pagedResultsOffset: '20', _totalPagedResultsPolicy: 'exact' }),
    ).toEqual({ pageSize: 10, offset: 20, totalPolicy: 'EXACT' });
    expect(parsePaging({ _pageSize: 10, _pagedResultsCookie: 'abc' })).toEqual({
      pageSize: 10,
      offset: 0,
      cookie: 'abc',
      totalPolicy: 'NONE',
    });
  });

  it.each([
    { _pageSize: 'x' },
    { _pageSize: '1.5' },
    { _pageSize: '' },
    { _pageSize: '2147483648' },
    { _pagedResultsOffset: '1e3' },
    { _totalPagedResultsPolicy: 'SOME' },
    { _pageSize: '1', _pagedResultsOffset: '1', _pagedResultsCookie: 'x' },
  ])('answer 400 to %j', (parameters) => {
    expect(() => parsePaging(parameters)).toThrow(BadRequestError);
  });

  it('allow an empty offset beside a cookie', () => {
    expect(parsePaging({ _pageSize: '1', _pagedResultsOffset: '0', _pagedResultsCookie: 'x' }).cookie).toBe(
      'x',
    );
  });
});

describe('a page cookie', () => {
  const query: PagedQuery = {
    scope: 'managed/user',
    filter: parseQueryFilter('a eq 1'),
    order: totalOrder(parseSortKeys('-a,b')),
  };

  it('holds the sort tuple', () => {
    const tuple = ['x\u{1f600}', null, 'id'];
    const cookie = formatPageCookie(query, tuple);
    expect(cookie).toMatch(/^[\w-]+$/);
    expect(parsePageCookie(query, cookie)).toEqual({ kind: 'after', tuple });
  });

  it('may be an integer, which is an offset', () => {
    expect(parsePageCookie(query, '20')).toEqual({ kind: 'offset', offset: 20 });
  });

  const forged = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const print = JSON.parse(Buffer.from(formatPageCookie(query, [1, 2, 'i']), 'base64url').toString())[0];

  it.each([
    ['damaged', '%%%'],
    ['empty JSON', forged({})],
    ['a negative offset', '-1'],
    ['a huge offset', '99999999999'],
    ['without a tuple', forged([print])],
    ['with a short tuple', forged([print, 'id'])],
    ['with a long tuple', forged([print, 1, 2, 3, 'id'])],
    ['with an object', forged([print, {}, 2, 'id'])],
    ['with an array', forged([print, [1], 2, 'id'])],
    ['without an id', forged([print, 1, 2, null])],
    ['with a character that cannot be stored', forged([print, 'a\0', 2, 'id'])],
    ['of another filter', formatPageCookie({ ...query, filter: parseQueryFilter('a eq 2') }, [1, 2, 'i'])],
    [
      'of another order',
      formatPageCookie({ ...query, order: totalOrder(parseSortKeys('a,b')) }, [1, 2, 'i']),
    ],
    ['of another collection', formatPageCookie({ ...query, scope: 'managed/role' }, [1, 2, 'i'])],
  ])('is refused when it is %s', (_why, cookie) => {
    expect(() => parsePageCookie(query, cookie)).toThrow('Invalid paged results cookie');
  });

  it('is read or refused, whatever it is', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json().map((json) => Buffer.from(json).toString('base64url')),
        ),
        (text) => {
          try {
            parsePageCookie(query, text);
          } catch (error) {
            expect(error).toBeInstanceOf(BadRequestError);
          }
        },
      ),
    );
  });
});

describe('a query in memory', () => {
  const objects: JsonObject[] = Array.from({ length: 14 }, (_, index) => ({
    _id: `i${String(index).padStart(2, '0')}`,
    group: index % 3,
  }));
  const page = (paging: Partial<Paging>, filter = everything) =>
    applyQueryInMemory(objects, { scope: 's', filter, paging: { ...NO_PAGING, ...paging } });

  it('gives all rows without a page size, and counts nothing', () => {
    const { rows, cookie, total } = page({ offset: 5, totalPolicy: 'EXACT' });
    expect([rows.length, cookie, total]).toEqual([14, null, -1]);
  });

  it('counts when asked to, and an estimate is exact', () => {
    expect(page({ pageSize: 2, totalPolicy: 'EXACT' }).total).toBe(14);
    expect(page({ pageSize: 2, totalPolicy: 'ESTIMATE' }, parseQueryFilter('group eq 0')).total).toBe(5);
    expect(page({ pageSize: 2 }).total).toBe(-1);
  });

  it('skips rows by offset and by an integer cookie', () => {
    expect(page({ pageSize: 2, offset: 3 }).rows).toEqual(objects.slice(3, 5));
    expect(page({ pageSize: 2, cookie: '3' }).rows).toEqual(objects.slice(3, 5));
    expect(page({ pageSize: 2, offset: 50 })).toMatchObject({ rows: [], cookie: null });
  });

  it('ends with a null cookie and no empty page', () => {
    expect(page({ pageSize: 14 }).cookie).toBeNull();
    expect(page({ pageSize: 7, offset: 7 }).cookie).toBeNull();
    expect(page({ pageSize: 13 }).cookie).not.toBeNull();
  });

  it('visits each object once, page by page, whatever the sizes, also when rows go away', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ a: fc.constantFrom(1, 2, 'x', true, null), b: fc.integer({ max: 2, min: 0 }) })),
        fc.constantFrom('a', '-a', 'b,-a', '-b', '_id', '-_id'),
        fc.integer({ min: 1, max: 5 }),
        (values, keys, pageSize) => {
          const all: JsonObject[] = values.map((value, index) => ({ ...value, _id: `i${index}` }));
          const sortKeys = parseSortKeys(keys);
          const query = { scope: 's', filter: everything, sortKeys };
          const visited: JsonObject[] = [];
          let remaining = all;
          let cookie: string | null = null;
          do {
            const paging: Paging = { ...NO_PAGING, pageSize, ...(cookie === null ? {} : { cookie }) };
            const next = applyQueryInMemory(remaining, { ...query, paging });
            visited.push(...next.rows);
            cookie = next.cookie;
            remaining = remaining.filter((object) => !next.rows.includes(object));
          } while (cookie !== null);
          expect(visited).toEqual(applyQueryInMemory(all, query).rows);
        },
      ),
    );
  });
});
