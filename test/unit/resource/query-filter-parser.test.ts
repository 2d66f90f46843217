import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BadRequestError } from '#errors/index.ts';
import { COMPARISONS, type QueryFilter } from '#resource/query/query-filter.ts';
import { formatQueryFilter } from '#resource/query/query-filter-format.ts';
import { MAX_FILTER_LENGTH, parseQueryFilter } from '#resource/query/query-filter-parser.ts';
import { runs } from '../../support/long.ts';

function errorOf(text: string): BadRequestError {
  try {
    parseQueryFilter(text);
  } catch (error) {
    expect(error).toBeInstanceOf(BadRequestError);
    return error as BadRequestError;
  }
  throw new Error(`'${text}' was read`);
}

const eq = (field: string, value: string | number | boolean): QueryFilter => ({
  kind: 'compare',
  pointer: [field],
  operator: 'eq',
  value,
});

describe('the filter language', () => {
  it('reads comparisons, presence and the literals', () => {
    expect(parseQueryFilter('userName eq "jdoe"')).toEqual(eq('userName', 'jdoe'));
    expect(parseQueryFilter('/name/given pr')).toEqual({ kind: 'present', pointer: ['name', 'given'] });
    expect(parseQueryFilter('true')).toEqual({ kind: 'literal', value: true });
    expect(parseQueryFilter('FALSE')).toEqual({ kind: 'literal', value: false });
  });

  it.each(Object.keys(COMPARISONS))('knows the operator %s in any case', (operator) => {
    const expected = { kind: 'compare', pointer: ['a'], operator, value: 1 };
    expect(parseQueryFilter(`a ${operator} 1`)).toEqual(expected);
    expect(parseQueryFilter(`a ${operator.toUpperCase()} 1`)).toEqual(expected);
  });

  it('binds ! closer than and, and and closer than or', () => {
    expect(parseQueryFilter('a eq 1 or ! b eq 2 and c eq 3')).toEqual({
      kind: 'or',
      filters: [eq('a', 1), { kind: 'and', filters: [{ kind: 'not', filter: eq('b', 2) }, eq('c', 3)] }],
    });
    expect(parseQueryFilter('(a eq 1 OR b eq 2) AND c eq 3')).toEqual({
      kind: 'and',
      filters: [{ kind: 'or', filters: [eq('a', 1), eq('b', 2)] }, eq('c', 3)],
    });
  });

  it('takes ! without a space as part of a field name', () => {
    expect(parseQueryFilter('!a eq 1')).toEqual(eq('!a', 1));
    expect(parseQueryFilter('!(a eq 1)')).toEqual({ kind: 'not', filter: eq('a', 1) });
    expect(parseQueryFilter('!(!(a eq 1))')).toEqual({
      kind: 'not',
      filter: { kind: 'not', filter: eq('a', 1) },
    });
  });

  it('allows one ! a level', () => {
    expect(errorOf('! ! a pr').message).toContain("a second '!'");
  });

  it('separates tokens by any number of spaces and by parentheses, and by nothing else', () => {
    expect(parseQueryFilter('  ((a   eq 1))  ')).toEqual(eq('a', 1));
    expect(parseQueryFilter('(a eq "x")and(b eq 1)')).toEqual({
      kind: 'and',
      filters: [eq('a', 'x'), eq('b', 1)],
    });
    expect(errorOf('a\teq\t1').message).toContain('operator is missing');
    expect(errorOf('a e\nq 1').detail).toMatchObject({ hint: expect.stringContaining('spaces only') });
    expect(errorOf('a eq "x"and b eq 1').message).toContain('a space is missing after a quoted string');
  });

  it('reads both quotes, and a backslash takes the next character as it is', () => {
    const values: [string, string][] = [
      ['"a\\"b"', 'a"b'],
      ["'a\\'b'", "a'b"],
      ['"a\\\\b"', 'a\\b'],
      ['"\\n0041"', 'n0041'],
      ['"it\'s"', "it's"],
      ['\'say "x"\'', 'say "x"'],
      ['""', ''],
      ["''", ''],
      ['"(a and b)"', '(a and b)'],
      ['"über 𝒳"', 'über 𝒳'],
    ];
    for (const [text, value] of values) expect(parseQueryFilter(`f eq ${text}`)).toEqual(eq('f', value));
  });

  it('reads integers of 64 bits and decimals as doubles', () => {
    const values: [string, number][] = [
      ['0', 0],
      ['-1', -1],
      ['+7', 7],
      ['-0', 0],
      ['-0.0', 0],
      ['1.5', 1.5],
      ['.5', 0.5],
      ['5.', 5],
      ['1.5e3', 1500],
      ['9223372036854775807', 2 ** 63],
      ['-9223372036854775808', -(2 ** 63)],
      ['9007199254740993', 2 ** 53],
    ];
    for (const [text, value] of values) expect(parseQueryFilter(`f eq ${text}`)).toEqual(eq('f', value));
  });

  it.each([
    ['a eq 9223372036854775808', 'does not fit into 64 bits'],
    ['a eq 1.0e999', 'beyond the range'],
    ['a eq 1e5', 'is not a value'],
    ['a eq null', 'is not a value'],
    ['a eq word', 'is not a value'],
    ['a eq 0x10', 'is not a value'],
    ['a eq 1.2.3', 'is not a value'],
    ['a eq NaN', 'is not a value'],
    ['a eq', 'a value is missing'],
    ['a eq )', 'a value is missing'],
    ['', 'it is empty'],
    ['    ', 'it is empty'],
    ['a', 'an operator is missing'],
    ['a (', 'an operator is missing'],
    ['a "x" 1', 'an operator is missing'],
    ['(a eq 1', "a ')' is missing"],
    ['a eq 1)', 'after a complete expression'],
    ['a eq 1 b eq 2', 'after a complete expression'],
    ['true false', 'after a complete expression'],
    ['a eq 1 and', 'a field is missing'],
    ['and', 'an operator is missing'],
    ['()', 'where a field is expected'],
    ['!', 'a field is missing'],
    ['"a" eq 1', 'where a field is expected'],
    ['a eq "x', 'no closing "'],
    ["a eq 'x", "no closing '"],
    ['a eq "x\\', 'no closing "'],
    ['a eq "x\\"', 'no closing "'],
    ['a eq "\0"', 'no stored text can hold'],
    ['a eq "\ud800"', 'no stored text can hold'],
    ['a%00 pr', 'no name can hold'],
    ['%zz pr', 'malformed escape'],
    ['100%/a pr', 'malformed escape'],
    ['/a~2 pr', "malformed escape in '/a~2'"],
    ['a~ pr', 'malformed escape'],
    ['a eq "\\u12"', "at position 6: '\\u' is no escape"],
    ['a eq "é\\u0041"', "at position 7: '\\u' is no escape"],
    ['a in \'["\\u0041"]\'', "'\\u' is no escape"],
    ['a in 5', 'needs an array'],
    ['a in "b"', 'is not JSON'],
    ['a in \'"b"\'', 'is not a JSON array'],
    ['a in ["b"', 'no closing bracket'],
    ['a in ["b"]c', 'a space is missing after an array'],
    ['a in [null]', 'no string, number or boolean'],
    ['a in [["b"]]', 'a space is missing after an array'],
    ['a in \'[["b"]]\'', 'no string, number or boolean'],
    ['a in [1e999]', 'no string, number or boolean'],
    ['a in ["\\u0000"]', 'no stored text can hold'],
  ])('answers 400 to %j', (text, message) => {
    const error = errorOf(text);
    expect(error.message).toContain(message);
    expect(error.detail).toMatchObject({ id: 'FILTER_SYNTAX', position: expect.any(Number) });
  });

  it('points at the offending token', () => {
    expect(errorOf('userName eq jdoe and x pr').detail).toMatchObject({
      position: 12,
      token: 'jdoe',
      excerpt: 'userName eq jdoe and x pr\n            ^',
      hint: expect.stringContaining('quotes'),
    });
    const long = errorOf(`${'a pr and '.repeat(30)}b eq ? ${'and a pr '.repeat(30)}`);
    const [line, caret] = (long.detail as { excerpt: string }).excerpt.split('\n');
    expect(line!.length).toBeLessThan(90);
    expect(line![caret!.indexOf('^')]).toBe('?');
  });

  it.each([
    ['a ne 1', 'Write !(field eq value)'],
    ['a = 1', "Did you mean 'eq'?"],
    ['a eqq 1', "Did you mean 'eq'?"],
    ['a contains 1', 'Operators are eq, co, sw, ew, lt, le, gt, ge, in and pr'],
    ['a x.y_2 "z"', 'Operators are'],
  ])('names an unknown operator: %s', (text, hint) => {
    const error = errorOf(text);
    expect(error.message).toContain(`unknown operator '${text.split(' ')[1]}'`);
    expect(error.detail).toMatchObject({
      id: 'FILTER_UNKNOWN_OPERATOR',
      hint: expect.stringContaining(hint),
    });
  });

  it('reads the array of in bare or quoted', () => {
    const expected = { kind: 'in', pointer: ['a'], values: ['x y', 'q"]', 2, true, 1e5] };
    expect(parseQueryFilter('a in ["x y", "q\\"]", 2, true, 1e5]')).toEqual(expected);
    expect(parseQueryFilter('(a IN ["x y","q\\"]",2,true,1e5])')).toEqual(expected);
    expect(parseQueryFilter('a in \'["x y", "q\\\\"]", 2, true, 1e5]\'')).toEqual(expected);
    expect(parseQueryFilter('a in []')).toEqual({ kind: 'in', pointer: ['a'], values: [] });
  });

  it('reads pointers with percent escapes, and a leading slash frees a word of its meaning', () => {
    expect(parseQueryFilter('a%2Fb/c%20d/ pr')).toEqual({ kind: 'present', pointer: ['a/b', 'c d'] });
    expect(parseQueryFilter('a~1b%7E pr')).toEqual({ kind: 'present', pointer: ['a~1b~'] });
    expect(parseQueryFilter('/true pr')).toEqual({ kind: 'present', pointer: ['true'] });
    expect(parseQueryFilter('/ pr')).toEqual({ kind: 'present', pointer: [] });
  });

  it('nests 256 levels deep and no deeper', () => {
    const nested = (levels: number) => `${'('.repeat(levels)}a pr${')'.repeat(levels)}`;
    expect(parseQueryFilter(nested(256))).toEqual({ kind: 'present', pointer: ['a'] });
    expect(errorOf(nested(257)).message).toContain('256 levels');
    expect(errorOf('!('.repeat(30_000)).message).toContain('256 levels');
  });

  it('limits the length', () => {
    const value = 'x'.repeat(MAX_FILTER_LENGTH - 'a eq ""'.length);
    expect(parseQueryFilter(`a eq "${value}"`)).toEqual(eq('a', value));
    expect(errorOf(`a eq "${value}x"`).detail).toMatchObject({ id: 'FILTER_TOO_LONG' });
    const conditions = (count: number) => Array.from({ length: count }, () => 'a eq 1').join(' or ');
    expect(parseQueryFilter(conditions(5_000))).toMatchObject({ kind: 'or' });
    expect(errorOf(conditions(5_001)).detail).toMatchObject({ id: 'FILTER_TOO_MANY_CONDITIONS' });
  });
});

