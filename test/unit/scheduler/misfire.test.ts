import { describe, expect, it } from 'vitest';
import { clockWarnings } from '../../../src/scheduler/clock-warnings.ts';
import { decideFiring } from '../../../src/scheduler/misfire.ts';
import { firstFiring, nextFiring } from '../../../src/scheduler/next-firing.ts';
import { parseSchedule, timingOf } from '../../../src/scheduler/schedule.ts';

const at = (text: string) => Date.parse(`2026-05-04T${text}Z`);

const timing = (fields: Record<string, string> = {}) =>
  timingOf(
    parseSchedule(
      { schedule: '0 * * * * ?', timeZone: 'UTC', invokeService: 'script', ...fields },
      { persisted: true },
    ),
  );

const decide = (now: string, facts: Partial<Parameters<typeof decideFiring>[0]> = {}) =>
  decideFiring({
    fireAt: at('10:00:00'),
    lateFrom: at('10:00:00'),
    now: at(now),
    policy: 'fireAndProceed',
    timing: timing(),
    ...facts,
  });

describe('a firing', () => {
  it('on time is for its planned time, and the next one is counted from there', () => {
    expect(decide('10:00:00.020')).toEqual({
      kind: 'onTime',
      scheduledAt: at('10:00:00'),
      next: at('10:01:00'),
    });
  });

  it('late below the threshold is made up for its planned time', () => {
    expect(decide('10:00:09.999')).toMatchObject({ kind: 'onTime', scheduledAt: at('10:00:00') });
  });

  it('at the threshold has misfired, and fires once for all that was missed', () => {
    expect(decide('10:00:10')).toEqual({ kind: 'now', scheduledAt: at('10:00:10'), next: at('10:01:00') });
    expect(decide('10:42:30')).toMatchObject({ kind: 'now', next: at('10:43:00') });
  });

  it('that has misfired waits for the next time under doNothing', () => {
    expect(decide('10:42:30', { policy: 'doNothing' })).toEqual({
      kind: 'skip',
      scheduledAt: at('10:00:00'),
      next: at('10:43:00'),
    });
  });

  it('released by a dead node is late only from its release on', () => {
    const facts = { policy: 'doNothing', lateFrom: at('10:00:35') } as const;
    expect(decide('10:00:36', facts)).toMatchObject({ kind: 'onTime', scheduledAt: at('10:00:00') });
  });

  it('interrupted when the next one waited already stands for its own time, however late it is', () => {
    const begun = { nextPlanned: true } as const;
    expect(decide('10:42:30', begun)).toMatchObject({ kind: 'onTime', scheduledAt: at('10:00:00') });
    expect(decide('10:42:30', { ...begun, policy: 'doNothing' })).toMatchObject({ kind: 'skip' });
  });

  it('overtaken by the next one has misfired already, where late ones are to be merged', () => {
    const merged = (now: string, policy: 'fireAndProceed' | 'doNothing' = 'fireAndProceed') =>
      decide(now, { coalesce: true, policy, timing: timing({ schedule: '* * * * * ?' }) });
    expect(merged('10:00:00.900')).toMatchObject({ kind: 'onTime', next: at('10:00:01') });
    expect(merged('10:00:04.500')).toEqual({
      kind: 'now',
      scheduledAt: at('10:00:04.500'),
      next: at('10:00:05'),
    });
    expect(merged('10:00:04.500', 'doNothing')).toMatchObject({ kind: 'skip', next: at('10:00:05') });
  });

  it('of a simple trigger fires now however late it is', () => {
    const simple = timing({ type: 'simple' });
    expect(decide('11:00:00', { timing: simple, policy: 'doNothing' })).toEqual({
      kind: 'now',
      scheduledAt: at('11:00:00'),
      next: null,
    });
  });

  it('never happens after endTime', () => {
    const ended = timing({ endTime: '2026-05-04T10:30:00' });
    expect(decide('10:42:30', { timing: ended })).toMatchObject({ kind: 'skip', next: null });
  });
});

describe('the firings of a schedule', () => {
  it('begin in the second in which it is made', () => {
    expect(firstFiring(timing(), at('10:00:00.700'))).toBe(at('10:00:00'));
    expect(firstFiring(timing(), at('10:00:01'))).toBe(at('10:01:00'));
  });

  it('include startTime and endTime themselves', () => {
    const bounded = timing({ startTime: '2026-05-04T10:05:00', endTime: '2026-05-04T10:06:00' });
    expect(firstFiring(bounded, at('09:00:00'))).toBe(at('10:05:00'));
    expect(nextFiring(bounded, at('10:05:00'))).toBe(at('10:06:00'));
    expect(nextFiring(bounded, at('10:06:00'))).toBeNull();
  });

  it('of a simple trigger is one: three seconds after its creation, or at startTime', () => {
    expect(firstFiring(timing({ type: 'simple' }), at('10:00:00'))).toBe(at('10:00:03'));
    const started = timing({ type: 'simple', startTime: '2026-05-04T08:00:00' });
    expect(firstFiring(started, at('10:00:00'))).toBe(at('08:00:00'));
    expect(nextFiring(started, at('08:00:00'))).toBeNull();
    const until = (endTime: string) => timing({ type: 'simple', endTime: `2026-05-04T${endTime}` });
    expect(firstFiring(until('10:00:03'), at('10:00:00'))).toBe(at('10:00:03'));
    expect(firstFiring(until('10:00:02'), at('10:00:00'))).toBeNull();
  });

  it.each([
    ['0 30 2 * * ?', 'Europe/Berlin', /^Clocks skip .*2027-03-28T02:00:00 to 2027-03-28T03:00:00/],
    [
      '0 0/20 * * * ?',
      'America/New_York',
      /^Clocks skip .*2027-03-14T02:00:00 .* first 2027-03-14T02:00:00$/,
    ],
    ['0 0 3 * * ?', 'Europe/Berlin', undefined],
    ['0 30 2 * * ?', 'UTC', undefined],
    ['0 30 2 * * ?', 'GMT+02:00', undefined],
    ['0 30 2 1 * ?', 'Europe/Berlin', undefined],
  ])('of %s in %s are warned of where clocks skip them', (expression, timeZone, warning) => {
    const spring = { startTime: '2027-02-01T00:00:00', endTime: '2027-06-01T00:00:00' };
    const warnings = clockWarnings(timing({ schedule: expression, timeZone, ...spring }), at('10:00:00'));
    expect(warnings).toEqual(warning === undefined ? [] : [expect.stringMatching(warning)]);
  });

  it('follow the clock of its time zone', () => {
    const berlin = timing({ schedule: '0 0 2 * * ?', timeZone: 'Europe/Berlin' });
    expect(firstFiring(berlin, at('10:00:00'))).toBe(Date.parse('2026-05-05T00:00:00Z'));
  });
});
