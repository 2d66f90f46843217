import { describe, expect, it } from 'vitest';
import type { Firing } from '../../../src/scheduler/fire/firing.ts';
import { endedEntries, missedEntries, passedEntries } from '../../../src/scheduler/run/ledger-entry.ts';
import { decideFiring } from '../../../src/scheduler/run/misfire.ts';
import { parseSchedule, timingOf } from '../../../src/scheduler/schedule/schedule.ts';

const T0 = Date.parse('2026-05-04T10:00:00Z');

function firing(misfirePolicy: 'fireAndProceed' | 'doNothing', startedAt: number): Firing {
  const definition = parseSchedule(
    { schedule: '* * * * * ?', timeZone: 'UTC', invokeService: 'script', misfirePolicy },
    { persisted: true },
  );
  const timing = timingOf(definition);
  const decision = decideFiring({
    fireAt: T0,
    lateFrom: T0,
    now: startedAt,
    policy: misfirePolicy,
    timing,
    thresholdMs: 2_000,
  });
  const key = { triggerId: 1, generation: 1, fireAt: T0 };
  const run = {
    ...key,
    attempt: 1,
    lateFrom: null,
    nextPlanned: false,
    kind: 'planned',
    cause: null,
    slot: 0,
  } as const;
  return {
    run: { ...run, jobId: 'j', definition },
    holder: { nodeId: 1, epoch: 1 },
    nodeName: 'a',
    decision,
    dst: 'quartz',
    invoker: 'Scheduled j',
    startedAt,
  };
}

const whole = (entries: readonly { plannedAt: number }[]) =>
  entries.map(({ plannedAt }) => plannedAt).filter((at) => at % 1000 === 0);
const isRuns = ({ outcome }: { outcome: string }) => outcome !== 'misfired';

describe('the entries of a misfire', () => {
  // A clock that has fractions of a millisecond meets the very time of a firing, too.
  const starts = [4_500, 5_000, 5_000.4, 5_000.999, 5_001, 5_999.9];

  it.each(starts)('have each time up to the next one that waits once, %d ms later', (ms) => {
    for (const policy of ['fireAndProceed', 'doNothing'] as const) {
      const late = firing(policy, T0 + ms);
      const entries = policy === 'doNothing' ? missedEntries(late) : endedEntries(late, [], null);
      const planned = [...whole(entries), late.decision.next];
      expect(planned).toEqual(planned.map((_, n) => T0 + n * 1000));
      expect(entries.filter(isRuns)).toHaveLength(policy === 'doNothing' ? 0 : 1);
      expect(new Set(entries.map(({ plannedAt }) => Math.floor(plannedAt))).size).toBe(entries.length);
    }
  });

  it('are the same times where those it lets pass were recorded before it ran', () => {
    const late = firing('fireAndProceed', T0 + 4_500);
    const before = passedEntries(late);
    const after = endedEntries({ ...late, run: { ...late.run, nextPlanned: true } }, [], null);
    const times = (entries: readonly { plannedAt: number }[]) =>
      entries.map(({ plannedAt }) => plannedAt).sort((left, right) => left - right);
    expect(times([...before, ...after])).toEqual(times(endedEntries(late, [], null)));
  });

  it('leave those after it alone when the next time waits already, and may have fired long since', () => {
    const taken = firing('doNothing', T0 + 60_000);
    expect(missedEntries({ ...taken, run: { ...taken.run, nextPlanned: true, attempt: 2 } })).toMatchObject([
      { plannedAt: T0, outcome: 'misfired' },
    ]);
  });
});
