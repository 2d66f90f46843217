import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '#database/index.ts';
import { findNamesake } from '#managed/relationship/target-repository.ts';
import type { Observation } from '#observability/index.ts';
import { listMisjudged } from '#repo/count-repository.ts';
import { findByPrefix, IndexKeeper, queryObjects, wantedIndexes } from '#repo/index.ts';
import type { IndexedType } from '#repo/wanted-indexes.ts';
import {
  type Comparison,
  compilePredefinedQuery,
  NO_PAGING,
  parsePath,
  parseQueryFilter,
  parseSortKeys,
  type QueryFilter,
} from '#resource/index.ts';
import { applyQueryInMemory } from '#resource/query/paging-in-memory.ts';
import { matchesFilter } from '#resource/query/query-filter-match.ts';
import { createMigratedDatabase } from '../support/migrated-database.ts';
import { plansOf } from '../support/plans-of.ts';
import { statementsOf } from '../support/workflow-core.ts';

const OBJECTS = 60_000;

const USER: IndexedType = {
  name: 'user',
  properties: {
    userName: { type: 'string' },
    sn: { type: 'string', searchable: true },
    age: { type: 'number', searchable: true },
    tags: { type: 'array', searchable: true },
    mail: { type: 'string' },
    note: { type: 'string' },
  },
  propertyTypes: new Map([
    ['/userName', 'string'],
    ['/sn', 'string'],
    ['/age', 'number'],
    ['/tags', 'array'],
    ['/mail', 'string'],
    ['/note', 'string'],
  ]),
};

const KNOWN = { types: USER.propertyTypes, indexed: new Set(['userName', 'sn', 'age']) };
const STORE = { table: 'managed_object', type: 'user' } as const;

const QUERIES = new Map([['by-mail', compilePredefinedQuery('mail eq "x"')]]);

