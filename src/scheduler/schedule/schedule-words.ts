import { toString as wordsOfCron } from 'cronstrue';
import type { ScheduleDefinition } from './schedule.ts';

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

/** When a schedule fires, for people; by the clocks of its zone. */
export function scheduleWords({ type, schedule, startTime, ...own }: ScheduleDefinition): string {
  if (type === 'cron') return cronWords(schedule ?? '');
  const { repeatInterval, repeatCount = 0 } = own;
  if (repeatInterval === undefined) return startTime === null ? 'Once' : `Once, at ${startTime}`;
  const times = repeatCount === -1 ? '' : `, ${repeatCount + 1} times`;
  return `Every ${spanWords(repeatInterval)}${times}`;
}

/** Quartz counts the days of the week from 1 for Sunday. An expression that has no words says itself. */
function cronWords(expression: string): string {
  try {
    return wordsOfCron(expression, { dayOfWeekStartIndexZero: false, use24HourTimeFormat: true });
  } catch {
    return expression;
  }
}

function spanWords(ms: number): string {
  const [name, length] = UNITS.find(([, unit]) => ms >= unit && ms % unit === 0) ?? ['millisecond', 1];
  const count = ms / length;
  return count === 1 ? name : `${count} ${name}s`;
}
