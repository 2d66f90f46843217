import fc from 'fast-check';
import { Kysely, PostgresDialect, type RawBuilder, sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BadRequestError } from '#errors/index.ts';
import type { JsonObject } from '#json/index.ts';
import { filterSql } from '#repo/filter-sql.ts';
import { propertyIndex } from '#repo/filter-sql-index.ts';
import { objectTable, type QueryTable } from '#repo/filter-sql-table.ts';
import type { QueryFilter } from '#resource/query/query-filter.ts';
import { compileFilter } from '#resource/query/query-filter-match.ts';
import { parseQueryFilter } from '#resource/query/query-filter-parser.ts';
import { runs } from '../support/long.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { filter as anyFilter, data, PROPERTY_TYPES } from './query-filter-arbitrary.ts';

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

interface Stored {
  readonly id: string;
  readonly rev: number;
  readonly data: JsonObject;
}

function store(objects: readonly JsonObject[]): Stored[] {
  return objects.map((object, index) => ({ id: `a${index}`, rev: index * 4, data: object }));
}

function asObject({ id, rev, data: members }: Stored): JsonObject {
  return { ...members, _id: id, _rev: String(rev) };
}

/** The rows as a table `object`, so that one round trip is enough for many filters. */
function objectRows(rows: readonly Stored[]): RawBuilder<unknown> {
  const column = (values: string[], type: string) => sql`${sql.val(values)}::${sql.raw(type)}[]`;
  return sql`object as materialized (
    select * from unnest(${column(
      rows.map((row) => row.id),
      'text',
    )}, ${column(
      rows.map((row) => String(row.rev)),
      'bigint',
    )},
      ${column(
        rows.map((row) => JSON.stringify(row.data)),
        'jsonb',
      )}) as object (id, rev, data))`;
}

/** For each filter, the ids that WHERE lets through, and those for which it is selected as true. */
async function idsInPostgres(rows: readonly Stored[], filters: readonly QueryFilter[], table: QueryTable) {
  const answers = filters.map((filter) => {
    const condition = filterSql(filter, table);
    return sql`select array(select id from object where ${condition} order by id) as found,
      array(select id from object where coalesce(${filterSql(filter, table)}, false) is true order by id) as selected`;
  });
  const result = await sql<{ found: string[]; selected: string[] }>`
    with ${objectRows(rows)} ${sql.join(answers, sql` union all `)}`.execute(db);
  return result.rows;
}

function idsInMemory(rows: readonly Stored[], filter: QueryFilter): string[] {
  const matches = compileFilter(filter);
  return rows
    .filter((row) => matches(asObject(row)))
    .map((row) => row.id)
    .toSorted();
}

async function expectAgreement(rows: readonly Stored[], filters: readonly QueryFilter[], table: QueryTable) {
  const answers = await idsInPostgres(rows, filters, table);
  const expected = filters.map((filter) => idsInMemory(rows, filter));
  expect(answers.map((answer) => answer.found)).toEqual(expected);
  expect(answers.map((answer) => answer.selected)).toEqual(expected);
}

