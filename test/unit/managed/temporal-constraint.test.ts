import { describe, expect, it } from 'vitest';
import { isInEffect, parseTemporalConstraints } from '../../../src/managed/grant/temporal-constraint.ts';

const SPAN = [{ duration: '2030-01-01T00:00:00Z/2030-02-01T00:00:00Z' }];
const at = (text: string) => Date.parse(text);

describe('a temporal constraint', () => {
  it('is in effect from its start to just before its end', () => {
    expect(isInEffect(SPAN, at('2029-12-31T23:59:59Z'))).toBe(false);
    expect(isInEffect(SPAN, at('2030-01-01T00:00:00Z'))).toBe(true);
    expect(isInEffect(SPAN, at('2030-02-01T00:00:00Z'))).toBe(false);
  });

  it('means UTC where it names no zone', () => {
    const bare = [{ duration: '2030-01-01T00:00:00/2030-02-01T00:00' }];
    expect(isInEffect(bare, at('2030-01-01T00:00:00Z'))).toBe(true);
    expect(isInEffect(bare, at('2029-12-31T23:59:59Z'))).toBe(false);
    expect(isInEffect(bare, at('2030-02-01T00:00:00Z'))).toBe(false);
  });

  it.each([[undefined], [null], [[]]])('is always in effect when it is %j', (value) => {
    expect(isInEffect(value, 0)).toBe(true);
    expect(parseTemporalConstraints(value, 'role')).toBeNull();
  });

  it('that cannot be read lets nothing be in effect, and is refused', () => {
    expect(isInEffect([{ duration: 'soon' }], 0)).toBe(false);
    expect(() => parseTemporalConstraints([{ duration: 'soon' }], 'role')).toThrow(/temporal constraint/);
    const spring = [{ duration: '2030-02-31T00:00:00Z/2030-06-30T00:00:00Z' }];
    expect(isInEffect(spring, at('2030-05-01T00:00:00Z'))).toBe(false);
    expect(() => parseTemporalConstraints(spring, 'role')).toThrow(/temporal constraint/);
    expect(() => parseTemporalConstraints('always', 'role')).toThrow(/temporal constraint/);
    expect(() => parseTemporalConstraints([...SPAN, ...SPAN], 'grant')).toThrow(/per grant/);
  });
});