describe('a formatted filter', () => {
  const text = fc.string({ unit: 'binary' }).filter((value) => value.isWellFormed() && !value.includes('\0'));
  const value = fc.oneof(
    text,
    fc.boolean(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
    fc.integer(),
  );
  // [''] has no notation of its own: '//' is the root.
  const pointer = fc
    .array(text, { maxLength: 3 })
    .filter((tokens) => tokens.length !== 1 || tokens[0] !== '');
  const { filter } = fc.letrec<{ filter: QueryFilter }>((tie) => ({
    filter: fc.oneof(
      { maxDepth: 4 },
      fc.record({ kind: fc.constant('literal'), value: fc.boolean() }),
      fc.record({ kind: fc.constant('present'), pointer }),
      fc.record({
        kind: fc.constant('compare'),
        pointer,
        operator: fc.constantFrom(...(Object.keys(COMPARISONS) as (keyof typeof COMPARISONS)[])),
        value,
      }),
      fc.record({ kind: fc.constant('in'), pointer, values: fc.array(value, { maxLength: 3 }) }),
      fc.record({ kind: fc.constant('not'), filter: tie('filter') }),
      fc.record({
        kind: fc.constantFrom('and', 'or'),
        filters: fc.array(tie('filter'), { minLength: 2, maxLength: 3 }),
      }),
    ) as fc.Arbitrary<QueryFilter>,
  }));

  it('reads as the same filter again', () => {
    fc.assert(
      fc.property(filter, (original) => {
        expect(parseQueryFilter(formatQueryFilter(original))).toEqual(original);
      }),
      { numRuns: runs(500) },
    );
  });

  it('reads or is refused with 400, whatever the text', () => {
    const token = fc.constantFrom(
      'a',
      'eq',
      'and',
      'or',
      '!',
      '(',
      ')',
      '"',
      "'",
      '\\',
      'in',
      '[',
      ']',
      '1',
      'pr',
      ' ',
      '%',
      '/',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(token, fc.string({ maxLength: 2 }))), (parts) => {
        try {
          parseQueryFilter(parts.join(' '));
        } catch (error) {
          expect(error).toBeInstanceOf(BadRequestError);
        }
      }),
      { numRuns: runs(2000) },
    );
  });
});
