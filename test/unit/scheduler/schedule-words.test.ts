import { describe, expect, it } from 'vitest';
import { languageOf } from '#resource/index.ts';
import { parseSchedule } from '../../../src/scheduler/schedule/schedule.ts';
import { scheduleWords } from '../../../src/scheduler/schedule/schedule-words.ts';

describe('the words of a schedule', () => {
  it.each([
    ['0 0 2 * * ?', 'At 02:00'],
    ['0 0/15 8-17 ? * MON-FRI', 'Every 15 minutes, between 08:00 and 17:59, Monday through Friday'],
    ['0 0 2 ? * 1', 'At 02:00, only on Sunday'],
    ['0 15 10 ? * 6#3', 'At 10:15, on the third Friday of the month'],
    ['0 0 0 LW * ?', 'At 00:00, on the last weekday of the month'],
    ['0 15 10 * * ? 2027-2029', 'At 10:15, 2027 through 2029'],
    ['* * * * * ?', 'Every second'],
  ])('count days as Quartz does: %s', (schedule, words) => {
    const definition = parseSchedule({ schedule, invokeService: 'script' }, { persisted: true });
    expect(scheduleWords(definition)).toBe(words);
  });

  it.each([
    [{}, 'Once'],
    [{ startTime: '2038-01-01T00:00:00' }, 'Once, at 2038-01-01T00:00:00'],
    [{ repeatInterval: 60_000, repeatCount: -1 }, 'Every minute'],
    [{ repeatInterval: 90_000, repeatCount: 3 }, 'Every 90 seconds, 4 times'],
    [{ repeatInterval: 1_500, repeatCount: -1 }, 'Every 1500 milliseconds'],
  ])('say of a simple one how often: %j', (fields, words) => {
    const definition = parseSchedule(
      { type: 'simple', invokeService: 'script', ...fields },
      { persisted: true },
    );
    expect(scheduleWords(definition)).toBe(words);
  });
});

describe('the words of a schedule in German', () => {
  it.each([
    [{ schedule: '0 0 2 ? * 1' }, 'Um 02:00, nur jeden Sonntag'],
    [{ type: 'simple' }, 'Einmal'],
    [{ type: 'simple', repeatInterval: 3_600_000, repeatCount: -1 }, 'Jede Stunde'],
    [{ type: 'simple', repeatInterval: 90_000, repeatCount: 3 }, 'Alle 90 Sekunden, 4-mal'],
  ])('%j', (fields, words) => {
    const definition = parseSchedule({ invokeService: 'script', ...fields }, { persisted: true });
    expect(scheduleWords(definition, 'de')).toBe(words);
  });

  it.each([
    [undefined, 'en'],
    ['', 'en'],
    ['de', 'de'],
    ['de-AT, en;q=0.5', 'de'],
    ['en;q=0.5, DE;q=0.9', 'de'],
    ['fr, de;q=0.2', 'de'],
    ['de;q=0, en', 'en'],
    ['fr;q=x, *', 'en'],
  ])('are for whoever reads German best: %s', (header, language) => {
    const headers = header === undefined ? {} : { 'accept-language': header };
    expect(languageOf({ http: { method: 'GET', path: '/', headers, parameters: {} } })).toBe(language);
  });
});
