import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#json/index.ts';
import { matchesFilter } from '#resource/query/query-filter-match.ts';
import { compareText } from '#resource/query/query-filter-order.ts';
import { parseQueryFilter } from '#resource/query/query-filter-parser.ts';

const matches = (filter: string, object: JsonObject) => matchesFilter(parseQueryFilter(filter), object);

const bjensen: JsonObject = {
  _id: 'bjensen',
  _rev: '10',
  userName: 'bjensen',
  active: true,
  age: 42,
  score: 1.5,
  tags: ['Staff', 'admin', 7, true, null, ['nested']],
  empty: [],
  nothing: null,
  name: { given: 'Barbara', family: 'Jensen', '0': 'zero' },
  emails: [{ value: 'b@example.com', type: 'work' }, { value: 'b@home.example' }],
  'a/b': 1,
  '-1': 'minus',
};

describe('a filter in memory', () => {
  it.each([
    ['a missing field compares false', 'x eq 1', false],
    ['a missing field compares false with every operator', 'x lt 1 or x ge 1 or x sw "" or x in [1]', false],
    ['a missing field is not present', 'x pr', false],
    ['a null field compares false', 'nothing eq "null"', false],
    ['a null field is not present', 'nothing pr', false],
    ['a field with a value is present', 'active pr', true],
    ['an empty array is present', 'empty pr', true],
    ['an object is present', 'name pr', true],
    ['the root is present and compares false', '/ pr and !(/ eq "x")', true],
    ['strings are compared with case', 'userName eq "BJensen"', false],
    ['strings are ordered by code point', 'userName gt "Z"', true],
    ['co finds a substring', 'userName co "jens"', true],
    ['co regards the case', 'userName co "Jens"', false],
    ['sw finds a prefix', 'userName sw "bj"', true],
    ['ew finds a suffix', 'userName ew "sen"', true],
    [
      'the empty string is part of every string',
      'userName sw "" and userName co "" and userName ew ""',
      true,
    ],
    ['% and _ are characters like any other', 'userName co "%" or userName sw "b_"', false],
    ['integers and decimals compare as numbers', 'age eq 42.0 and score gt 1 and score lt 1.75', true],
    ['numbers are not compared as text', 'age gt 5', true],
    ['a number is not its text', 'age eq "42"', false],
    ['a text is no number', 'userName gt 1 or userName le 1', false],
    ['co, sw and ew on a number mean eq', 'age co 42 and age sw 42 and age ew 42', true],
    ['co on a number looks at no digits', 'age co 4', false],
    ['booleans are equal or not', 'active eq true and !(active eq false)', true],
    ['co on a boolean means eq', 'active co true', true],
    ['false is less than true', 'active gt false', true],
    ['a boolean is no number', 'active eq 1', false],
    ['an array matches when an element does', 'tags eq "admin"', true],
    ['elements of all types are compared', 'tags eq 7 and tags eq true and tags gt 6', true],
    [
      'every operator looks at the elements',
      'tags co "taf" and tags ew "in" and tags sw "St" and tags lt "a"',
      true,
    ],
    ['an array matches in when an element does', 'tags in ["x", "Staff"]', true],
    ['a nested array is not looked into', 'tags eq "nested"', false],
    ['no element of an empty array matches', 'empty eq "" or empty in []', false],
    ['not is plain negation of an any-match', '!(tags eq "admin")', false],
    ['an object compares false', 'name eq "Barbara"', false],
    ['a pointer leads into objects', 'name/given eq "Barbara"', true],
    ['an index steps into an array', 'emails/0/type eq "work" and tags/0 eq "Staff"', true],
    ['an index beyond the end is missing', 'emails/2 pr', false],
    ['only an index steps into an array', 'emails/value pr or emails/- pr', false],
    ['-1 and 01 are no indexes', 'tags/-1 pr or tags/01 pr', false],
    ['an index is a member name in an object', 'name/0 eq "zero"', true],
    ['nothing is below a scalar', 'age/0 pr or userName/length pr or userName/0 pr', false],
    ['an escaped slash is part of the name', 'a%2Fb eq 1 and /-1 eq "minus"', true],
    ['inherited members are missing', 'constructor pr or __proto__ pr or toString pr', false],
    ['in finds one of the values', 'userName in ["x", "bjensen"] and age in [1, 42]', true],
    ['in compares types, too', 'age in ["42"] or userName in [1]', false],
    ['in of nothing matches nothing', 'userName in []', false],
    ['not is true where the field is missing', '!(x eq 1)', true],
    ['not not is the thing itself', '!(!(age eq 42))', true],
    ['_id is a field', '_id eq "bjensen"', true],
    ['_rev is text', '_rev eq "10" and _rev lt "9" and !(_rev eq 10)', true],
    ['true matches everything', 'true', true],
    ['false matches nothing', 'false', false],
    ['and needs all', 'age eq 42 and active eq false', false],
    ['or needs one', 'age eq 42 or active eq false', true],
  ])('%s', (_rule, filter, expected) => {
    expect(matches(filter, bjensen)).toBe(expected);
  });

  it('finds a member called __proto__ when it is data', () => {
    expect(matches('__proto__/a eq 1', JSON.parse('{"__proto__": {"a": 1}}'))).toBe(true);
  });

  it('compares rounded what JSON has rounded', () => {
    expect(matches('n eq 9007199254740993', JSON.parse('{"n": 9007199254740993}'))).toBe(true);
  });

  it('orders text by code point beyond the basic plane', () => {
    const characters = [
      '',
      'Z',
      'a',
      'aa',
      'ab',
      'é',
      '\ud7ff',
      '\ue000',
      '\uffff',
      '😀',
      '😀a',
      '😁',
      '\u{10ffff}',
    ];
    const byBytes = characters.toSorted((left, right) =>
      Buffer.compare(Buffer.from(left), Buffer.from(right)),
    );
    expect(byBytes.toReversed().toSorted(compareText)).toEqual(byBytes);
    expect(characters.toSorted(compareText)).toEqual(byBytes);
  });
});
