import { describe, expect, it } from 'vitest';
import { decideFiring } from '../../../src/scheduler/run/misfire.ts';
import { clockWarnings } from '../../../src/scheduler/schedule/clock-warnings.ts';
import {
  anchored,
  firstFiring,
  nextFiring,
  withoutAnchor,
} from '../../../src/scheduler/schedule/next-firing.ts';
import { parseSchedule, timingOf } from '../../../src/scheduler/schedule/schedule.ts';

const at = (text: string) => Date.parse(`2026-05-04T${text}Z`);

const timing = (fields: Record<string, string | number> = {}) =>
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

  it('of a simple trigger that repeats fires once for what was missed, which is used up, or not under doNothing', () => {
    const simple = timing({
      type: 'simple',
      startTime: '2026-05-04T10:00:00',
      repeatInterval: 60_000,
      repeatCount: 45,
    });
    expect(decide('10:00:09', { timing: simple })).toMatchObject({ kind: 'onTime', next: at('10:01:00') });
    expect(decide('10:42:30', { timing: simple })).toEqual({
      kind: 'now',
      scheduledAt: at('10:42:30'),
      next: at('10:43:00'),
    });
    expect(decide('10:46:00', { timing: simple })).toMatchObject({ kind: 'now', next: null });
    const policy = 'doNothing';
    expect(decide('10:42:30', { timing: simple, policy })).toMatchObject({
      kind: 'skip',
      next: at('10:43:00'),
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

  it('of a simple trigger that repeats come in steps from its start, as many as it says', () => {
    const steps = (fields: Record<string, string | number>) =>
      timing({ type: 'simple', startTime: '2026-05-04T10:00:00', repeatInterval: 1500, ...fields });
    const listed = (of: ReturnType<typeof timing>, from = at('09:00:00')) => {
      const times: string[] = [];
      for (let next = firstFiring(of, from); next !== null && times.length < 5; next = nextFiring(of, next)) {
        times.push(new Date(next).toISOString().slice(11, 23));
      }
      return times;
    };
    expect(listed(steps({ repeatCount: 2 }))).toEqual(['10:00:00.000', '10:00:01.500', '10:00:03.000']);
    expect(listed(steps({ repeatCount: '-1' }))).toHaveLength(5);
    expect(listed(steps({ repeatCount: -1, endTime: '2026-05-04T10:00:02' }))).toHaveLength(2);
    // What has passed already fires once, at once, and the steps stay what they are.
    expect(listed(steps({ repeatCount: 2 }), at('10:00:02'))).toEqual(['10:00:02.000', '10:00:03.000']);
    expect(listed(steps({ repeatCount: 2 }), at('11:00:00'))).toEqual(['11:00:00.000']);
    expect(nextFiring(steps({ repeatCount: 2 }), at('09:00:00'))).toBe(at('10:00:00'));
  });

  it('of a simple trigger that repeats take no notice of clocks that change', () => {
    const daily = timing({
      type: 'simple',
      startTime: '2027-03-27T02:30:00',
      timeZone: 'Europe/Berlin',
      repeatInterval: 86_400_000,
      repeatCount: -1,
    });
    const next = nextFiring(daily, Date.parse('2027-03-27T12:00:00Z'))!;
    expect(new Date(next).toISOString()).toBe('2027-03-28T01:30:00.000Z');
    expect(clockWarnings(daily, at('10:00:00'))).toEqual([]);
  });

  it('of a simple trigger without a start are counted from its registration, and stay so', () => {
    const definition = parseSchedule(
      { type: 'simple', invokeService: 'script', repeatInterval: 1000, repeatCount: 1 },
      { persisted: true },
    );
    const registered = anchored(definition, at('10:00:00'));
    expect(firstFiring(timingOf(registered), at('10:00:00'))).toBe(at('10:00:03'));
    expect(nextFiring(timingOf(registered), at('10:00:03'))).toBe(at('10:00:04'));
    expect(nextFiring(timingOf(registered), at('10:00:04'))).toBeNull();
    expect(anchored(definition, at('10:30:00'), registered)).toEqual(registered);
    expect(anchored(definition, at('10:30:00'))).toMatchObject({ firstAt: at('10:30:03') });
    expect(withoutAnchor(registered)).toEqual(definition);
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
