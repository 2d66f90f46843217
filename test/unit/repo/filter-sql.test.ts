import fc from 'fast-check';
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
} from 'kysely';
import { describe, expect, it } from 'vitest';
import { filterSql } from '#repo/filter-sql.ts';
import { objectTable } from '#repo/filter-sql-table.ts';
import { afterPrefix } from '#repo/filter-sql-text.ts';
import { compareText } from '#resource/query/query-filter-order.ts';
import { parseQueryFilter } from '#resource/query/query-filter-parser.ts';
import { runs } from '../../support/long.ts';

const compiler = new Kysely<unknown>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

const types = new Map([
  ['/userName', 'string'],
  ['/age', 'number'],
] as const);

function compiled(filter: string): [string, ...unknown[]] {
  const condition: RawBuilder<boolean> = filterSql(
    parseQueryFilter(filter),
    objectTable({ propertyTypes: types }),
  );
  const { sql, parameters } = condition.compile(compiler);
  return [sql.replace(/\s+/g, ' '), ...parameters];
}

describe('the SQL of a filter', () => {
  it('has names as constants, so that an expression index fits, and values as parameters', () => {
    expect(compiled('userName eq "x\'"')).toEqual([
      `((("left"(("data" ->> 'userName'), 500) collate "C") = $1::text) and jsonb_typeof(("data" -> 'userName')) = 'string')`,
      "x'",
    ]);
  });

  it('makes the operand of not two-valued, and leaves positive conditions bare for the index', () => {
    expect(compiled('userName sw "ab"')[0]).not.toContain('coalesce');
    expect(compiled('userName sw "ab" and !(x pr)')[0]).toMatch(
      /^\(\(\(.* and \(not coalesce\(.*, false\)\)\)$/,
    );
  });

  it('turns a prefix into a range', () => {
    expect(compiled('userName sw "ab"').slice(1)).toEqual(['ab', 'ac']);
  });

  it('asks for containment where the type is not known', () => {
    expect(compiled('u/v eq 1')).toEqual([`((("data" -> 'u') -> 'v') @> $1::jsonb)`, '1']);
    expect(compiled('u in ["a"]')).toEqual([`(("data" -> 'u') @> any($1::jsonb[]))`, ['"a"']]);
  });

  it('looks at the elements of lists for so many conditions, since their owner decides how long these are', () => {
    const of = (condition: string, count: number) =>
      Array.from({ length: count }, () => condition).join(' or ');
    expect(() => compiled(of('mails co "a"', 32))).not.toThrow();
    expect(() => compiled(`!(${of('mails co "a"', 16)}) and (${of('mails sw "a"', 17)})`)).toThrow(
      /33 conditions/,
    );
    expect(() => compiled(`${of('mails eq "a"', 99)} or ${of('userName co "a"', 99)}`)).not.toThrow();
  });

  it('needs no database to say that types never match', () => {
    expect(compiled('userName eq 1')).toEqual(['false']);
    expect(compiled('age co "1"')).toEqual(['false']);
    expect(compiled('_id/x pr')).toEqual(['false']);
  });

  it('lets only an index reach the operator that steps into arrays', () => {
    expect(compiled('u/3 pr')[0]).toBe(`((("data" -> 'u') #>> '{3}') is not null)`);
    expect(compiled('u/-1 pr')[0]).toBe(`((("data" -> 'u') ->> '-1') is not null)`);
    expect(compiled('u/{0} pr')[0]).toBe(`((("data" -> 'u') ->> '{0}') is not null)`);
  });
});

describe('the end of a prefix range', () => {
  it('is the next text that does not begin with the prefix', () => {
    expect(afterPrefix('ab')).toBe('ac');
    expect(afterPrefix('a\ud7ff')).toBe('a\ue000');
    expect(afterPrefix('a😀')).toBe('a😁');
    expect(afterPrefix('a\u{10ffff}\u{10ffff}')).toBe('b');
    expect(afterPrefix('\u{10ffff}')).toBeUndefined();
    expect(afterPrefix('')).toBeUndefined();
  });

  it('parts those that begin with it from those that do not', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', 'b', '\ud7ff', '\ue000', '\uffff', '😀', '\u{10ffff}'),
      maxLength: 4,
    });
    fc.assert(
      fc.property(text, text, (prefix, value) => {
        const end = afterPrefix(prefix);
        const inRange = compareText(value, prefix) >= 0 && (end === undefined || compareText(value, end) < 0);
        expect(inRange).toBe(value.startsWith(prefix));
      }),
      { numRuns: runs(2000) },
    );
  });
});
