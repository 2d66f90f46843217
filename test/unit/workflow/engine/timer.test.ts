import { describe, expect, test } from 'vitest';
import { compile, listStarts, planNext, planStartTimer } from '../../../../src/workflow/engine/index.ts';
import {
  planCycle,
  planDate,
  planDuration,
  readDueDate,
  type TimerPlan,
} from '../../../../src/workflow/engine/timer.ts';
import { bpmn, cycle, message, path, signal, start, tag, user } from './bpmn.ts';

const NOW = Date.UTC(2026, 0, 31, 12);
const HOUR = 3_600_000;
const nextHour = (_text: string, after: number) => (Math.floor(after / HOUR) + 1) * HOUR;
const iso = (plan: TimerPlan | undefined) => plan && new Date(plan.dueAt).toISOString();

describe('dates and durations', () => {
  test.each([
    ['2026-03-01T10:00:00Z', '2026-03-01T10:00:00.000Z'],
    ['2026-03-01T10:00:00+02:00', '2026-03-01T08:00:00.000Z'],
    ['2026-03-01T10:00:00', '2026-03-01T10:00:00.000Z'],
    ['2026-03-01', '2026-03-01T00:00:00.000Z'],
    [NOW, '2026-01-31T12:00:00.000Z'],
  ])('the date %s', (value, at) => {
    expect(iso(planDate(value))).toBe(at);
  });

  test.each([
    ['PT10M', '2026-01-31T12:10:00.000Z'],
    ['P1DT12H', '2026-02-02T00:00:00.000Z'],
    ['P1W', '2026-02-07T12:00:00.000Z'],
    ['P1Y', '2027-01-31T12:00:00.000Z'],
    ['PT0.5S', '2026-01-31T12:00:00.500Z'],
  ])('the duration %s', (value, at) => {
    expect(iso(planDuration(value, NOW))).toBe(at);
  });

  test.each([1e300, -8.64e15, { $date: 1e300 }, Number.POSITIVE_INFINITY])(
    'a date is not %j, outside the years that all write alike',
    (value) => {
      expect(() => planDate(value)).toThrow(/is not in the years 1 to 9999/);
      expect(() => readDueDate(value, NOW)).toThrow(/is not in the years 1 to 9999/);
    },
  );

  test.each(['P8000Y', 'P999999999D', 'PT99999999999999999999S'])('%s from now is no date either', (text) => {
    expect(() => planDuration(text, NOW)).toThrow('The timer value');
  });

  test.each(['', 'soon', 'P', '10', '2026-13-01', '-PT1H'])('%s is no duration', (text) => {
    expect(() => planDuration(text, NOW)).toThrow('not a duration');
  });

  test('a due date is a date or a duration from now', () => {
    expect(readDueDate('PT1H', NOW)).toBe(NOW + HOUR);
    expect(readDueDate('2026-02-01', NOW)).toBe(Date.UTC(2026, 1, 1));
    expect(() => readDueDate('soon', NOW)).toThrow('not a date');
  });
});

/** All firings, each on time. */
function firings(text: string, count: number, end: string | null = null): (string | undefined)[] {
  const found: (string | undefined)[] = [];
  let plan = planCycle(text, end, NOW, nextHour);
  while (plan !== undefined && found.length < count) {
    found.push(iso(plan)?.slice(5, 16));
    plan = planNext(plan.dueAt, plan.repeat, plan.dueAt, nextHour);
  }
  return found;
}

