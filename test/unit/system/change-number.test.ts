import { describe, expect, it } from 'vitest';
import {
  firstOf,
  isNew,
  placeAfter,
  placeAt,
  placeOf,
  tokenOf,
} from '#system/connectors/ldap/change-number.ts';

const BATCH = 500;

/** So many writes, a millisecond after one another, of two servers in turn. */
function writes(count: number): string[] {
  return Array.from({ length: count }, (_, n) => {
    const [second, milli] = [String(10 + Math.floor(n / 1_000)), String(n % 1_000).padStart(3, '0')];
    return `202611281643${second}.${milli}000Z#000000#00${n % 2}#000000`;
  });
}

/** What is told of them batch by batch, by somebody who knows nothing but the token in between. */
function toldOf(all: readonly string[], batches: number): string[] {
  const told: string[] = [];
  let token = tokenOf(placeOf('accesslog'));
  for (let n = 0; n < batches; n++) {
    const place = placeAt(token, 'accesslog');
    const first = firstOf(place) ?? '';
    const some = all.filter((number) => number >= first && isNew(place, number)).slice(0, BATCH);
    told.push(...some);
    token = tokenOf(placeAfter(place, some));
  }
  return told;
}

describe('the place of somebody who follows a directory', () => {
  it('moves on, however many writes come within the time that is looked at again', () => {
    const all = writes(8_000);
    expect(toldOf(all, all.length / BATCH)).toEqual(all);
    expect(toldOf(all, all.length / BATCH + 5)).toEqual(all);
  });

  it('is told of a write that became visible late, and once', () => {
    const all = writes(3_000);
    const late = all[2_400]!;
    const others = all.filter((number) => number !== late);
    let place = placeAfter(placeOf('accesslog'), others);
    expect(isNew(place, late)).toBe(true);
    place = placeAfter(placeAt(tokenOf(place), 'accesslog'), [late]);
    expect(all.filter((number) => number >= firstOf(place)! && isNew(place, number))).toEqual([]);
  });

  it('fits into a token of bounded length', () => {
    expect(tokenOf(placeAfter(placeOf('accesslog'), writes(8_000))).length).toBeLessThan(100_000);
  });
});
