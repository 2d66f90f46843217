import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#json/index.ts';
import { parseSchedule, shortServiceName } from '../../../src/scheduler/schedule.ts';

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

  it.each<[string, JsonObject, string, RegExp]>([
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
