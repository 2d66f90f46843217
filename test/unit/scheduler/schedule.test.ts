import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#json/index.ts';
import { shortServiceName } from '../../../src/platform/index.ts';
import { idleInterval, parseSchedule } from '../../../src/scheduler/schedule/schedule.ts';

const parse = (json: JsonObject) =>
  parseSchedule({ schedule: '0 0 2 * * ?', invokeService: 'script', ...json }, { persisted: true });

describe('a schedule', () => {
  it('has a value in every field', () => {
    expect(parse({})).toEqual({
      enabled: true,
      persisted: true,
      misfirePolicy: 'fireAndProceed',
      schedule: '0 0 2 * * ?',
      type: 'cron',
      invokeService: 'svc.service.script',
      invokeContext: null,
      invokeLogLevel: 'info',
      timeZone: null,
      startTime: null,
      endTime: null,
      concurrentExecution: false,
    });
  });

  it('takes booleans as texts', () => {
    expect(parse({ enabled: 'false', concurrentExecution: 'TRUE' })).toMatchObject({
      enabled: false,
      concurrentExecution: true,
    });
  });

  it('takes log levels in any case', () => {
    expect(parse({ invokeLogLevel: 'DEBUG' }).invokeLogLevel).toBe('debug');
  });

  it('takes back what was read: the prefixed service, triggers and dates', () => {
    const read = { ...parse({}), _id: 'x', triggers: [], nextRunDate: null } as unknown as JsonObject;
    expect(parse(read)).toEqual(parse({}));
  });

  it('keeps a dotted service as it is, and looks short ones up without prefix', () => {
    expect(parse({ invokeService: 'org.example.mine' }).invokeService).toBe('org.example.mine');
    expect(shortServiceName('svc.service.taskscanner')).toBe('taskscanner');
    expect(shortServiceName('org.example.mine')).toBe('org.example.mine');
  });

  it('of the type simple needs no cron expression', () => {
    expect(parse({ type: 'simple', schedule: null }).schedule).toBeNull();
  });

  it('of the type simple repeats by an interval and a count, also as texts; without a count it fires once', () => {
    const repeated = parse({ type: 'simple', schedule: null, repeatInterval: '60000', repeatCount: '-1' });
    expect(repeated).toMatchObject({ repeatInterval: 60_000, repeatCount: -1 });
    const once = parse({ type: 'simple', schedule: null, repeatInterval: 0, repeatCount: 0 });
    expect(once).not.toHaveProperty('repeatCount');
    expect(idleInterval({ repeatInterval: 0, repeatCount: 0 }, once)).toEqual([]);
    expect(idleInterval({ repeatInterval: 5000 }, once)).toEqual([expect.stringMatching(/fires once/)]);
    expect(idleInterval({ repeatInterval: 5000 }, parse({ repeatInterval: 5000 }))).toEqual([
      expect.stringMatching(/type 'simple'/),
    ]);
  });

  it('tells all that is wrong with it at once', () => {
    const wrong = { schedule: '0 0 2 * *', timeZone: 'Europe/Praque', misfirePolicy: 'x', invokeService: '' };
    const mistakes = (() => {
      try {
        return parse(wrong);
      } catch (error) {
        return (error as { detail: { mistakes: { field: string }[] } }).detail.mistakes;
      }
    })() as readonly { field: string }[];
    expect(mistakes.map(({ field }) => field).sort()).toEqual([
      '/invokeService',
      '/misfirePolicy',
      '/schedule',
      '/timeZone',
    ]);
  });

  it.each<[string, JsonObject, string, RegExp]>([
    ['repeats without an interval', { type: 'simple', repeatCount: 2 }, '/repeatInterval', /is 0/],
    [
      'repeats without a pause',
      { type: 'simple', repeatCount: -1, repeatInterval: 5 },
      '/repeatInterval',
      /5/,
    ],
    ['repeats by half', { type: 'simple', repeatCount: 0.5, repeatInterval: 500 }, '/repeatCount', /0.5/],
    ['has no service', { invokeService: ' ' }, '/invokeService', /needs an invokeService/],
    ['has no cron expression', { schedule: ' ' }, '/schedule', /needs a cron expression/],
    ['has an illegal one', { schedule: '0 0 2 * *' }, '/schedule', /0 0 2 \* \*/],
    ['has a type of its own', { type: 'Cron' }, '/type', /type is 'Cron'/],
    ['has an unknown policy', { misfirePolicy: 'fireAndProced' }, '/misfirePolicy', /fireAndProced/],
    ['logs at no known level', { invokeLogLevel: 'fatal' }, '/invokeLogLevel', /fatal/],
    ['lies in no known zone', { timeZone: 'Europe/Praque' }, '/timeZone', /Europe\/Praque/],
    ['starts at a time with an offset', { startTime: '2026-09-01T06:00:00Z' }, '/startTime', /offset|Z/],
    ['has a policy in other letters', { misfirePolicy: 'donothing' }, '/misfirePolicy', /donothing/],
    ['starts at no time', { startTime: '2026-13-01T00:00:00' }, '/startTime', /2026-13-01/],
    [
      'ends before it starts',
      { startTime: '2026-02-01T00:00:00', endTime: '2026-01-01T00:00:00' },
      '/endTime',
      /before/,
    ],
    ['is enabled by a number', { enabled: 1 }, '/enabled', /not a boolean/],
    ['has a number for its expression', { schedule: 5 }, '/schedule', /not a text/],
    ['has a text for its context', { invokeContext: 'x' }, '/invokeContext', /"x", not an object/],
  ])('is refused when it %s', (_title, json, field, message) => {
    const error = (() => {
      try {
        parse(json);
      } catch (thrown) {
        return thrown;
      }
      return undefined;
    })();
    expect(error).toMatchObject({
      code: 400,
      message: expect.stringMatching(message),
      detail: { field, id: expect.stringMatching(/^SCHED_|^TIME_/) },
    });
  });

  it('with a misspelt zone is told the right one', () => {
    expect(() => parse({ timeZone: 'Europe/Praque' })).toThrow(
      expect.objectContaining({
        detail: expect.objectContaining({ hint: expect.stringMatching(/Europe\/Prague/) }),
      }),
    );
  });
});