describe('cycles', () => {
  test('so many firings, the first after one duration', () => {
    expect(firings('R3/PT10M', 9)).toEqual(['01-31T12:10', '01-31T12:20', '01-31T12:30']);
    expect(firings('R1/PT10M', 9)).toHaveLength(1);
    expect(firings('PT10M', 9)).toHaveLength(1);
    expect(firings('R/PT10M', 50)).toHaveLength(50);
    expect(firings('R-1/PT10M', 50)).toHaveLength(50);
  });

  test('from a start and up to an end', () => {
    expect(firings('R2/2026-02-01T00:00:00Z/PT1H', 9)).toEqual(['02-01T00:00', '02-01T01:00']);
    expect(firings('R/2026-01-31T11:50:00Z/PT1H', 2)).toEqual(['01-31T12:50', '01-31T13:50']);
    expect(firings('R/PT1H/2026-01-31T14:30:00Z', 9)).toEqual(['01-31T13:00', '01-31T14:00']);
    expect(firings('R/PT1H', 9, '2026-01-31T13:00:00Z')).toEqual(['01-31T13:00']);
    expect(firings('R/PT1H', 9, '2026-01-31T12:30:00Z')).toEqual([]);
  });

  test('by months, from the day they began on', () => {
    expect(firings('R/P1M', 4)).toEqual(['02-28T12:00', '03-31T12:00', '04-30T12:00', '05-31T12:00']);
    const monthly = planCycle('R/P1M', null, NOW);
    const later = planNext(monthly!.dueAt, monthly!.repeat, Date.UTC(2046, 1, 1));
    expect(iso(later)).toBe('2046-02-28T12:00:00.000Z');
  });

  test('by cron, where the host can read it', () => {
    expect(firings('0 0 * * * ?', 2)).toEqual(['01-31T13:00', '01-31T14:00']);
    expect(() => planCycle('0 0 * * * ?', null, NOW)).toThrow('neither an ISO repetition nor');
  });

  test('a late firing goes on with the next one of its own rhythm, however long it was away', () => {
    const repeat = { every: 'PT1S' };
    expect(planNext(NOW, repeat, NOW + 365 * 24 * HOUR + 300)?.dueAt).toBe(NOW + 365 * 24 * HOUR + 1000);
    expect(planNext(NOW, repeat, NOW)?.dueAt).toBe(NOW + 1000);
    expect(planNext(NOW, repeat, NOW + 1000)?.dueAt).toBe(NOW + 2000);
    const monthly = planNext(Date.UTC(2026, 0, 15), { every: 'P1M' }, Date.UTC(2026, 5, 20));
    expect(iso(monthly)).toBe('2026-07-15T00:00:00.000Z');
    expect(planNext(NOW, { every: 'PT1S', left: 0 }, NOW)).toBeUndefined();
    expect(planNext(NOW, undefined, NOW)).toBeUndefined();
  });

  test.each([
    'R/',
    'R0/PT1M',
    'R/PT0S',
    'R3/2026-01-01',
    'R/PT1M/PT2M/x',
    'R/x/PT1M',
    'R/PT0.5S',
    'R101/PT0.9S',
  ])('%s is refused', (text) => {
    expect(() => planCycle(text, null, NOW)).toThrow('The timer value');
  });
});

test('what goes on after a long time is found, by months and by seconds with no month', () => {
  const start = Date.UTC(1990, 0, 15);
  expect(iso(planNext(start, { every: 'P1M' }, NOW))).toBe('2026-02-15T00:00:00.000Z');
  expect(iso(planNext(Date.parse('0001-01-31'), { every: 'P1M' }, NOW + 1))).toBe('2026-02-28T00:00:00.000Z');
  for (const every of ['P0YT1S', 'P0Y0MT1S', 'P0MT1S']) {
    expect(planNext(start, { every }, NOW + 1)).toEqual({ dueAt: NOW + 1000, repeat: { every } });
    expect(planCycle(`R/1990-01-15T00:00:00Z/${every}`, null, NOW)?.repeat).toEqual({ every });
  }
});

test('what starts a process is listed for its deployment', async () => {
  const [definition] = await compile(
    bpmn(
      start() +
        start('t', cycle('R2/PT1H')) +
        start('m', message()) +
        start('g', signal()) +
        user('a') +
        path('s', 'a') +
        path('t', 'a') +
        path('m', 'a') +
        path('g', 'a') +
        tag('manualTask', 'x'),
    ),
  );
  const starts = await listStarts(definition);
  expect(starts).toMatchObject([
    { element: 's', kind: 'none' },
    { element: 't', kind: 'timer' },
    { element: 'm', kind: 'message', name: 'hello' },
    { element: 'g', kind: 'signal', name: 'alarm' },
  ]);
  const timer = starts.find((trigger) => trigger.kind === 'timer')!.timer;
  expect(await planStartTimer(timer, NOW)).toEqual({ dueAt: NOW + HOUR, repeat: { every: 'PT1H', left: 1 } });
});
