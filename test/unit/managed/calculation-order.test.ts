import { describe, expect, it } from 'vitest';
import { compileType } from '../../../src/managed/managed-type.ts';

const order = (scripts: Record<string, string>) => {
  const properties = Object.fromEntries(
    Object.entries(scripts).map(([name, source]) => [
      name,
      { isVirtual: true, onRetrieve: { type: 'text/javascript', source } },
    ]),
  );
  return compileType({ name: 't', schema: { properties } }).calculated.map(({ name }) => name);
};

describe('the order in which virtual properties are calculated', () => {
  it('is that of their declaration where none needs another', () => {
    expect(order({ b: '1', a: 'object.x', c: '2' })).toEqual(['b', 'a', 'c']);
  });

  it('puts each after those that its script mentions', () => {
    expect(order({ a: 'object.b + object["c"]', b: 'object.c', c: 'object.bb' })).toEqual(['c', 'b', 'a']);
  });

  it('breaks circles where they begin', () => {
    expect(order({ a: 'object.b', b: 'object.a', c: 'object.c' })).toEqual(['b', 'a', 'c']);
  });
});