describe('indexes on properties', () => {
  let database: Database & AsyncDisposable;
  let wanted = wantedIndexes([USER], QUERIES);
  const observations: Observation[] = [];

  const keeper = () =>
    new IndexKeeper({
      database,
      wanted: () => wanted,
      observe: (observation) => observations.push(observation),
    });

  beforeAll(async () => {
    database = await createMigratedDatabase();
    await sql`
      insert into managed_object (type, id, data)
      select case when n % 10 = 0 then 'device' else 'user' end, 'u' || n, jsonb_build_object(
        'userName', 'user' || n, 'sn', 'sn' || (n % 5000), 'age', n % 90, 'mail', 'm' || n || '@example.com',
        'note', 'note ' || n, 'tags', jsonb_build_array('t' || (n % 700), 'all'))
      from generate_series(1, ${OBJECTS}) n`.execute(database.db);
    await keeper().runOnce();
  });
  afterAll(() => database?.[Symbol.asyncDispose]());

  const there = async () =>
    (
      await sql<{
        property: string;
        method: string;
      }>`select property, method from svc_index order by 1`.execute(database.db)
    ).rows;

  /** The plan of a query, as the server would send it. */
  async function planOf(filter: string, sortKeys: string, pageSize: number, isKept = false): Promise<string> {
    const request = {
      path: parsePath('managed/user'),
      sortKeys: sortKeys === '' ? [] : parseSortKeys(sortKeys),
      paging: { ...NO_PAGING, pageSize },
    };
    const plain = { filter: parseQueryFilter(filter), idsOnly: false };
    return plansOf(database, () => queryObjects(database.db, STORE, request, plain, KNOWN), isKept);
  }

  it('are made for searchable properties and for what queries by name ask for, and for nothing else', async () => {
    expect(await there()).toEqual([
      { property: '/age', method: 'btree' },
      { property: '/mail', method: 'btree' },
      { property: '/sn', method: 'btree' },
      { property: '/tags', method: 'gin' },
      { property: '/userName', method: 'btree' },
    ]);
  });

  it.each<[string, string, string, number?]>([
    ['an equality', 'userName eq "user77"', ''],
    ['a prefix', 'userName sw "user5999"', ''],
    ['a range of numbers', 'age gt 88', 'age'],
    ['a range of texts', 'sn ge "sn4999" and sn lt "sn5"', ''],
    ['one of several values', 'mail in ["m1@example.com", "m3@example.com"]', ''],
    // A page of a few rows is cheaper in the order of ids, the planner thinks: it cannot know how rare an element is.
    ['an element of an array', 'tags eq "t33"', '', 0],
    ['a sort key', 'true', '-sn'],
    ['an equality beside something else', 'userName eq "user77" and !(note sw "x")', ''],
  ])('serve %s', async (_title, filter, sortKeys, pageSize = 20) => {
    expect(await planOf(filter, sortKeys, pageSize)).toMatch(/managed_[0-9a-f]{20}_auto/);
  });

  it.each([
    ['userName eq "user77" or mail eq "m77@example.com"', 1, 1],
    ['userName eq "user77" or sn eq "sn77"', 1, 12],
  ])('serve %s in a plan that is kept, too: how few have one value is known', async (filter, ...expected) => {
    const plan = await planOf(filter, '', 20, true);
    const scans = plan.matchAll(/Bitmap Index Scan on managed_[0-9a-f]{20}_auto .*? rows=(\d+)/g);
    // Without statistics a 200th of all, for which a page in the order of ids seems cheaper among a million.
    expect([...scans].map(([, rows]) => Math.round(Number(rows) / 10))).toEqual(
      expected.map((rows) => Math.round(rows / 10)),
    );
  });

  it('serve a search by prefix, a range of one for each property and spelling', async () => {
    const found = () => findByPrefix(database.db, USER, ['userName', 'sn'], ['user59', 'sn49'], 6);
    const plan = await plansOf(database, found);
    const scans = plan.match(/Index Scan using managed_[0-9a-f]{20}_auto/g);
    expect([scans?.length, /Seq Scan|Bitmap/.test(plan)]).toEqual([4, false]);
    expect((await found()).map(({ property }) => property)).toEqual(Array(6).fill('userName'));
  });

  it('answer look-ups that come together with one statement, each as if it came alone', async () => {
    const ask = (known: typeof KNOWN, filter: string, pageSize: number) =>
      queryObjects(
        database.db,
        STORE,
        { path: parsePath('managed/user'), sortKeys: [], paging: { ...NO_PAGING, pageSize } },
        { filter: parseQueryFilter(filter), idsOnly: false },
        known,
      );
    const names = ['user77', 'user78', 'user77', 'user80', 'nobody', "o'$1", 'user70'];
    const asked: [string, number][] = [
      ...names.map((name): [string, number] => [`userName eq "${name}"`, 5]),
      ...[7, 8].flatMap((n): [string, number][] => [2, 9, 20].map((size) => [`sn eq "sn${n}"`, size])),
      ['age eq 7', 3],
      ['age eq "7"', 3],
    ];
    const alone: Awaited<ReturnType<typeof ask>>[] = [];
    for (const [filter, size] of asked) alone.push(await ask({ ...KNOWN, indexed: new Set() }, filter, size));
    const statements = await statementsOf(async () => {
      expect(await Promise.all(asked.map(([filter, size]) => ask(KNOWN, filter, size)))).toEqual(alone);
    });
    // One for each property and size of a page.
    expect(statements.filter((text) => text.includes('as asked'))).toHaveLength(4);
    expect(alone.map(({ rows }) => rows.length)).toEqual([1, 1, 1, 0, 0, 0, 0, 2, 9, 12, 2, 9, 12, 3, 0]);
    expect(alone.map(({ cookie }) => cookie !== null)).toContain(true);
  });

  it('answer look-ups of all that have a value together while these are few, and then each alone', async () => {
    const ask = (known: typeof KNOWN, filter: string) =>
      queryObjects(
        database.db,
        STORE,
        { path: parsePath('managed/user'), sortKeys: [], paging: NO_PAGING },
        { filter: parseQueryFilter(filter), idsOnly: false },
        known,
      );
    // What is known of forms is kept by the types.
    const known = { ...KNOWN, types: new Map(KNOWN.types) };
    const askAll = (...filters: string[]) =>
      statementsOf(async () => {
        const alone = await Promise.all(
          filters.map((filter) => ask({ ...KNOWN, indexed: new Set() }, filter)),
        );
        expect(await Promise.all(filters.map((filter) => ask(known, filter)))).toEqual(alone);
      });
    const together = (statements: readonly string[]) =>
      statements.filter((text) => text.includes('as asked')).length;
    expect(together(await askAll('userName eq "user77"', 'userName eq "user78"'))).toBe(1);
    expect(together(await askAll('sn eq "sn7"', 'sn eq "nobody"'))).toBe(1);
    expect(together(await askAll('sn eq "sn7"', 'sn eq "sn8"'))).toBe(0);
    expect(together(await askAll('userName eq "user79"'))).toBe(1);
  });

  it('are taken for a young type beside a large one, too, once somebody has looked how much there is of it', async () => {
    const before = wanted;
    // Statistics that come by themselves would end what has to be found.
    await sql`alter table managed_object set (autovacuum_enabled = off)`.execute(database.db);
    wanted = wantedIndexes([USER, { ...USER, name: 'young' }], QUERIES);
    const own = keeper();
    await own.runOnce();
    await sql`insert into managed_object (type, id, data)
      select 'young', 'y' || n, jsonb_build_object('userName', 'user' || n) from generate_series(1, 3000) n`.execute(
      database.db,
    );
    const plan = () =>
      plansOf(database, () =>
        queryObjects(
          database.db,
          { ...STORE, type: 'young' },
          { path: parsePath('managed/young'), sortKeys: [], paging: NO_PAGING },
          { filter: parseQueryFilter('userName eq "user77"'), idsOnly: false },
          KNOWN,
        ),
      );
    // Which index is taken for the one object that is expected is as it happens.
    expect(await listMisjudged(database.db, ['young'])).toEqual(['young']);
    await own.runOnce();
    expect(await listMisjudged(database.db, ['young'])).toEqual([]);
    expect(await plan()).toMatch(/Scan using managed_[0-9a-f]{20}_auto/);
    await sql`delete from managed_object where type = 'young'`.execute(database.db);
    await sql`alter table managed_object reset (autovacuum_enabled)`.execute(database.db);
    wanted = before;
    await keeper().runOnce();
  });

  it('are not needed for pages of all objects, which are planned once and not for each page', async () => {
    await using scope = new AsyncDisposableStack();
    const preparing = openDatabase({ url: database.url, poolSize: 1, prepares: true });
    scope.defer(() => preparing.close());
    const pages = async (size: number, times: number) => {
      let cookie: string | undefined;
      const seen: string[] = [];
      for (let page = 0; page < times; page += 1) {
        const paging = { ...NO_PAGING, pageSize: size, ...(cookie === undefined ? {} : { cookie }) };
        const request = { path: parsePath('managed/user'), sortKeys: [], paging };
        const all = { filter: parseQueryFilter('true'), idsOnly: false };
        const { rows, cookie: next } = await queryObjects(preparing.db, STORE, request, all, KNOWN);
        seen.push(...rows.map(({ id }) => id));
        cookie = next ?? undefined;
      }
      return seen;
    };
    const seen = await pages(20, 15);
    expect([seen.length, new Set(seen).size, seen.toSorted()]).toEqual([300, 300, seen]);
    const { rows } = await preparing.pool.query(
      "select generic_plans::int as kept from pg_prepared_statements where statement like '%limit 21%'",
    );
    // The first three are not prepared, and five more are planned to compare with.
    expect(rows).toEqual([{ kept: 15 - 1 - 3 - 5 }]);
  });

  describe('of long texts', () => {
    // By chance, or it would be packed until it fits into any index.
    const noise = Array.from({ length: 4_000 }, (_, n) =>
      createHash('sha256').update(`${n}`).digest('hex'),
    ).join('');
    const long = (end: string) => noise.slice(0, 100_000) + end;
    const wide = (end: string) => '\u{1f600}'.repeat(500) + end;
    const TEXTS: readonly [string, string][] = [
      ['long-a', long('a')],
      ['long-b', long('b')],
      ['long-', long('')],
      ['wide-a', wide('a')],
      ['wide-', wide('')],
      ['exact', noise.slice(0, 500)],
      ['less', noise.slice(0, 499)],
    ];
    beforeAll(async () => {
      for (const [id, text] of TEXTS) {
        await sql`insert into managed_object (type, id, data)
          values ('user', ${id}, jsonb_build_object('sn', ${text}::text))`.execute(database.db);
      }
    });
    afterAll(() =>
      sql`delete from managed_object where id in (${sql.join(TEXTS.map(([id]) => id))})`.execute(database.db),
    );

    const find = async (filter: QueryFilter, sortKeys = '', cookie?: string) =>
      queryObjects(
        database.db,
        STORE,
        {
          path: parsePath('managed/user'),
          sortKeys: sortKeys === '' ? [] : parseSortKeys(sortKeys),
          paging: { ...NO_PAGING, pageSize: 3, ...(cookie === undefined ? {} : { cookie }) },
        },
        { filter: { kind: 'and', filters: [filter, NOT_THE_OTHERS] }, idsOnly: false },
        KNOWN,
      );
    const NOT_THE_OTHERS = parseQueryFilter('!(userName pr)');
    const compare = (operator: Comparison, value: string): QueryFilter => ({
      kind: 'compare',
      pointer: ['sn'],
      operator,
      value,
    });
    const all = async (filter: QueryFilter, sortKeys: string) => {
      const ids: string[] = [];
      for (let cookie: string | null | undefined; cookie !== null; ) {
        const page: Awaited<ReturnType<typeof find>> = await find(filter, sortKeys, cookie);
        ids.push(...page.rows.map(({ id }) => id));
        cookie = page.cookie;
      }
      return ids;
    };

    it.each<Comparison>(['eq', 'sw', 'co', 'ew', 'lt', 'le', 'gt', 'ge'])(
      '%s finds what it finds in memory',
      async (operator) => {
        for (const [, value] of [
          ...TEXTS,
          ['', long('c')],
          ['', noise.slice(0, 501)],
          ['', wide('b')],
          ['', noise.slice(0, 100)],
        ] as const) {
          // What is looked for anywhere in a text is short.
          const filter = compare(operator, operator === 'co' ? [...value].slice(-500).join('') : value);
          const matches = TEXTS.filter(([, sn]) => matchesFilter(filter, { sn })).map(([id]) => id);
          expect((await all(filter, '')).sort(), value.slice(-3)).toEqual(matches.sort());
        }
      },
    );

    it('is one of several, of which each is the whole text', async () => {
      const filter: QueryFilter = {
        kind: 'in',
        pointer: ['sn'],
        values: [long('a'), long('x'), wide(''), noise.slice(0, 499)],
      };
      expect((await all(filter, '')).sort()).toEqual(['less', 'long-a', 'wide-']);
    });

    it.each(['sn', '-sn'])(
      'sorts and pages by %s as memory does, with cookies that fit into a URL',
      async (sortKeys) => {
        const objects = TEXTS.map(([_id, sn]) => ({ _id, sn }));
        const sorted = applyQueryInMemory(objects, {
          scope: '',
          filter: parseQueryFilter('true'),
          sortKeys: parseSortKeys(sortKeys),
        }).rows.map(({ _id }) => _id);
        expect(await all(parseQueryFilter('true'), sortKeys)).toEqual(sorted);
        expect((await find(parseQueryFilter('true'), sortKeys)).cookie!.length).toBeLessThan(4_000);
      },
    );

    it('are looked for in an index', async () => {
      const value = noise.slice(0, 60_000);
      expect(await planOf(`sn eq "${value}"`, '', 20)).toMatch(/managed_[0-9a-f]{20}_auto/);
      expect(await planOf(`sn sw "${value}"`, '', 20)).toMatch(/managed_[0-9a-f]{20}_auto/);
    });
  });

  it('find the role whose id is another one but for the case of its letters, however many there are', async () => {
    const before = wanted;
    await sql`insert into managed_object (type, id, data)
      select 'role', 'Role' || n, '{}' from generate_series(1, 20000) n`.execute(database.db);
    const role = { name: 'role', properties: {}, propertyTypes: new Map() };
    wanted = [...before, ...wantedIndexes([role], new Map(), new Map([['role', [['_id']]]]))];
    await keeper().runOnce();
    expect(await there()).toContainEqual({ property: '/_id', method: 'btree' });
    const find = () => findNamesake(database.db, 'role', 'rOLE777');
    expect(await find()).toBe('Role777');
    for (const isKept of [false, true]) {
      const plan = await plansOf(database, find, isKept);
      expect(plan).toMatch(/managed_[0-9a-f]{20}_auto/);
      expect(plan).not.toMatch(/Seq Scan|managed_object_pkey/);
    }
    expect(await findNamesake(database.db, 'role', 'Role777')).toBeUndefined();
    wanted = before;
    await keeper().runOnce();
    await sql`delete from managed_object where type = 'role'`.execute(database.db);
  });

  it('are dropped when no longer wanted, made anew when broken, and left alone otherwise', async () => {
    const before = observations.length;
    await keeper().runOnce();
    expect(observations).toHaveLength(before);
    const [userName] = wanted.filter(({ property }) => property === '/userName');
    await sql`update pg_index set indisvalid = false where indexrelid = ${userName!.name}::regclass`.execute(
      database.db,
    );
    wanted = wantedIndexes(
      [{ ...USER, properties: { userName: {}, sn: { searchable: 'true' } } }],
      new Map(),
    );
    await keeper().runOnce();
    expect((await there()).map(({ property }) => property)).toEqual(['/sn', '/userName']);
    expect(observations.at(-1)).toEqual({ kind: 'index.created', type: 'user', property: '/userName' });
  });

  it('are built by one of several nodes', async () => {
    wanted = wantedIndexes([USER], QUERIES);
    const before = observations.length;
    await Promise.all([keeper().runOnce(), keeper().runOnce(), keeper().runOnce()]);
    while ((await there()).length < 5) await keeper().runOnce();
    expect(observations.length - before).toBe(3);
  });
});