describe('a filter in Postgres', () => {
  it.each([
    ['without knowledge of types', objectTable()],
    ['with the types of a schema', objectTable({ propertyTypes: PROPERTY_TYPES })],
  ])('answers as in memory, %s', async (_title, table) => {
    let pairs = 0;
    const objects = fc.array(data, { minLength: 10, maxLength: 20 });
    const filters = fc.array(anyFilter, { minLength: 10, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(objects, filters, async (values, filters) => {
        pairs += values.length * filters.length;
        await expectAgreement(store(values), filters, table);
      }),
      { numRuns: runs(40) },
    );
    expect(pairs).toBeGreaterThan(500);
  });

  it('answers as in memory for each operator with each pair of types', async () => {
    const scalars = [0, 1, 10, 9.5, '', '1', 'a', 'true', true, false];
    const values = [...scalars, null, [], {}, [null], [1, 'a'], [true], [[1]], [{ a: 1 }], { '0': 1 }];
    const operators = ['eq', 'co', 'sw', 'ew', 'lt', 'le', 'gt', 'ge'] as const;
    const filters = operators.flatMap((operator) =>
      scalars.flatMap((value): QueryFilter[] => {
        const compare: QueryFilter = { kind: 'compare', pointer: ['u'], operator, value };
        return [compare, { kind: 'not', filter: compare }];
      }),
    );
    await expectAgreement(store([{}, ...values.map((u) => ({ u }))]), filters, objectTable());
  });

  it('matches no value that breaks its schema, and makes no error of it', async () => {
    const values = [0, '', 'a', '0', true, null, [], ['a'], [0], {}];
    const rows = store(values.map((value) => ({ s: value, n: value, b: value })));
    const kept = { s: 'string', n: 'number', b: 'boolean' };
    const seen = rows.map((row) => ({
      ...row,
      data: Object.fromEntries(
        Object.entries(row.data).filter(([name, value]) => typeof value === kept[name as keyof typeof kept]),
      ),
    }));
    const filters = Object.keys(kept).flatMap((name) =>
      [
        'eq "a"',
        'eq "0"',
        'sw ""',
        'gt ""',
        'eq 0',
        'ge 0',
        'in [0, "a", "0", true]',
        'eq true',
        'ge false',
      ].map((rest) => parseQueryFilter(`${name} ${rest}`)),
    );
    const answers = await idsInPostgres(rows, filters, objectTable({ propertyTypes: PROPERTY_TYPES }));
    expect(answers.map((answer) => answer.found)).toEqual(filters.map((filter) => idsInMemory(seen, filter)));
  });

  it('reads columns of a view as properties', async () => {
    const view: QueryTable = {
      columns: new Map([
        ['_id', { expression: sql`id`, type: 'text', notNull: true }],
        ['state', { expression: sql`(nullif(rev, 4))::int`, type: 'number' }],
        ['acquired', { expression: sql`rev > 4`, type: 'boolean' }],
        ['node', { expression: sql`data ->> 'node'`, type: 'text' }],
        ['detail', { expression: sql`data`, type: 'json' }],
      ]),
    };
    const rows = store([{ node: 'n1', x: [1] }, { node: 'N2' }, { x: { y: 'z' } }, { node: 'n3' }]);
    const seen = rows.map((row) => ({
      ...row,
      data: {
        ...(row.rev === 4 ? {} : { state: row.rev }),
        acquired: row.rev > 4,
        ...(row.data['node'] === undefined ? {} : { node: row.data['node'] }),
        detail: row.data,
      },
    }));
    const filters = [
      '_id gt "a1"',
      'state eq 0',
      'state ge 8',
      'state lt 8.5',
      '!(state eq 0)',
      'state pr',
      'state eq "0"',
      'state in [0, 12, 1.5, "8"]',
      'state co 8',
      'acquired eq true',
      'acquired gt false',
      'acquired in [false]',
      'node eq "n1"',
      'node sw "n"',
      'node in ["n1", "n3", 4]',
      '!(node co "n")',
      'node le "a"',
      'node/x pr',
      'detail/x eq 1',
      'detail/x/y ew "z"',
      'detail pr',
      'other pr or rev pr or data pr',
      '!(other eq 1)',
    ].map(parseQueryFilter);
    const answers = await idsInPostgres(rows, filters, view);
    expect(answers.map((answer) => answer.found)).toEqual(filters.map((filter) => idsInMemory(seen, filter)));
  });

  const hostile = [
    "'",
    "''",
    "' or '1'='1",
    "' or 1=1 --",
    "'; drop table victim; --",
    "\\'; drop table victim; --",
    '\\',
    '\\\\',
    "\\'",
    "E'x'",
    "U&'\\0027'",
    '$$',
    '$tag$',
    '$1',
    '$2',
    ':name',
    '?',
    '??',
    '@>',
    '"',
    '""',
    '"; drop table victim; --',
    '`',
    '/* x */',
    '*/',
    '--',
    '--\n',
    '\n',
    '\r\n',
    '\t',
    '%',
    '_',
    '%%',
    '\\%',
    '{}',
    '{0}',
    '{a,b}',
    '[',
    '$.*',
    '#>>',
    ') or (true',
    'null',
    'true',
    "x') or true --",
    "'::jsonb",
    'pg_sleep(10)',
    '#{x}',
    '{{x}}',
    '\u2019',
    '\uff07',
    '＇; --',
    '\u202e',
    '\ufeff',
    '\u0001',
    '\u007f',
    '\u00a0',
    '😀',
    'ʼ',
    '1e999',
    '__proto__',
    'constructor',
  ];

  it.each([
    ['without knowledge of types', () => objectTable()],
    [
      'as a typed property',
      (name: string) =>
        objectTable({ propertyTypes: new Map([[`/${encodeURIComponent(name)}`, 'string'] as const]) }),
    ],
  ])('takes hostile text as data, %s', async (_title, table) => {
    await sql`create table if not exists victim (id int)`.execute(db);
    for (const text of hostile) {
      const rows = store([{ [text]: text }, { [text]: 'other' }, { u: `before ${text} after` }, {}]);
      const compare = (operator: 'eq' | 'co' | 'sw' | 'ew', pointer = [text]): QueryFilter => ({
        kind: 'compare',
        pointer,
        operator,
        value: text,
      });
      const filters: QueryFilter[] = [
        compare('eq'),
        compare('co', ['u']),
        compare('sw'),
        compare('ew'),
        { kind: 'in', pointer: [text], values: [text] },
        { kind: 'present', pointer: [text] },
        { kind: 'present', pointer: [text, text] },
        { kind: 'not', filter: compare('eq') },
      ];
      await expectAgreement(rows, filters, table(text));
      expect((await idsInPostgres(rows, filters, table(text)))[0]?.found).toEqual(['a0']);
    }
    await sql`select from victim`.execute(db);
  });

  it('takes hostile names as data also where backslashes escape', async () => {
    const rows = store([{ "\\'": 1, '\\': 2, "'": 3 }]);
    const found = await db.connection().execute(async (connection) => {
      await sql`set standard_conforming_strings = off`.execute(connection);
      await sql`set escape_string_warning = off`.execute(connection);
      const conditions = [
        ["\\'", 1],
        ['\\', 2],
        ["'", 3],
      ].map(([name, value]) =>
        filterSql(
          { kind: 'compare', pointer: [String(name)], operator: 'eq', value: Number(value) },
          objectTable(),
        ),
      );
      const result =
        await sql`with ${objectRows(rows)} select id from object where ${sql.join(conditions, sql` and `)}`.execute(
          connection,
        );
      await sql`reset all`.execute(connection);
      return result.rows;
    });
    expect(found).toEqual([{ id: 'a0' }]);
  });

  it.each(['a\0b', '\ud800', '\udc00x'])('refuses text that cannot be stored: %j', (text) => {
    const table = objectTable();
    expect(() => filterSql({ kind: 'present', pointer: [text] }, table)).toThrow(BadRequestError);
    for (const pointer of [['_id'], ['u']]) {
      for (const operator of ['eq', 'sw', 'gt'] as const) {
        expect(() => filterSql({ kind: 'compare', pointer, operator, value: text }, table)).toThrow(
          BadRequestError,
        );
      }
      expect(() => filterSql({ kind: 'in', pointer, values: [text] }, table)).toThrow(BadRequestError);
    }
  });

  it('compiles and runs the longest and deepest filters', async () => {
    const joined = (length: number, condition: string) =>
      Array.from({ length }, (_, index) => `u ${condition} "${index}"`).join(' or ');
    const wide = parseQueryFilter(`${joined(3000, 'sw')} or ${joined(100, 'co')}`);
    const deep = parseQueryFilter(`${'!('.repeat(256)}u eq 1${')'.repeat(256)}`);
    const typed = objectTable({ propertyTypes: new Map([['/u', 'string']] as const) });
    await expectAgreement(store([{ u: '1' }, { u: '2999' }, {}]), [wide, deep], typed);
    // What may be a list of any length is looked at a few times.
    expect(() => filterSql(wide, objectTable())).toThrow(BadRequestError);
  });
});

describe('an index on a property', () => {
  const types = new Map([
    ['/userName', 'string'],
    ['/age', 'number'],
    ['/tags', 'array'],
  ] as const);
  const table = objectTable({ propertyTypes: types });

  beforeAll(async () => {
    await sql`create table indexed (type text collate "C", id text collate "C", rev bigint, data jsonb, primary key (type, id))`.execute(
      db,
    );
    await sql`insert into indexed
      select 'user', 'i' || n, 0, jsonb_build_object('userName', 'u' || n, 'age', n, 'tags', jsonb_build_array('t' || n, 'all'))
      from generate_series(1, 3000) n`.execute(db);
    for (const name of ['userName', 'age', 'tags']) {
      const { method, expression } = propertyIndex(table, [name])!;
      const columns = method === 'btree' ? sql`(type, ${expression}, id)` : sql`(${expression})`;
      await sql`create index ${sql.id(`by_${name}`)} on indexed using ${sql.raw(method)} ${columns}`.execute(
        db,
      );
    }
    await sql`analyze indexed`.execute(db);
  });

  it.each([
    ['userName eq "u77"', 'by_userName'],
    ['userName eq "u77" and !(age eq 1)', 'by_userName'],
    ['userName sw "u77"', 'by_userName'],
    ['userName gt "u990" and userName lt "u992"', 'by_userName'],
    ['userName in ["u1", "u2"]', 'by_userName'],
    ['userName eq "u77" or userName eq "u78"', 'by_userName'],
    ['age eq 77', 'by_age'],
    ['age gt 2990', 'by_age'],
    ['age in [1, 2]', 'by_age'],
    ['tags eq "t77"', 'by_tags'],
    ['_id eq "i77"', 'indexed_pkey'],
    ['_id in ["i77", "i78"]', 'indexed_pkey'],
    ['_id sw "i77"', 'indexed_pkey'],
  ])('serves %s', async (text, index) => {
    const condition = filterSql(parseQueryFilter(text), table);
    const plan = await sql<{ 'QUERY PLAN': string }>`
      explain select id from indexed where type = 'user' and ${condition}`.execute(db);
    const lines = plan.rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(lines).toContain(index);
    expect(lines).toMatch(/Index Cond: .*(userName|age|tags|id)/);
  });
});
