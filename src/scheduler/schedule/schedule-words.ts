import { toString as wordsOfCron } from 'cronstrue';
import 'cronstrue/locales/de.js';
import type { Language } from '#resource/index.ts';
import type { ScheduleDefinition } from './schedule.ts';

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
  ['millisecond', 1],
] as const;

type Unit = (typeof UNITS)[number][0];

/** What a schedule without an expression is called. */
interface Phrases {
  readonly once: string;
  readonly onceAt: (time: string) => string;
  readonly every: (count: number, unit: Unit) => string;
  readonly times: (count: number) => string;
}

const GERMAN_UNITS: Record<Unit, readonly [every: string, many: string]> = {
  day: ['Jeden Tag', 'Tage'],
  hour: ['Jede Stunde', 'Stunden'],
  minute: ['Jede Minute', 'Minuten'],
  second: ['Jede Sekunde', 'Sekunden'],
  millisecond: ['Jede Millisekunde', 'Millisekunden'],
};

const PHRASES: Record<Language, Phrases> = {
  en: {
    once: 'Once',
    onceAt: (time) => `Once, at ${time}`,
    every: (count, unit) => (count === 1 ? `Every ${unit}` : `Every ${count} ${unit}s`),
    times: (count) => `${count} times`,
  },
  de: {
    once: 'Einmal',
    onceAt: (time) => `Einmal, um ${time}`,
    every: (count, unit) => (count === 1 ? GERMAN_UNITS[unit][0] : `Alle ${count} ${GERMAN_UNITS[unit][1]}`),
    times: (count) => `${count}-mal`,
  },
};

/** When a schedule fires, for people; by the clocks of its zone. */
export function scheduleWords(
  { type, schedule, startTime, ...own }: ScheduleDefinition,
  language: Language = 'en',
): string {
  if (type === 'cron') return cronWords(schedule ?? '', language);
  const { once, onceAt, every, times } = PHRASES[language];
  const { repeatInterval, repeatCount = 0 } = own;
  if (repeatInterval === undefined) return startTime === null ? once : onceAt(startTime);
  const span = every(...spanOf(repeatInterval));
  return repeatCount === -1 ? span : `${span}, ${times(repeatCount + 1)}`;
}

/** Quartz counts the days of the week from 1 for Sunday. An expression that cannot be put into words is shown as it is. */
function cronWords(expression: string, locale: Language): string {
  try {
    return wordsOfCron(expression, { dayOfWeekStartIndexZero: false, use24HourTimeFormat: true, locale });
  } catch {
    return expression;
  }
}

function spanOf(ms: number): [count: number, unit: Unit] {
  const [unit, length] = UNITS.find(([, each]) => ms >= each && ms % each === 0) ?? ['millisecond', 1];
  return [ms / length, unit];
}
