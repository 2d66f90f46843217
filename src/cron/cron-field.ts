export type CronFieldName = 'second' | 'minute' | 'hour' | 'dayOfMonth' | 'month' | 'dayOfWeek' | 'year';

/** One of the seven fields: what its values may be and how people are told about it. */
export interface CronField {
  readonly name: CronFieldName;
  readonly label: string;
  readonly min: number;
  readonly max: number;
  /** English names, the first standing for `min`; their first three letters are the usual form. */
  readonly names: readonly string[];
}

const MONTHS = [
  'JANUARY',
  'FEBRUARY',
  'MARCH',
  'APRIL',
  'MAY',
  'JUNE',
  'JULY',
  'AUGUST',
  'SEPTEMBER',
  'OCTOBER',
  'NOVEMBER',
  'DECEMBER',
];
const WEEKDAYS = ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY'];

/** The fields whose values are a set of small numbers. */
export const CRON_FIELD = {
  second: { name: 'second', label: 'second', min: 0, max: 59, names: [] },
  minute: { name: 'minute', label: 'minute', min: 0, max: 59, names: [] },
  hour: { name: 'hour', label: 'hour', min: 0, max: 23, names: [] },
  dayOfMonth: { name: 'dayOfMonth', label: 'day of month', min: 1, max: 31, names: [] },
  month: { name: 'month', label: 'month', min: 1, max: 12, names: MONTHS },
  dayOfWeek: { name: 'dayOfWeek', label: 'day of week', min: 1, max: 7, names: WEEKDAYS },
  year: { name: 'year', label: 'year', min: 1970, max: 9999, names: [] },
} as const satisfies Record<CronFieldName, CronField>;

/** The value of an English name, whole or by its first three letters, in any case; undefined for other words. */
export function valueOfName(field: CronField, word: string): number | undefined {
  const upper = word.toUpperCase();
  const index = field.names.findIndex((name) => name === upper || name.slice(0, 3) === upper);
  return index < 0 ? undefined : field.min + index;
}
