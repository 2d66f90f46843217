import { describe, expect, it } from 'vitest';
import { neededSlots } from '../../../src/scheduler/calendar/needed-slots.ts';

describe('the slots that planned runs need', () => {
  const span = { from: 0, to: 400, bucketMs: 100 };

  it('are as many as run at one instant, in each bucket that they reach into', () => {
    const runs = [
      { times: [10, 150], tookMs: 30 },
      { times: [20], tookMs: 200 },
      { times: [30], tookMs: 5 },
    ];
    expect(neededSlots(runs, span)).toEqual([3, 2, 1, 0]);
  });

  it('are free again for what begins when another run ends', () => {
    expect(neededSlots([{ times: [0, 50, 100], tookMs: 50 }], span)).toEqual([1, 1, 0, 0]);
  });

  it('are taken all the time by what fires too often to be listed', () => {
    expect(neededSlots([{ times: [], tookMs: 25, everyMs: 10 }], span)).toEqual([3, 3, 3, 3]);
  });
});
