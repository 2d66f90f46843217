import type { ScheduleDefinition } from './schedule.ts';

/** The fields that decide when it fires; a change of any other keeps what waits. */
const TIMING_FIELDS = [
  'enabled',
  'type',
  'schedule',
  'startTime',
  'endTime',
  'timeZone',
  'repeatInterval',
  'repeatCount',
] as const;

export function isRetimed(old: ScheduleDefinition, now: ScheduleDefinition): boolean {
  return TIMING_FIELDS.some((field) => old[field] !== now[field]);
}
