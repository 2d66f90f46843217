import { describe, expect, it } from 'vitest';
import { compilePredefinedQuery, formatQueryFilter } from '#resource/index.ts';
import { matchesFilter } from '#resource/query/query-filter-match.ts';

const bind = (template: string, parameters: Record<string, string>) =>
  formatQueryFilter(compilePredefinedQuery(template).bind(parameters));

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: places of a query template
describe('a predefined query', () => {
  it('takes the parameters of a request for its places, by their types', () => {
    expect(bind('userName eq ${uid}', { uid: 'jdoe' })).toBe('/userName eq "jdoe"');
    expect(bind('a ge ${int:n} or !(b eq ${boolean:x})', { n: '-3', x: 'true' })).toBe(
      '/a ge -3 or !(/b eq true)',
    );
    expect(bind('${pointer:field} eq ${value}', { field: 'a/b', value: '1' })).toBe('/a/b eq "1"');
    expect(bind('a gt ${number:n} and c pr', { n: '1.5' })).toBe('/a gt 1.5 and /c pr');
  });

  it.each(['" or true or a eq "', "x' or 'a' eq 'a", 'x" and !(true) or "', '\\', '${uid}', '\u0002uid', ''])(
    'takes %j for a value and nothing else',
    (hostile) => {
      const filter = compilePredefinedQuery('userName eq ${uid}').bind({ uid: hostile });
      expect(filter).toEqual({ kind: 'compare', pointer: ['userName'], operator: 'eq', value: hostile });
      expect(matchesFilter(filter, { userName: 'other' })).toBe(false);
    },
  );

  it('takes a hostile pointer for a field name and nothing else', () => {
    expect(compilePredefinedQuery('${pointer:field} pr').bind({ field: 'a pr or true' })).toEqual({
      kind: 'present',
      pointer: ['a pr or true'],
    });
  });

  it.each<[string, Record<string, string>, RegExp]>([
    ['a eq ${x}', {}, /needs the parameter 'x'/],
    ['a eq ${int:x}', { x: '1.5' }, /'1.5', not an integer/],
    ['a eq ${number:x}', { x: 'ten' }, /'ten', not a number/],
    ['a eq ${boolean:x}', { x: 'yes' }, /'yes', not true or false/],
    ['${pointer:x} pr', { x: '/' }, /no pointer/],
    ['a eq ${constructor}', {}, /needs the parameter 'constructor'/],
  ])('%s with %j is refused', (template, parameters, message) => {
    expect(() => compilePredefinedQuery(template).bind(parameters)).toThrow(
      expect.objectContaining({ code: 400, message: expect.stringMatching(message) }),
    );
  });

  it('must be a filter', () => {
    expect(() => compilePredefinedQuery('select * from ${table}')).toThrow();
  });
});
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: places of a query template
