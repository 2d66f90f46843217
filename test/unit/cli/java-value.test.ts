import { describe, expect, it } from 'vitest';
import { javaValue } from '../../../src/cli/import/processes/java-value.ts';

const NAME = '[Ljava.lang.Object;';
const hex = (number: number, bytes: number) => number.toString(16).padStart(2 * bytes, '0');
const reference = (handle: number) => `71${hex(0x7e0000 + handle, 4)}`;
const described = `72${hex(NAME.length, 2)}${Buffer.from(NAME).toString('hex')}${hex(0, 8)}02${hex(0, 2)}7870`;
/** The class has the handle 0, the outermost array 1, and each inside of it the next. */
const array = (depth: number, ...items: string[]) =>
  `75${depth === 1 ? described : reference(0)}${hex(items.length, 4)}${items.join('')}`;
const nested = (most: number, depth = 1): string =>
  depth === most ? array(depth, '70') : array(depth, nested(most, depth + 1), reference(depth + 1));
const read = (value: string) => javaValue(Buffer.from(`aced0005${value}`, 'hex'));

describe('a value that Java has serialized', () => {
  it('has what several of its parts refer to in each of them', () => {
    expect(read(nested(3))).toEqual([
      [[null], [null]],
      [[null], [null]],
    ]);
  });

  it('is too large where writing it out would be without end, however few bytes it has', () => {
    const small = nested(60);
    expect(small.length).toBeLessThan(3_000);
    expect(() => read(small)).toThrow('too many values');
    const text = `74${hex(60_000, 2)}${'61'.repeat(60_000)}`;
    const often = array(1, text, ...Array.from({ length: 1_000 }, () => reference(2)));
    expect(() => read(often)).toThrow('too many values');
  });

  it('is none where it holds itself', () => {
    expect(() => read(array(1, reference(1)))).toThrow('holds itself');
  });
});
