import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asFilter, filter } from '#client/index.ts';
import { parseQueryFilter } from '#resource/query/query-filter-parser.ts';

const readBack = (text: string) => {
  const parsed = parseQueryFilter(text);
  return parsed.kind === 'compare' ? parsed.value : parsed;
};

describe('a filter of the client', () => {
  it('keeps each text a value, whatever is in it', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('"', "'", '\\', 'u', ' ', ')', 'or', 'true', 'é', '😀') }),
        (text) => {
          expect(readBack(filter`userName eq ${text}`.text)).toBe(text);
        },
      ),
    );
  });

  it('keeps each number and each list a value', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        fc.pre(!Number.isInteger(number) || Number.isSafeInteger(number) || Math.abs(number) > 1e21);
        expect(readBack(filter`age gt ${number}`.text)).toBe(number + 0);
      }),
    );
    fc.assert(
      fc.property(fc.array(fc.string({ unit: fc.constantFrom('"', "'", '\\', ']', ',', 'a') })), (list) => {
        expect(parseQueryFilter(filter`sn in ${list}`.text)).toEqual({
          kind: 'in',
          pointer: ['sn'],
          values: list,
        });
      }),
    );
  });

  it('takes filters into filters, times and truth', () => {
    const either = filter`sn eq ${'Nagy'} or sn eq ${'Vogl'}`;
    const time = new Date('2026-01-01T00:00:00Z');
    expect(filter`active eq ${true} and ${either} and since lt ${time}`.text).toBe(
      'active eq true and (sn eq "Nagy" or sn eq "Vogl") and since lt "2026-01-01T00:00:00.000Z"',
    );
    expect(asFilter('sn pr').text).toBe('sn pr');
  });

  it('refuses a value between quotes, where it could end them, and what is no value', () => {
    const name = ' or true or sn eq ';
    expect(() => filter`sn eq "${name}"`).toThrow('Leave out the quotes around a value');
    expect(() => filter`sn eq 'it\\'s ${name}'`).toThrow('Leave out the quotes');
    expect(filter`sn eq "a" or sn eq ${'b'}`.text).toBe('sn eq "a" or sn eq "b"');
    for (const none of [null, undefined, Number.NaN, {}]) {
      expect(() => filter`sn eq ${none as never}`).toThrow(TypeError);
    }
  });
});
