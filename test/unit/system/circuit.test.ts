import { describe, expect, it } from 'vitest';
import { Circuit } from '#system/circuit.ts';

describe('a circuit', () => {
  function at() {
    const clock = { now: 0 };
    return { clock, circuit: new Circuit(() => clock.now) };
  }
  const fail = (circuit: Circuit, times: number) =>
    Array.from({ length: times }, () => circuit.failed('refused'));

  it('breaks with the fifth failure within half a minute', () => {
    const { clock, circuit } = at();
    expect(fail(circuit, 4)).toEqual([false, false, false, false]);
    clock.now = 31_000;
    expect(fail(circuit, 4)).toEqual([false, false, false, false]);
    expect(circuit.refusal()).toBeUndefined();
    expect(circuit.failed('refused')).toBe(true);
    expect(circuit.refusal()).toMatchObject({ why: 'refused', sinceMs: 31_000 });
  });

  it('counts calls that hang one after the other, however long each of them is waited for', () => {
    const { clock, circuit } = at();
    const broken = Array.from({ length: 5 }, () => {
      clock.now += 30_000;
      return circuit.failed('no answer', 30_000);
    });
    expect(broken).toEqual([false, false, false, false, true]);
  });

  it('lets one through after each pause, which grows to a minute', () => {
    const { clock, circuit } = at();
    fail(circuit, 5);
    const pauses: number[] = [];
    for (let time = 0; time < 10; time++) {
      const before = clock.now;
      clock.now = circuit.refusal()?.retryAtMs ?? Number.NaN;
      pauses.push(clock.now - before);
      expect(circuit.refusal()).toBeUndefined();
      expect(circuit.refusal()).toBeDefined();
      circuit.failed('still refused');
    }
    expect(pauses[0]).toBeLessThanOrEqual(1_200);
    expect(pauses[3]).toBeGreaterThan(6_000);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(72_000);
  });

  it('is whole again with the first success', () => {
    const { circuit } = at();
    fail(circuit, 5);
    expect(circuit.succeeded()).toBe(true);
    expect(circuit.refusal()).toBeUndefined();
    expect(circuit.succeeded()).toBe(false);
  });
});
