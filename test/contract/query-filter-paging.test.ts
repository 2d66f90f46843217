import fc from 'fast-check';
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BadRequestError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import { filterSql } from '#repo/filter-sql.ts';
import { propertyIndex } from '#repo/filter-sql-index.ts';
import { objectTable, type QueryTable } from '#repo/filter-sql-table.ts';
import { cutPage, pageSql } from '#repo/keyset-page.ts';
import { NO_PAGING } from '#resource/query/paging.ts';
import { type PagedQuery, parsePageCookie } from '#resource/query/paging-cookie.ts';
import { applyQueryInMemory } from '#resource/query/paging-in-memory.ts';
import { parseQueryFilter } from '#resource/query/query-filter-parser.ts';
import { parseSortKeys, type SortKey, totalOrder } from '#resource/query/sort-key.ts';
import { runs } from '../support/long.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { data, PROPERTY_TYPES, sortKeys } from './query-filter-arbitrary.ts';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let db: Kysely<unknown>;

beforeAll(async () => {
  database = await createTestDatabase();
  db = new Kysely({
    dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: database.url }) }),
  });
});
afterAll(async () => {
  await db.destroy();
  await database[Symbol.asyncDispose]();
});

const everything = parseQueryFilter('true');

function pagedQuery(keys: readonly SortKey[]): PagedQuery {
  return { scope: 'managed/thing', filter: everything, order: totalOrder(keys) };
}

function pageStatement(query: PagedQuery, table: QueryTable, pageSize: number, cookie: string | null) {
  return pageSql<{ id: string }>({
    select: sql`id`,
    from: sql`object`,
    where: [sql`type = 'thing'`, filterSql(query.filter, table)],
    table,
    order: query.order,
    pageSize,
    ...(cookie === null ? {} : { start: parsePageCookie(query, cookie) }),
  });
}

async function page(query: PagedQuery, table: QueryTable, pageSize: number, cookie: string | null) {
  const { rows } = await pageStatement(query, table, pageSize, cookie).execute(db);
  const cut = cutPage(rows, pageSize, query);
  return { ids: cut.rows.map((row) => row.id), cookie: cut.cookie };
}

async function walk(query: PagedQuery, table: QueryTable, pageSize: number): Promise<string[]> {
  const ids: string[] = [];
  let cookie: string | null = null;
  do {
    const next = await page(query, table, pageSize, cookie);
    if (cookie !== null) expect(next.ids).not.toEqual([]);
    ids.push(...next.ids);
    cookie = next.cookie;
  } while (cookie !== null);
  return ids;
}

async function createObjects(): Promise<void> {
  await sql`drop table if exists object`.execute(db);
  await sql`create table object (type text collate "C", id text collate "C", rev bigint, data jsonb,
    primary key (type, id))`.execute(db);
}

async function insert(objects: readonly JsonObject[]): Promise<void> {
  await sql`truncate object`.execute(db);
  await sql`insert into object select 'thing', value ->> '_id', (value ->> '_rev')::bigint, value - '_id' - '_rev'
    from jsonb_array_elements(${JSON.stringify(objects)}::jsonb) as element (value)`.execute(db);
}

const objects = fc
  .array(data, { minLength: 3, maxLength: 20 })
  .map((values) =>
    values.map(
      (value, index): JsonObject => ({ ...value, _id: `${index % 2}é${index}`, _rev: String(index * 4) }),
    ),
  );

const tables: [string, QueryTable][] = [
  ['without knowledge of types', objectTable()],
  ['with the types of a schema', objectTable({ propertyTypes: PROPERTY_TYPES })],
];

describe('sorted pages in Postgres', () => {
  beforeEach(createObjects);

  it.each(tables)('are those of memory, whatever the keys, %s', async (_title, table) => {
    await fc.assert(
      fc.asyncProperty(
        objects,
        fc.array(sortKeys, { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 6 }),
        async (values, orders, pageSize) => {
          await insert(values);
          for (const keys of orders) {
            const query = pagedQuery(keys);
            const sorted = applyQueryInMemory(values, { ...query, sortKeys: keys }).rows.map(
              (row) => row['_id'],
            );
            expect((await page(query, table, 0, null)).ids).toEqual(sorted);
            expect(await walk(query, table, pageSize)).toEqual(sorted);
          }
        },
      ),
      { numRuns: runs(25) },
    );
  });

  it.each(tables)('take the cookies of memory and give the same, %s', async (_title, table) => {
    await fc.assert(
      fc.asyncProperty(objects, sortKeys, fc.integer({ min: 1, max: 5 }), async (values, keys, pageSize) => {
        await insert(values);
        const query = pagedQuery(keys);
        const first = applyQueryInMemory(values, {
          ...query,
          sortKeys: keys,
          paging: { ...NO_PAGING, pageSize },
        });
        expect((await page(query, table, pageSize, null)).cookie).toBe(first.cookie);
        if (first.cookie === null) return;
        const second = applyQueryInMemory(values, {
          ...query,
          sortKeys: keys,
          paging: { ...NO_PAGING, pageSize, cookie: first.cookie },
        });
        const ids = second.rows.map((row) => row['_id']);
        expect(await page(query, table, pageSize, first.cookie)).toEqual({ ids, cookie: second.cookie });
      }),
      { numRuns: runs(40) },
    );
  });

  it('visit each object once when others come and go between pages', async () => {
    await insert(Array.from({ length: 10 }, (_, index) => ({ _id: `i${index}`, _rev: '0', u: index % 3 })));
    const query = pagedQuery(parseSortKeys('-u'));
    const first = await page(query, objectTable(), 4, null);
    await sql`delete from object where id = ${first.ids.at(-1)}`.execute(db);
    await sql`insert into object values ('thing', 'new', 0, '{"u": 2}')`.execute(db);
    const rest = await page(query, objectTable(), 0, first.cookie);
    expect([...first.ids, ...rest.ids].toSorted()).toEqual(
      Array.from({ length: 10 }, (_, index) => `i${index}`),
    );
  });

  it('start at an offset when the cookie is an integer', async () => {
    await insert(Array.from({ length: 5 }, (_, index) => ({ _id: `i${index}`, _rev: '0' })));
    const second = await page(pagedQuery([]), objectTable(), 2, '2');
    expect(second.ids).toEqual(['i2', 'i3']);
    expect((await page(pagedQuery([]), objectTable(), 2, second.cookie)).ids).toEqual(['i4']);
  });

  it.each(tables)('walk over data that breaks its schema, %s', async (_title, table) => {
    const values = ['a', 'b', '[', 5, 0, true, null, ['a'], {}, { a: 1 }, undefined];
    await insert(
      values.map((value, index) => ({
        _id: `i${index}`,
        _rev: '0',
        ...(value === undefined ? {} : { s: value, n: value, b: value }),
      })),
    );
    for (const keys of ['s', '-s', 'n', '-n', 'b', '-b', 's,-n']) {
      const query = pagedQuery(parseSortKeys(keys));
      const ids = await walk(query, table, 1);
      expect(ids).toEqual((await page(query, table, 0, null)).ids);
      expect(ids).toHaveLength(values.length);
    }
  });

  it('refuse a cookie whose value is not of the type of its key', async () => {
    const query = pagedQuery(parseSortKeys('s'));
    const cookie = cutPage([{ sort_tuple: [5, 'i'] }, { sort_tuple: [6, 'j'] }], 1, query).cookie;
    const table = objectTable({ propertyTypes: PROPERTY_TYPES });
    expect(() => pageStatement(query, table, 1, cookie)).toThrow(BadRequestError);
  });

  it('sort a view by its columns', async () => {
    await insert([2, 10, 1].map((rev, index) => ({ _id: `i${index}`, _rev: String(rev), u: 'x' })));
    const table: QueryTable = {
      columns: new Map([
        ['_id', { expression: sql`id`, type: 'text', notNull: true }],
        ['state', { expression: sql`nullif(rev, 2)`, type: 'number' }],
        ['done', { expression: sql`rev > 1`, type: 'boolean', notNull: true }],
      ]),
    };
    const expected = {
      state: 'i2,i1,i0',
      '-state': 'i0,i1,i2',
      'done,-_id': 'i2,i1,i0',
      '-done,state': 'i1,i0,i2',
      u: 'i0,i1,i2',
    };
    for (const [keys, ids] of Object.entries(expected)) {
      expect((await walk(pagedQuery(parseSortKeys(keys)), table, 1)).join(), keys).toBe(ids);
    }
  });
});

describe('a page far into a large collection', () => {
  const table = objectTable({
    propertyTypes: new Map([
      ['/name', 'string'],
      ['/age', 'number'],
    ]),
  });
  const ROWS = 20_000;
  const PAGE = 20;

  beforeAll(async () => {
    await createObjects();
    await sql`insert into object
      select 'thing', 'i' || lpad(n::text, 6, '0'), 0,
        case when n % 10 = 0 then '{}'::jsonb else jsonb_build_object('name', 'n' || n, 'age', n % 500) end
      from generate_series(1, ${sql.lit(ROWS)}) n`.execute(db);
    for (const name of ['name', 'age']) {
      const { expression } = propertyIndex(table, [name])!;
      await sql`create index ${sql.id(`by_${name}`)} on object (type, ${expression}, id)`.execute(db);
    }
    await sql`vacuum analyze object`.execute(db);
  });

  async function buffers(query: PagedQuery, cookie: string | null): Promise<number> {
    const plan = await sql<{
      'QUERY PLAN': [{ Plan: Record<'Shared Hit Blocks' | 'Shared Read Blocks', number> }];
    }>`
      explain (analyze, buffers, format json) ${pageStatement(query, table, PAGE, cookie)}`.execute(db);
    const { Plan } = plan.rows[0]!['QUERY PLAN'][0];
    return Plan['Shared Hit Blocks'] + Plan['Shared Read Blocks'];
  }

  it.each(['_id', '-_id', 'name', '-name', 'age', '-age'])(
    'costs what the first page costs, and neither depends on the collection, by %s',
    async (keys) => {
      const query = pagedQuery(parseSortKeys(keys));
      const second = (await page(query, table, PAGE, null)).cookie;
      const deep = (await page(query, table, PAGE, String(ROWS / 2))).cookie;
      const nearEnd = (await page(query, table, PAGE, String(ROWS - 3 * PAGE))).cookie;
      for (const cookie of [null, second, deep, nearEnd]) {
        // A page of rows and the height of the index for each segment. Reading on from the start, or
        // sorting the rows without a value, takes hundreds.
        expect(await buffers(query, cookie), keys).toBeLessThan(100);
      }
    },
  );
});
